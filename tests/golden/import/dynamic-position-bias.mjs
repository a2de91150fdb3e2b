/** Biases by perceptrons of the distance: x-transformers' dynamic position bias and Swin V2's continuous one. */

export const about = [
  'kind dynamic: w1 (width, 1), b1 (width), hidden_w (depth - 1, width, width), hidden_b (depth - 1, width), w2',
  '(heads, width), b2 (heads); bias (heads, queries, keys) of keys 0, 1, … and the last queries among them.',
  'kind swin_cpb: w1 (hidden, 2), b1 (hidden), w2 (heads, hidden); bias (heads, queries, keys) of the tokens of a',
  'window row by row. The coordinates of the reference are float32.',
];

export function waits() {
  return null;
}

function swinCpb(given) {
  const { inputs, outputs, attributes } = given;
  const [height, width] = attributes.window;
  const [pretrainedHeight, pretrainedWidth] = attributes.pretrained_window;
  return {
    name: given.name,
    from: given,
    numbers: {
      height,
      width,
      pretrained_height: pretrainedHeight,
      pretrained_width: pretrainedWidth,
    },
    words: { kind: 'swin_cpb' },
    tensors: {
      w1: ['f32', inputs['0.weight']],
      b1: ['f32', inputs['0.bias']],
      w2: ['f32', inputs['2.weight']],
      bias: ['f64', outputs.bias_f64],
    },
  };
}

function dynamic(given) {
  const { inputs, outputs, attributes } = given;
  const { dim: width, depth, log_distance: logDistance } = attributes;
  const hidden = (name, ...shape) => {
    const layers = Array.from(
      { length: depth - 1 },
      (_, i) => inputs[`mlp.${i + 1}.0.${name}`].values,
    );
    return ['f32', { shape: [depth - 1, ...shape], values: layers.flat() }];
  };
  return {
    name: given.name,
    from: given,
    numbers: { width, depth, log_distance: logDistance ? 1 : 0 },
    words: { kind: 'dynamic' },
    tensors: {
      w1: ['f32', inputs['mlp.0.0.weight']],
      b1: ['f32', inputs['mlp.0.0.bias']],
      hidden_w: hidden('weight', width, width),
      hidden_b: hidden('bias', width),
      w2: ['f32', inputs[`mlp.${depth}.weight`]],
      b2: ['f32', inputs[`mlp.${depth}.bias`]],
      bias: ['f64', outputs.bias_f64],
    },
  };
}

export function convert(given) {
  return [given.attributes.window ? swinCpb(given) : dynamic(given)];
}
