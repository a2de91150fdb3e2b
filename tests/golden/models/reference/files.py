"""safetensors and base64, read and written."""

import base64
import json
import struct
from math import prod

import numpy as np

DTYPES = {"F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "BOOL": "|b1"}


def to_stored(x, dtype):
    """The array as its bytes are in the file."""
    if dtype != "BF16":
        return np.asarray(x).astype(DTYPES[dtype])
    bits = np.asarray(x, dtype="<f4").view("<u4")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")  # to nearest, ties to even


def from_stored(x, dtype):
    """float64 of what is in the file."""
    return ((x.astype("<u4") << 16).view("<f4") if dtype == "BF16" else x).astype(np.float64)


def write_safetensors(path, tensors):
    """tensors: name to (dtype, stored array)."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, (dtype, x) in sorted(tensors.items()):
        begin, data = len(data), data + x.tobytes()
        header[name] = {"dtype": dtype, "shape": list(x.shape), "data_offsets": [begin, len(data)]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return len(data)


def read_safetensors(path):
    """Name to float64 array."""
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    tensors = json.loads(raw[8 : 8 + length])
    tensors.pop("__metadata__", None)
    return {
        name: from_stored(
            np.frombuffer(raw, DTYPES[t["dtype"]], prod(t["shape"]), 8 + length + t["data_offsets"][0]), t["dtype"]
        ).reshape(t["shape"])
        for name, t in tensors.items()
    }


def blob(x):
    """Little-endian float32, C order, base64."""
    return {"shape": list(x.shape), "float32": base64.b64encode(x.astype("<f4").tobytes()).decode()}


def read_golden(path):
    """tests/golden/NAME.txt with its .bin: case to {name: array or number}."""
    raw, cases = path.with_suffix(".bin").read_bytes(), {}
    dtypes = {"f32": "<f4", "f64": "<f8", "i32": "<i4", "i64": "<i8"}
    for line in path.read_text().splitlines():
        kind, *rest = line.split()
        if kind == "case":
            case = cases[rest[0]] = {}
        elif kind == "number":
            case[rest[0]] = float(rest[1])
        elif kind == "tensor":
            name, dtype, offset, *shape = rest
            shape = [int(n) for n in shape]
            case[name] = np.frombuffer(raw, dtypes[dtype], prod(shape), int(offset)).reshape(shape)
    return cases


def digits(x):
    """12 digits: the rest may differ between machines."""
    return float(f"{x:.12g}")


def text(value):
    """JSON with a line per entry of the outer levels; lists of numbers on one line."""

    def level(v, indent):
        inner = indent + " "
        if isinstance(v, dict) and v and not (set(v) == {"shape", "float32"}):
            return (
                "{\n" + ",\n".join(f"{inner}{json.dumps(k)}: {level(x, inner)}" for k, x in v.items()) + f"\n{indent}}}"
            )
        if isinstance(v, list) and v and isinstance(v[0], dict):
            return "[\n" + ",\n".join(inner + level(x, inner) for x in v) + f"\n{indent}]"
        return json.dumps(v)

    return level(value, "") + "\n"
