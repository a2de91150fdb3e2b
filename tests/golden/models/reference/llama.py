"""Llama, Mistral (sliding window), Qwen 2 (biases of q, k, v), Qwen 3 (RMSNorm of each head's q and k).

x += attention(rms(x)); x += down(silu(gate(rms(x))) * up(rms(x))). RoPE pairs (i, i + d/2) of whole heads.
Qwen's `sliding_window` holds only with `use_sliding_window`, and then from layer `max_window_layers` on.
"""

import numpy as np

from .draw import biased, matrix, norm, table
from .parts import attention, causal, frequencies, linear, rms_norm, rotate, silu, split_heads


def sizes(c):
    heads = c["num_attention_heads"]
    return heads, c["num_key_value_heads"], c.get("head_dim") or c["hidden_size"] // heads


def tensors(c):
    d, hidden, (heads, kv, head) = c["hidden_size"], c["intermediate_size"], sizes(c)
    out = {"model.embed_tokens.weight": table(c["vocab_size"], d)}
    for n in range(c["num_hidden_layers"]):
        p = f"model.layers.{n}."
        out |= norm(p + "input_layernorm", d, bias=False)
        for name, rows in (("q", heads), ("k", kv), ("v", kv)):
            projection = biased(f"{p}self_attn.{name}_proj", rows * head, d)
            if c["model_type"] != "qwen2":
                projection.popitem()
            out |= projection
        if c["model_type"] == "qwen3":
            out |= norm(p + "self_attn.q_norm", head, bias=False)
            out |= norm(p + "self_attn.k_norm", head, bias=False)
        out[p + "self_attn.o_proj.weight"] = matrix(d, heads * head)
        out |= norm(p + "post_attention_layernorm", d, bias=False)
        out[p + "mlp.gate_proj.weight"] = matrix(hidden, d)
        out[p + "mlp.up_proj.weight"] = matrix(hidden, d)
        out[p + "mlp.down_proj.weight"] = matrix(d, hidden)
    out |= norm("model.norm", d, bias=False)
    if not c["tie_word_embeddings"]:
        out["lm_head.weight"] = matrix(c["vocab_size"], d)
    return out


def window(c, layer):
    if c["model_type"] == "mistral":
        return c["sliding_window"]
    return c["sliding_window"] if c.get("use_sliding_window") and layer >= c["max_window_layers"] else None


def logits(c, w, sequence, place=np.arange, taps=None):
    epsilon, (heads, kv, head) = c["rms_norm_eps"], sizes(c)
    positions, inverse = place(len(sequence["ids"])), frequencies(c["rope_theta"], head)
    x = w["model.embed_tokens.weight"][sequence["ids"]]
    for n in range(c["num_hidden_layers"]):
        p = f"model.layers.{n}."
        normed = rms_norm(x, w, p + "input_layernorm", epsilon)
        q = split_heads(linear(normed, w, p + "self_attn.q_proj"), heads)
        k = split_heads(linear(normed, w, p + "self_attn.k_proj"), kv)
        v = split_heads(linear(normed, w, p + "self_attn.v_proj"), kv)
        if c["model_type"] == "qwen3":
            q = rms_norm(q, w, p + "self_attn.q_norm", epsilon)
            k = rms_norm(k, w, p + "self_attn.k_norm", epsilon)
        turned_q, turned_k = rotate(q, positions, inverse), rotate(k, positions, inverse)
        mixed, weights = attention(turned_q, turned_k, v, head**-0.5, causal(len(x), window(c, n)))
        x = x + linear(mixed, w, p + "self_attn.o_proj")
        m = rms_norm(x, w, p + "post_attention_layernorm", epsilon)
        m = silu(linear(m, w, p + "mlp.gate_proj")) * linear(m, w, p + "mlp.up_proj")
        x = x + linear(m, w, p + "mlp.down_proj")
        if taps is not None:
            taps.append(
                {
                    "normed": normed,
                    "query": q,
                    "key": k,
                    "rotated_query": turned_q,
                    "rotated_key": turned_k,
                    "weights": weights,
                    "output": x,
                }
            )
    x = rms_norm(x, w, "model.norm", epsilon)
    return x @ w["model.embed_tokens.weight" if c["tie_word_embeddings"] else "lm_head.weight"].T
