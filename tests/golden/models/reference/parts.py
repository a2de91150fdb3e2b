"""What families share, in float64. Heads come first: queries (heads, T, d), keys and values (kv heads, T, d)."""

from math import ceil, erf, log2, sqrt

import numpy as np

erf = np.vectorize(erf, otypes=[float])


def linear(x, w, name):
    """Rows of the weight are outputs (torch.nn.Linear); a bias where the checkpoint has one."""
    return x @ w[name + ".weight"].T + w.get(name + ".bias", 0.0)


def conv1d(x, w, name):
    """GPT-2's Conv1D: rows of the weight are inputs."""
    return x @ w[name + ".weight"] + w[name + ".bias"]


def layer_norm(x, w, name, epsilon):
    x = x - x.mean(-1, keepdims=True)
    x = x / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon)
    return x * w[name + ".weight"] + w.get(name + ".bias", 0.0)


def rms_norm(x, w, name, epsilon, offset=0.0):
    """Gemma stores weight - 1: offset 1."""
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon) * (offset + w[name + ".weight"])


def silu(x):
    return x / (1 + np.exp(-x))


def relu(x):
    return np.maximum(x, 0)


def gelu(x):
    return x * (1 + erf(x / sqrt(2))) / 2


def gelu_tanh(x):
    return x * (1 + np.tanh(sqrt(2 / np.pi) * (x + 0.044715 * x**3))) / 2


ACTIVATIONS = {
    "silu": silu,
    "relu": relu,
    "gelu": gelu,
    "gelu_new": gelu_tanh,
    "gelu_pytorch_tanh": gelu_tanh,
}


def softcap(x, cap):
    return cap * np.tanh(x / cap) if cap else x


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def split_heads(x, heads):
    """(T, heads * d) to (heads, T, d)."""
    return x.reshape(len(x), heads, -1).swapaxes(0, 1)


def frequencies(base, dimensions):
    return base ** (-np.arange(0, dimensions, 2) / dimensions)


def rotate(x, positions, inverse, interleaved=False):
    """RoPE: each pair of the first 2 * len(inverse) columns is a complex number times exp(i p w)."""
    half = len(inverse)
    first, second = (
        (slice(0, 2 * half, 2), slice(1, 2 * half, 2)) if interleaved else (slice(half), slice(half, 2 * half))
    )
    turned = (x[..., first] + 1j * x[..., second]) * np.exp(1j * np.multiply.outer(positions, inverse))
    y = x.copy()
    y[..., first], y[..., second] = turned.real, turned.imag
    return y


def alibi_slopes(heads, most=8):
    """2^(-8 h / n). Not a power of two: those of the one below, then every other one of the next, as in the paper."""
    power = 2 ** int(log2(heads))
    slopes = [2 ** (-most * (h + 1) / power) for h in range(power)]
    return np.array(slopes + [2 ** (-most * (h + 1) / (2 * power)) for h in range(0, 2 * power, 2)][: heads - power])


def mpt_slopes(heads, most=8):
    """The same numbers as MPT makes them: of the next power of two, odd ones first, then even ones."""
    power = 2 ** ceil(log2(heads))
    slopes = 2 ** (-most * np.arange(1, power + 1) / power)
    return slopes if power == heads else np.concatenate([slopes[1::2], slopes[::2]])[:heads]


def causal(length, window=None):
    """Query i sees key j: j <= i, and i - j < window (so `window` keys with its own)."""
    distance = np.arange(length)[:, None] - np.arange(length)
    return (distance >= 0) & (distance < (window or length))


def attention(q, k, v, scale, visible=None, bias=None, cap=None):
    """Softmax over what is visible of cap(scale q.k) + bias; head h reads kv head h // (heads / kv heads).
    Returns (T, heads * d) and the weights (heads, T, S)."""
    k, v = (np.repeat(x, len(q) // len(x), axis=0) for x in (k, v))
    scores = softcap(scale * np.einsum("hid,hjd->hij", q, k), cap)
    if bias is not None:
        scores = scores + bias
    if visible is not None:
        scores = np.where(visible, scores, -np.inf)
    weights = softmax(scores)
    out = np.einsum("hij,hjd->ihd", weights, v)
    return out.reshape(len(out), -1), weights
