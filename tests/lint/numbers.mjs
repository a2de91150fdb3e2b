/**
 * Decimal numbers in prose must be facts, `[0.970]{fact=similarity(128,1)}`, which the build computes
 * (web/site/facts). Code, formulas, links and version or section numbers are not prose.
 * README.md is not built: there the same mark stands in a comment behind its number,
 * `0.970<!-- [0.970]{fact=similarity(128,1)} -->`.
 */
import { lineAt } from './files.mjs';

/** What is not prose, longest first; replaced by blanks of the same length. */
const notProse = [
  /(\S+)<!--\s*\[[<>≤≥]?\s*\1\]\{fact=[^}\n]*\}\s*-->/g, // a fact where no site is built
  /^---\n[\s\S]*?\n---\n/, // front matter
  /<!--[\s\S]*?-->/g,
  /<(script|style)\b[\s\S]*?<\/\1>/g,
  /^([ \t]*)(`{3,}|~{3,})[^\n]*\n[\s\S]*?\n[ \t]*\2[ \t]*$/gm, // fenced code
  /`[^`\n]+`/g,
  /\$\$[\s\S]*?\$\$/g,
  /\$[^$\n]+\$/g,
  /\[[^\][\n]+\]\{fact=[^}\n]*\}/g,
  /\]\([^)\n]*\)/g, // link targets
  /^\[[^\]\n]+\]:.*$/gm,
  /<[a-zA-Z/][^>]*>/g, // tags with their attributes
  /\bhttps?:\/\/\S+/g,
];

/** Decimals that count nothing: versions, sections, equations, arXiv numbers. */
const names = [
  /\bv\d+(\.\d+)+\b/gi,
  /\b\d+\.\d+\.\d+(\.\d+)*\b/g,
  /\b(Node(\.js)?|Emscripten|CMake|Safari|Firefox|Chrome|Chromium|Debian|Ubuntu|Clang|GCC|xsimd|doctest|TypeScript|VitePress|Llama|Qwen|GLM|GPT|Phi|Gemma|Mistral|transformers)[- ]?(≥ ?|>= ?)?\d+(\.\d+)+/gi,
  /(§|\b(section|sec\.|table|figure|fig\.|equation|eq\.)|第|表|图|式)\s*\d+(\.\d+)*/gi,
  /\barXiv:?\s*\d{4}\.\d{4,5}/gi,
];

const decimal = /(?<![\w.])[−-]?(\d[\d,]*)?\.\d+(e[−-]?\d+)?|\b\d+e[−-]?\d+\b|\b10[⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹]+/g;

/**
 * Decimals in prose that nothing checks, as `file:line: what` texts.
 * @param {import('./files.mjs').Texts} texts
 * @returns {string[]}
 */
export function numberFaults(texts) {
  const faults = [];
  for (const [file, text] of texts) {
    const prose = [...notProse, ...names].reduce(blank, text);
    for (const match of prose.matchAll(decimal)) {
      faults.push(`${file}:${lineAt(text, match.index)}: ${match[0].trim()} is not a fact`);
    }
  }
  return faults;
}

/** @param {string} text @param {RegExp} pattern */
function blank(text, pattern) {
  return text.replace(pattern, (found) => found.replace(/[^\n]/g, ' '));
}
