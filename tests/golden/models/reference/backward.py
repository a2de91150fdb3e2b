"""A small Llama and a small GPT-2 with backpropagation by hand, in float64.

Each operation returns its output and a function from the output's gradient to the inputs' gradients.
"""

import numpy as np

from . import llama
from .parts import causal, frequencies, gelu_tanh, rotate, split_heads


def matmul(x, w):
    """x (T, inputs), w (outputs, inputs)."""
    return x @ w.T, lambda g: (g @ w, g.T @ x)


def rms_norm(x, w, epsilon):
    r = 1 / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon)

    def back(g):
        scaled = g * w
        return r * scaled - x * r**3 * (scaled * x).mean(-1, keepdims=True), (g * x * r).sum(0)

    return x * r * w, back


def layer_norm(x, w, b, epsilon):
    centred = x - x.mean(-1, keepdims=True)
    r = 1 / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
    y = centred * r

    def back(g):
        s = g * w
        inner = s - s.mean(-1, keepdims=True) - y * (s * y).mean(-1, keepdims=True)
        return r * inner, (g * y).sum(0), g.sum(0)

    return y * w + b, back


def attention(q, k, v):
    """q (heads, T, d), k and v (kv heads, T, d) to (T, heads * d); causal, scale 1/sqrt(d)."""
    heads, length, d = q.shape
    group = heads // len(k)
    many_k, many_v = (np.repeat(x, group, axis=0) for x in (k, v))
    scores = np.where(causal(length), q @ many_k.swapaxes(1, 2) * d**-0.5, -np.inf)
    p = np.exp(scores - scores.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)

    def back(g):
        g = split_heads(g, heads)
        of_p = g @ many_v.swapaxes(1, 2)
        of_scores = p * (of_p - (of_p * p).sum(-1, keepdims=True)) * d**-0.5
        of_k, of_v = of_scores.swapaxes(1, 2) @ q, p.swapaxes(1, 2) @ g
        return of_scores @ many_k, *(x.reshape(-1, group, length, d).sum(1) for x in (of_k, of_v))

    return join(p @ many_v), back


def join(x):
    """(heads, T, d) to (T, heads * d)."""
    return x.swapaxes(0, 1).reshape(x.shape[1], -1)


def gated_silu(gate, up):
    s = 1 / (1 + np.exp(-gate))
    return gate * s * up, lambda g: (g * up * s * (1 + gate * (1 - s)), g * gate * s)


def gelu(x):
    c = np.sqrt(2 / np.pi)
    t = np.tanh(c * (x + 0.044715 * x**3))
    return gelu_tanh(x), lambda g: g * ((1 + t) / 2 + x / 2 * (1 - t**2) * c * (1 + 3 * 0.044715 * x**2))


def cross_entropy(logits, targets):
    """Sum over rows, and its gradient."""
    top = logits - logits.max(-1, keepdims=True)
    logarithms = top - np.log(np.exp(top).sum(-1, keepdims=True))
    rows = np.arange(len(targets))
    gradient = np.exp(logarithms)
    gradient[rows, targets] -= 1
    return -logarithms[rows, targets].sum(), gradient


def llama_loss(c, w, ids, add):
    """Sum of losses of the tokens after the first; add(name, gradient of it) for every parameter."""
    heads, kv, head = llama.sizes(c)
    positions, inverse, epsilon = np.arange(len(ids) - 1), frequencies(c["rope_theta"], head), c["rms_norm_eps"]
    embedding, tape = "model.embed_tokens.weight", []
    x = w[embedding][ids[:-1]]
    for n in range(c["num_hidden_layers"]):
        x, back = llama_layer(c, w, f"model.layers.{n}.", x, (heads, kv), positions, inverse, add)
        tape.append(back)
    x, norm_back = rms_norm(x, w["model.norm.weight"], epsilon)
    logits, head_back = matmul(x, w[embedding])
    loss, g = cross_entropy(logits, ids[1:])
    g, of_w = head_back(g)
    add(embedding, of_w)
    g, of_w = norm_back(g)
    add("model.norm.weight", of_w)
    for back in reversed(tape):
        g = back(g)
    add(embedding, scatter(g, ids[:-1], c["vocab_size"]))
    return loss


