"""What an exported checkpoint computes, by other people's definitions.

    python3 export.py FOLDER

FOLDER has config.json, model.safetensors, and expected.json: {"ids": [...], "logits": [...]}. The logits are
computed again, by transformers where it is there, else in float64 by what follows, and compared. Prints by
what, and the largest difference; ends with 1 where that is above 1e-4.

Written from the papers: Llama (Touvron 2023) with RMSNorm (Zhang 2019), RoPE (Su 2021) on halves of heads as
Hugging Face stores them, SwiGLU (Shazeer 2020), grouped queries (Ainslie 2023); BLOOM (2022) with ALiBi
(Press 2022). Plain Python, for whoever has no NumPy.
"""

import json
import math
import struct
import sys

TOLERANCE = 1e-4


def read_safetensors(path):
    """Tensors by name: lists of rows, or one list of numbers."""
    with open(path, "rb") as file:
        content = file.read()
    (size,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + size])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        letter, width = {"F32": ("f", 4), "F16": ("e", 2), "F64": ("d", 8)}[entry["dtype"]]
        raw = content[8 + size + begin : 8 + size + end]
        numbers = list(struct.unpack("<%d%s" % (len(raw) // width, letter), raw))
        shape = entry["shape"]
        if len(shape) == 1:
            tensors[name] = numbers
        else:
            rows, columns = shape
            tensors[name] = [numbers[r * columns : (r + 1) * columns] for r in range(rows)]
    return tensors


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


def linear(weight, x, bias=None):
    out = [dot(row, x) for row in weight]
    return out if bias is None else [y + b for y, b in zip(out, bias)]


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def softmax(scores):
    most = max(scores)
    powers = [math.exp(s - most) for s in scores]
    total = math.fsum(powers)
    return [p / total for p in powers]


def attend(queries, keys, values, bias):
    """One head: queries see keys up to themselves. `bias(query, key)` is added to scores."""
    out = []
    for t, query in enumerate(queries):
        scale = 1 / math.sqrt(len(query))
        weights = softmax([dot(query, keys[s]) * scale + bias(t, s) for s in range(t + 1)])
        out.append(
            [math.fsum(w * values[s][i] for s, w in enumerate(weights)) for i in range(len(query))]
        )
    return out


def rms_norm(x, weight, epsilon):
    scale = 1 / math.sqrt(dot(x, x) / len(x) + epsilon)
    return [w * (y * scale) for w, y in zip(weight, x)]


def layer_norm(x, weight, bias, epsilon):
    mean = math.fsum(x) / len(x)
    variance = math.fsum((y - mean) ** 2 for y in x) / len(x)
    return [w * (y - mean) / math.sqrt(variance + epsilon) + b for w, y, b in zip(weight, x, bias)]


def silu(x):
    return x / (1 + math.exp(-x))


def gelu_tanh(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def rope(x, position, base):
    """Number i of the first half of a head turns with number i of the second."""
    half = len(x) // 2
    out = [0.0] * len(x)
    for i in range(half):
        angle = position * base ** (-2 * i / len(x))
        cos, sin = math.cos(angle), math.sin(angle)
        out[i] = x[i] * cos - x[i + half] * sin
        out[i + half] = x[i + half] * cos + x[i] * sin
    return out


def llama(config, tensors, ids):
    heads = config["num_attention_heads"]
    kv_heads = config.get("num_key_value_heads") or heads
    size = config["hidden_size"] // heads
    epsilon = config.get("rms_norm_eps", 1e-6)
    base = config.get("rope_theta", 10000.0)
    assert config.get("hidden_act", "silu") == "silu" and "rope_scaling" not in config
    words = tensors["model.embed_tokens.weight"]
    states = [words[i] for i in ids]
    for n in range(config["num_hidden_layers"]):
        def weight(name):
            return tensors["model.layers.%d.%s.weight" % (n, name)]

        normed = [rms_norm(x, weight("input_layernorm"), epsilon) for x in states]
        q, k, v = (
            [linear(weight("self_attn.%s_proj" % part), x) for x in normed] for part in "qkv"
        )
        mixed = [[] for _ in ids]
        for head in range(heads):
            own = head * size
            shared = head * kv_heads // heads * size
            turned_q = [rope(x[own : own + size], t, base) for t, x in enumerate(q)]
            turned_k = [rope(x[shared : shared + size], t, base) for t, x in enumerate(k)]
            rows = [x[shared : shared + size] for x in v]
            for row, out in zip(mixed, attend(turned_q, turned_k, rows, lambda t, s: 0.0)):
                row.extend(out)
        states = [add(x, linear(weight("self_attn.o_proj"), y)) for x, y in zip(states, mixed)]
        for t, x in enumerate(states):
            y = rms_norm(x, weight("post_attention_layernorm"), epsilon)
            gate = [silu(g) for g in linear(weight("mlp.gate_proj"), y)]
            inner = [g * u for g, u in zip(gate, linear(weight("mlp.up_proj"), y))]
            states[t] = add(x, linear(weight("mlp.down_proj"), inner))
    head = words if config.get("tie_word_embeddings", False) else tensors["lm_head.weight"]
    final = tensors["model.norm.weight"]
    return [linear(head, rms_norm(x, final, epsilon)) for x in states]


def alibi_slopes(heads):
    """Press 2022: a geometric sequence; for other numbers than powers of 2, every second of twice as many."""

    def power_of_2(n):
        return [2 ** (-8 * (i + 1) / n) for i in range(n)]

    below = 2 ** math.floor(math.log2(heads))
    return power_of_2(below) + power_of_2(2 * below)[0::2][: heads - below]


def bloom(config, tensors, ids):
    heads = config["n_head"]
    size = config["hidden_size"] // heads
    epsilon = config.get("layer_norm_epsilon", 1e-5)
    slopes = alibi_slopes(heads)

    def norm(name, x):
        names = ("transformer.%s.%s" % (name, end) for end in ("weight", "bias"))
        return layer_norm(x, *(tensors[each] for each in names), epsilon)

    words = tensors["transformer.word_embeddings.weight"]
    states = [norm("word_embeddings_layernorm", words[i]) for i in ids]
    for n in range(config["n_layer"]):
        def project(name, x):
            at = "transformer.h.%d.%s" % (n, name)
            return linear(tensors[at + ".weight"], x, tensors[at + ".bias"])

        normed = [norm("h.%d.input_layernorm" % n, x) for x in states]
        fused = [project("self_attention.query_key_value", x) for x in normed]
        mixed = [[] for _ in ids]
        for head in range(heads):
            # Query, key and value of a head stand side by side.
            parts = [
                [x[(3 * head + part) * size : (3 * head + part + 1) * size] for x in fused]
                for part in range(3)
            ]
            slope = slopes[head]
            for row, out in zip(mixed, attend(*parts, lambda t, s: -slope * (t - s))):
                row.extend(out)
        states = [add(x, project("self_attention.dense", y)) for x, y in zip(states, mixed)]
        for t, x in enumerate(states):
            y = project("mlp.dense_h_to_4h", norm("h.%d.post_attention_layernorm" % n, x))
            states[t] = add(x, project("mlp.dense_4h_to_h", [gelu_tanh(z) for z in y]))
    return [linear(words, norm("ln_f", x)) for x in states]


def by_transformers(folder, ids):
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(folder).double().eval()
    with torch.no_grad():
        return model(torch.tensor([ids])).logits[0].tolist()


def main(folder):
    with open(folder + "/config.json", encoding="utf-8") as file:
        config = json.load(file)
    with open(folder + "/expected.json", encoding="utf-8") as file:
        expected = json.load(file)
    ids = expected["ids"]
    try:
        logits, by = by_transformers(folder, ids), "transformers"
    except ImportError:
        family = {"llama": llama, "bloom": bloom}[config["model_type"]]
        logits, by = family(config, read_safetensors(folder + "/model.safetensors"), ids), "definition"
    numbers = [x for row in logits for x in row]
    assert len(numbers) == len(expected["logits"]), "another number of logits"
    largest = max(abs(a - b) for a, b in zip(numbers, expected["logits"]))
    print(json.dumps({"by": by, "largest": largest}))
    return 0 if largest <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
