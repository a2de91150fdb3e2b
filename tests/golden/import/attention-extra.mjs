/** Attention functions and mask rules of single models. */

export const about = [
  'Masks of rules: shown (queries, keys), 1 = visible, of queries and keys in order, the last of both at the same position.',
  'causal, window (|query − key| < w), before and after (query − before ≤ key ≤ query + after), chunk.',
  'Attention with sink_logits (heads), a logit per head without a value: query, key, value, mask, output as in sdpa.',
];

export function waits() {
  return null;
}

/** The options of this project that a rule of the source amounts to. */
function ruleOf(name, attributes) {
  if (name.startsWith('hf_causal')) return { causal: 1 };
  if (name.startsWith('hf_chunked')) return { causal: 1, chunk: attributes.chunk_size };
  const width = attributes.sliding_window;
  if (name.startsWith('hf_sliding_window')) return { causal: 1, window: width };
  if (name.startsWith('hf_sliding_bidirectional')) return { before: width, after: width };
  throw new Error(`a rule that is not known: ${name}`);
}

export function convert(given) {
  const { name, attributes, inputs, outputs } = given;
  if (outputs.mask) {
    const shown = { shape: outputs.mask.shape, values: outputs.mask.values.map((x) => (x ? 1 : 0)) };
    return [{ name, from: given, numbers: ruleOf(name, attributes), tensors: { shown: ['u8', shown] } }];
  }
  const { q, k, v, sinks, mask } = inputs;
  return [
    {
      name,
      from: given,
      numbers: { causal: 0, scale: attributes.scale },
      tensors: {
        query: ['f32', q],
        key: ['f32', k],
        value: ['f32', v],
        sink_logits: ['f32', sinks],
        mask: ['u8', { shape: [1, 1, ...mask.shape], values: mask.values }],
        output: ['f64', outputs.o_f64],
      },
    },
  ];
}
