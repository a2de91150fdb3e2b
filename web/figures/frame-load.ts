/** The page's posenc modules, and words for the case that it does not start. */
import type { Posenc, Variant } from 'posenc';
import type { Words } from './frame-types.js';

/** The builds whose bits are the same everywhere. */
type FigureVariant = Exclude<Variant, 'relaxed'>;

const loads = new Map<FigureVariant, Promise<Posenc>>();

/** Loads posenc once per page and build, on first use. */
export function loadPosenc(variant: FigureVariant): Promise<Posenc> {
  let loading = loads.get(variant);
  if (loading === undefined) {
    loading = import('./frame-posenc.js').then(({ load }) => load({ variant }));
    // A failed load (a lost connection, say) may be tried again by the next figure or by “Try again”.
    loading.catch(() => loads.delete(variant));
    loads.set(variant, loading);
  }
  return loading;
}

/** Why a figure cannot run, and what helps. */
export interface Failure {
  readonly cause: Words;
  readonly remedy: Words;
  /** The error's own message. */
  readonly detail: string;
}

// A module with one SIMD instruction: (func (result v128) i32.const 0 i8x16.splat i8x16.popcnt).
const SIMD_PROBE = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0],
  ...[10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
);

/** Explains an error of `loadPosenc` or of a figure's `draw`. */
export function explainFailure(error: unknown): Failure {
  const detail = error instanceof Error ? error.message : String(error);
  const found = CAUSES.find(({ when }) => when(detail));
  return { ...(found ?? UNKNOWN), detail };
}

const hasWebAssembly = () => typeof WebAssembly === 'object';

const CAUSES: readonly (Omit<Failure, 'detail'> & { when: (detail: string) => boolean })[] = [
  {
    when: () => !hasWebAssembly(),
    cause: {
      zh: '这个浏览器没有（或关闭了）WebAssembly，图里的数字算不出来。',
      en: 'WebAssembly is missing or switched off in this browser, so the numbers cannot be computed.',
    },
    remedy: {
      zh: '请换用较新的浏览器；iOS 的“锁定模式”和部分安全设置会关闭 WebAssembly，可为本站放行。',
      en: 'Use a recent browser. Lockdown Mode on iOS and some security settings switch WebAssembly off; allow it for this site.',
    },
  },
  {
    when: () => !WebAssembly.validate(SIMD_PROBE),
    cause: {
      zh: '这个浏览器的 WebAssembly 没有 SIMD 指令，内核启动不了。',
      en: 'The WebAssembly of this browser has no SIMD instructions, so the kernel cannot start.',
    },
    remedy: {
      zh: '请升级：Chrome 91、Firefox 89、Safari 16.4 起都支持。',
      en: 'Update it: Chrome 91, Firefox 89, Safari 16.4 and later have them.',
    },
  },
  {
    when: (detail) => /content security policy|unsafe-eval|disallowed by embedder/i.test(detail),
    cause: {
      zh: '网页的内容安全策略（CSP）不允许编译 WebAssembly。',
      en: 'The content security policy (CSP) of this page forbids compiling WebAssembly.',
    },
    remedy: {
      zh: "请站点管理员在 script-src 里加上 'wasm-unsafe-eval'（不需要 'unsafe-eval'）。",
      en: "The site's administrator has to add 'wasm-unsafe-eval' to script-src ('unsafe-eval' is not needed).",
    },
  },
  {
    when: (detail) => /html|magic (word|number)|mime type/i.test(detail),
    cause: {
      zh: '服务器把 WebAssembly 文件答成了一张网页（多半是 404 页）。',
      en: 'The server answered the WebAssembly file with a web page, most likely its 404 page.',
    },
    remedy: {
      zh: '请检查部署：dist 里的文件要原样放到服务器上，并以 application/wasm 提供。',
      en: 'Check the deployment: the built files must be served as they are, as application/wasm.',
    },
  },
  {
    when: (detail) => /fetch|import|network|load failed/i.test(detail),
    cause: {
      zh: '计算内核没有下载下来。',
      en: 'The kernel could not be downloaded.',
    },
    remedy: {
      zh: '请检查网络后重试；若页面很旧，刷新一次即可。',
      en: 'Check the connection and try again; if this page is an old one, reload it.',
    },
  },
  {
    when: (detail) => /memory|allocation/i.test(detail),
    cause: {
      zh: '内存不够，内核启动不了。',
      en: 'There is not enough memory to start the kernel.',
    },
    remedy: { zh: '请关掉一些标签页后重试。', en: 'Close some tabs and try again.' },
  },
];

const UNKNOWN: Omit<Failure, 'detail'> = {
  cause: { zh: '图没能画出来。', en: 'The figure could not be drawn.' },
  remedy: {
    zh: '请刷新页面；若仍出错，把下面这行字告诉我们。',
    en: 'Reload the page; if it fails again, tell us the line below.',
  },
};
