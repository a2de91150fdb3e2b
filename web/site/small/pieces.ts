/** Tokens as readers see them, and what they were chosen from. */
import type { Opened } from './opened.js';
import type { Detail, Piece } from './protocol.js';

/** How many alternatives are told. */
const BEST = 5;

/** A token with its text; the id stands for what has none of its own, such as half a character. */
export function pieceOf({ model, symbols }: Opened, id: number): Piece {
  const text = model.tokenizer?.decode([id]) ?? symbols?.[id] ?? '';
  return { id, text: text === '' || text.includes('\uFFFD') ? `#${id}` : text };
}

/** Probability and rank of an id, and the most probable ones, from a row of logits. */
export function detailOf(opened: Opened, logits: Float32Array, id: number): Detail {
  const own = logits[id]!;
  let most = -Infinity;
  for (const logit of logits) if (logit > most) most = logit;
  let sum = 0;
  let rank = 1;
  for (const logit of logits) {
    sum += Math.exp(logit - most);
    if (logit > own) rank++;
  }
  const probability = (logit: number): number => Math.exp(logit - most) / sum;
  return {
    probability: probability(own),
    rank,
    best: bestOf(logits).map((best) => ({
      ...pieceOf(opened, best),
      probability: probability(logits[best]!),
    })),
  };
}

/** Ids of the largest logits, largest first. */
function bestOf(logits: Float32Array): number[] {
  const best: number[] = [];
  for (let id = 0; id < logits.length; id++) {
    const place = best.findIndex((other) => logits[id]! > logits[other]!);
    if (place >= 0) best.splice(place, 0, id);
    else if (best.length < BEST) best.push(id);
    if (best.length > BEST) best.pop();
  }
  return best;
}
