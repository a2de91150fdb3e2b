/** `node tests/lint/run.mjs`: prints every fault; exit code 1 when there is one. */
import { fileURLToPath } from 'node:url';
import { readTexts } from './files.mjs';
import { layerFaults } from './layers.mjs';
import { lengthFaults } from './length.mjs';
import { numberFaults } from './numbers.mjs';
import { messageFaults, pageFaults } from './parity.mjs';

/**
 * Every fault of the project.
 * @param {string} root
 * @returns {string[]}
 */
export function projectFaults(root) {
  const code = /\.(ts|mts|mjs|js|vue|hpp|cpp|inc)$/;
  const pages = readTexts(root, ['web/site'], /\.md$/);
  return [
    ...layerFaults(readTexts(root, ['cpp', 'web'], code)),
    ...lengthFaults(
      readTexts(root, ['cpp', 'web', 'tests', 'scripts'], /\.(ts|mts|mjs|js|vue|hpp|cpp|inc|css)$/),
    ),
    ...pageFaults(pages),
    ...messageFaults(readTexts(root, ['web'], /\.(ts|vue)$/)),
    ...numberFaults(
      new Map([...pages, ...readTexts(root, ['.'], /^README.*\.md$/, { deep: false })]),
    ),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = projectFaults(fileURLToPath(new URL('../..', import.meta.url)));
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
  else console.log('lint: layers, length, parity, numbers: no fault');
}
