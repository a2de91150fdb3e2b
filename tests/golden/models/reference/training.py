"""Loss, gradients and three AdamW steps of a small Llama and a small GPT-2: backpropagation by hand, in float64.

Each operation returns its output and a function from the output's gradient to the inputs' gradients. README.md
defines loss, clipping and optimizer.
"""

import numpy as np

from . import gpt2, llama
from .draw import draw, tokens
from .files import blob
from .parts import causal, frequencies, gelu_tanh, rotate, split_heads

CONFIGS = {
    "llama": {
        "model_type": "llama",
        "hidden_act": "silu",
        "hidden_size": 16,
        "intermediate_size": 24,
        "max_position_embeddings": 32,
        "num_attention_heads": 4,
        "num_hidden_layers": 2,
        "num_key_value_heads": 2,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "tie_word_embeddings": True,
        "vocab_size": 24,
    },
    "gpt2": {
        "model_type": "gpt2",
        "activation_function": "gelu_new",
        "layer_norm_epsilon": 1e-5,
        "n_embd": 12,
        "n_head": 3,
        "n_inner": 28,
        "n_layer": 2,
        "n_positions": 16,
        "vocab_size": 24,
    },
}
LENGTH = 10
# A bias of all keys of a head moves a whole row of scores: its gradient is 0 but for rounding, which AdamW would make
# steps of. Ranges of entries.
ZERO = {"llama": {}, "gpt2": {f"transformer.h.{n}.attn.c_attn.bias": [12, 24] for n in range(2)}}
OPTIMIZER = {
    "learningRate": 1e-2,
    "beta1": 0.9,
    "beta2": 0.95,
    "epsilon": 1e-8,
    "weightDecay": 0.1,
    "clip": 1.0,
}


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


LOSSES = {"llama": llama_loss, "gpt2": gpt2_loss}


def loss_and_gradients(name, w, batch):
    """Mean over all predicted tokens of the batch."""
    count, gradients = sum(len(ids) - 1 for ids in batch), {key: np.zeros_like(x) for key, x in w.items()}

    def add(key, g):
        gradients[key] += g / count

    loss = sum(LOSSES[name](CONFIGS[name], w, ids, add) for ids in batch) / count
    return loss, gradients


def steps(name, w, batch, count):
    """AdamW with decoupled decay of matrices, gradients clipped by their common norm. Returns losses, norms, parameters."""
    o, losses, norms = OPTIMIZER, [], []
    w = {key: x.copy() for key, x in w.items()}
    first, second = ({key: np.zeros_like(x) for key, x in w.items()} for _ in range(2))
    for t in range(1, count + 1):
        loss, gradients = loss_and_gradients(name, w, batch)
        norm = np.sqrt(sum((g**2).sum() for g in gradients.values()))
        losses.append(float(loss))
        norms.append(float(norm))
        for key, g in gradients.items():
            g = g * min(1, o["clip"] / norm)
            first[key] = o["beta1"] * first[key] + (1 - o["beta1"]) * g
            second[key] = o["beta2"] * second[key] + (1 - o["beta2"]) * g**2
            decay = o["weightDecay"] if g.ndim > 1 else 0.0
            m, v = first[key] / (1 - o["beta1"] ** t), second[key] / (1 - o["beta2"] ** t)
            w[key] = w[key] * (1 - o["learningRate"] * decay) - o["learningRate"] * m / (np.sqrt(v) + o["epsilon"])
    losses.append(float(loss_and_gradients(name, w, batch)[0]))
    return losses, norms, w


def initial(name):
    c = CONFIGS[name]
    listed = gpt2.tensors(c, "transformer.") if name == "gpt2" else llama.tensors(c)
    w = {key: draw(f"train {name}/{key}", *shape).astype("<f4").astype(float) for key, shape in listed.items()}
    return w, [tokens(f"train {name} {i}", LENGTH, c["vocab_size"]) for i in range(2)]


def check(name, w, batch, loss, gradients):
    """Every partial derivative against a central difference; the loss against the reference model's logits."""
    worst, h = 0.0, 1e-5
    for key, x in w.items():
        for i in np.ndindex(x.shape):
            kept, ends = x[i], []
            for move in (h, -h):
                x[i] = kept + move
                ends.append(mean_loss(name, w, batch))
            x[i] = kept
            worst = max(worst, abs((ends[0] - ends[1]) / (2 * h) - gradients[key][i]))
    assert worst < 1e-8, (name, worst)
    for key, (begin, end) in ZERO[name].items():
        assert np.abs(gradients[key][begin:end]).max() < 1e-15
    assert abs(loss - mean_loss(name, w, batch)) < 1e-12
    print(f"training {name}: loss {loss:.4f}, gradients within {worst:.1e} of differences")


def mean_loss(name, w, batch):
    """By the reference models, not by the code above."""
    total = 0.0
    for ids in batch:
        if name == "gpt2":
            logits = gpt2.logits(CONFIGS[name], w, {"ids": ids[:-1]}, prefix="transformer.")
        else:
            logits = llama.logits(CONFIGS[name], w, {"ids": ids[:-1]})
        total += sum(np.log(np.exp(row).sum()) - row[target] for row, target in zip(logits, ids[1:]))
    return total / sum(len(ids) - 1 for ids in batch)


def expected():
    out = {
        "origin": "tests/golden/models/reference/training.py: float64 (NumPy), gradients checked by central differences",
        "optimizer": OPTIMIZER,
        "models": {},
    }
    for name, config in CONFIGS.items():
        w, batch = initial(name)
        loss, gradients = loss_and_gradients(name, w, batch)
        check(name, w, batch, loss, gradients)
        losses, norms, after = steps(name, w, batch, 3)
        assert min(norms) > OPTIMIZER["clip"] and losses[-1] < losses[0]
        out["models"][name] = {
            "config": config,
            "batch": batch,
            "losses": losses,
            "gradientNorms": norms,
            "zeroGradient": ZERO[name],
            "parameters": {
                key: {"initial": blob(w[key]), "gradient": blob(gradients[key]), "after": blob(after[key])} for key in w
            },
        }
    return out
