"""OPT with norms before each sublayer: learned positions whose first two rows no token gets, relu, the head is the
embedding."""

import numpy as np

from .draw import biased, norm, table
from .parts import ACTIVATIONS, attention, causal, layer_norm, linear, split_heads


def tensors(c):
    d, hidden = c["hidden_size"], c["ffn_dim"]
    out = {
        "model.decoder.embed_tokens.weight": table(c["vocab_size"], d),
        "model.decoder.embed_positions.weight": table(c["max_position_embeddings"] + 2, d, 0.5),
    }
    for n in range(c["num_hidden_layers"]):
        p = f"model.decoder.layers.{n}."
        for name in ("q", "k", "v", "out"):
            out |= biased(f"{p}self_attn.{name}_proj", d, d)
        out |= norm(p + "self_attn_layer_norm", d)
        out |= biased(p + "fc1", hidden, d) | biased(p + "fc2", d, hidden)
        out |= norm(p + "final_layer_norm", d)
    return out | norm("model.decoder.final_layer_norm", d)


def logits(c, w, sequence, place=np.arange, taps=None):
    epsilon, heads, ids = 1e-5, c["num_attention_heads"], sequence["ids"]
    x = w["model.decoder.embed_tokens.weight"][ids]
    x = x + w["model.decoder.embed_positions.weight"][place(len(ids)) + 2]
    for n in range(c["num_hidden_layers"]):
        p = f"model.decoder.layers.{n}."
        normed = layer_norm(x, w, p + "self_attn_layer_norm", epsilon)
        q, k, v = (split_heads(linear(normed, w, f"{p}self_attn.{name}_proj"), heads) for name in "qkv")
        mixed, _ = attention(q, k, v, q.shape[-1] ** -0.5, causal(len(x)))
        x = x + linear(mixed, w, p + "self_attn.out_proj")
        m = linear(layer_norm(x, w, p + "final_layer_norm", epsilon), w, p + "fc1")
        x = x + linear(ACTIVATIONS[c["activation_function"]](m), w, p + "fc2")
    return layer_norm(x, w, "model.decoder.final_layer_norm", epsilon) @ w["model.decoder.embed_tokens.weight"].T
