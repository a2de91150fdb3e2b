"""GPT-NeoX: attention and MLP read two norms of the same input; per head q, k, v lie together; the first
rotary_pct of each head turns, in halves."""

import numpy as np

from .draw import biased, matrix, norm, table
from .parts import ACTIVATIONS, attention, causal, frequencies, layer_norm, linear, rotate


def tensors(c):
    d, hidden = c["hidden_size"], c["intermediate_size"]
    out = {"gpt_neox.embed_in.weight": table(c["vocab_size"], d)}
    for n in range(c["num_hidden_layers"]):
        p = f"gpt_neox.layers.{n}."
        out |= norm(p + "input_layernorm", d) | norm(p + "post_attention_layernorm", d)
        out |= biased(p + "attention.query_key_value", 3 * d, d) | biased(p + "attention.dense", d, d)
        out |= biased(p + "mlp.dense_h_to_4h", hidden, d) | biased(p + "mlp.dense_4h_to_h", d, hidden)
    return out | norm("gpt_neox.final_layer_norm", d) | {"embed_out.weight": matrix(c["vocab_size"], d)}


def logits(c, w, sequence, place=np.arange, taps=None):
    epsilon, heads = c["layer_norm_eps"], c["num_attention_heads"]
    head = c["hidden_size"] // heads
    positions, inverse = place(len(sequence["ids"])), frequencies(c["rotary_emb_base"], int(head * c["rotary_pct"]))
    x = w["gpt_neox.embed_in.weight"][sequence["ids"]]
    for n in range(c["num_hidden_layers"]):
        p = f"gpt_neox.layers.{n}."
        qkv = linear(layer_norm(x, w, p + "input_layernorm", epsilon), w, p + "attention.query_key_value")
        q, k, v = np.moveaxis(qkv.reshape(len(x), heads, 3, head), (2, 1), (0, 1))
        q, k = rotate(q, positions, inverse), rotate(k, positions, inverse)
        mixed, _ = attention(q, k, v, head**-0.5, causal(len(x)))
        a = linear(mixed, w, p + "attention.dense")
        m = layer_norm(x if c["use_parallel_residual"] else x + a, w, p + "post_attention_layernorm", epsilon)
        m = ACTIVATIONS[c["hidden_act"]](linear(m, w, p + "mlp.dense_h_to_4h"))
        x = x + a + linear(m, w, p + "mlp.dense_4h_to_h")
    return linear(layer_norm(x, w, "gpt_neox.final_layer_norm", epsilon), w, "embed_out")
