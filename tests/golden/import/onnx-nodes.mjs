/** ONNX nodes as they are: inputs, attributes that the node has, outputs. */

/** Where the numbers of each type of the source are kept. */
const types = { f16: 'f32', f32: 'f32', bool: 'u8', i64: 'i32' };

const kept = ([name, tensor]) => [name, [types[tensor.dtype], tensor]];

/** What a node gives, in float64 where the source has it; what it only copies, as it is. */
function expected(outputs) {
  const names = Object.keys(outputs).filter((name) => !name.endsWith('_f64'));
  return Object.fromEntries(
    names.map((name) => {
      const copied = name === 'present_key' || name === 'present_value';
      const exact = copied ? undefined : outputs[`${name}_f64`];
      return [name, exact ? ['f64', exact] : ['f32', outputs[name]]];
    }),
  );
}

/** Whether outputs are known to half precision only. */
export const isHalf = (outputs) =>
  Object.entries(outputs).some(([name, { dtype }]) => dtype === 'f16' && !outputs[`${name}_f64`]);

/** @param {string[]} words attributes that are texts */
export const convertNode = (given, prefix, words = []) => {
  const attributes = Object.entries(given.attributes.explicit);
  return {
    name: given.name.replace(prefix, ''),
    from: given,
    numbers: Object.fromEntries(attributes.filter(([name]) => !words.includes(name))),
    words: {
      ...Object.fromEntries(attributes.filter(([name]) => words.includes(name))),
      ...(isHalf(given.outputs) && { precision: 'f16' }),
    },
    tensors: {
      ...Object.fromEntries(Object.entries(given.inputs).map(kept)),
      ...expected(given.outputs),
    },
  };
};

export const about = [
  'Nodes of ONNX by the names of the operator: numbers are the attributes of the node, tensors its inputs (half precision',
  'and int64 stored as float32 and int32), then its outputs: in float64 from the same inputs, or in float32 where the source',
  'has no others. precision f16: the outputs were rounded to half precision.',
];
