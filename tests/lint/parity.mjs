/**
 * Chinese and English are equals: the same pages with the same headings, figures, facts, code and
 * sources, and every text of the figures in both languages.
 */
import ts from 'typescript';
import { lineAt, scriptOf } from './files.mjs';

/** What both versions of a page must have alike, in order unless it says otherwise. */
const traits = {
  'heading levels': (/** @type {string} */ page) => all(page, /^(#{1,6})\s/gm),
  figures: (/** @type {string} */ page) => all(page, /<Figure\b[^>]*\bid="([^"]+)"/g),
  facts: (/** @type {string} */ page) => all(page, /\]\{fact=([^}]+)\}/g).sort(),
  'code blocks': (/** @type {string} */ page) => all(page, /^[ \t]*```(\w+)/gm),
  'display formulas': (/** @type {string} */ page) => [String(all(page, /^(\$\$)\s*$/gm).length)],
  boxes: (/** @type {string} */ page) => all(page, /^:::\s*(\w+)/gm),
  sources: (/** @type {string} */ page) => all(page, /\((https?:[^)\s]+)\)/g).sort(),
};

/**
 * Differences between the pages of the two languages, as `file: what` texts.
 * @param {import('./files.mjs').Texts} texts  Markdown below web/site/
 * @returns {string[]}
 */
export function pageFaults(texts) {
  const faults = [];
  const pages = new Set([...texts.keys()].map((file) => file.replace(/^web\/site\/(en\/)?/, '')));
  for (const page of [...pages].sort()) {
    const [zh, en] = [`web/site/${page}`, `web/site/en/${page}`].map((file) => texts.get(file));
    if (zh === undefined || en === undefined) {
      faults.push(
        `web/site/${en === undefined ? page : `en/${page}`}: has no twin in the other language`,
      );
      continue;
    }
    for (const [name, read] of Object.entries(traits)) {
      const [left, right] = [withoutCode(name, zh), withoutCode(name, en)].map((text) =>
        read(text),
      );
      const at = Math.max(left.length, right.length);
      const first = Array.from({ length: at }, (_, i) => i).find((i) => left[i] !== right[i]);
      if (first !== undefined) {
        faults.push(
          `web/site/en/${page}: ${name} differ: zh ${left[first] ?? 'none'}, en ${right[first] ?? 'none'} (number ${first + 1})`,
        );
      }
    }
  }
  return faults;
}

/**
 * Objects in TypeScript or Vue files that hold one language only, an empty text, or texts under
 * different keys, as `file:line: what` texts.
 * @param {import('./files.mjs').Texts} texts
 * @returns {string[]}
 */
export function messageFaults(texts) {
  return [...texts].flatMap(([file, text]) => {
    const source = ts.createSourceFile(file, scriptOf(file, text), ts.ScriptTarget.Latest, true);
    /** @type {string[]} */
    const faults = [];
    const visit = (/** @type {ts.Node} */ node) => {
      if (ts.isObjectLiteralExpression(node)) {
        const fault = wordsFault(node);
        if (fault) faults.push(`${file}:${lineAt(source.text, node.getStart())}: ${fault}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return faults;
  });
}

/** @param {ts.ObjectLiteralExpression} object */
function wordsFault(object) {
  const [zh, en] = ['zh', 'en'].map((name) => member(object, name));
  if ((!zh && !en) || member(object, 'root')) return null; // VitePress calls the first language root
  if (!zh || !en) return `a text in ${zh ? 'zh' : 'en'} alone`;
  for (const value of [zh, en]) {
    if (ts.isStringLiteralLike(value) && !value.text.trim()) return 'an empty text';
  }
  const [left, right] = [keysOf(zh), keysOf(en)];
  const odd = [
    ...left.filter((k) => !right.includes(k)),
    ...right.filter((k) => !left.includes(k)),
  ];
  return odd.length ? `keys in one language alone: ${odd.join(', ')}` : null;
}

/** @param {ts.ObjectLiteralExpression} object @param {string} name */
function member(object, name) {
  const found = object.properties.find((p) => p.name?.getText().replace(/['"]/g, '') === name);
  if (!found) return undefined;
  return ts.isPropertyAssignment(found) ? found.initializer : found;
}

/** Dotted names of everything inside an object literal. @param {ts.Node} node @returns {string[]} */
function keysOf(node) {
  if (!ts.isObjectLiteralExpression(node)) return [];
  return node.properties.flatMap((property) => {
    const name = property.name?.getText().replace(/['"]/g, '') ?? property.getText();
    const inner = ts.isPropertyAssignment(property) ? keysOf(property.initializer) : [];
    return [name, ...inner.map((key) => `${name}.${key}`)];
  });
}

/** Code may hold what looks like a heading; only the code trait looks inside. @param {string} trait @param {string} page */
function withoutCode(trait, page) {
  return trait === 'code blocks' ? page : page.replace(/^([ \t]*)```[\s\S]*?^\1```/gm, '');
}

/** @param {string} text @param {RegExp} pattern */
function all(text, pattern) {
  return [...text.matchAll(pattern)].map((match) => match[1]);
}
