/**
 * Mistakes with caches, made on a real model. A wrong position reaches the model as an encoding that
 * turns each token by angles given one by one: `selective_rope`, whose angles here are those of RoPE at
 * the position that the faulty code would have used.
 */
import type { ContextOptions, Encoding, Posenc } from 'posenc';
import { ropeOf, SINKS, waysOf, type Opened, type RopeSpec } from './opened.js';
import type { Mistake } from './protocol.js';

/** Where the faulty code believes token `t` to be when it is turned. */
export type Placing = (token: number) => number;

/** The right and the wrong way to run a text, and the first token that feels it. */
export interface Trial {
  readonly right: ContextOptions;
  readonly wrong: ContextOptions;
  readonly from: number;
}

/**
 * The cache is full after half of the text; then counting begins anew.
 * @param start tokens that were there before
 */
export const restarted =
  (start: number): Placing =>
  (token) =>
    token < start ? token : token - start;

/**
 * A full cache has `room` slots: a new token gets the last one, is turned by its number, and stays turned
 * like that although its slot number falls as others go.
 */
export const renumbered =
  (room: number): Placing =>
  (token) =>
    Math.min(token, room - 1);

/** Prepares a mistake for a text of so many tokens, with `room` slots in the cache. */
export function trialOf(
  pe: Posenc,
  opened: Opened,
  { mistake, tokens, room }: { mistake: Mistake; tokens: number; room: number },
): Trial {
  const { options } = opened;
  const sinks = Math.min(SINKS, room - 1);
  const kept = { window: room - sinks, sinks };
  // Sinks stay near, where positions can change while keys wait.
  const slots = waysOf(opened).includes('sinks');
  switch (mistake) {
    case 'restart': {
      const start = Math.floor(tokens / 2);
      const encoding = misplaced(pe, opened, tokens, restarted(start));
      return { right: options, wrong: { ...options, encoding }, from: start };
    }
    case 'evict':
      return {
        right: { ...options, ...kept, ...(slots && { positions: 'slots' }) },
        wrong: { ...options, window: room },
        from: room,
      };
    case 'renumber': {
      const encoding = misplaced(pe, opened, tokens, renumbered(room));
      return {
        right: { ...options, ...kept, positions: 'slots' },
        wrong: { ...options, ...kept, encoding },
        from: room,
      };
    }
  }
}

/** The model's RoPE, layer by layer, with tokens where they are not; layers of one kind share it. */
function misplaced(
  pe: Posenc,
  opened: Opened,
  tokens: number,
  place: Placing,
): (layer: number) => Encoding | undefined {
  const made = new Map<string, Encoding>();
  return (layer) => {
    const options = ropeOf(opened, layer);
    if (options === null) return undefined;
    const key = JSON.stringify(options);
    const encoding = made.get(key) ?? misplacedRope(pe, options, tokens, place);
    made.set(key, encoding);
    return encoding;
  };
}

function misplacedRope(pe: Posenc, options: RopeSpec, tokens: number, place: Placing): Encoding {
  const rope = pe.encoding('rope', options as { headDim: number });
  const { headDim, rotaryDim, layout } = rope.options;
  const frequencies = rope.inverseFrequencies;
  const angles = Float32Array.from({ length: tokens * frequencies.length }, (_, i) => {
    const token = Math.floor(i / frequencies.length);
    const before = token === 0 ? 0 : place(token - 1);
    return frequencies[i % frequencies.length]! * (place(token) - before);
  });
  return pe.encoding('selective_rope', { headDim, rotaryDim, layout, angles });
}
