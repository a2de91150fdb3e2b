"""MPT: ALiBi, norms without biases, one matrix for all queries, then all keys, then all values, exact gelu, the head is
the embedding. transformers makes the MLP 4 times the width, whatever expansion_ratio says."""

from math import sqrt

import numpy as np

from .draw import matrix, norm, table
from .parts import attention, causal, gelu, layer_norm, linear, mpt_slopes, split_heads


def tensors(c):
    d = c["d_model"]
    out = {"transformer.wte.weight": table(c["vocab_size"], d)}
    for n in range(c["n_layers"]):
        p = f"transformer.blocks.{n}."
        out |= norm(p + "norm_1", d, bias=False)
        out |= {p + "attn.Wqkv.weight": matrix(3 * d, d), p + "attn.out_proj.weight": matrix(d, d)}
        out |= norm(p + "norm_2", d, bias=False)
        out |= {p + "ffn.up_proj.weight": matrix(4 * d, d), p + "ffn.down_proj.weight": matrix(d, 4 * d)}
    return out | norm("transformer.norm_f", d, bias=False)


def logits(c, w, sequence, place=np.arange, taps=None):
    epsilon, heads = c["layer_norm_epsilon"], c["n_heads"]
    positions, settings = place(len(sequence["ids"])), c["attn_config"]
    scale = settings.get("softmax_scale") or 1 / sqrt(c["d_model"] / heads)
    slopes = mpt_slopes(heads, settings.get("alibi_bias_max", 8))
    bias = slopes[:, None, None] * (positions - positions[-1])[None, :]
    x = w["transformer.wte.weight"][sequence["ids"]]
    for n in range(c["n_layers"]):
        p = f"transformer.blocks.{n}."
        qkv = linear(layer_norm(x, w, p + "norm_1", epsilon), w, p + "attn.Wqkv")
        q, k, v = (split_heads(y, heads) for y in np.split(qkv, 3, axis=1))
        mixed, _ = attention(q, k, v, scale, causal(len(x)), bias)
        x = x + linear(mixed, w, p + "attn.out_proj")
        m = gelu(linear(layer_norm(x, w, p + "norm_2", epsilon), w, p + "ffn.up_proj"))
        x = x + linear(m, w, p + "ffn.down_proj")
    return layer_norm(x, w, "transformer.norm_f", epsilon) @ w["transformer.wte.weight"].T
