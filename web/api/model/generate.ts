import { checkOptions, integer, wrong } from '../check.js';
import { checkSignal, expectGoing } from '../signal.js';
import { Context } from './context.js';
import { encodeAll, type Encoded } from './encode.js';
import { checkIds } from './ids.js';
import type { LoadedModel } from './loaded.js';
import { padded } from './prompt.js';
import { sampler } from './sample.js';
import { StopText } from './stop-text.js';
import type { Tokenizer } from './tokenizers/types.js';
import type { GeneratedToken, GenerateOptions } from './types.js';
import { contextKeys, contextOptions } from './context-options.js';

const sampleKeys = [
  ...['temperature', 'topK', 'topP', 'minP', 'repetitionPenalty', 'seed', 'random'],
];
const keys = [
  ...[...sampleKeys, ...contextKeys],
  ...['maxTokens', 'stop', 'stopIds', 'signal', 'decoderStart'],
];

/** The page gets a turn when so many milliseconds have passed. */
const turn = 12;

/** What generation needs beside its options. */
export interface Source {
  readonly model: LoadedModel;
  readonly tokenizer: Tokenizer | undefined;
  /** Ids that end a text. */
  readonly ends: readonly number[];
  readonly decoderStart: number;
}

/** One prompt on its way. */
interface Sequence {
  readonly ids: number[];
  readonly text: StopText;
  done: boolean;
}

/** Goes on from prompts; see `LanguageModel.generate`. */
export async function* generate(
  source: Source,
  prompts: readonly Int32Array[],
  options: GenerateOptions = {},
): AsyncGenerator<GeneratedToken, void, undefined> {
  const { model, tokenizer } = source;
  const given = checkOptions(options, keys, 'generate') as GenerateOptions;
  const maxTokens = integer(given.maxTokens ?? 256, 'maxTokens', 1, 2 ** 31 - 1);
  const choose = samplers(given, prompts.length);
  const ends = new Set(given.stopIds ?? source.ends);
  const stops = checkStops(given.stop, tokenizer);
  const signal = checkSignal(given.signal);
  expectGoing(signal, 'generate');
  const { encoder } = model.spec;
  const starts = encoder === undefined ? prompts : prompts.map(() => startOf(source, given));
  const context = contextOptions(given);
  const capacity = Math.max(...starts.map((ids) => ids.length)) + maxTokens;
  const sequences = starts.map((ids): Sequence => ({
    ids: [...ids],
    text: new StopText(tokenizer, stops),
    done: false,
  }));
  let encoded: Encoded | undefined;
  const running = new Context(
    model,
    'decoder',
    { batch: starts.length, tokens: capacity },
    context,
  );
  try {
    if (encoder !== undefined) encoded = encodeAll(model, prompts);
    let step: ReturnType<typeof padded> = padded(starts);
    let last = performance.now();
    for (let made = 1; ; made++) {
      const { tokens } = step;
      const rows = sequences.flatMap(({ done }, entry) => (done ? [] : [(entry + 1) * tokens - 1]));
      const cross = encoded === undefined ? {} : { cross: encoded };
      const { logits } = running.step({ ...step, ...cross, wanted: rows, results: 'logits' });
      const next = new Int32Array(sequences.length);
      const real = new Uint8Array(sequences.length);
      let row = 0;
      for (const [entry, sequence] of sequences.entries()) {
        if (sequence.done) continue;
        const own = logits.subarray(row * model.spec.vocabulary, ++row * model.spec.vocabulary);
        const id = choose[entry]!(own, sequence.ids);
        const token = advance(sequence, entry, id, ends.has(id), made === maxTokens);
        next[entry] = id;
        real[entry] = sequence.done ? 0 : 1;
        yield token;
        expectGoing(signal, 'generate');
      }
      if (sequences.every(({ done }) => done)) return;
      step = { ids: next, tokens: 1, real: real.includes(0) ? real : undefined };
      if (performance.now() - last > turn) {
        await nextTurn();
        expectGoing(signal, 'generate');
        last = performance.now();
      }
    }
  } finally {
    running.dispose();
    encoded?.free();
  }
}

/** Takes an id over; says what it adds and whether it ends the sequence. */
function advance(
  sequence: Sequence,
  entry: number,
  id: number,
  isEnd: boolean,
  isLast: boolean,
): GeneratedToken {
  sequence.ids.push(id);
  const pushed = isEnd ? '' : sequence.text.push(id);
  const end = isEnd ? 'id' : sequence.text.stopped ? 'text' : isLast ? 'length' : null;
  sequence.done = end !== null;
  const rest = end === 'id' || end === 'length' ? sequence.text.end() : '';
  return { sequence: entry, id, text: pushed + rest, end };
}

/** A sampler for each sequence, so that none depends on its neighbours. */
function samplers(given: GenerateOptions, count: number) {
  const options = Object.fromEntries(
    Object.entries(given).filter(([key]) => sampleKeys.includes(key)),
  );
  return Array.from({ length: count }, () => sampler(options));
}

function startOf({ model, decoderStart }: Source, given: GenerateOptions): Int32Array {
  const ids = given.decoderStart ?? [decoderStart];
  if (ids.length === 0) throw wrong('shape', 'decoderStart', ids, 'at least one id');
  return checkIds(ids, model.spec.vocabulary, 'decoderStart');
}

function checkStops(stop: unknown, tokenizer: Tokenizer | undefined): readonly string[] {
  if (stop === undefined) return [];
  const list: readonly unknown[] = Array.isArray(stop) ? stop : [stop];
  for (const text of list) {
    if (typeof text !== 'string' || text === '') {
      throw wrong('argument', 'stop', text, 'a text that is not empty, or several');
    }
  }
  if (tokenizer !== undefined) return list as string[];
  throw wrong('argument', 'stop', stop, 'nothing, since the model was loaded without a tokenizer');
}

/** Lets the page draw and listen: a message to oneself comes sooner than any timer. */
const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
