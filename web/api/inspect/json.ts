import { PosencError, show } from '../error.js';
import { limits } from './limits.js';

/**
 * Parses the text of a config.json. Unlike `JSON.parse` it says line and column on every engine,
 * accepts Python's `NaN`, `Infinity` and `-Infinity` (real configs contain them), refuses a key that
 * appears twice, and makes objects without prototype, so `__proto__` is a key like any other.
 * Throws `PosencError` of code `config`.
 */
export function parseJson(text: string): unknown {
  refuseForeign(text);
  if (text.length > limits.characters) {
    throw broken('is too long', `at most ${limits.characters} characters`);
  }
  return new Parser(text).document();
}

function broken(what: string, allowed: string, received?: string): PosencError {
  return new PosencError('config', `config ${what}, needs ${allowed}`, {
    argument: 'config',
    allowed,
    ...(received === undefined ? {} : { received }),
  });
}

/** What people paste or download instead of JSON. */
function refuseForeign(text: string): void {
  const start = text.slice(0, 400).trimStart();
  const allowed = 'the JSON text of a config.json';
  if (text.trim() === '') throw broken('is empty', allowed, show(text));
  if (start.startsWith('<')) {
    throw broken('is HTML or XML, as from a login or error page', allowed, show(start));
  }
  if (start.startsWith('version https://git-lfs')) {
    throw broken('is a Git LFS pointer, not the file itself', allowed, show(start));
  }
  if (start.startsWith('GGUF')) {
    throw broken('is a GGUF model file', allowed, show(start.slice(0, 4)));
  }
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /-?[A-Za-z]+/y;
const words = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);

class Parser {
  private readonly text: string;
  private at: number;

  constructor(text: string) {
    this.text = text;
    this.at = text.startsWith('\uFEFF') ? 1 : 0; // byte order mark
  }

  document(): unknown {
    const value = this.value(0);
    this.space();
    if (this.at < this.text.length) this.fail('the end of the text');
    return value;
  }

  private value(depth: number): unknown {
    this.space();
    switch (this.text[this.at]) {
      case '{':
        return this.object(depth + 1);
      case '[':
        return this.array(depth + 1);
      case '"':
        return this.string();
      default:
        return this.scalar();
    }
  }

  private object(depth: number): Record<string, unknown> {
    this.enter(depth);
    const object = Object.create(null) as Record<string, unknown>;
    if (this.skip('}')) return object;
    for (;;) {
      this.space();
      const start = this.at;
      if (this.text[start] !== '"') this.fail('a key in double quotes');
      const key = this.string();
      if (key in object) this.fail(`a key other than ${show(key)}, which came before`, start);
      if (!this.skip(':')) this.fail('a colon');
      object[key] = this.value(depth);
      if (this.skip('}')) return object;
      if (!this.skip(',')) this.fail('a comma or }');
    }
  }

  private array(depth: number): unknown[] {
    this.enter(depth);
    const array: unknown[] = [];
    if (this.skip(']')) return array;
    for (;;) {
      array.push(this.value(depth));
      if (this.skip(']')) return array;
      if (!this.skip(',')) this.fail('a comma or ]');
    }
  }

  private enter(depth: number): void {
    if (depth > limits.depth) this.fail(`at most ${limits.depth} levels of nesting`);
    this.at++;
  }

  private string(): string {
    const start = this.at;
    let escapes = false;
    for (let i = start + 1; i < this.text.length; i++) {
      const unit = this.text.charCodeAt(i);
      if (unit === 0x5c) {
        escapes = true;
        i++;
      } else if (unit < 0x20)
        this.fail('a string without raw line breaks or control characters', i);
      else if (unit === 0x22) {
        this.at = i + 1;
        if (!escapes) return this.text.slice(start + 1, i);
        try {
          return JSON.parse(this.text.slice(start, this.at)) as string;
        } catch {
          return this.fail('a string with valid \\ escapes', start);
        }
      }
    }
    return this.fail('a closing "', this.text.length);
  }

  private scalar(): unknown {
    number.lastIndex = this.at;
    if (number.test(this.text)) {
      const start = this.at;
      this.at = number.lastIndex;
      return Number(this.text.slice(start, this.at));
    }
    word.lastIndex = this.at;
    const name = word.exec(this.text)?.[0];
    if (name === undefined) return this.fail('a value');
    if (!words.has(name)) this.fail('a value (text needs double quotes)');
    this.at += name.length;
    return words.get(name);
  }

  private space(): void {
    for (;;) {
      const unit = this.text.charCodeAt(this.at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.at++;
    }
  }

  private skip(character: string): boolean {
    this.space();
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private fail(expected: string, at = this.at): never {
    const before = this.text.slice(0, at);
    const line = before.split('\n').length;
    const column = at - before.lastIndexOf('\n');
    const place = `line ${line}, column ${column} (character ${at + 1})`;
    const ended = at >= this.text.length;
    const found = ended ? 'the text ends' : `there is ${show(this.text.slice(at, at + 12))}`;
    throw new PosencError(
      'config',
      `config is not valid JSON: at ${place} ${expected} was expected, but ${found}` +
        (ended ? ' (cut off?)' : ''),
      {
        argument: 'config',
        received: ended ? 'end of text' : show(this.text.slice(at, at + 12)),
        allowed: expected,
      },
    );
  }
}
