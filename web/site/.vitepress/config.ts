import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import type { FigureId } from '../../figures/index.js';
import { codeTheme } from './code-theme.js';
import { createFactPlugin } from './facts.js';
import { formulas } from './formulas.js';
import { rememberChunks } from './preload.js';
import { fillFigures } from './still-figures.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const chunks = rememberChunks();
const facts = await createFactPlugin();

const description = {
  zh: 'Transformer 能知道的关于位置的一切：能拖动、能验证的位置编码图解。',
  en: 'Everything a transformer can know about position: an explainer you can turn by hand and verify.',
};

export default defineConfig({
  title: 'posenc',
  description: description.zh,
  lang: 'zh-CN',
  outDir: here('../../../build/site'),
  cacheDir: here('./cache'),
  srcExclude: ['facts/**'],
  // scripts/reference.mjs writes pages there.
  rewrites: { 'generated/:page(.*)': ':page' },
  locales: {
    root: { label: '中文', lang: 'zh-CN', description: description.zh },
    en: { label: 'English', lang: 'en', description: description.en },
  },
  // The theme has its own light and dark, set by /theme.js before the first paint. That script, and
  // the meta data in a file of its own, leave no script in the HTML: no CSP exception is needed.
  appearance: false,
  metaChunk: true,
  // Pages are small; fetching all linked ones would cost more than it saves.
  router: { prefetchLinks: false },
  head: [
    ['script', { src: '/theme.js' }],
    ['link', { rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' }],
    ['meta', { name: 'theme-color', content: '#faf8f3', media: '(prefers-color-scheme: light)' }],
    ['meta', { name: 'theme-color', content: '#14171b', media: '(prefers-color-scheme: dark)' }],
  ],
  markdown: {
    theme: codeTheme,
    codeCopyButtonTitle: '复制 Copy',
    config(md) {
      facts(md);
      formulas(md);
    },
  },
  transformHead({ pageData }) {
    // The hero is live within a second because its chunks do not wait for the page's own script.
    const figure = pageData.frontmatter.figure as FigureId | undefined;
    if (!figure) return [];
    const files = [
      ...chunks.filesOf(`web/figures/${figure}.ts`),
      ...chunks.filesOf('dist/index.js'),
      ...chunks.filesOf('dist/lite.js'),
    ];
    return [...new Set(files)].map((file) => ['link', { rel: 'modulepreload', href: `/${file}` }]);
  },
  async transformHtml(html, _id, { pageData }) {
    const lang = pageData.relativePath.startsWith('en/') ? 'en' : 'zh';
    const filled = await fillFigures(html, lang);
    // VitePress marks Macs for its own theme; ours does not need it.
    return filled.replace(/<script id="check-mac-os">.*?<\/script>/s, '');
  },
  vite: {
    plugins: [chunks.plugin],
    resolve: {
      alias: {
        'posenc/inspect': here('../../../dist/inspect.js'),
        'posenc/lab': here('../../../dist/lab.js'),
        posenc: here('../../../dist/index.js'),
      },
    },
    optimizeDeps: { exclude: ['posenc', 'posenc/inspect', 'posenc/lab'] },
    // The worker of the benchmark imports its kernels when it starts.
    worker: { format: 'es' },
    // No data: addresses for fonts, so that the policy for fonts can be 'self'.
    build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 1000 },
  },
});
