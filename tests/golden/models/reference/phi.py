"""Phi (1, 1.5, 2): attention and MLP read the same norm; the first partial_rotary_factor of each head turns,
in halves."""

import numpy as np

from .draw import biased, norm, table
from .parts import ACTIVATIONS, attention, causal, frequencies, layer_norm, linear, rotate, split_heads


def tensors(c):
    d, hidden = c["hidden_size"], c["intermediate_size"]
    head = d // c["num_attention_heads"]
    rows = {"q": d, "k": c["num_key_value_heads"] * head, "v": c["num_key_value_heads"] * head}
    out = {"model.embed_tokens.weight": table(c["vocab_size"], d)}
    for n in range(c["num_hidden_layers"]):
        p = f"model.layers.{n}."
        for name, count in rows.items():
            out |= biased(f"{p}self_attn.{name}_proj", count, d)
        out |= biased(p + "self_attn.dense", d, d)
        out |= biased(p + "mlp.fc1", hidden, d) | biased(p + "mlp.fc2", d, hidden)
        out |= norm(p + "input_layernorm", d)
    return out | norm("model.final_layernorm", d) | biased("lm_head", c["vocab_size"], d)


def logits(c, w, sequence, place=np.arange, taps=None):
    epsilon, heads, kv = c["layer_norm_eps"], c["num_attention_heads"], c["num_key_value_heads"]
    head, positions = c["hidden_size"] // heads, place(len(sequence["ids"]))
    inverse = frequencies(c["rope_theta"], int(head * c["partial_rotary_factor"]))
    x = w["model.embed_tokens.weight"][sequence["ids"]]
    for n in range(c["num_hidden_layers"]):
        p = f"model.layers.{n}."
        normed = layer_norm(x, w, p + "input_layernorm", epsilon)
        q = rotate(split_heads(linear(normed, w, p + "self_attn.q_proj"), heads), positions, inverse)
        k = rotate(split_heads(linear(normed, w, p + "self_attn.k_proj"), kv), positions, inverse)
        v = split_heads(linear(normed, w, p + "self_attn.v_proj"), kv)
        mixed, _ = attention(q, k, v, head**-0.5, causal(len(x)))
        m = ACTIVATIONS[c["hidden_act"]](linear(normed, w, p + "mlp.fc1"))
        x = x + linear(mixed, w, p + "self_attn.dense") + linear(m, w, p + "mlp.fc2")
    return linear(layer_norm(x, w, "model.final_layernorm", epsilon), w, "lm_head")
