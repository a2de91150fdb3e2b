"""Makes the checkpoints' weights and what they must compute, in float64, by no code of posenc.

    /usr/bin/python3 tests/golden/models/generate.py [--check]

Reads NAME/config.json; writes NAME/model*.safetensors, NAME/expected.json and training.json. --check writes nothing
and fails where a file would change. README.md says what the files hold; every run repeats the checks it lists.
"""

import json
import sys
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True

from reference import bert, bloom, checks, deberta, gemma, gpt2, gpt_neox, gptj, llama, mpt, opt, phi, t5, training
from reference.draw import draw, tokens
from reference.files import blob, digits, from_stored, read_safetensors, text, to_stored, write_safetensors
from reference.parts import softmax

HERE = Path(__file__).parent
LENGTHS = (9, 17)


class Model:
    """A folder: its family's module, dtype, and what else its file holds (`buffers`: name to (dtype, array))."""

    def __init__(self, name, family, dtype="F32", files=1, buffers=None, blind=(), without=None):
        self.name, self.family, self.dtype, self.files = name, family, dtype, files
        self.folder = HERE / name
        self.config = json.loads((self.folder / "config.json").read_text())
        self.buffers = buffers(self.config) if buffers else {}
        self.blind = blind  # ends of names of tensors that no output can depend on
        self.without = without or {}  # name to changes of the config that must show
        self.causal = family not in (bert, deberta)
        self.stored = {
            tensor: (dtype, to_stored(draw(f"{name}/{tensor}", *shape), dtype))
            for tensor, shape in family.tensors(self.config).items()
        }
        self.weights = {tensor: from_stored(x, dtype) for tensor, (_, x) in self.stored.items()}
        count = self.config["vocab_size"]
        self.sequences = [
            {
                "encoder": tokens(f"{name} encoder {n}", 26 - n, count),
                "decoder": [0] + tokens(f"{name} {n}", n - 1, count),
            }
            if family is t5
            else {"ids": tokens(f"{name} {n}", n, count)}
            for n in LENGTHS
        ]

    def logits(self, sequence, **options):
        config, weights = options.pop("config", self.config), options.pop("weights", self.weights)
        return self.family.logits(config, weights, sequence, **options)

    def write(self):
        stored = self.stored | self.buffers
        if self.files == 1:
            write_safetensors(self.folder / "model.safetensors", stored)
            return
        parts = [f"model-{i + 1:05}-of-{self.files:05}.safetensors" for i in range(self.files)]
        where = {name: parts[i * self.files // len(stored)] for i, name in enumerate(stored)}
        size = sum(
            write_safetensors(self.folder / part, {name: x for name, x in stored.items() if where[name] == part})
            for part in parts
        )
        index = {"metadata": {"total_size": size}, "weight_map": dict(sorted(where.items()))}
        (self.folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")

    def read(self):
        return {
            name: x for file in sorted(self.folder.glob("*.safetensors")) for name, x in read_safetensors(file).items()
        }


def losses(logits, ids):
    """-log of the probability of each next token."""
    p = softmax(logits)
    return [digits(-np.log(p[t, ids[t + 1]])) for t in range(len(ids) - 1)]


def expected(model):
    sequences = []
    for sequence in model.sequences:
        entry, taps = dict(sequence), []
        if model.family is t5:
            entry["encoded"] = blob(t5.encode(model.config, model.weights, sequence))
        logits = model.logits(sequence, taps=taps)
        entry["logits"] = blob(logits)
        if model.causal:
            each = losses(logits, sequence.get("ids") or sequence["decoder"])
            entry |= {"losses": each, "loss": digits(np.mean(each)), "perplexity": digits(np.exp(np.mean(each)))}
        if model.name == "llama":
            entry["layer"] = {"index": 1} | {name: blob(x) for name, x in taps[1].items()}
        sequences.append(entry)
    return {
        "origin": "tests/golden/models/generate.py: float64 (NumPy), after the papers and the code of transformers",
        "model": model.config["model_type"],
        "dtype": model.dtype,
        "sequences": sequences,
        "changes": checks.model(model),
    }


def mask(length, dtype="F32"):
    return dtype, to_stored(np.tril(np.ones((1, 1, length, length))), dtype)


def gpt2_buffers(c):
    return {f"h.{n}.attn.bias": mask(c["n_positions"]) for n in range(c["n_layer"])}


def neox_buffers(c):
    inverse = 10000.0 ** (-np.arange(0, 4, 2) / 4)
    out = {}
    for n in range(c["num_hidden_layers"]):
        p = f"gpt_neox.layers.{n}.attention."
        out[p + "bias"] = mask(c["max_position_embeddings"], "BOOL")
        out[p + "masked_bias"] = "F32", to_stored(np.array(-1e9), "F32")
        out[p + "rotary_emb.inv_freq"] = "F32", to_stored(inverse, "F32")
    return out


def bert_buffers(c):
    d = c["hidden_size"]
    out = {"bert.embeddings.position_ids": ("I64", np.arange(c["max_position_embeddings"])[None].astype("<i8"))}
    for name, rows in (("bert.pooler.dense", d), ("cls.seq_relationship", 2)):
        out[name + ".weight"] = "F32", to_stored(draw(name, (rows, d), 0.0, 0.3), "F32")
        out[name + ".bias"] = "F32", to_stored(draw(name + " bias", (rows,), 0.0, 0.3), "F32")
    return out


def t5_buffers(c):
    rows, heads = c["relative_attention_num_buckets"], c["num_heads"]
    name = "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"
    return {name: ("F32", to_stored(draw(name, (rows, heads), 0.0, 1.0), "F32"))}


MODELS = [
    Model("llama", llama),
    Model("mistral", llama, without={"window": {"sliding_window": None}, "one key less": {"sliding_window": 5}}),
    Model("qwen2", llama),
    Model("qwen3", llama, dtype="BF16"),
    Model("gpt2", gpt2, buffers=gpt2_buffers, without={"gelu of tanh": {"activation_function": "relu"}}),
    Model(
        "gpt_neox",
        gpt_neox,
        files=2,
        buffers=neox_buffers,
        without={"parallel": {"use_parallel_residual": False}, "partial rotation": {"rotary_pct": 1.0}},
    ),
    Model("gptj", gptj, without={"partial rotation": {"rotary_dim": 8}}),
    Model("bloom", bloom, without={"residual before norm": {"apply_residual_connection_post_layernorm": True}}),
    Model("mpt", mpt, without={"bias_max": {"attn_config": {"alibi_bias_max": 4}}}),
    Model("opt", opt, blind=("k_proj.bias",)),
    Model("phi", phi, dtype="F16", without={"partial rotation": {"partial_rotary_factor": 1.0}}),
    Model("gemma", gemma),
    Model(
        "gemma2",
        gemma,
        without={
            "window": {"sliding_window": None},
            "one key less": {"sliding_window": 5},
            "attention softcap": {"attn_logit_softcapping": None},
            "logit softcap": {"final_logit_softcapping": None},
            "query_pre_attn_scalar": {"query_pre_attn_scalar": 6},
        },
    ),
    Model(
        "gemma3",
        gemma,
        without={
            "window": {"sliding_window": None},
            "one key less": {"sliding_window": 4},
            "local base": {"rope_local_base_freq": 1000000},
            "global base": {"rope_theta": 10000},
            "global scaling": {"rope_scaling": None},
            "query_pre_attn_scalar": {"query_pre_attn_scalar": 8},
        },
    ),
    Model("t5", t5, buffers=t5_buffers, without={"max_distance": {"relative_attention_max_distance": 10}}),
    Model("t5-gated", t5, without={"max_distance": {"relative_attention_max_distance": 20}}),
    Model("bert", bert, buffers=bert_buffers, blind=("self.key.bias",)),
    Model(
        "deberta-v2",
        deberta,
        without={
            "c2p": {"pos_att_type": "p2c"},
            "p2c": {"pos_att_type": "c2p"},
            "norm of positions": {"norm_rel_ebd": "none"},
            "log buckets": {"max_position_embeddings": 64},
        },
    ),
]


def main():
    checks.parts()
    written = {model.folder / "expected.json": text(expected(model)) for model in MODELS}
    written[HERE / "training.json"] = text(training.expected())
    if "--check" not in sys.argv:
        for model in MODELS:
            model.write()
        for path, content in written.items():
            path.write_text(content)
    for model in MODELS:
        stored = model.read()
        assert set(stored) == set(model.stored) | set(model.buffers), model.name
        assert all((stored[name] == x).all() for name, x in model.weights.items()), model.name
    for path, content in written.items():
        assert path.read_text() == content, path
    size = sum(path.stat().st_size for path in HERE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    assert size < 1_000_000, size
    print(f"{size} bytes, all checks passed")


main()
