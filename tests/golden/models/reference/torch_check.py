"""Compares pieces and training.json with PyTorch; not part of generate.py, for PyTorch is large.

    apt-get install python3-torch && /usr/bin/python3 -B tests/golden/models/reference/torch_check.py
"""

import base64
import json
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from reference import parts
from reference.draw import draw

torch.set_default_dtype(torch.float64)


def pieces():
    x = np.linspace(-6, 6, 1001)
    for ours, theirs in (
        (parts.gelu(x), F.gelu(torch.tensor(x))),
        (parts.gelu_tanh(x), F.gelu(torch.tensor(x), approximate="tanh")),
        (parts.silu(x), F.silu(torch.tensor(x))),
    ):
        assert np.abs(ours - theirs.numpy()).max() < 1e-14
    rows, w = draw("rows", (5, 16), 0.3, 1.0), {name: draw(name, (16,), 0.5, 1.0) for name in ("n.weight", "n.bias")}
    theirs = F.layer_norm(torch.tensor(rows), (16,), *(torch.tensor(x) for x in w.values()), 1e-5)
    assert np.abs(parts.layer_norm(rows, w, "n", 1e-5) - theirs.numpy()).max() < 1e-13


def rope(x, base):
    d = x.shape[-1]
    angles = torch.outer(torch.arange(x.shape[-2]).double(), base ** (-torch.arange(0, d, 2) / d)).repeat(1, 2)
    return x * angles.cos() + torch.cat([-x[..., d // 2 :], x[..., : d // 2]], -1) * angles.sin()


def heads(x, count):
    return x.view(*x.shape[:2], count, -1).transpose(1, 2)


def attention(q, k, v):
    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], 1) for x in (k, v))
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return (scores.masked_fill(hidden, -torch.inf).softmax(-1) @ v).transpose(1, 2).flatten(2)


def llama(c, w, ids):
    def norm(x, name):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + c["rms_norm_eps"]) * w[name + ".weight"]

    x = F.embedding(ids, w["model.embed_tokens.weight"])
    for n in range(c["num_hidden_layers"]):

        def by(y, name):
            return F.linear(y, w[f"model.layers.{n}.{name}.weight"])

        a = norm(x, f"model.layers.{n}.input_layernorm")
        q = rope(heads(by(a, "self_attn.q_proj"), c["num_attention_heads"]), c["rope_theta"])
        k = rope(heads(by(a, "self_attn.k_proj"), c["num_key_value_heads"]), c["rope_theta"])
        v = heads(by(a, "self_attn.v_proj"), c["num_key_value_heads"])
        x = x + by(attention(q, k, v), "self_attn.o_proj")
        m = norm(x, f"model.layers.{n}.post_attention_layernorm")
        x = x + by(F.silu(by(m, "mlp.gate_proj")) * by(m, "mlp.up_proj"), "mlp.down_proj")
    return F.linear(norm(x, "model.norm"), w["model.embed_tokens.weight"])


def gpt2(c, w, ids):
    def norm(x, name):
        name = "transformer." + name
        return F.layer_norm(x, x.shape[-1:], w[name + ".weight"], w[name + ".bias"], c["layer_norm_epsilon"])

    x = F.embedding(ids, w["transformer.wte.weight"]) + w["transformer.wpe.weight"][: ids.shape[1]]
    for n in range(c["n_layer"]):

        def by(y, name):
            return y @ w[f"transformer.h.{n}.{name}.weight"] + w[f"transformer.h.{n}.{name}.bias"]

        qkv = by(norm(x, f"h.{n}.ln_1"), "attn.c_attn").split(c["n_embd"], -1)
        x = x + by(attention(*(heads(y, c["n_head"]) for y in qkv)), "attn.c_proj")
        x = x + by(F.gelu(by(norm(x, f"h.{n}.ln_2"), "mlp.c_fc"), approximate="tanh"), "mlp.c_proj")
    return F.linear(norm(x, "ln_f"), w["transformer.wte.weight"])


def array(entry):
    return np.frombuffer(base64.b64decode(entry["float32"]), "<f4").reshape(entry["shape"]).astype(float)


def training(name, stored, o):
    """Largest differences of losses, gradients and parameters after three steps."""
    model, ids, losses = {"llama": llama, "gpt2": gpt2}[name], torch.tensor(stored["batch"]), []
    w = {key: torch.tensor(array(x["initial"]), requires_grad=True) for key, x in stored["parameters"].items()}
    optimizer = torch.optim.AdamW(
        [
            {"params": [x for x in w.values() if x.ndim > 1], "weight_decay": o["weightDecay"]},
            {"params": [x for x in w.values() if x.ndim == 1], "weight_decay": 0.0},
        ],
        lr=o["learningRate"],
        betas=(o["beta1"], o["beta2"]),
        eps=o["epsilon"],
    )
    for step in range(3):
        optimizer.zero_grad()
        logits = model(stored["config"], w, ids[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        loss.backward()
        losses.append(loss.item())
        if step == 0:
            gradients = worst(stored, "gradient", {key: x.grad for key, x in w.items()})
        norm = torch.sqrt(sum((x.grad**2).sum() for x in w.values()))
        for x in w.values():
            x.grad *= min(1.0, o["clip"] / norm)
        optimizer.step()
    return np.abs(np.array(losses) - stored["losses"][:3]).max(), gradients, worst(stored, "after", w)


def worst(stored, kind, found):
    return max(np.abs(array(x[kind]) - found[key].detach().numpy()).max() for key, x in stored["parameters"].items())


pieces()
file = json.loads((HERE.parent / "training.json").read_text())
for name, stored in file["models"].items():
    losses, gradients, after = training(name, stored, file["optimizer"])
    print(f"{name}: losses {losses:.1e}, gradients {gradients:.1e}, parameters {after:.1e} (stored as float32)")
    assert losses < 1e-10 and gradients < 1e-7 and after < 1e-7
