"""Frequencies of well-known models from the formulas of the papers, in float64, by no code of posenc.

    python3 tests/golden/presets.py > tests/golden/presets.json

The parameters are those of each model's config.json, typed in by hand. Formulas:
RoPE        Su 2021: base^(-2i/d)
llama3      Llama 3.1 (model card, bands by wavelength): kept, divided, or blended in between
yarn        Peng 2023, section 3.2 and 3.4: ramp between beta_fast and beta_slow, factor 0.1 ln s + 1
longrope    Ding 2024: one divisor per pair, factor sqrt(1 + ln s / ln L)
sinusoids   Vaswani 2017, 3.5; with i/(d/2 - 1): tensor2tensor, Whisper
ALiBi       Press 2022: 2^(-8h/n); between powers of two every second slope of the next
Softmax     1/sqrt(width), times (0.1 m ln s + 1)^2 in DeepSeek-V3 (mscale_all_dim m)
"""

import json
from math import ceil, floor, log, pi, sqrt


def rope(base, d):
    return [base ** (-2 * i / d) for i in range(d // 2)]


def llama3(base, d, s, low, high, length):
    def scaled(f):
        wavelength = 2 * pi / f
        if wavelength < length / high:
            return f
        if wavelength > length / low:
            return f / s
        mix = (length / wavelength - low) / (high - low)
        return (1 - mix) * f / s + mix * f

    return [scaled(f) for f in rope(base, d)]


def yarn(base, d, s, length, fast=32, slow=1, whole=True):
    def pair(turns):
        return d * log(length / (turns * 2 * pi)) / (2 * log(base))

    first, last = pair(fast), pair(slow)
    if whole:
        first, last = floor(first), ceil(last)
    first, last = max(first, 0), min(last, d - 1)
    if first == last:
        last += 0.001

    def scaled(i, f):
        ramp = min(max((i - first) / (last - first), 0), 1)
        return f / s * ramp + f * (1 - ramp)

    return [scaled(i, f) for i, f in enumerate(rope(base, d))]


def slopes(n):
    whole = 2 ** floor(log(n, 2) + 1e-9)
    first = [2 ** (-8 * (h + 1) / whole) for h in range(whole)]
    following = [2 ** (-8 * (h + 1) / (2 * whole)) for h in range(2 * whole)]
    return first + following[0::2][: n - whole]


def sinusoids(d, steps):
    return [10000 ** (-i / steps) for i in range(d // 2)]


def group(frequencies=(), softmax=None, cos=1, **rest):
    entry = {"softmaxScale": softmax, **rest}
    if frequencies:
        n = len(frequencies)
        entry.update(pairs=n, first=frequencies[0], middle=frequencies[n // 2], last=frequencies[-1])
        entry.update(attentionFactor=cos)
    return entry


def head(width):
    return 1 / sqrt(width)


def factor(s, m=1):
    return 0.1 * m * log(s) + 1


# The last long divisor of Phi-3-mini-128k, its first and its middle one (pair 24).
phi3_long = {0: 1.0299999713897705, 24: 30.009998321533203, 47: 64.81001281738281}
phi3 = [f / phi3_long.get(i, 1) for i, f in enumerate(rope(10000, 96))]

models = {
    "llama-3.1-8b": [group(llama3(500000, 128, 8, 1, 4, 8192), head(128))],
    "qwen2.5-7b-yarn": [group(yarn(1e6, 128, 4, 32768), head(128), factor(4))],
    "qwen3-8b": [group(rope(1e6, 128), head(128))],
    "gemma-3-4b": [
        group(rope(1e4, 256), head(256)),
        group([f / 8 for f in rope(1e6, 256)], head(256)),
    ],
    "glm-4.5": [group(rope(1e6, 64), head(128))],
    "deepseek-v3": [group(yarn(1e4, 64, 40, 4096), head(192) * factor(40) ** 2)],
    "gpt-oss-20b": 2 * [group(yarn(150000, 64, 32, 4096, whole=False), head(64), factor(32))],
    "phi-3-mini-128k": [group(phi3, head(96), sqrt(1 + log(131072 / 4096) / log(4096)))],
    "bloom": [group(softmax=head(128), slopes=[slopes(112)[i] for i in (0, 63, 64, 111)])],
    "t5-base": 2 * [group(softmax=1)],
    "minimind": [group(rope(1e6, 96), head(96))],
    "llama-4-scout": [
        group([f if 2 * pi / f < 8192 else f / 16 for f in rope(500000, 128)], head(128)),
        group(softmax=head(128)),
    ],
    "qwen2-vl-7b": [group(rope(1e6, 128), head(128))],
    "smollm3-3b": [group(rope(5e6, 128), head(128)), group(softmax=head(128))],
    "olmo-3-7b": [
        group(rope(500000, 128), head(128)),
        group(yarn(500000, 128, 8, 8192), head(128), factor(8)),
    ],
    "modernbert-base": [group(rope(160000, 64), head(64)), group(rope(1e4, 64), head(64))],
    "deberta-v3-base": [group(softmax=head(3 * 64))],
    "whisper-small": [group(sinusoids(768, 383), head(64), None), group(softmax=head(64))],
}

origin = "tests/golden/presets.py: formulas of the papers in float64 (pure Python)"
print(json.dumps({"origin": origin, "tolerance": {"rtol": 1e-12}, "models": models}, indent=1))
