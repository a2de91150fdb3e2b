"""GPT-J: attention and MLP read the same norm; the first rotary_dim columns of each head turn, neighbours together."""

import numpy as np

from .draw import biased, matrix, norm, table
from .parts import ACTIVATIONS, attention, causal, frequencies, layer_norm, linear, rotate, split_heads


def tensors(c):
    d, hidden = c["n_embd"], c.get("n_inner") or 4 * c["n_embd"]
    out = {"transformer.wte.weight": table(c["vocab_size"], d)}
    for n in range(c["n_layer"]):
        p = f"transformer.h.{n}."
        out |= norm(p + "ln_1", d)
        out |= {f"{p}attn.{name}_proj.weight": matrix(d, d) for name in ("q", "k", "v", "out")}
        out |= biased(p + "mlp.fc_in", hidden, d) | biased(p + "mlp.fc_out", d, hidden)
    return out | norm("transformer.ln_f", d) | biased("lm_head", c["vocab_size"], d)


def logits(c, w, sequence, place=np.arange, taps=None):
    epsilon, heads = c["layer_norm_epsilon"], c["n_head"]
    positions, inverse = place(len(sequence["ids"])), frequencies(10000.0, c["rotary_dim"])
    x = w["transformer.wte.weight"][sequence["ids"]]
    for n in range(c["n_layer"]):
        p = f"transformer.h.{n}."
        normed = layer_norm(x, w, p + "ln_1", epsilon)
        q, k, v = (split_heads(linear(normed, w, f"{p}attn.{name}_proj"), heads) for name in "qkv")
        q, k = (rotate(y, positions, inverse, interleaved=True) for y in (q, k))
        mixed, _ = attention(q, k, v, q.shape[-1] ** -0.5, causal(len(x)))
        m = ACTIVATIONS[c["activation_function"]](linear(normed, w, p + "mlp.fc_in"))
        x = x + linear(mixed, w, p + "attn.out_proj") + linear(m, w, p + "mlp.fc_out")
    return linear(layer_norm(x, w, "transformer.ln_f", epsilon), w, "lm_head")
