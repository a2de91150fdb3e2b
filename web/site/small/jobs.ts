/** What the worker does with an open model, job by job. */
import type { ContextOptions, Posenc, Trace } from 'posenc';
import { PageFault, failureOf } from './failures.js';
import { trialOf } from './mistakes.js';
import { contextOf, encode, ropeOf, SINKS, type Opened } from './opened.js';
import { detailOf, pieceOf } from './pieces.js';
import type { Detail, Jobs, JobName, Positions, WayResult } from './protocol.js';
import { meanOf } from './stages.js';

/** Numbers that a pass may give back at once: 128 MiB. */
const MOST_LOGITS = 2 ** 25;
/** Numbers of all heads and tokens that a trace may hold for one stage. */
const MOST_SCORES = 2 ** 23;
/** Tokens that a map of attention has room for. */
const MOST_SEEN = 96;
/** Tokens that ways and mistakes are tried on. */
const MOST_READ = 1024;
/** Tokens that each way writes. */
const WRITTEN = 40;

/** What a job works with. */
export interface At<Name extends JobName> {
  readonly pe: Posenc;
  readonly opened: Opened;
  readonly order: Jobs[Name]['order'];
  readonly signal: AbortSignal;
  readonly tell: (news: Jobs[Name]['news']) => void;
}

