/** F1, “Shuffle the sentence”: attention without position only moves its rows; a mask leaks order. */
import {
  action,
  color,
  defineFigure,
  el,
  flag,
  handle,
  integer,
  list,
  text,
  textInput,
  toggle,
  type DrawContext,
  type Language,
  type PictureNode,
  type Pressable,
  type Table,
  type Words,
} from './frame.js';
import {
  chipHeight,
  dropPlace,
  layChips,
  moveTo,
  type Chip,
  type ChipLines,
} from './shuffle-chips.js';
import { exampleOf, orderOf, shuffle, type LayerOptions } from './shuffle-model.js';
import { drawMatrices } from './shuffle-matrices.js';
import { drawOutputs } from './shuffle-outputs.js';
import {
  heading,
  placeMark,
  scientific,
  seriesOf,
  type Part,
  type Scene,
} from './shuffle-picture.js';
import { joinTokens, maxTokens, tokenize } from './tokens.js';

/** Differences below this are float32 rounding; what position and mask do is above 0.01. */
const rounding = 1e-5;

export default defineFigure({
  id: 'shuffle',
  key: 'f1',
  title: { zh: '没有位置，打乱只是搬家', en: 'Without position, shuffling only moves the rows' },
  caption: {
    zh: '没有位置编码、没有掩码时，每个字的输出与语序无关：打乱前后逐行相同，只差浮点舍入。打开因果掩码或加上正弦编码，差就不再是 0。',
    en: 'Without position and mask, the output of a token does not depend on word order: row by row it is the same before and after, up to float rounding. Switch on the causal mask or add sinusoids, and it is not.',
  },
  variant: 'lite',
  state: {
    /** Empty: the example of the language. */
    text: text(160),
    /** Empty: the order of the example, the reverse for the reader's own sentence, or a random one. */
    order: list(0, maxTokens - 1, [], maxTokens),
    /** Counts the presses of “Shuffle”. */
    seed: integer(0, 999, 0),
    causal: flag(false),
    sinusoidal: flag(false),
  },
  controls: [
    textInput(
      'text',
      { zh: '你的句子', en: 'Your sentence' },
      { placeholder: { zh: exampleOf('zh').sentence, en: exampleOf('en').sentence } },
    ),
    toggle('causal', { zh: '因果掩码', en: 'Causal mask' }),
    toggle('sinusoidal', { zh: '加正弦编码', en: 'Add sinusoids' }),
    action('shuffle', { zh: '再打乱', en: 'Shuffle' }, ({ seed }: { seed: number }) => ({
      seed: (seed % 999) + 1,
      order: [],
    })),
  ],
  draw(state, context) {
    const { lang, pick, posenc, width } = context;
    const own = tokenize(state.text);
    const example = exampleOf(lang);
    const tokens = own.tokens.length > 0 ? own.tokens : example.tokens;
    const order = orderOf(posenc, state, tokens, example);
    const result = shuffle(posenc, tokens, order, state);
    const scene: Scene = { tokens, order, result, causal: state.causal };

    const identity = tokens.map((_, i) => i);
    const above = layChips(tokens, identity, width, 22);
    const below = layChips(tokens, order, width, 22 + above.height + 28);
    const verdictTop = 22 + above.height + 28 + below.height + 6;
    const verdict = drawVerdict(scene, state, verdictTop, context);
    const matrices = drawMatrices(scene, verdictTop + verdict.height + 14, context);
    const outputsTop = verdictTop + verdict.height + 14 + matrices.height + 22;
    const outputs = drawOutputs(scene, outputsTop, context);
    return {
      height: outputsTop + outputs.height,
      nodes: [
        heading(pick({ zh: '原句 x', en: 'the sentence, x' }), 0, 14),
        ...above.chips.map((chip) => drawChip(chip, false)),
        heading(
          pick({ zh: '打乱后 Px：拖动字块', en: 'shuffled, Px: drag the chips' }),
          0,
          42 + above.height,
        ),
        ...verdict.nodes,
        ...matrices.nodes,
        ...outputs.nodes,
      ],
      handles: below.chips.map((chip, place) => chipHandle(chip, place, scene, below, context)),
      sentence: sentenceOf(scene, state, own.dropped, context),
      table: tableOf(scene),
    };
  },
});

function drawChip({ token, from, x, y, width }: Chip, movable: boolean): PictureNode {
  return el(
    'g',
    {},
    el('rect', {
      x: x + 0.5,
      y: y + 0.5,
      width: width - 1,
      height: chipHeight - 1,
      rx: 8,
      fill: movable ? color.paper : color.panel,
      stroke: seriesOf(from),
      'stroke-width': movable ? 2 : 1,
    }),
    el(
      'text',
      { x: x + width / 2, y: y + 23, class: 'px-value', 'text-anchor': 'middle', fill: color.ink },
      token,
      el('tspan', { fill: color.muted }, placeMark(from)),
    ),
  );
}

