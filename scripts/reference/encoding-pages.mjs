/** The encodings in both languages, from the registry inside the module and the docstrings of their options. */
import { bookPages } from '../lib/book.mjs';
import { definitions, docstring, escapeText, page } from './markdown.mjs';

/** Sections by the place where an encoding acts; one that acts in several stands at its first. */
const places = [
  { hook: undefined, zh: '什么也不做', en: 'Nowhere' },
  { hook: 'embed', zh: '加到输入上：embed', en: 'Added to the input: embed' },
  { hook: 'rotate', zh: '旋转 q 与 k：rotate', en: 'Turning q and k: rotate' },
  { hook: 'content', zh: '内容乘位置的分数：content', en: 'Content times position: content' },
  { hook: 'bias', zh: '加到 logit 上：bias', en: 'Added to the logit: bias' },
  { hook: 'scale', zh: '缩放：scale', en: 'Scaling: scale' },
  { hook: 'mask', zh: '遮挡：mask', en: 'Hiding: mask' },
];

const words = {
  zh: {
    title: '编码一览',
    description: '每一种位置编码的选项、默认值、范围、出处与使用它的模型。',
    intro:
      '`pe.encoding(名字, 选项)` 认得的每一种编码，由模块里的登记表生成。类型的英文说明见 [API](/en/api/options.html)。',
    paper: '出处',
    users: '用于',
    chapter: '本书',
    types: '类型',
    also: '此外还有',
    required: '必填',
    initial: '默认',
    kinds: {
      integer: '整数',
      real: '实数',
      choice: '选一',
      flag: '开关',
      doubles: 'float64 数列',
      tensor: 'float32 张量',
    },
    none: '没有选项。',
    separator: '，',
  },
  en: {
    title: 'Encodings',
    description:
      'The options of every encoding, with defaults, ranges, papers and models that use it.',
    intro:
      'Every encoding that `pe.encoding(name, options)` knows, made from the registry inside the module. The options as types: [API](/en/api/options.html).',
    paper: 'Paper',
    users: 'Used by',
    chapter: 'Chapter',
    types: 'Type',
    also: 'and',
    required: 'required',
    initial: 'default',
    kinds: {
      integer: 'integer',
      real: 'number',
      choice: 'one of',
      flag: 'flag',
      doubles: 'float64 list',
      tensor: 'float32 tensor',
    },
    none: 'No options.',
    separator: ', ',
  },
};

/** A bound as people write it: powers of two and ten in short. */
function bound(value) {
  const size = Math.abs(value);
  const sign = value < 0 ? '−' : '';
  if (size >= 2 ** 16 && Number.isInteger(Math.log2(size))) return `${sign}2^${Math.log2(size)}`;
  const exponent = Math.round(Math.log10(size));
  const isPower = size > 0 && Number(`1e${exponent}`) === size;
  if (isPower && Math.abs(exponent) > 3) return `${sign}1e${exponent}`.replace('e-', 'e−');
  return `${sign}${size}`;
}

/** What an option may be: a range, names, or the shape that its docstring gives. */
function allowed({ kind, low, high, choices }, comment) {
  if (kind === 'choice') return choices.map((name) => `\`${name}\``).join(' ');
  if (kind === 'tensor') {
    const shape = comment?.summary.find((part) => /^`\[.*\]`$/.test(part.text));
    return shape?.text ?? '';
  }
  return low === undefined ? '' : `${bound(low)} … ${bound(high)}`;
}

/** The interface of an encoding's options, and those that extend it. */
function optionTypes(name, symbols) {
  const table = symbols.find((symbol) => symbol.name === 'EncodingOptions');
  const member = table?.members.find((candidate) => candidate.name === name);
  const type = /: (\w+)$/.exec(member?.text ?? '')?.[1];
  const own = symbols.find((symbol) => symbol.name === type);
  const extensions = symbols.filter(({ text }) => text.endsWith(` extends ${type}`));
  return { own, extensions, comment: own?.comment ?? member?.comment };
}

function entry(encoding, lang, { symbols, addresses, book }) {
  const t = words[lang];
  const { name, title, hooks, paper, year, url, users, parameters } = encoding;
  const { own, extensions, comment } = optionTypes(name, symbols);
  const typeLink = (symbol) => `[\`${symbol.name}\`](${addresses.get(symbol.name)})`;
  const chapters = book
    .filter(({ encodings }) => encodings.includes(name))
    .map((chapter) => `[${chapter.title}](${lang === 'zh' ? '/' : '/en/'}${chapter.name}.html)`);
  const facts = [
    [`\`${name}\``, hooks.map((hook) => `\`${hook}\``).join(' ')].filter(Boolean).join(' → '),
    `${t.paper} [${escapeText(paper)}](${url}) (${year})`,
    users.length > 0 && `${t.users} ${escapeText(users.join(t.separator))}`,
    chapters.length > 0 && `${t.chapter} ${chapters.join(t.separator)}`,
    own && `${t.types} ${[own, ...extensions].map(typeLink).join(t.separator)}`,
  ];
  const options = parameters.map((parameter) => {
    const member = own?.members.find((candidate) => candidate.name === parameter.name);
    const traits = [
      `${t.kinds[parameter.kind]} ${allowed(parameter, member?.comment)}`,
      parameter.required && `**${t.required}**`,
      parameter.initial !== null && `${t.initial} \`${parameter.initial}\``,
    ];
    return {
      head: `<code><b>${parameter.name}</b></code>`,
      text: `${escapeText(parameter.meaning[lang])}\n\n${traits.filter(Boolean).join(' · ')}`,
    };
  });
  return [
    `### ${escapeText(title[lang])} {#${name}}`,
    factList(facts.filter(Boolean)),
    lang === 'en' && docstring(comment, addresses),
    definitions(options) || t.none,
  ]
    .filter(Boolean)
    .join('\n\n');
}

const factList = (facts) => `${facts.map((fact) => `- ${fact}`).join('\n')}\n{.encoding-facts}`;

/** Links to all, by place. */
function jumps(shown, lang) {
  const link = ({ name, title }) => `[${escapeText(title[lang])}](#${name})`;
  return definitions(
    shown.map(({ place, encodings }) => ({
      head: place[lang],
      text: encodings.map(link).join('\u00a0· '),
    })),
  );
}

/**
 * Markdown by path below the site's folder.
 * @param {readonly object[]} encodings what a loaded module says of them
 * @param {readonly import('./model.mjs').ExportedSymbol[]} symbols
 * @param {ReadonlyMap<string, string>} addresses
 * @returns {Map<string, string>}
 */
export function encodingPages(encodings, symbols, addresses) {
  return new Map(
    Object.entries(words).map(([lang, t]) => {
      const folder = lang === 'zh' ? 'web/site' : 'web/site/en';
      const context = { symbols, addresses, book: bookPages(folder) };
      const shown = places
        .map((place) => ({
          place,
          encodings: encodings.filter(({ hooks }) => hooks[0] === place.hook),
        }))
        .filter((group) => group.encodings.length > 0);
      const sections = shown.flatMap((group) => [
        `## ${group.place[lang]} {#hook-${group.place.hook ?? 'none'}}`,
        ...group.encodings.map((encoding) => entry(encoding, lang, context)),
      ]);
      const file = lang === 'zh' ? 'encodings.md' : 'en/encodings.md';
      return [
        file,
        page(
          { title: t.title, description: t.description },
          `# ${t.title}`,
          t.intro,
          jumps(shown, lang),
          ...sections,
        ),
      ];
    }),
  );
}
