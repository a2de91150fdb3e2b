"""Loss, gradients and three AdamW steps of the models of backward.py. README.md defines them."""

import numpy as np

from . import gpt2, llama
from .backward import gpt2_loss, llama_loss
from .draw import draw, tokens
from .files import blob, digits

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


LOSSES = {"llama": llama_loss, "gpt2": gpt2_loss}


def loss_and_gradients(name, w, batch):
    """Mean over all predicted tokens of the batch."""
    count, gradients = sum(len(ids) - 1 for ids in batch), {key: np.zeros_like(x) for key, x in w.items()}

    def add(key, g):
        gradients[key] += g / count

    loss = sum(LOSSES[name](CONFIGS[name], w, ids, add) for ids in batch) / count
    return loss, gradients


def steps(name, w, batch, count):
    """AdamW; decay of matrices alone, gradients clipped by their common norm. Returns losses, norms, parameters."""
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
        "origin": "tests/golden/models/reference: float64 (NumPy), gradients checked by central differences",
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
            "losses": [digits(x) for x in losses],
            "gradientNorms": [digits(x) for x in norms],
            "zeroGradient": ZERO[name],
            "parameters": {
                key: {"initial": blob(w[key]), "gradient": blob(gradients[key]), "after": blob(after[key])} for key in w
            },
        }
    return out
