"""GPT-2: learned positions, LayerNorm before each sublayer, Conv1D weights (inputs, outputs), q, k, v side by side.

Names as on the hub: without the prefix `transformer.` that save_pretrained writes; `h.N.attn.bias` is a mask.
"""

import numpy as np

from .draw import conv, norm, table, vector
from .parts import ACTIVATIONS, attention, causal, conv1d, layer_norm, split_heads


def tensors(c, prefix=""):
    d, hidden = c["n_embd"], c.get("n_inner") or 4 * c["n_embd"]
    out = {
        prefix + "wte.weight": table(c["vocab_size"], d),
        prefix + "wpe.weight": table(c["n_positions"], d, 0.5),
    }
    for n in range(c["n_layer"]):
        p = f"{prefix}h.{n}."
        out |= norm(p + "ln_1", d)
        out |= {p + "attn.c_attn.weight": conv(d, 3 * d), p + "attn.c_attn.bias": vector(3 * d)}
        out |= {p + "attn.c_proj.weight": conv(d, d), p + "attn.c_proj.bias": vector(d)}
        out |= norm(p + "ln_2", d)
        out |= {p + "mlp.c_fc.weight": conv(d, hidden), p + "mlp.c_fc.bias": vector(hidden)}
        out |= {p + "mlp.c_proj.weight": conv(hidden, d), p + "mlp.c_proj.bias": vector(d)}
    return out | norm(prefix + "ln_f", d)


def logits(c, w, sequence, place=np.arange, taps=None, prefix=""):
    epsilon, heads, ids = c["layer_norm_epsilon"], c["n_head"], sequence["ids"]
    x = w[prefix + "wte.weight"][ids] + w[prefix + "wpe.weight"][place(len(ids))]
    for n in range(c["n_layer"]):
        p = f"{prefix}h.{n}."
        qkv = conv1d(layer_norm(x, w, p + "ln_1", epsilon), w, p + "attn.c_attn")
        q, k, v = (split_heads(y, heads) for y in np.split(qkv, 3, axis=1))
        mixed, _ = attention(q, k, v, q.shape[-1] ** -0.5, causal(len(x)))
        x = x + conv1d(mixed, w, p + "attn.c_proj")
        m = conv1d(layer_norm(x, w, p + "ln_2", epsilon), w, p + "mlp.c_fc")
        x = x + conv1d(ACTIVATIONS[c["activation_function"]](m), w, p + "mlp.c_proj")
    return layer_norm(x, w, prefix + "ln_f", epsilon) @ w[prefix + "wte.weight"].T
