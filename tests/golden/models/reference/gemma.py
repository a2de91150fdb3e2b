"""Gemma, Gemma 2 (norms before and after each sublayer, softcaps, every other layer slides), Gemma 3's text model
(RMSNorm of q and k; sliding layers turn by `rope_local_base_freq`, the rest by `rope_theta` and `rope_scaling`).

Embeddings times sqrt(width); norms hold weight - 1; gelu of tanh; the head is the embedding. q.k times
query_pre_attn_scalar^-1/2 where there is one. Slides: Gemma 2 layers 0, 2, ...; Gemma 3 all but each
sliding_window_pattern-th.
"""

import numpy as np

from .draw import matrix, table, vector
from .parts import attention, causal, frequencies, gelu_tanh, linear, rms_norm, rotate, softcap, split_heads


def norms(c):
    names = ["input_layernorm", "post_attention_layernorm"]
    return names if c["model_type"] == "gemma" else names + ["pre_feedforward_layernorm", "post_feedforward_layernorm"]


def tensors(c):
    d, hidden, head = c["hidden_size"], c["intermediate_size"], c["head_dim"]
    q, kv = c["num_attention_heads"] * head, c["num_key_value_heads"] * head
    out = {"model.embed_tokens.weight": table(c["vocab_size"], d, 0.25)}
    for n in range(c["num_hidden_layers"]):
        p = f"model.layers.{n}."
        for name in norms(c):
            out[f"{p}{name}.weight"] = vector(d)
        out[p + "self_attn.q_proj.weight"] = matrix(q, d)
        out[p + "self_attn.k_proj.weight"] = matrix(kv, d)
        out[p + "self_attn.v_proj.weight"] = matrix(kv, d)
        out[p + "self_attn.o_proj.weight"] = matrix(d, q)
        if c["model_type"] == "gemma3_text":
            out[p + "self_attn.q_norm.weight"] = vector(head)
            out[p + "self_attn.k_norm.weight"] = vector(head)
        out[p + "mlp.gate_proj.weight"] = matrix(hidden, d)
        out[p + "mlp.up_proj.weight"] = matrix(hidden, d)
        out[p + "mlp.down_proj.weight"] = matrix(d, hidden)
    out["model.norm.weight"] = vector(d)
    return out


def slides(c, layer):
    if c["model_type"] == "gemma":
        return False
    return (layer + 1) % (2 if c["model_type"] == "gemma2" else c["sliding_window_pattern"]) != 0


def inverse_frequencies(c, layer):
    if c["model_type"] == "gemma3_text" and slides(c, layer):
        return frequencies(c["rope_local_base_freq"], c["head_dim"])
    scaling = c.get("rope_scaling")
    assert scaling is None or scaling["rope_type"] == "linear"
    return frequencies(c["rope_theta"], c["head_dim"]) / (scaling["factor"] if scaling else 1)


def logits(c, w, sequence, place=np.arange, taps=None):
    def norm(x, name):
        return rms_norm(x, w, name, c["rms_norm_eps"], offset=1.0)

    positions, sandwich = place(len(sequence["ids"])), c["model_type"] != "gemma"
    x = w["model.embed_tokens.weight"][sequence["ids"]] * c["hidden_size"] ** 0.5
    for n in range(c["num_hidden_layers"]):
        p = f"model.layers.{n}."
        a = norm(x, p + "input_layernorm")
        q = split_heads(linear(a, w, p + "self_attn.q_proj"), c["num_attention_heads"])
        k = split_heads(linear(a, w, p + "self_attn.k_proj"), c["num_key_value_heads"])
        v = split_heads(linear(a, w, p + "self_attn.v_proj"), c["num_key_value_heads"])
        if c["model_type"] == "gemma3_text":
            q, k = norm(q, p + "self_attn.q_norm"), norm(k, p + "self_attn.k_norm")
        q, k = (rotate(y, positions, inverse_frequencies(c, n)) for y in (q, k))
        scale = c.get("query_pre_attn_scalar", c["head_dim"]) ** -0.5
        visible = causal(len(x), c["sliding_window"] if slides(c, n) else None)
        a, _ = attention(q, k, v, scale, visible, cap=c.get("attn_logit_softcapping"))
        a = linear(a, w, p + "self_attn.o_proj")
        x = x + (norm(a, p + "post_attention_layernorm") if sandwich else a)
        m = norm(x, p + ("pre_feedforward_layernorm" if sandwich else "post_attention_layernorm"))
        m = gelu_tanh(linear(m, w, p + "mlp.gate_proj")) * linear(m, w, p + "mlp.up_proj")
        m = linear(m, w, p + "mlp.down_proj")
        x = x + (norm(m, p + "post_feedforward_layernorm") if sandwich else m)
    x = norm(x, "model.norm") @ w["model.embed_tokens.weight"].T
    return softcap(x, c.get("final_logit_softcapping"))
