/** Texts of the API as Markdown that VitePress takes: docstrings, code with links, lists of members. */

/** @typedef {ReadonlyMap<string, string>} Addresses name of an exported symbol → where it is described */

const asEntity = (character) => `&#${character.charCodeAt(0)};`;

/** Text of a paragraph: nothing in it is markup of Vue, HTML or VitePress. */
export const escapeText = (text) => text.replace(/[<>{}]/g, asEntity);

/** Text inside HTML, where Markdown would see markup too. */
export const escapeHtml = (text) => text.replace(/[&<>"{}]/g, asEntity);

/** Parts of a docstring as Markdown. @param {Addresses} addresses */
function partsText(parts, addresses) {
  return parts
    .map(({ kind, text }) => {
      if (kind === 'text') return escapeText(text);
      if (kind === 'code') return text;
      const address = addresses.get(text);
      return address === undefined ? `\`${text}\`` : `[\`${text}\`](${address})`;
    })
    .join('')
    .trim();
}

/**
 * A docstring: its text, then parameters and errors.
 * @param {import('typedoc').Comment | undefined} comment
 * @param {Addresses} addresses
 */
export function docstring(comment, addresses) {
  if (comment === undefined) return '';
  const labels = { '@returns': 'Returns', '@throws': 'Throws' };
  const tags = comment.blockTags
    .filter(({ tag }) => tag in labels)
    .map(({ tag, content }) => `**${labels[tag]}** ${partsText(content, addresses)}`);
  return [partsText(comment.summary, addresses), ...tags].filter(Boolean).join('\n\n');
}

/** Comments, texts and names in a declaration; no type is lower case. */
const TOKENS = /\/\*[\s\S]*?\*\/|'[^']*'|[A-Za-z_]\w*/g;

/** The names of types in a declaration, each once. */
export const typesIn = (code) => [...new Set(code.match(TOKENS)?.filter((s) => /^[A-Z]/.test(s)))];

/** Code in a line of text, whose names of exported types are links. @param {Addresses} addresses */
export function linkedCode(code, addresses) {
  const linked = (token) =>
    /^[A-Z]/.test(token) && addresses.has(token)
      ? `<a href="${addresses.get(token)}">${token}</a>`
      : token;
  return escapeHtml(code).replace(TOKENS, linked);
}

/**
 * A list of names with what they mean; `head` is HTML, `text` Markdown, and `long` gives a text with
 * code in it the whole width.
 * @param {{ head: string, text: string, long?: boolean }[]} items
 * @param {'names' | 'declarations'} [heads] how much room they need
 */
export function definitions(items, heads = 'names') {
  if (items.length === 0) return '';
  const rows = items.map(
    ({ head, text, long = false }) =>
      `<div${long ? ' class="long"' : ''}><dt>${head}</dt>\n<dd>\n\n${text}\n\n</dd></div>`,
  );
  return `<dl class="members ${heads} wide">\n${rows.join('\n')}\n</dl>`;
}

/** Code in a block of its own. */
export const codeBlock = (code) => `\`\`\`ts\n${code}\n\`\`\``;

/** A page. @param {Record<string, string>} frontMatter */
export const page = (frontMatter, ...blocks) =>
  [
    `---\n${Object.entries(frontMatter)
      .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
      .join('\n')}\n---`,
    ...blocks.filter(Boolean),
    '',
  ].join('\n\n');
