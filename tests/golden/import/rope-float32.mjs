/** Tables of Hugging Face's code, which computes in float32: frequencies in, cosines and sines out. */

export const source = 'rope_scaling';

/** A few of many: plain, in bands, with factors, and with positions far out. */
const chosen = [
  'codegen_350m',
  'llama3_1_8b',
  'deepseek_v2_lite_yarn',
  'gpt_oss_20b_yarn_notruncate',
  'phi3_vision_128k_su__seq131072',
  'internlm2_7b_dynamic__seq65536',
];

export function takes({ name }) {
  return chosen.includes(name);
}

export const about = [
  'Cosines and sines as they come out of float32 arithmetic, attention_factor included.',
  'frequencies: those that the same code made, in float32.',
];

export function waits() {
  return null;
}

export function convert(given) {
  const { inputs, outputs } = given;
  const tensors = {
    positions: ['i32', inputs.positions],
    frequencies: ['f32', outputs.inv_freq_f32],
    cos: ['f32', outputs.cos_f32],
    sin: ['f32', outputs.sin_f32],
  };
  const base = given.attributes.resolved_rope_parameters.rope_theta;
  const isPlain = given.attributes.resolved_rope_parameters.rope_type === 'default';
  const numbers = { attention_factor: given.attentionFactor, ...(isPlain && { base }) };
  return [{ name: given.name, from: given, numbers, tensors }];
}