/** Goes on from a prompt, and then tells what each new token was chosen from. */
export async function write(at: At<'write'>): Promise<Jobs['write']['result']> {
  const { pe, opened, order, signal, tell } = at;
  const { model } = opened;
  const { temperature, topK, topP, seed, maxTokens } = order.sampling;
  const context = contextOf(pe, opened, order.positions);
  const prompt = encode(opened, order.prompt);
  if (prompt.length === 0) throw new PageFault('tooShort');
  const ids = [...prompt];
  const sampling = { temperature, topP, seed, ...(topK > 0 && { topK }) };
  try {
    const tokens = model.generate(prompt, { ...context, ...sampling, maxTokens, signal });
    for await (const { id, text } of tokens) {
      ids.push(id);
      tell({ piece: pieceOf(opened, id), text });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return {
    prompt: Array.from(prompt, (id) => pieceOf(opened, id)),
    details: detailsOf(opened, ids, prompt.length, context, order.positions),
  };
}

/** `null` where it would take too much memory. */
function detailsOf(
  opened: Opened,
  ids: readonly number[],
  first: number,
  context: ContextOptions,
  { way }: Positions,
): Detail[] | null {
  const { model } = opened;
  const { vocabulary } = model.spec;
  if (ids.length * vocabulary > MOST_LOGITS) return null;
  // Where frequencies follow the length, each token was chosen at another one.
  const chunk = way === 'dynamic' ? { chunk: 1 } : {};
  const logits = model.logits(ids, { ...context, ...chunk });
  return ids.slice(first).map((id, i) => {
    const row = first + i - 1;
    return detailOf(opened, logits.subarray(row * vocabulary, (row + 1) * vocabulary), id);
  });
}

const traced = [
  ...(['query', 'key', 'turnedQuery', 'turnedKey'] as const),
  ...(['scores', 'biased', 'logits', 'weights'] as const),
];

/** The last trace: other heads of the same text are already there. */
let seen: { key: string; opened: Opened; trace: Trace<(typeof traced)[number]> } | undefined;

/** One head over a text. */
export function look({ pe, opened, order }: At<'look'>): Jobs['look']['result'] {
  const { model } = opened;
  const { heads, kvHeads, headDim, layers, attentionScale } = model.spec.decoder!;
  const most = Math.floor(Math.sqrt(MOST_SCORES / (layers.length * heads)));
  const all = order.ids ?? [...encode(opened, order.text)];
  const ids = all.slice(0, Math.min(MOST_SEEN, most));
  if (ids.length === 0) throw new PageFault('tooShort');
  const key = JSON.stringify([ids, order.positions]);
  if (seen?.key !== key || seen.opened !== opened) {
    const context = contextOf(pe, opened, order.positions);
    seen = { key, opened, trace: model.trace(ids, { ...context, return: traced }) };
  }
  const layer = seen.trace.layers[Math.min(order.layer, layers.length - 1)]!;
  const head = Math.min(order.head, heads - 1);
  const keyHead = Math.floor((head * kvHeads) / heads);
  const tokens = ids.length;
  const part = (x: Float32Array, of: number, count: number): Float32Array => {
    const size = x.length / count;
    return x.slice(of * size, (of + 1) * size);
  };
  const { way } = order.positions;
  const rope = ropeOf(opened, Math.min(order.layer, layers.length - 1));
  const turns = rope !== null && way !== 'nope' && way !== 'alibi';
  const swapped = way !== 'own' && way !== 'window' && way !== 'sinks';
  const { rotaryDim = headDim, layout = 'half' } = (rope ?? {}) as {
    rotaryDim?: number;
    layout?: 'half' | 'interleaved';
  };
  return {
    pieces: ids.map((id) => pieceOf(opened, id)),
    headDim,
    scale: swapped ? 1 / Math.sqrt(headDim) : attentionScale,
    pairs: turns ? { rotaryDim, layout } : null,
    query: part(layer.query, head, heads),
    key: part(layer.key, keyHead, kvHeads),
    turnedQuery: part(layer.turnedQuery, head, heads),
    turnedKey: part(layer.turnedKey, keyHead, kvHeads),
    scores: part(layer.scores, head, heads),
    biased: part(layer.biased, head, heads),
    logits: part(layer.logits, head, heads),
    weights: part(layer.weights, head, heads),
    cut: all.length > tokens,
  };
}

/** Forgets the trace of a model that is no more. */
export function forget(): void {
  seen = undefined;
}

/** Reads a text in several ways, and goes on from its end in each. */
export async function compare(at: At<'compare'>): Promise<Jobs['compare']['result']> {
  const { pe, opened, order, signal, tell } = at;
  const ids = textIds(opened, order.text);
  for (const positions of order.ways) {
    if (signal.aborted) break;
    tell(await readIn(pe, opened, positions, ids, signal));
    await nextTurn();
  }
  return { tokens: ids.length };
}

async function readIn(
  pe: Posenc,
  opened: Opened,
  positions: Positions,
  ids: Int32Array,
  signal: AbortSignal,
): Promise<WayResult> {
  const { way } = positions;
  let losses: Float32Array | null = null;
  let written = '';
  try {
    const context = contextOf(pe, opened, positions);
    losses = opened.model.perplexity(ids, context).losses;
    const options = { ...context, maxTokens: WRITTEN, signal };
    for await (const { id, text } of opened.model.generate(ids, options)) {
      written += opened.model.tokenizer === undefined ? pieceOf(opened, id).text : text;
    }
    return { way, losses, written, failure: null };
  } catch (error) {
    return { way, losses, written, failure: failureOf(error) };
  }
}

/** Makes a mistake, and runs the same text rightly. */
export function mistake({ pe, opened, order }: At<'mistake'>): Jobs['mistake']['result'] {
  const { model } = opened;
  const all = textIds(opened, order.text);
  // Beyond the trained length the right way would fail as well.
  const fits = order.mistake === 'restart' ? (model.trainedLength ?? MOST_READ) : MOST_READ;
  const ids = all.subarray(0, fits);
  const room = Math.max(2, Math.min(order.window, ids.length - 2));
  const trial = trialOf(pe, opened, { mistake: order.mistake, tokens: ids.length, room });
  return {
    mistake: order.mistake,
    right: model.perplexity(ids, trial.right).losses,
    wrong: model.perplexity(ids, trial.wrong).losses,
    from: trial.from,
    sink: order.mistake === 'evict' ? sinkOf(opened, ids.subarray(0, MOST_SEEN)) : null,
  };
}

/** What the later half of a text gives to its first tokens, on average over all heads. */
function sinkOf({ model, options }: Opened, ids: Int32Array): { share: number; even: number } {
  const tokens = ids.length;
  const { layers } = model.trace(ids, { ...options, return: ['weights'] });
  const first = Math.floor(tokens / 2);
  const [shares, evens]: [number[], number[]] = [[], []];
  for (const { weights } of layers) {
    for (let row = 0; row < weights.length / tokens; row++) {
      const query = row % tokens;
      if (query < first) continue;
      const sinks = weights.subarray(row * tokens, row * tokens + SINKS);
      shares.push(sinks.reduce((sum, weight) => sum + weight, 0));
      evens.push(SINKS / (query + 1));
    }
  }
  return { share: meanOf(shares), even: meanOf(evens) };
}

function textIds(opened: Opened, text: string): Int32Array {
  const ids = encode(opened, text).subarray(0, MOST_READ);
  if (ids.length < 8) throw new PageFault('tooShort');
  return ids;
}

/** Lets messages in. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
