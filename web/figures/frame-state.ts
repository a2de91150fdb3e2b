/** State of a figure: a typed schema, and its short form in a link (`m:7,n:3,lock:1`). */

/** One value of a state: how it is cleaned, read from a link and written into one. */
export interface Value<V> {
  readonly initial: V;
  /** The nearest allowed value; `initial` when there is none. */
  clean(value: unknown): V;
  /** Never throws. */
  read(text: string): V;
  write(value: V): string;
  /** Range of numbers, for sliders. */
  readonly low?: number;
  readonly high?: number;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a schema mixes value types
export type Schema = Readonly<Record<string, Value<any>>>;

/** The state that a schema describes. */
export type State<T extends Schema> = {
  readonly [Name in keyof T]: T[Name] extends Value<infer V> ? V : never;
};

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));

/** An integer from `low` to `high`. */
export function integer(low: number, high: number, initial: number): Value<number> {
  const clean = (value: unknown) =>
    typeof value === 'number' && !Number.isNaN(value)
      ? clamp(Math.round(value), low, high) + 0
      : initial;
  return { initial, low, high, clean, read: (text) => clean(toNumber(text)), write: String };
}

/** A real number from `low` to `high`, kept with `digits` significant digits. */
export function real(low: number, high: number, initial: number, digits = 4): Value<number> {
  const round = (value: number) => Number(value.toPrecision(digits));
  const clean = (value: unknown) =>
    typeof value === 'number' && !Number.isNaN(value)
      ? clamp(round(clamp(value, low, high)), low, high) + 0
      : initial;
  return { initial, low, high, clean, read: (text) => clean(toNumber(text)), write: String };
}

/** On or off. */
export function flag(initial: boolean): Value<boolean> {
  return {
    initial,
    clean: (value) => (typeof value === 'boolean' ? value : initial),
    read: (text) => (text === '1' ? true : text === '0' ? false : initial),
    write: (value) => (value ? '1' : '0'),
  };
}

/** One of a few names. */
export function choice<const Name extends string>(
  names: readonly Name[],
  initial: NoInfer<Name>,
): Value<Name> {
  const clean = (value: unknown) => names.find((name) => name === value) ?? initial;
  return { initial, clean, read: (text) => clean(decode(text)), write: encode };
}

/** A text of at most `maxLength` graphemes, without control characters and lone surrogates. */
export function text(maxLength: number, initial = ''): Value<string> {
  const clean = (value: unknown) => {
    if (typeof value !== 'string') return initial;
    const printable = value.replace(/[\p{Cc}\p{Cs}]/gu, ' ');
    return graphemes(printable).slice(0, maxLength).join('');
  };
  return { initial, clean, read: (raw) => clean(decode(raw)), write: encode };
}

/** A list of integers, such as an order of tokens. */
export function list(
  low: number,
  high: number,
  initial: readonly number[],
  maxLength = 64,
): Value<readonly number[]> {
  const item = integer(low, high, low);
  const clean = (value: unknown) => {
    if (!Array.isArray(value) || value.some((x) => typeof x !== 'number' || Number.isNaN(x)))
      return initial;
    return value.slice(0, maxLength).map((x) => item.clean(x));
  };
  return {
    initial,
    clean,
    read: (raw) => (raw === '' ? [] : clean(raw.split('.').map(toNumber))),
    write: (value) => value.join('.'),
  };
}

/** User-perceived characters: an emoji with its modifiers is one. */
export function graphemes(value: string): string[] {
  return Array.from(new Intl.Segmenter().segment(value), (part) => part.segment);
}

/** The initial values of a schema. */
export function initialState<T extends Schema>(schema: T): State<T> {
  return mapSchema(schema, (value) => value.initial);
}

/** `state` with `patch` on top, every value clean. */
export function patchState<T extends Schema>(
  schema: T,
  state: State<T>,
  patch: Partial<State<T>>,
): State<T> {
  return mapSchema(schema, (value, name) =>
    Object.hasOwn(patch, name) ? value.clean(patch[name]) : state[name],
  );
}

/** Reads `m:7,lock:1`. Unknown names are ignored, bad values clamped or left initial. */
export function parseState<T extends Schema>(schema: T, source: string): State<T> {
  const given = new Map<string, string>();
  for (const part of source.split(',')) {
    const colon = part.indexOf(':');
    if (colon > 0) given.set(part.slice(0, colon), part.slice(colon + 1));
  }
  return mapSchema(schema, (value, name) => {
    const raw = given.get(String(name));
    return raw === undefined ? value.initial : value.read(raw);
  });
}

/** Writes the values that differ from the initial ones. */
export function serializeState<T extends Schema>(schema: T, state: State<T>): string {
  return Object.entries(schema)
    .map(([name, value]) => [name, value.write(state[name]), value.write(value.initial)] as const)
    .filter(([, written, initial]) => written !== initial)
    .map(([name, written]) => `${name}:${written}`)
    .join(',');
}

function mapSchema<T extends Schema>(
  schema: T,
  get: (value: Value<unknown>, name: keyof T) => unknown,
): State<T> {
  const entries = Object.entries(schema).map(([name, value]) => [name, get(value, name)]);
  return Object.fromEntries(entries) as State<T>;
}

const toNumber = (raw: string) => (raw.trim() === '' ? NaN : Number(raw));

/** Percent-encodes what has a meaning in the hash; other scripts stay readable. */
function encode(value: string): string {
  return value.replace(/[\s%,:&=#"'<>`()[\]\\^{|}]/g, (c) =>
    c.codePointAt(0)! < 128
      ? `%${c.codePointAt(0)!.toString(16).toUpperCase().padStart(2, '0')}`
      : encodeURIComponent(c),
  );
}

function decode(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}
