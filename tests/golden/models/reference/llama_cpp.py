"""Compares the references with llama.cpp, an implementation by others; not part of generate.py.

    npm install --ignore-scripts --prefix /tmp/llama node-llama-cpp@3.22.1
    /usr/bin/python3 -B tests/golden/models/reference/llama_cpp.py \
        /tmp/llama/node_modules/@node-llama-cpp/linux-x64/bins/linux-x64

Each checkpoint becomes a GGUF file as llama.cpp expects it, and libllama (0.5.0) runs it in float32. ggml looks
gelu up in a table of float16, of the tanh form for all families; so do the references here, and only here.
"""

import ctypes as C
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from reference import bert, bloom, gemma, mpt, parts, t5
from reference.files import read_safetensors
from reference.gguf import MODELS, gguf, metadata, t5_tensors, tensors

exact_tanh = parts.gelu_tanh


def table_gelu(x):
    def half(y):
        return y.astype(np.float16).astype(float)

    return np.where(x <= -10, 0, np.where(x >= 10, x, half(exact_tanh(half(x)))))


def use_table():
    for module in (bloom, gemma, t5):
        module.gelu_tanh = table_gelu
    mpt.gelu = table_gelu
    parts.ACTIVATIONS.update(gelu=table_gelu, gelu_new=table_gelu)


class Opaque(C.Structure):
    """Parameters by value; longer than llama.cpp's, which does no harm."""

    _fields_ = [("words", C.c_uint32 * 128)]


class Batch(C.Structure):
    _fields_ = [
        ("count", C.c_int32),
        ("token", C.POINTER(C.c_int32)),
        ("embedding", C.c_void_p),
        ("position", C.POINTER(C.c_int32)),
        ("sequences", C.POINTER(C.c_int32)),
        ("sequence", C.POINTER(C.POINTER(C.c_int32))),
        ("wanted", C.POINTER(C.c_int8)),
    ]


class Library:
    def __init__(self, folder):
        base, ggml, self.llama = (
            C.CDLL(str(next(folder.glob(name))), C.RTLD_GLOBAL) for name in ("libggml-base*", "libggml.*", "libllama.*")
        )
        ggml.ggml_backend_load_all_from_path(C.c_char_p(str(folder).encode()))
        self.quiet = C.CFUNCTYPE(None, C.c_int, C.c_char_p, C.c_void_p)(lambda *_: None)
        self.llama.llama_log_set(self.quiet, None)
        for name, result, *arguments in (
            ("llama_model_default_params", Opaque),
            ("llama_context_default_params", Opaque),
            ("llama_model_load_from_file", C.c_void_p, C.c_char_p, Opaque),
            ("llama_init_from_model", C.c_void_p, C.c_void_p, Opaque),
            ("llama_batch_init", Batch, C.c_int32, C.c_int32, C.c_int32),
            ("llama_decode", C.c_int32, C.c_void_p, Batch),
            ("llama_encode", C.c_int32, C.c_void_p, Batch),
            ("llama_set_embeddings", None, C.c_void_p, C.c_bool),
            ("llama_get_logits", C.POINTER(C.c_float), C.c_void_p),
            ("llama_get_embeddings", C.POINTER(C.c_float), C.c_void_p),
        ):
            function = getattr(self.llama, name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name.removeprefix("llama_"), function)

    def context(self, path):
        model = self.model_load_from_file(str(path).encode(), self.model_default_params())
        assert model, path
        settings = self.context_default_params()
        words = np.ctypeslib.as_array(settings.words)
        words[0] = 64  # n_ctx
        (cache,) = [i for i in range(12, 60) if words[i] == words[i + 1] == 1]  # type_k, type_v: float16
        words[cache : cache + 2] = 0  # float32
        assert (words[10:14] == 2**32 - 1).all()  # four choices left to llama.cpp, the last flash attention
        words[13] = 0  # off: it is float16
        return self.init_from_model(model, settings)

    def batch(self, ids):
        out = self.batch_init(len(ids), 0, 1)
        out.count = len(ids)
        for i, token in enumerate(ids):
            out.token[i], out.position[i], out.sequences[i], out.sequence[i][0], out.wanted[i] = token, i, 1, 0, 1
        return out

    def run(self, path, sequence, width, encodes):
        context = self.context(path)
        if encodes:
            self.set_embeddings(context, True)
            assert self.encode(context, self.batch(sequence["ids"])) == 0
            return np.ctypeslib.as_array(self.get_embeddings(context), (len(sequence["ids"]), width)).astype(float)
        if "encoder" in sequence:
            assert self.encode(context, self.batch(sequence["encoder"])) == 0
        ids = sequence.get("ids") or sequence["decoder"]
        assert self.decode(context, self.batch(ids)) == 0
        return np.ctypeslib.as_array(self.get_logits(context), (len(ids), width)).astype(float)


def main():
    use_table()
    library = Library(Path(sys.argv[1]))
    for name, (module, arch, *_) in MODELS.items():
        folder = HERE.parent / name
        c, w = json.loads((folder / "config.json").read_text()), {}
        for file in folder.glob("*.safetensors"):
            w |= read_safetensors(file)
        worst = 0.0
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "model.gguf"
            gguf(path, metadata(arch, c), t5_tensors(c, w) if arch == "t5" else tensors(name, c, w))
            if arch == "t5":  # llama.cpp knows no other
                c |= {"relative_attention_max_distance": 128}
            for entry in json.loads((folder / "expected.json").read_text())["sequences"]:
                found = library.run(
                    path, entry, c["hidden_size"] if arch == "bert" else c["vocab_size"], arch == "bert"
                )
                if arch == "bert":  # llama.cpp stops before the head
                    found = bert.head(c, w, found, w["bert.embeddings.word_embeddings.weight"])
                worst = max(worst, np.abs(found - module.logits(c, w, entry)).max())
        print(f"{name:9} {worst:.1e}")
        assert worst < 1e-3, name


main()