def llama_layer(c, w, p, x, heads, positions, inverse, add):
    epsilon = c["rms_norm_eps"]

    def project(x, name):
        y, back = matmul(x, w[p + name + ".weight"])

        def backward(g):
            of_x, of_w = back(g)
            add(p + name + ".weight", of_w)
            return of_x

        return y, backward

    a, norm_a = rms_norm(x, w[p + "input_layernorm.weight"], epsilon)
    q, back_q = project(a, "self_attn.q_proj")
    k, back_k = project(a, "self_attn.k_proj")
    v, back_v = project(a, "self_attn.v_proj")
    turned = (rotate(split_heads(y, n), positions, inverse) for y, n in zip((q, k), heads))
    mixed, back_attention = attention(*turned, split_heads(v, heads[1]))
    out, back_out = project(mixed, "self_attn.o_proj")
    x = x + out
    m, norm_m = rms_norm(x, w[p + "post_attention_layernorm.weight"], epsilon)
    gate, back_gate = project(m, "mlp.gate_proj")
    up, back_up = project(m, "mlp.up_proj")
    hidden, back_hidden = gated_silu(gate, up)
    down, back_down = project(hidden, "mlp.down_proj")

    def back(g):
        of_gate, of_up = back_hidden(back_down(g))
        of_m, of_w = norm_m(back_gate(of_gate) + back_up(of_up))
        add(p + "post_attention_layernorm.weight", of_w)
        g = g + of_m
        of_q, of_k, of_v = back_attention(back_out(g))
        of_q, of_k = rotate(of_q, -positions, inverse), rotate(of_k, -positions, inverse)
        of_a = back_q(join(of_q)) + back_k(join(of_k)) + back_v(join(of_v))
        of_a, of_w = norm_a(of_a)
        add(p + "input_layernorm.weight", of_w)
        return g + of_a

    return x + down, back


def gpt2_loss(c, w, ids, add):
    """As llama_loss; names with the prefix that save_pretrained writes."""
    tape, inputs = [], ids[:-1]
    x = w["transformer.wte.weight"][inputs] + w["transformer.wpe.weight"][: len(inputs)]
    for n in range(c["n_layer"]):
        x, back = gpt2_layer(c, w, f"transformer.h.{n}.", x, add)
        tape.append(back)
    x, back_norm = gpt2_norm(c, w, "transformer.ln_f", x, add)
    logits, head_back = matmul(x, w["transformer.wte.weight"])
    loss, g = cross_entropy(logits, ids[1:])
    g, of_w = head_back(g)
    add("transformer.wte.weight", of_w)
    g = back_norm(g)
    for back in reversed(tape):
        g = back(g)
    add("transformer.wte.weight", scatter(g, inputs, c["vocab_size"]))
    add("transformer.wpe.weight", scatter(g, range(len(inputs)), c["n_positions"]))
    return loss


def gpt2_norm(c, w, name, x, add):
    y, back = layer_norm(x, w[name + ".weight"], w[name + ".bias"], c["layer_norm_epsilon"])

    def backward(g):
        of_x, of_w, of_b = back(g)
        add(name + ".weight", of_w)
        add(name + ".bias", of_b)
        return of_x

    return y, backward


def gpt2_layer(c, w, p, x, add):
    def project(x, name):
        weight = w[p + name + ".weight"]  # (inputs, outputs)

        def backward(g):
            add(p + name + ".weight", x.T @ g)
            add(p + name + ".bias", g.sum(0))
            return g @ weight.T

        return x @ weight + w[p + name + ".bias"], backward

    a, norm_a = gpt2_norm(c, w, p + "ln_1", x, add)
    qkv, back_qkv = project(a, "attn.c_attn")
    mixed, back_attention = attention(*(split_heads(y, c["n_head"]) for y in np.split(qkv, 3, axis=1)))
    out, back_out = project(mixed, "attn.c_proj")
    x = x + out
    m, norm_m = gpt2_norm(c, w, p + "ln_2", x, add)
    wide, back_wide = project(m, "mlp.c_fc")
    hidden, back_hidden = gelu(wide)
    down, back_down = project(hidden, "mlp.c_proj")

    def back(g):
        g = g + norm_m(back_wide(back_hidden(back_down(g))))
        of_qkv = np.concatenate([join(y) for y in back_attention(back_out(g))], axis=1)
        return g + norm_a(back_qkv(of_qkv))

    return x + down, back


def scatter(g, rows, count):
    out = np.zeros((count, g.shape[1]))
    np.add.at(out, list(rows), g)
    return out
