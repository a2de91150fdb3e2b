import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { layerFaults } from './layers.mjs';
import { lengthFaults } from './length.mjs';
import { numberFaults } from './numbers.mjs';
import { messageFaults, pageFaults } from './parity.mjs';
import { projectFaults } from './run.mjs';

const texts = (files) => new Map(Object.entries(files));

it('finds no fault in this project', () => {
  expect(projectFaults(fileURLToPath(new URL('../..', import.meta.url)))).toEqual([]);
});

describe('layers', () => {
  it.each([
    [
      'cpp/position/a.cpp',
      '#include "attention/rows.hpp"',
      'cpp/position may not depend on cpp/attention',
    ],
    [
      'cpp/core/a.hpp',
      '#include "../position/rope.hpp"',
      'cpp/core may not depend on cpp/position',
    ],
    ['cpp/position/a.cpp', '#include <xsimd/xsimd.hpp>', 'only cpp/core/simd.hpp includes xsimd'],
    ['cpp/core/math.hpp', '#include <immintrin.h>', 'only cpp/core/simd.hpp includes intrinsics'],
    ['cpp/attention/a.cpp', '#  include <emscripten/bind.h>', 'only cpp/bindings includes Embind'],
    [
      'web/api/a.ts',
      "import { f } from '../figures/f.js';",
      'web/api may not depend on web/figures',
    ],
    ['web/figures/a.ts', "export * from '../site/x.js';", 'web/figures may not depend on web/site'],
    [
      'web/figures/a.ts',
      "const x = await import('../site/x.js');",
      'web/figures may not depend on web/site',
    ],
    ['web/figures/a.ts', "import 'vue';", 'web/figures may not import "vue"'],
    ['web/api/a.ts', "import type { X } from 'left-pad';", 'web/api may not import "left-pad"'],
  ])('%s: %s', (file, text, fault) => {
    expect(layerFaults(texts({ [file]: `// one\n${text}\n` }))).toEqual([`${file}:2: ${fault}`]);
  });

  it('lets every layer use what stands to its left', () => {
    const good = {
      'cpp/core/simd.hpp': '#include <xsimd/xsimd.hpp>\n#include <wasm_simd128.h>',
      'cpp/attention/a.cpp':
        '#include "core/simd.hpp"\n#include "position/position.hpp"\n#include <vector>',
      'cpp/bindings/a.cpp': '#include <emscripten/bind.h>\n#include "attention/rows.hpp"',
      'cpp/toolchain/a.mjs': "const probe = '#include <xsimd/xsimd.hpp>';",
      'web/api/a.ts': "import fs from 'node:fs';\nimport { b } from './b.js';",
      'web/figures/a.ts':
        "import type { Posenc } from 'posenc';\nimport { frame } from './frame.js';",
      'web/site/a.vue': "import { ref } from 'vue';\nimport f from '../figures/f.js';",
    };
    expect(layerFaults(texts(good))).toEqual([]);
  });
});

describe('length', () => {
  it('reports 401 lines and lets 400 pass', () => {
    const files = texts({ 'a.ts': 'x\n'.repeat(401), 'b.ts': 'x\n'.repeat(400) });
    expect(lengthFaults(files)).toEqual(['a.ts: 401 lines, at most 400']);
  });
});

describe('pages', () => {
  const page =
    '# T\n\n## A\n\n<Figure id="f" />\n\n[0.5]{fact=half(1)} [x](https://a.b/c)\n\n```js\n# no\n```\n';
  it('lets twins pass', () => {
    expect(pageFaults(texts({ 'web/site/a.md': page, 'web/site/en/a.md': page }))).toEqual([]);
  });

  it.each([
    ['heading levels', '## A', '### A'],
    ['figures', 'id="f"', 'id="g"'],
    ['facts', 'half(1)', 'half(2)'],
    ['code blocks', '```js', '```ts'],
    ['sources', 'a.b/c', 'a.b/d'],
  ])('sees that %s differ', (what, from, to) => {
    const faults = pageFaults(
      texts({ 'web/site/a.md': page, 'web/site/en/a.md': page.replace(from, to) }),
    );
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(`${what} differ`);
  });

  it('misses a page without a twin', () => {
    expect(pageFaults(texts({ 'web/site/a.md': page }))).toEqual([
      'web/site/a.md: has no twin in the other language',
    ]);
    expect(pageFaults(texts({ 'web/site/en/a.md': page }))).toEqual([
      'web/site/en/a.md: has no twin in the other language',
    ]);
  });
});

describe('messages', () => {
  it.each([
    ["const t = { zh: '一' };", 'a text in zh alone'],
    ["const t = { en: 'one' };", 'a text in en alone'],
    ["const t = { zh: '', en: 'one' };", 'an empty text'],
    ["const t = { zh: { a: '一' }, en: { a: 'one', b: 'two' } };", 'keys in one language alone: b'],
    [
      "const t = { zh: { a: { c: '一' } }, en: { a: { d: '' } } };",
      'keys in one language alone: a.c, a.d',
    ],
  ])('%s', (text, fault) => {
    expect(messageFaults(texts({ 'web/a.ts': text }))).toEqual([`web/a.ts:1: ${fault}`]);
    const vue = `<template>\n</template>\n<script setup>${text}</script>`;
    expect(messageFaults(texts({ 'web/a.vue': vue }))).toEqual([`web/a.vue:3: ${fault}`]);
  });

  it('lets pairs and the locales of VitePress pass', () => {
    const good =
      'f({ zh: `${n} 个`, en: `${n} of them` }); const l = { root: { a: 1 }, en: { b: 2 } };';
    expect(messageFaults(texts({ 'web/a.ts': good }))).toEqual([]);
  });
});

describe('numbers', () => {
  it.each([
    'x is 0.97 here',
    'about .5',
    '相似度是0.970。',
    '−0.007',
    '1e-6',
    '3 × 10⁻⁸',
    '| 1.5 |',
  ])('flags %s', (text) => {
    const faults = numberFaults(texts({ 'a.md': `# T\n\n${text}\n` }));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/^a\.md:3: .* is not a fact$/);
  });

  it.each([
    '[0.970]{fact=similarity(128,1)}',
    '`0.97` and $0.97$',
    '$$\n0.97\n$$',
    '```js\nf(0.97)\n```',
    '[paper](https://arxiv.org/abs/1706.03762)',
    '<Figure id="x" scale="0.5" />',
    'Node 20.19, Emscripten ≥ 3.1.69, v1.2, 1.2.3, arXiv 2108.12409',
    '§3.5, section 3.2.1, 第 3.5 节, Table 3.1',
    'CMake 3.25 or newer, Safari 16.4+',
    'below 2e-7<!-- [< 2e-7]{fact=angleError(24)} -->.',
    'ends with 5. Then 128 more, 1,000 of them.',
  ])('lets %s pass', (text) => {
    expect(numberFaults(texts({ 'a.md': `---\ntitle: 0.5\n---\n\n${text}\n` }))).toEqual([]);
  });
});
