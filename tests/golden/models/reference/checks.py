"""What is checked on every run. `parts` compares pieces with other numbers of tests/golden, `model` a whole model with
itself changed; its answers, the largest change of any logit, are kept in expected.json as `changes`."""

import json
from math import log
from pathlib import Path

import numpy as np

from . import bloom, deberta, llama, t5
from .draw import draw
from .files import read_golden, read_safetensors
from .parts import alibi_slopes, attention, causal, frequencies, mpt_slopes, rotate

GOLDEN = Path(__file__).parents[2]
STORIES = Path(__file__).parents[5] / "shared/conformance/stories260k"
POSITIONS = 1e-2  # switching positions off, or anything in Model.without, must change a logit by more
TENSORS = 1e-3  # so must noise in any tensor
SAME = 1e-9


def change(a, b):
    return float(np.abs(a - b).max())


def model(m):
    """Named changes of the logits of both sequences; asserts that each is what it must be."""

    def most(**options):
        return max(change(m.logits(s), m.logits(s, **options)) for s in m.sequences)

    changes = {"positions": most(place=lambda n: np.zeros(n, int))}
    changes |= {name: most(config=m.config | edit) for name, edit in m.without.items()}
    sequence = m.sequences[-1]
    logits = m.logits(sequence)
    assert all(x > POSITIONS for x in changes.values()), (m.name, changes)
    learned = any("wpe" in name or "position" in name for name in m.weights)
    shifted = change(logits, m.logits(sequence, place=lambda n: np.arange(n) + 5))
    assert (shifted > POSITIONS) if learned else (shifted < SAME), (m.name, shifted)
    least = min((change(logits, m.logits(sequence, weights=noisy(m.weights, name))), name) for name in seen(m))
    assert least[0] > TENSORS, (m.name, least)
    for name in set(m.weights) - set(seen(m)):
        assert change(logits, m.logits(sequence, weights=noisy(m.weights, name))) < SAME, (m.name, name)
    prefix(m, sequence, logits)
    if m.family is bloom:
        assert change(logits, m.logits(sequence, relative=True)) < SAME
    if m.name == "qwen2":  # its window is switched off, and would show
        changes["use_sliding_window"] = most(config=m.config | {"use_sliding_window": True})
        assert changes["use_sliding_window"] > POSITIONS
    print(f"{m.name:11} {', '.join(f'{k} {v:.3g}' for k, v in changes.items())}; least seen {least[1]} {least[0]:.3g}")
    return {name: float(f"{x:.4g}") for name, x in changes.items()}


def seen(m):
    return [name for name in m.weights if not name.endswith(m.blind or "\0")]


def noisy(weights, name):
    return weights | {name: weights[name] + draw("noise " + name, weights[name].shape, 0.0, 0.1)}


def prefix(m, sequence, logits):
    """Causal: tokens after a prefix change nothing in it. Otherwise they do."""
    key = "decoder" if "decoder" in sequence else "ids"
    for length in (1, 6):
        part = change(logits[:length], m.logits(sequence | {key: sequence[key][:length]}))
        assert (part < SAME) if m.causal else (part > POSITIONS), (m.name, part)


def parts():
    buckets()
    disentangled()
    slopes()
    rotation()
    loops()
    stories()


def buckets():
    """T5's and DeBERTa's against those of transformers; DeBERTa's away from where float32 could round otherwise."""
    for name, case in read_golden(GOLDEN / "t5_bias.txt").items():
        if "bucket" in case:
            settings = bool(case["bidirectional"]), int(case["buckets"]), case["max_distance"]
            assert (t5.bucket(case["relative"], *settings) == case["bucket"]).all(), name
        else:
            settings = bool(case["bidirectional"]), int(case["buckets"]), case["max_distance"]
            heads, queries, keys = case["bias"].shape
            relative = np.arange(keys) - (np.arange(queries) + int(case["first_query"]))[:, None]
            assert (case["table"][t5.bucket(relative, *settings)].transpose(2, 0, 1) == case["bias"]).all(), name
    for distance in range(5, 17):
        x = log(distance / 4) / log(31 / 4) * 3
        assert abs(x - round(x)) > 1e-3, distance


