import { note } from './note.js';

/** Remarks on windows and on the asked length. */
export const length = {
  'window-counts-self': note<{ window: number }>(
    'info',
    ({ window }) => `A window of ${window} means ${window} keys, the token itself included.`,
    ({ window }) => `窗口 ${window} 指 ${window} 个键，包括 token 自己。`,
  ),
  'window-off': note<{ window: number }>(
    'info',
    ({ window }) => `use_sliding_window is not true, so sliding_window ${window} has no effect.`,
    ({ window }) => `use_sliding_window 不为 true，所以 sliding_window ${window} 不起作用。`,
  ),
  'window-unused': note<{ window: number }>(
    'warning',
    ({ window }) => `The window of ${window} is on, but no layer uses it.`,
    ({ window }) => `窗口 ${window} 已打开，但没有层使用它。`,
  ),
  'window-missing': note<{ layerType: string }>(
    'error',
    ({ layerType }) => `There are layers of type ${layerType}, but no sliding_window.`,
    ({ layerType }) => `有类型为 ${layerType} 的层，却没有 sliding_window。`,
  ),
  'window-layers-unknown': note<{ window: number }>(
    'warning',
    ({ window }) =>
      `Which layers use the window of ${window} is not in the config; none was assumed.`,
    ({ window }) => `配置没有说明哪些层使用窗口 ${window}；假定都不使用。`,
  ),
  'unseen-phases': note<{ asked: number; reach: number; pairs: number; of: number; first: number }>(
    'warning',
    ({ asked, reach, pairs, of, first }) =>
      `Asked ${asked}, but training saw no distance of ${reach} or more: ${pairs} of ${of} pairs ` +
      `(from pair ${first}) never completed a turn and would enter angles that were never trained.`,
    ({ asked, reach, pairs, of, first }) =>
      `要求 ${asked}，而训练中没有 ${reach} 及以上的距离：${of} 对中有 ${pairs} 对（从第 ${first} 对起）从未转满一圈，` +
      '会进入从未训练过的角度。',
  ),
  'beyond-trained': note<{ asked: number; trained: number }>(
    'warning',
    ({ asked, trained }) => `Asked ${asked}, beyond the trained length of ${trained}.`,
    ({ asked, trained }) => `要求 ${asked}，超出训练长度 ${trained}。`,
  ),
  'window-bounds-distance': note<{ asked: number; window: number }>(
    'info',
    ({ asked, window }) =>
      `Asked ${asked}: no layer looks back ${window} tokens or more, so no new angle appears.`,
    ({ asked, window }) =>
      `要求 ${asked}：没有层会回看 ${window} 个及以上的 token，所以不会出现新的角度。`,
  ),
  'alibi-extrapolates': note<{ asked: number; trained: number }>(
    'warning',
    ({ asked, trained }) =>
      `ALiBi has a bias for every distance, so ${asked} runs; but training ended at ${trained}, ` +
      'and what lies farther back counts for little.',
    ({ asked, trained }) =>
      `ALiBi 对任何距离都有偏置，所以 ${asked} 可以运行；但训练只到 ${trained}，更远的内容权重很小。`,
  ),
  'table-ends': note<{ asked: number; positions: number }>(
    'error',
    ({ asked, positions }) =>
      `Asked ${asked}, but the position table has ${positions} rows: positions from ${positions} on do not exist.`,
    ({ asked, positions }) =>
      `要求 ${asked}，而位置表只有 ${positions} 行：从位置 ${positions} 起不存在。`,
  ),
  'distances-end': note<{ asked: number; maxDistance: number }>(
    'error',
    ({ asked, maxDistance }) =>
      `Asked ${asked}, but there is no vector for distances beyond ${maxDistance}.`,
    ({ asked, maxDistance }) => `要求 ${asked}，而超过 ${maxDistance} 的距离没有向量。`,
  ),
  'window-both-sides': note<{ window: number; side: number }>(
    'info',
    ({ window, side }) =>
      `local_attention ${window} reaches ${side} tokens to each side, ${2 * side + 1} keys with the token itself.`,
    ({ window, side }) =>
      `local_attention ${window} 指每侧 ${side} 个 token，连同自己共 ${2 * side + 1} 个键。`,
  ),
  'nope-extrapolates': note<{ asked: number; trained: number }>(
    'warning',
    ({ asked, trained }) =>
      `Asked ${asked}: layers without rotation meet no new angle, but were trained on ${trained} tokens only.`,
    ({ asked, trained }) =>
      `要求 ${asked}：不旋转的层不会遇到新的角度，但只用 ${trained} 个 token 训练过。`,
  ),
  'within-stretch': note<{ rule: string; asked: number; trained: number; reach: number }>(
    'info',
    ({ rule, asked, trained, reach }) =>
      `Asked ${asked}: beyond ${trained}, within the ${reach} that ${rule} stretches to.`,
    ({ rule, asked, trained, reach }) =>
      `要求 ${asked}：超过 ${trained}，在 ${rule} 拉伸到的 ${reach} 之内。`,
  ),
  'beyond-stretch': note<{ rule: string; asked: number; reach: number }>(
    'warning',
    ({ rule, asked, reach }) => `Asked ${asked}, beyond the ${reach} that ${rule} stretches to.`,
    ({ rule, asked, reach }) => `要求 ${asked}，超出 ${rule} 拉伸到的 ${reach}。`,
  ),
};
