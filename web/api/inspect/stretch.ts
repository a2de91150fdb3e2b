import type { Context } from './context.js';

/**
 * Qwen 1 stretches itself past its trained length (modeling_qwen.py): `use_dynamic_ntk` raises the base
 * with the length, `use_logn_attn` multiplies late queries by log p / log trained. Up to the trained
 * length both change nothing. Says so, and returns whether the plan is exact at this length.
 */
export function readStretch(
  { fields, family, notes }: Context,
  trained: number | null,
  asked: number | null,
): boolean {
  if (!family.stretches) return true;
  const dynamic = fields.flag('use_dynamic_ntk') ?? true;
  const logN = fields.flag('use_logn_attn') ?? true;
  if (trained === null) return !dynamic && !logN;
  if (dynamic) notes.add('dynamic-base', [fields.at('use_dynamic_ntk')], { length: trained });
  if (logN) notes.add('log-n', [fields.at('use_logn_attn')], { length: trained });
  const exact = asked === null || asked <= trained || (!dynamic && !logN);
  if (!exact) {
    const type = dynamic ? 'use_dynamic_ntk' : 'use_logn_attn';
    notes.add('rule-not-computed', [fields.at(type)], { type });
  }
  return exact;
}
