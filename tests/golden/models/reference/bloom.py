"""BLOOM: ALiBi (slope times the key's position, not scaled by the head), a norm of the embedding, per head q, k, v
lie together, gelu of tanh, an MLP of 4 times the width, the head is the embedding."""

import numpy as np

from .draw import biased, norm, table
from .parts import alibi_slopes, attention, causal, gelu_tanh, layer_norm, linear


def tensors(c):
    d = c["hidden_size"]
    out = {"transformer.word_embeddings.weight": table(c["vocab_size"], d)}
    out |= norm("transformer.word_embeddings_layernorm", d)
    for n in range(c["n_layer"]):
        p = f"transformer.h.{n}."
        out |= norm(p + "input_layernorm", d)
        out |= biased(p + "self_attention.query_key_value", 3 * d, d) | biased(p + "self_attention.dense", d, d)
        out |= norm(p + "post_attention_layernorm", d)
        out |= biased(p + "mlp.dense_h_to_4h", 4 * d, d) | biased(p + "mlp.dense_4h_to_h", d, 4 * d)
    return out | norm("transformer.ln_f", d)


def logits(c, w, sequence, place=np.arange, taps=None, relative=False):
    """relative: the paper's form, slope times (key - query); a softmax cannot tell."""
    epsilon, heads = c["layer_norm_epsilon"], c["n_head"]
    head, positions = c["hidden_size"] // heads, place(len(sequence["ids"]))
    distance = positions - positions[:, None] if relative else positions[None, :]
    bias = alibi_slopes(heads)[:, None, None] * distance
    x = layer_norm(
        w["transformer.word_embeddings.weight"][sequence["ids"]], w, "transformer.word_embeddings_layernorm", epsilon
    )
    for n in range(c["n_layer"]):
        p = f"transformer.h.{n}."
        normed = layer_norm(x, w, p + "input_layernorm", epsilon)
        qkv = linear(normed, w, p + "self_attention.query_key_value").reshape(len(x), heads, 3, head)
        q, k, v = np.moveaxis(qkv, (2, 1), (0, 1))
        mixed, _ = attention(q, k, v, head**-0.5, causal(len(x)), bias)
        after = c["apply_residual_connection_post_layernorm"]
        x = (normed if after else x) + linear(mixed, w, p + "self_attention.dense")
        normed = layer_norm(x, w, p + "post_attention_layernorm", epsilon)
        m = linear(gelu_tanh(linear(normed, w, p + "mlp.dense_h_to_4h")), w, p + "mlp.dense_4h_to_h")
        x = (normed if after else x) + m
    return layer_norm(x, w, "transformer.ln_f", epsilon) @ w["transformer.word_embeddings.weight"].T
