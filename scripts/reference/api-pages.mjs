/** The API in pages by noun, from what TypeDoc reads (`model.mjs`). */
import { groupOf, groups } from './groups.mjs';
import { codeBlock, definitions, docstring, linkedCode, page, typesIn } from './markdown.mjs';

/** @typedef {import('./model.mjs').ExportedSymbol} ExportedSymbol */

const pageUrl = (path) => `/en/api/${path}.html`;

/** Where each symbol is described. @param {readonly ExportedSymbol[]} symbols */
export const addressesOf = (symbols) =>
  new Map(symbols.map((symbol) => [symbol.name, `${pageUrl(groupOf(symbol))}#${symbol.name}`]));

/**
 * Markdown by path below the site's folder: a page per group, and a list of all in both languages.
 * @param {readonly ExportedSymbol[]} symbols
 * @returns {Map<string, string>}
 */
export function apiPages(symbols) {
  const addresses = addressesOf(symbols);
  const shown = groups.map((group) => {
    const own = symbols.filter((symbol) => groupOf(symbol) === group.path);
    return { ...group, symbols: inReadingOrder(own, group.first) };
  });
  return new Map([
    ['api.md', contents('zh', shown)],
    ['en/api.md', contents('en', shown)],
    ...shown.map((group) => [`en/api/${group.path}.md`, groupPage(group, addresses)]),
  ]);
}

/** Functions, classes and values, each followed by the types it speaks of. @returns {ExportedSymbol[]} */
function inReadingOrder(symbols, first) {
  const byName = new Map(symbols.map((symbol) => [symbol.name, symbol]));
  const isType = ({ kind }) => kind === 'interface' || kind === 'type';
  const found = new Set();
  const visit = (symbol) => {
    if (found.has(symbol)) return;
    found.add(symbol);
    const code = [symbol, ...symbol.members].map(({ text }) => text).join('\n');
    for (const name of typesIn(code)) if (byName.has(name)) visit(byName.get(name));
  };
  const starts = symbols.filter((symbol) => symbol.name === first);
  const others = symbols.filter((symbol) => !isType(symbol));
  [...starts, ...others, ...symbols].forEach(visit);
  return [...found];
}

const headingOf = ({ name, kind }) => (kind === 'function' ? `${name}()` : name);

function groupPage({ path, title, about, lead, symbols }, addresses) {
  const links = groups.map((group) => {
    const current = group.path === path ? ' aria-current="page"' : '';
    return `<a href="${pageUrl(group.path)}"${current}>${group.title.en}</a>`;
  });
  return page(
    { title: title.en, titleTemplate: 'posenc API', description: about.en },
    `<nav class="api-nav wide" aria-label="API">\n<a href="/en/api.html">API</a>\n${links.join('\n')}\n</nav>`,
    `# ${title.en} {#top}`,
    about.en,
    lead,
    ...symbols.map((symbol) => section(symbol, addresses)),
  );
}

/** One symbol. @param {ExportedSymbol} symbol */
function section(symbol, addresses) {
  const { name, kind, text, comment, members } = symbol;
  const parameters = (comment?.blockTags ?? []).filter(({ tag }) => tag === '@param');
  // The head of an interface says nothing unless it has parameters or extends another one.
  const hasCode = kind !== 'interface' || text !== `interface ${name}`;
  return [
    `## ${headingOf(symbol)} {#${name}}`,
    hasCode && codeBlock(text),
    docstring(comment, addresses),
    links(symbol, addresses),
    definitions(
      parameters.map((tag) => ({
        head: `<code>${tag.name}</code>`,
        text: docstring({ summary: tag.content, blockTags: [] }, addresses),
      })),
    ),
    definitions(
      members.map((member) => memberItem(member, addresses)),
      'declarations',
    ),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** A member of an interface or a class; a declaration of several lines is a block of code. */
function memberItem({ name, text, comment }, addresses) {
  const about = docstring(comment, addresses);
  const long = text.includes('\n');
  const head = `<b>${name}</b>${long ? '' : linkedCode(text.slice(name.length), addresses)}`;
  const blocks = long ? [about, codeBlock(text), links({ name, text }, addresses)] : [about];
  return { head: `<code>${head}</code>`, text: blocks.filter(Boolean).join('\n\n'), long };
}

/** Code blocks cannot link: the types in one are named after it. */
function links({ name, text }, addresses) {
  const names = typesIn(text).filter((type) => type !== name && addresses.has(type));
  const linked = names.map((type) => `[\`${type}\`](${addresses.get(type)})`);
  return names.length > 0 && `Types: ${linked.join(', ')}`;
}

const contentsWords = {
  zh: {
    description: 'posenc 的全部导出：函数、类型、选项与错误。',
    intro:
      '`posenc`、`posenc/inspect`、`posenc/lab` 与 `posenc/threads` 导出的每一个函数和类型，由 TypeDoc 从源码中读出。说明只有英文；编码的选项另有中文的[编码一览](/encodings.html)。',
    errors:
      '参数有误时，一律抛出 [`PosencError`](/en/api/load.html#PosencError)：说明哪个参数、给了什么、允许什么；模块仍可继续使用。数组是 float32，按 C 顺序；位置是整数。',
  },
  en: {
    description: 'Everything that posenc exports: functions, types, options and errors.',
    intro:
      'Every function and type that `posenc`, `posenc/inspect`, `posenc/lab` and `posenc/threads` export, read by TypeDoc from the sources. The options of all encodings in one list: [Encodings](/en/encodings.html).',
    errors:
      'Whatever is wrong with an argument throws a [`PosencError`](/en/api/load.html#PosencError) that names the argument, what was given and what is allowed; the module stays usable. Arrays are float32 in C order, positions are integers.',
  },
};

function contents(lang, shown) {
  const words = contentsWords[lang];
  const hreflang = lang === 'zh' ? ' hreflang="en"' : '';
  return page(
    { title: 'API', description: words.description },
    `# API`,
    words.intro,
    words.errors,
    definitions(
      shown.map(({ path, title, about, symbols }) => ({
        head: `<a href="${pageUrl(path)}"${hreflang}>${title[lang]}</a>`,
        text: [
          about[lang],
          symbols
            .map((symbol) => `[\`${headingOf(symbol)}\`](${pageUrl(path)}#${symbol.name})`)
            .join(' '),
        ].join('\n\n'),
      })),
    ),
  );
}
