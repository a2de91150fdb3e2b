"""Weights that do not depend on NumPy's generators: SplitMix64 over (name of the tensor, index), uniform."""

from math import prod, sqrt

import numpy as np


def uniform(seed, count):
    """Numbers in [0, 1) with 24 bits."""
    key = 0xCBF29CE484222325  # FNV-1a of the seed's text
    for byte in seed.encode():
        key = ((key ^ byte) * 0x100000001B3) % 2**64
    with np.errstate(over="ignore"):
        z = np.uint64(key) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return (z >> np.uint64(40)).astype(np.float64) / 2**24


def draw(seed, shape, centre, deviation):
    return centre + deviation * sqrt(3) * (2 * uniform(seed, prod(shape)) - 1).reshape(shape)


def tokens(seed, length, vocabulary):
    """Any token but 0."""
    return [1 + int(u * (vocabulary - 1)) for u in uniform(seed, length)]


# What a family lists: name of a tensor to (shape, mean, standard deviation).


def matrix(outputs, inputs, gain=1.2):
    return (outputs, inputs), 0.0, gain / sqrt(inputs)


def conv(inputs, outputs, gain=1.2):
    return (inputs, outputs), 0.0, gain / sqrt(inputs)


def table(rows, width, deviation=0.6):
    return (rows, width), 0.0, deviation


def vector(n, centre=0.0, deviation=0.3):
    return (n,), centre, deviation


def biased(name, outputs, inputs, gain=1.2):
    return {name + ".weight": matrix(outputs, inputs, gain), name + ".bias": vector(outputs)}


def norm(name, n, bias=True):
    weight = {name + ".weight": vector(n, 1.0, 0.25)}
    return {**weight, name + ".bias": vector(n)} if bias else weight