function chipHandle(
  chip: Chip,
  place: number,
  { tokens, order }: Scene,
  { lines, top }: ChipLines,
  { width }: DrawContext,
): Pressable {
  const center = { x: chip.x + chip.width / 2, y: chip.y + chipHeight / 2 };
  return handle({
    key: `chip-${chip.from}`,
    label: { zh: `“${chip.token}”的位置`, en: `Place of “${chip.token}”` },
    value: place + 1,
    min: 1,
    max: order.length,
    text: {
      zh: `第 ${place + 1} 位，共 ${order.length} 位`,
      en: `${place + 1} of ${order.length}`,
    },
    ...center,
    axis: lines > 1 ? 'both' : 'x',
    up: 'less',
    move: (to) => ({ order: moveTo(order, place, to - 1) }),
    at: ({ x, y }) => {
      const rest = order.filter((_, i) => i !== place);
      const others = layChips(tokens, rest, width, top).chips;
      const point = { x, y: lines > 1 ? y : center.y };
      return { order: moveTo(order, place, dropPlace(others, point)) };
    },
    nodes: [drawChip(chip, true)],
  });
}

/** The measured difference, large, and what it means. */
function drawVerdict(scene: Scene, options: LayerOptions, top: number, context: DrawContext): Part {
  const { narrow, number, pick, width } = context;
  const { difference } = scene.result;
  const formula = 'max |P·A(x) − A(Px)| = ';
  const value = el(
    'tspan',
    {
      class: 'px-big',
      fill: difference > rounding ? color.bad : color.good,
      'data-sym': 'difference',
    },
    scientific(difference, { number }),
  );
  const line = (y: number, name: string, ...words: (string | PictureNode)[]) =>
    el('text', { x: 12, y: top + y, class: name, fill: color.ink }, words);
  const height = narrow ? 84 : 62;
  return {
    height,
    nodes: [
      el('rect', { x: 0, y: top, width, height, rx: 8, fill: color.paper }),
      ...(narrow
        ? [line(22, 'px-small', formula), line(48, 'px-value', value)]
        : [line(28, 'px-value', formula, value)]),
      heading(pick(meaningOf(scene, options).short), 12, top + height - 12),
    ],
  };
}

interface Meaning {
  readonly short: Record<Language, string>;
  readonly long: Record<Language, string>;
}

/** What the difference says, in a few words and in a sentence. */
function meaningOf({ order, result }: Scene, { causal, sinusoidal }: LayerOptions): Meaning {
  if (order.every((from, place) => from === place)) {
    return {
      short: { zh: '语序没有变，没有什么可比', en: 'nothing has moved yet' },
      long: { zh: '语序没有变。', en: 'The order has not changed.' },
    };
  }
  if (result.difference <= rounding) {
    return {
      short: {
        zh: '只剩浮点舍入：每一行跟着自己的字走',
        en: 'float rounding: every row moved with its token',
      },
      long: {
        zh: '这只是浮点舍入：每个字的输出都和原来一样，与语序无关。',
        en: 'This is float rounding: every token has the output it had before, whatever the order.',
      },
    };
  }
  if (causal && sinusoidal) {
    return {
      short: { zh: '掩码和位置编码都让语序起作用', en: 'mask and position both make order count' },
      long: {
        zh: '掩码和位置编码都让输出随语序改变。',
        en: 'Mask and position encoding both make the outputs depend on the order.',
      },
    };
  }
  return causal
    ? {
        short: {
          zh: '没有位置编码，掩码也泄露了语序',
          en: 'no position encoding: the mask leaks order',
        },
        long: {
          zh: '没有位置编码，输出仍随语序改变：因果掩码泄露了谁在前面。',
          en: 'There is no position encoding, yet the outputs depend on the order: the causal mask leaks who comes first.',
        },
      }
    : {
        short: {
          zh: '位置编码让同一个字换了输出',
          en: 'position changes the output of the same token',
        },
        long: {
          zh: '位置编码让同一个字在不同的位置有不同的输出。',
          en: 'With the position encoding, the same token has another output in another place.',
        },
      };
}

function sentenceOf(
  scene: Scene,
  options: LayerOptions,
  dropped: number,
  context: DrawContext,
): Words {
  const { tokens, order, result } = scene;
  const shuffled = joinTokens(order.map((from) => tokens[from] ?? ''));
  const { long } = meaningOf(scene, options);
  const value = scientific(result.difference, context);
  return {
    zh: `${dropped > 0 ? `句子太长，只取前 ${tokens.length} 个。` : ''}“${joinTokens(tokens)}”打乱成“${shuffled}”，最大差 ${value}。${long.zh}`,
    en: `${dropped > 0 ? `Too long: only the first ${tokens.length} tokens are used. ` : ''}“${joinTokens(tokens)}” becomes “${shuffled}”; the largest difference is ${value}. ${long.en}`,
  };
}

function tableOf({ tokens, order, result }: Scene): Table {
  const named = order.map((from) => `${tokens[from] ?? ''}${placeMark(from)}`);
  const { weights } = result.shuffled;
  return {
    columns: [
      { zh: '字', en: 'Token' },
      { zh: '打乱后的位置', en: 'Place' },
      { zh: '原来的位置', en: 'Was' },
      { zh: '最大差', en: 'Difference' },
      ...named.map((name) => ({ zh: `看 ${name} 的权重`, en: `Weight on ${name}` })),
    ],
    rows: order.map((from, place) => [
      tokens[from] ?? '',
      place + 1,
      from + 1,
      (result.rowDifference[place] ?? 0).toExponential(2),
      ...weights.subarray(place * order.length, (place + 1) * order.length),
    ]),
  };
}
