import type { Context } from './context.js';
import { aliases } from './family.js';
import type { Family } from './family.js';
import { limits } from './limits.js';

/** One type, several encodings: the family as the config's own switches make it. */
export function chooseFamily(context: Context): Family {
  const { fields, family } = context;
  switch (family.type) {
    case 'falcon':
      return fields.flag('alibi') === true ? { ...family, encoding: 'alibi' } : family;
    case 'baichuan':
      return chooseBaichuan(context);
    case 'mpt':
      return chooseMpt(context);
    case 'bert':
      return fields.name('position_embedding_type') === 'alibi'
        ? { ...family, encoding: 'alibi' }
        : withRelativeKeys(context);
    case 'jais':
      return fields.name('position_embedding_type') === 'alibi'
        ? family
        : { ...family, encoding: 'learned' };
    default:
      if (family.relativeKeys) return withRelativeKeys(context);
      if (family.encoding !== 'rope' || family.type === null) return family;
      return fields.name('position_embedding_type') === 'nope'
        ? { ...family, nope: 'all' }
        : family;
  }
}

/** Baichuan 7B rotates and 13B has ALiBi; nothing but the size tells. */
function chooseBaichuan({ fields, family, notes }: Context): Family {
  const [heads] = fields.integers(aliases.heads, limits.heads);
  const [hidden] = fields.integers(aliases.hiddenSize, limits.hiddenSize);
  const large = (hidden?.value ?? 0) >= 5120 || (heads?.value ?? 0) >= 40;
  const encoding = large ? 'alibi' : 'rope';
  notes.add('baichuan-by-size', [fields.at('hidden_size')], { encoding });
  return { ...family, encoding };
}

/** MPT: ALiBi, rotation or a learned table, by `attn_config`. */
function chooseMpt({ fields, family }: Context): Family {
  const attention = fields.child('attn_config');
  if (attention?.flag('alibi') ?? true) return family;
  return { ...family, encoding: attention?.flag('rope') === true ? 'rope' : 'learned' };
}

/** With relative keys no row is lost to padding: there is no table of positions. */
function withRelativeKeys({ fields, family }: Context): Family {
  const relative = fields.name('position_embedding_type')?.startsWith('relative_key') ?? false;
  return relative ? { ...family, offset: 0 } : family;
}
