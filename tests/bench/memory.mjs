/** How much memory an attention needs beside its tensors, found by leaving it less and less. */
import { shapesOf } from './numbers.mjs';

/** Blocks that fill the memory up; also how exactly the rest is known. */
const BLOCK = 2 ** 16;

/** The module's memory grows as a whole; where its spare rest is this large, growth is not the work's. */
const MOST_SPARE = 64 * 2 ** 20;

/**
 * @param {object} work
 * @param {() => Promise<import('posenc').Posenc>} fresh  loads an instance of its own
 * @returns {Promise<number>} bytes
 */
export async function measureMemory(work, fresh) {
  if (work.kind === 'total memory') {
    const pe = await fresh();
    attend(pe, work);
    return pe.info.memoryBytes;
  }
  let [enough, tooLittle] = [MOST_SPARE, 0];
  while (enough - tooLittle > BLOCK && enough > tooLittle * 1.1) {
    const spare = tooLittle === 0 ? enough / 4 : Math.sqrt(enough * tooLittle);
    if (await growsWith(await fresh(), work, spare)) tooLittle = spare;
    else enough = spare;
    if (enough <= BLOCK) break;
  }
  return Math.round(enough);
}

function attend(pe, work, before = () => {}) {
  const shapes = shapesOf(work);
  const [query, key, value] = Object.values(shapes).map((shape) => pe.zeros(shape));
  const out = pe.zeros(shapes.query);
  before();
  const size = pe.info.memoryBytes;
  pe.attention({ query, key, value, causal: work.causal, out });
  return pe.info.memoryBytes - size;
}

/** Whether an attention makes a memory grow in which no more than about `spare` bytes are left. */
async function growsWith(pe, work, spare) {
  const fill = () => {
    const blocks = (bytes) => {
      for (let i = 0; i < Math.floor(bytes / BLOCK); ++i) pe.zeros([BLOCK / 4]);
    };
    const start = pe.info.memoryBytes;
    while (pe.info.memoryBytes === start) blocks(BLOCK);
    // It has just grown, for a block: all but that block is spare.
    blocks(pe.info.memoryBytes - start - BLOCK - spare);
  };
  return attend(pe, work, fill) > 0;
}