def disentangled():
    found = read_golden(GOLDEN / "deberta.txt")
    compared = 0
    for name, case in found.items():
        if "total" in case:
            count, most, length = int(case["buckets"]), int(case["max_distance"]), case["query"].shape[2]
            assert count or length <= most, name
            span = case["keys"].shape[1] // 2
            distance = np.arange(length)[:, None] - np.arange(length)
            rows = np.array([[deberta.bucket(int(d), count, most) if count else d for d in row] for row in distance])
            rows = np.clip(rows + span, 0, 2 * span - 1)
            for q, k, total in zip(case["query"], case["key"], case["total"]):
                q, k, pq, pk = (x.astype(float) for x in (q, k, case["queries"], case["keys"]))
                scores = np.einsum("hid,hjd->hij", q, k) + deberta.terms(q, k, pq, pk, rows, ["c2p", "p2c"])
                assert change(scores * case["scale"], total) < 1e-6, name
                compared += 1
    assert compared


def slopes():
    for heads in range(1, 65):
        assert (alibi_slopes(heads) == mpt_slopes(heads)).all()
    assert list(alibi_slopes(8)) == [2.0**-n for n in range(1, 9)]
    assert list(alibi_slopes(3)) == [2.0**-4, 2.0**-8, 2.0**-2]


def rotation():
    """q.k depends on the distance alone; the two layouts are one rotation of reordered columns."""
    x, inverse, order = draw("rotation", (2, 7, 8), 0.0, 1.0), frequencies(10000.0, 8), [0, 4, 1, 5, 2, 6, 3, 7]
    here, there = rotate(x, np.arange(7), inverse), rotate(x, np.arange(7) + 1000, inverse)
    assert change(here @ here.swapaxes(1, 2), there @ there.swapaxes(1, 2)) < SAME
    assert change(rotate(x[..., order], np.arange(7), inverse, interleaved=True), here[..., order]) < SAME
    assert change(rotate(x, np.arange(7), inverse[:2])[..., 4:], x[..., 4:]) == 0


def loops():
    """Attention once more as loops over the definition."""
    q, k, v = draw("q", (4, 7, 3), 0.0, 1.0), draw("k", (2, 7, 3), 0.0, 1.0), draw("v", (2, 7, 3), 0.0, 1.0)
    bias = draw("bias", (4, 7, 7), 0.0, 1.0)
    out, _ = attention(q, k, v, 0.7, causal(7, 3), bias, 1.5)
    for h in range(4):
        for i in range(7):
            keys = [j for j in range(7) if i - 3 < j <= i]
            s = [1.5 * np.tanh(0.7 * (q[h, i] @ k[h // 2, j]) / 1.5) + bias[h, i, j] for j in keys]
            p = np.exp(s) / np.exp(s).sum()
            mixed = sum(a * v[h // 2, j] for a, j in zip(p, keys))
            assert change(mixed, out[i, 3 * h : 3 * h + 3]) < SAME


def stories():
    """A trained model, where the machine has it: logits, states, attention and rotated q and k of every layer."""
    if not STORIES.exists():
        print("stories260k is not here: not compared")
        return
    config, weights = json.loads((STORIES / "config.json").read_text()), read_safetensors(STORIES / "model.safetensors")

    def stored(case):
        entry, raw = json.loads((STORIES / f"{case}.json").read_text()), (STORIES / f"{case}.bin").read_bytes()
        dtypes = {"f32": "<f4", "f64": "<f8"}
        return entry["attributes"]["token_ids"], {
            t["name"]: np.frombuffer(raw[t["offset"] :][: t["nbytes"]], dtypes[t["dtype"]]).reshape(t["shape"])
            for t in entry["outputs"]
        }

    ids, numbers = stored("logits_first8")
    taps = []
    logits = llama.logits(config, weights, {"ids": ids}, taps=taps)
    errors = {"logits": change(logits, numbers["logits_f64"]), "of run.c": change(logits, numbers["logits_runc_f32"])}
    _, numbers = stored("intermediates_first8")
    for n, tap in enumerate(taps):
        for name, here, there in (
            ("states", tap["output"], numbers["hidden_states_f64"][n + 1]),
            ("weights", tap["weights"], numbers["attention_probs_f64"][n]),
            ("queries", tap["rotated_query"].swapaxes(0, 1), numbers["q_rotated_half_f64"][n]),
            ("keys", tap["rotated_key"].swapaxes(0, 1), numbers["k_rotated_half_f64"][n]),
        ):
            errors[name] = max(errors.get(name, 0), change(here, there))
    assert errors.pop("of run.c") < 1e-4 and max(errors.values()) < SAME, errors
    print("stories260k", ", ".join(f"{name} {x:.1e}" for name, x in errors.items()))
