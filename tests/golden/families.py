"""Angles of model types that pair and share out their frequencies in ways of their own, in float64.

    python3 tests/golden/families.py > tests/golden/families.json

Written after the descriptions of the code of transformers, step by step as that code goes, by no code of
posenc:
deepseek_v4     sliding layers base 10000, compressed ones base 160000 with YaRN 16 from 65536 tokens and no
                factor on cos and sin; 64 dimensions turn
efficientloftr  frequencies for 128 dimensions; even columns hold rows times them, odd columns columns times
                them; neighbours share a column; the heads are cut out of the whole afterwards
glm4_moe        an empty config: 4096 // 96 = 42 dimensions a head, int(42 * 0.5) = 21 of them turn
"""

import json
from math import ceil, floor, log, pi


def rope(base, d):
    return [1 / base ** (i / d) for i in range(0, d, 2)]


def yarn(base, d, s, length):
    def pair(turns):
        return d * log(length / (turns * 2 * pi)) / (2 * log(base))

    first, last = max(floor(pair(32)), 0), min(ceil(pair(1)), d - 1)
    ramp = [min(max((i - first) / (last - first), 0), 1) for i in range(d // 2)]
    return [f / s * r + f * (1 - r) for f, r in zip(rope(base, d), ramp)]


def loftr(row, column):
    frequencies = rope(10000, 128)
    angles = [0.0] * 128
    angles[0::2] = [row * f for f in frequencies]
    angles[1::2] = [column * f for f in frequencies]
    return angles


def whole_head(hidden, heads, share):
    turning = int(hidden // heads * share)
    return {"headDim": hidden // heads, "inverseFrequencies": rope(10000, turning)}


print(
    json.dumps(
        {
            "origin": "tests/golden/families.py: float64 (pure Python), after the code of transformers",
            "tolerance": {"rtol": 1e-12},
            "deepseek_v4": {"main": rope(10000, 64), "compress": yarn(160000, 64, 16, 65536)},
            "efficientloftr": {"row": 3, "column": 5, "angles": loftr(3, 5)},
            "glm4_moe": whole_head(4096, 96, 0.5),
        },
        indent=1,
    )
)
