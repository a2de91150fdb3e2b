"""T5 (relu, head tied and logits times width^-1/2) and T5 v1.1 (gated gelu of tanh, head of its own).

RMSNorm before each sublayer, no biases, q.k not scaled. One table of relative positions per stack, in its first
block; attention to the encoder has none. Relative position is key - query.
"""

import numpy as np

from .draw import matrix, norm, table
from .parts import attention, causal, gelu_tanh, linear, relu, rms_norm, split_heads


def bucket(relative, bidirectional, buckets, most):
    """Half of the buckets exactly, half in logarithms up to `most`; keys after the query get buckets of their own."""
    relative = np.asarray(relative)
    if bidirectional:
        buckets //= 2
        first, distance = np.where(relative > 0, buckets, 0), np.abs(relative)
    else:
        first, distance = 0, np.maximum(-relative, 0)
    exact = buckets // 2
    far = np.log(np.maximum(distance, exact) / exact) / np.log(most / exact) * (buckets - exact)
    return first + np.where(distance < exact, distance, np.minimum(exact + far.astype(int), buckets - 1))


def gated(c):
    assert c["feed_forward_proj"] in ("relu", "gated-gelu")
    return c["feed_forward_proj"] == "gated-gelu"


def tensors(c):
    d, hidden, inner, heads = c["d_model"], c["d_ff"], c["num_heads"] * c["d_kv"], c["num_heads"]
    out = {"shared.weight": table(c["vocab_size"], d, 0.6 if gated(c) else 1.2)}
    for stack, count, kinds in (
        ("encoder", c["num_layers"], ["SelfAttention"]),
        ("decoder", c["num_decoder_layers"], ["SelfAttention", "EncDecAttention"]),
    ):
        for n in range(count):
            p = f"{stack}.block.{n}.layer."
            for i, kind in enumerate(kinds):
                out[f"{p}{i}.{kind}.q.weight"] = matrix(inner, d, 0.6)
                out[f"{p}{i}.{kind}.k.weight"] = matrix(inner, d, 0.8)
                out[f"{p}{i}.{kind}.v.weight"] = matrix(inner, d)
                out[f"{p}{i}.{kind}.o.weight"] = matrix(d, inner)
                if n == i == 0:
                    rows = c["relative_attention_num_buckets"]
                    out[f"{p}0.SelfAttention.relative_attention_bias.weight"] = table(rows, heads, 1.0)
                out |= norm(f"{p}{i}.layer_norm", d, bias=False)
            i = len(kinds)
            for name in ("wi_0", "wi_1") if gated(c) else ("wi",):
                out[f"{p}{i}.DenseReluDense.{name}.weight"] = matrix(hidden, d)
            out[f"{p}{i}.DenseReluDense.wo.weight"] = matrix(d, hidden)
            out |= norm(f"{p}{i}.layer_norm", d, bias=False)
        out |= norm(f"{stack}.final_layer_norm", d, bias=False)
    if not c["tie_word_embeddings"]:
        out["lm_head.weight"] = matrix(c["vocab_size"], d)
    return out


def stack(c, w, name, ids, place, encoded=None):
    epsilon, heads, decodes = c["layer_norm_epsilon"], c["num_heads"], encoded is not None
    positions = place(len(ids))
    buckets = bucket(
        positions - positions[:, None],
        not decodes,
        c["relative_attention_num_buckets"],
        c["relative_attention_max_distance"],
    )
    bias = w[f"{name}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"][buckets].transpose(2, 0, 1)

    def attend(x, p, source, visible=None, bias=None):
        q = split_heads(linear(x, w, p + "q"), heads)
        k, v = (split_heads(linear(source, w, p + y), heads) for y in "kv")
        return linear(attention(q, k, v, 1.0, visible, bias)[0], w, p + "o")

    x = w["shared.weight"][ids]
    for n in range(c["num_decoder_layers" if decodes else "num_layers"]):
        p = f"{name}.block.{n}.layer."
        normed = rms_norm(x, w, p + "0.layer_norm", epsilon)
        x = x + attend(normed, p + "0.SelfAttention.", normed, causal(len(x)) if decodes else None, bias)
        if decodes:
            x = x + attend(rms_norm(x, w, p + "1.layer_norm", epsilon), p + "1.EncDecAttention.", encoded)
        p += "2." if decodes else "1."
        m = rms_norm(x, w, p + "layer_norm", epsilon)
        p += "DenseReluDense."
        if gated(c):
            m = gelu_tanh(linear(m, w, p + "wi_0")) * linear(m, w, p + "wi_1")
        else:
            m = relu(linear(m, w, p + "wi"))
        x = x + linear(m, w, p + "wo")
    return rms_norm(x, w, f"{name}.final_layer_norm", epsilon)


def encode(c, w, sequence, place=np.arange):
    return stack(c, w, "encoder", sequence["encoder"], place)


def logits(c, w, sequence, place=np.arange, taps=None):
    x = stack(c, w, "decoder", sequence["decoder"], place, encode(c, w, sequence, place))
    if c["tie_word_embeddings"]:
        return x * c["d_model"] ** -0.5 @ w["shared.weight"].T
    return linear(x, w, "lm_head")
