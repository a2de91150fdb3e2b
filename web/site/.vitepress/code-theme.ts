/** Colours of code: names of CSS variables, so that light and dark are a matter of tokens alone. */
const COLORS = {
  '#000001': 'var(--code-ink)',
  '#000002': 'var(--code-comment)',
  '#000003': 'var(--code-keyword)',
  '#000004': 'var(--code-string)',
  '#000005': 'var(--code-number)',
  '#000006': 'var(--code-name)',
};

const scope = (foreground: keyof typeof COLORS, ...names: string[]) => ({
  scope: names,
  settings: { foreground },
});

/** A Shiki theme of six colours; each placeholder is replaced by a variable in the output. */
export const codeTheme = {
  name: 'posenc',
  type: 'light' as const,
  colors: { 'editor.foreground': '#000001', 'editor.background': '#00000000' },
  colorReplacements: { ...COLORS, '#00000000': 'transparent' },
  settings: [
    { settings: { foreground: '#000001' } },
    scope('#000002', 'comment', 'punctuation.definition.comment'),
    scope('#000003', 'keyword', 'storage', 'keyword.operator.new'),
    scope('#000001', 'keyword.operator', 'punctuation', 'meta.brace'),
    scope('#000004', 'string', 'punctuation.definition.string'),
    scope('#000005', 'constant.numeric', 'constant.language'),
    scope('#000006', 'entity.name.function', 'support.function', 'support.type.property-name'),
  ],
};
