import { PosencError, show } from '../error.js';
import type { Claim } from './context.js';
import { parseJson } from './json.js';
import { limits } from './limits.js';
import type { Range } from './limits.js';

/**
 * One object of a config, read field by field with checks. Only own properties are read, so nothing
 * in a prototype is ever taken for a setting. An absent field and `null` are the same: `null`.
 * Remembers what was looked for, so that what was not read can be told.
 */
export class Fields {
  /** Path of this object, empty at the top. */
  readonly path: string;
  private readonly object: object;
  private readonly wanted = new Set<string>();
  /** Paths of a file in another format, by those of a config.json. */
  private readonly names: ReadonlyMap<string, string>;

  constructor(object: object, path = '', names: ReadonlyMap<string, string> = new Map()) {
    this.object = object;
    this.path = path;
    this.names = names;
  }

  /** Parses (a string) or takes (an object) a whole config. */
  static of(config: unknown): Fields {
    const value = typeof config === 'string' ? parseJson(config) : config;
    if (isObject(value)) return new Fields(value);
    const allowed = `a config object, or its JSON text of at most ${limits.characters} characters`;
    throw configError('config', show(value), allowed);
  }

  /** Full path of a field, for messages and notes. */
  at(name: string): string {
    const path = this.path === '' ? name : `${this.path}.${name}`;
    return this.names.get(path) ?? path;
  }

  /** Whether the key is there, be it with `null`. */
  mentions(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** Whether the field is there and not `null`. */
  has(name: string): boolean {
    return this.peek(name) !== null;
  }

  /** The field as it is, or `null`. */
  value(name: string): unknown {
    this.wanted.add(name);
    return this.peek(name);
  }

  integer(name: string, { low, high }: Range): number | null {
    const value = this.value(name);
    if (value === null) return null;
    if (typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high) {
      return value;
    }
    throw this.wrong(name, value, `an integer from ${low} to ${high}`);
  }

  number(name: string, { low, high }: Range): number | null {
    const value = this.value(name);
    if (value === null) return null;
    if (typeof value === 'number' && value >= low && value <= high) return value;
    throw this.wrong(name, value, `a number from ${low} to ${high}`);
  }

  /** All integers given under any of these names. */
  integers(names: readonly string[], range: Range): Claim<number>[] {
    return this.claims(names, (name) => this.integer(name, range));
  }

  /** All numbers given under any of these names. */
  numbers(names: readonly string[], range: Range): Claim<number>[] {
    return this.claims(names, (name) => this.number(name, range));
  }

  flag(name: string): boolean | null {
    const value = this.value(name);
    if (value === null || typeof value === 'boolean') return value;
    throw this.wrong(name, value, 'true or false');
  }

  /** A short name: printable characters without spaces. */
  name(name: string): string | null {
    const value = this.value(name);
    if (value === null) return null;
    if (typeof value === 'string' && /^[\w.:/+-]{1,100}$/.test(value)) return value;
    throw this.wrong(name, value, 'a name of 1 to 100 letters, digits and . _ - : / +');
  }

  child(name: string): Fields | null {
    const value = this.value(name);
    if (value === null) return null;
    if (isObject(value)) return new Fields(value, this.at(name), this.names);
    throw this.wrong(name, value, 'an object or null');
  }

  /** A copy of a list of at most `most` entries. */
  list(name: string, most: number): unknown[] | null {
    const value = this.value(name);
    if (value === null) return null;
    const copy = this.guard(() => {
      if (!Array.isArray(value) || value.length > most) return null;
      return Array.from({ length: value.length }, (_, i) => value[i] as unknown);
    }, name);
    if (copy !== null) return copy;
    throw this.wrong(name, value, `a list of at most ${most} entries`);
  }

  /** Own keys, in order. */
  keys(): string[] {
    const keys = this.guard(() => Object.keys(this.object));
    if (keys.length <= limits.keys) return keys;
    const where = this.path || 'config';
    throw configError(where, `an object with ${keys.length} keys`, `at most ${limits.keys} keys`);
  }

  /** Keys with a value that nothing has looked for. */
  unread(): string[] {
    return this.keys().filter((key) => !this.wanted.has(key) && this.has(key));
  }

  /** Names that were looked for in vain. */
  missing(): string[] {
    return [...this.wanted].filter((name) => !this.mentions(name));
  }

  /** The error for a field of the wrong kind or outside its range. */
  wrong(name: string, value: unknown, allowed: string): PosencError {
    const quoted = typeof value === 'string' && value.trim() !== '' && !isNaN(Number(value));
    const numeric = allowed.startsWith('an integer') || allowed.startsWith('a number');
    const hint = quoted && numeric ? ', without quotes' : '';
    return configError(this.at(name), show(value), allowed + hint);
  }

  private claims(names: readonly string[], read: (name: string) => number | null): Claim<number>[] {
    return names.flatMap((name) => {
      const value = read(name);
      return value === null ? [] : [{ path: this.at(name), value }];
    });
  }

  /** The field as it is, or `null`, without counting it as looked for. */
  peek(name: string): unknown {
    return this.get(name) ?? null;
  }

  private get(name: string): unknown {
    return this.guard(() => {
      if (!Object.hasOwn(this.object, name)) return undefined;
      return (this.object as Record<string, unknown>)[name];
    }, name);
  }

  /** Getters and Proxies may throw anything. */
  private guard<T>(read: () => T, name?: string): T {
    try {
      return read();
    } catch (cause) {
      const where = name === undefined ? this.path || 'config' : this.at(name);
      throw configError(where, 'something that cannot be read', 'plain data', cause);
    }
  }
}

/** An object that may hold fields: not an array, a Map, a typed array … of any realm. */
export function isObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  try {
    return !Array.isArray(value) && Object.prototype.toString.call(value) === '[object Object]';
  } catch {
    return false;
  }
}

function configError(
  argument: string,
  received: string,
  allowed: string,
  cause?: unknown,
): PosencError {
  const message = `${argument} is ${received}, needs ${allowed}`;
  const details = { argument, received, allowed };
  return new PosencError('config', message, cause === undefined ? details : { ...details, cause });
}
