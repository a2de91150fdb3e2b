"""Checkpoints as GGUF files, in llama.cpp's names and layouts; for llama_cpp.py."""

import struct

import numpy as np

from . import bert, bloom, gemma, gpt2, gpt_neox, gptj, llama, mpt, phi, t5

# Tensors of a layer: ours, then llama.cpp's.
MLP = {"mlp.dense_h_to_4h": "ffn_up", "mlp.dense_4h_to_h": "ffn_down"}
LLAMA = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
SANDWICH = LLAMA | {
    "post_attention_layernorm": "post_attention_norm",
    "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
}
OUTSIDE = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
# Folder: module, architecture, prefix of layers, what is outside of layers, what is inside.
MODELS = {
    "llama": (llama, "llama", "model.layers.", OUTSIDE, LLAMA),
    "qwen2": (llama, "qwen2", "model.layers.", OUTSIDE, LLAMA),
    "qwen3": (llama, "qwen3", "model.layers.", OUTSIDE, LLAMA),
    "gemma": (gemma, "gemma", "model.layers.", OUTSIDE, LLAMA),
    "gemma2": (gemma, "gemma2", "model.layers.", OUTSIDE, SANDWICH),
    "gemma3": (gemma, "gemma3", "model.layers.", OUTSIDE, SANDWICH),
    "gpt2": (
        gpt2,
        "gpt2",
        "h.",
        {"wte": "token_embd", "wpe": "position_embd", "ln_f": "output_norm"},
        {"ln_1": "attn_norm", "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output"}
        | {"ln_2": "ffn_norm", "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"},
    ),
    "gpt_neox": (
        gpt_neox,
        "gptneox",
        "gpt_neox.layers.",
        {"gpt_neox.embed_in": "token_embd", "gpt_neox.final_layer_norm": "output_norm", "embed_out": "output"},
        {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm"}
        | {"attention.query_key_value": "attn_qkv", "attention.dense": "attn_output"}
        | MLP,
    ),
    "bloom": (
        bloom,
        "bloom",
        "transformer.h.",
        {"transformer.word_embeddings": "token_embd", "transformer.word_embeddings_layernorm": "token_embd_norm"}
        | {"transformer.ln_f": "output_norm"},
        {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm"}
        | {"self_attention.query_key_value": "attn_qkv", "self_attention.dense": "attn_output"}
        | MLP,
    ),
    "mpt": (
        mpt,
        "mpt",
        "transformer.blocks.",
        {"transformer.wte": "token_embd", "transformer.norm_f": "output_norm"},
        {"norm_1": "attn_norm", "attn.Wqkv": "attn_qkv", "attn.out_proj": "attn_output", "norm_2": "ffn_norm"}
        | {"ffn.up_proj": "ffn_up", "ffn.down_proj": "ffn_down"},
    ),
    "phi": (
        phi,
        "phi2",
        "model.layers.",
        {"model.embed_tokens": "token_embd", "model.final_layernorm": "output_norm", "lm_head": "output"},
        {"input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k"}
        | {"self_attn.v_proj": "attn_v", "self_attn.dense": "attn_output", "mlp.fc1": "ffn_up", "mlp.fc2": "ffn_down"},
    ),
    "bert": (
        bert,
        "bert",
        "bert.encoder.layer.",
        {"bert.embeddings.word_embeddings": "token_embd", "bert.embeddings.token_type_embeddings": "token_types"}
        | {"bert.embeddings.position_embeddings": "position_embd", "bert.embeddings.LayerNorm": "token_embd_norm"},
        {"attention.self.query": "attn_q", "attention.self.key": "attn_k", "attention.self.value": "attn_v"}
        | {"attention.output.dense": "attn_output", "attention.output.LayerNorm": "attn_output_norm"}
        | {"intermediate.dense": "ffn_up", "output.dense": "ffn_down", "output.LayerNorm": "layer_output_norm"},
    ),
    # llama.cpp has no GPT-J, but Phi is the same with halves that turn, and biases.
    "gptj": (
        gptj,
        "phi2",
        "transformer.h.",
        {"transformer.wte": "token_embd", "transformer.ln_f": "output_norm", "lm_head": "output"},
        {"ln_1": "attn_norm", "attn.q_proj": "attn_q", "attn.k_proj": "attn_k", "attn.v_proj": "attn_v"}
        | {"attn.out_proj": "attn_output", "mlp.fc_in": "ffn_up", "mlp.fc_out": "ffn_down"},
    ),
    "t5": (t5, "t5", None, None, None),
    "t5-gated": (t5, "t5", None, None, None),
}


def both(out, to, w, name):
    out |= {f"{to}.{kind}": w[f"{name}.{kind}"] for kind in ("weight", "bias") if f"{name}.{kind}" in w}


def tensors(name, c, w):
    """llama.cpp's names and layouts."""
    module, arch, prefix, outside, inside = MODELS[name]
    out = {}
    for ours, theirs in outside.items():
        both(out, theirs, w, ours)
    for n in range(count(c)):
        p = f"blk.{n}."
        for ours, theirs in inside.items():
            both(out, p + theirs, w, f"{prefix}{n}.{ours}")
        if arch == "llama":  # llama.cpp turns neighbours
            for theirs, heads in (("attn_q", c["num_attention_heads"]), ("attn_k", c["num_key_value_heads"])):
                x = out[f"{p}{theirs}.weight"]
                out[f"{p}{theirs}.weight"] = x.reshape(heads, 2, -1, x.shape[1]).swapaxes(1, 2).reshape(x.shape)
        if arch in ("gptneox", "bloom"):  # (heads, 3, d) to (3, heads, d)
            for key in (p + "attn_qkv.weight", p + "attn_qkv.bias"):
                x, heads = out[key], c.get("num_attention_heads") or c["n_head"]
                out[key] = x.reshape(heads, 3, -1, *x.shape[1:]).swapaxes(0, 1).reshape(x.shape)
        if name == "gptj":
            out |= {f"{p}attn_{y}.bias": np.zeros(c["n_embd"]) for y in ("q", "k", "v", "output")}
            half, order = c["rotary_dim"] // 2, np.arange(c["n_embd"]).reshape(c["n_head"], -1)
            order[:, : 2 * half] = order[:, : 2 * half].reshape(-1, half, 2).swapaxes(1, 2).reshape(-1, 2 * half)
            out |= {key: out[key][order.ravel()] for key in (p + "attn_q.weight", p + "attn_k.weight")}
        if arch == "gpt2":
            out |= {k: out[k].T for k in (f"{p}{t}.weight" for t in ("attn_qkv", "attn_output", "ffn_up", "ffn_down"))}
    if arch.startswith("gemma"):
        out = {key: x + 1 if "norm" in key else x for key, x in out.items()}
    if arch in ("gemma2", "gemma3"):  # llama.cpp scales by the size of a head alone
        factor, key = (
            c["head_dim"] / c["query_pre_attn_scalar"]
        ) ** 0.5, "attn_q" if arch == "gemma2" else "attn_q_norm"
        out = {k: x * factor if k.endswith(f".{key}.weight") else x for k, x in out.items()}
    return out


def count(c):
    return c.get("num_hidden_layers") or c.get("n_layer") or c.get("n_layers") or c["num_decoder_layers"]


def t5_tensors(c, w):
    """Stacks of one depth only: an encoder that is shorter gets layers that add nothing."""
    out = {"token_embd.weight": w["shared.weight"]}
    out["output.weight"] = w.get("lm_head.weight", w["shared.weight"] * c["d_model"] ** -0.5)
    for short, stack in (("enc", "encoder"), ("dec", "decoder")):
        last = 1 if short == "enc" else 2
        both(out, short + ".output_norm", w, stack + ".final_layer_norm")
        for n in range(count(c)):
            real = n < c["num_decoder_layers" if last == 2 else "num_layers"]
            q, p = f"{short}.blk.{n}.", f"{stack}.block.{n if real else 0}.layer."
            for name in "qkvo":
                both(out, f"{q}attn_{name}", w, f"{p}0.SelfAttention.{name}")
                both(out, f"{q}cross_attn_{name}", w, f"{p}1.EncDecAttention.{name}")
            both(out, q + "attn_norm", w, p + "0.layer_norm")
            if last == 2:
                both(out, q + "cross_attn_norm", w, p + "1.layer_norm")
            if n == 0:
                both(out, q + "attn_rel_b", w, p + "0.SelfAttention.relative_attention_bias")
            both(out, q + "ffn_norm", w, f"{p}{last}.layer_norm")
            for theirs, ours in (("ffn_down", "wo"), ("ffn_up", "wi"), ("ffn_gate", "wi_0"), ("ffn_up", "wi_1")):
                both(out, q + theirs, w, f"{p}{last}.DenseReluDense.{ours}")
            if not real:
                out |= {key: out[key] * 0 for key in (q + "attn_o.weight", q + "ffn_down.weight")}
    return out


def metadata(arch, c):
    def get(*names):
        return next((c[name] for name in names if c.get(name) is not None), None)

    width, heads = get("hidden_size", "n_embd", "d_model"), get("num_attention_heads", "n_head", "n_heads", "num_heads")
    head = get("head_dim", "d_kv") or width // heads
    epsilon = get("rms_norm_eps", "layer_norm_epsilon", "layer_norm_eps")
    out = {
        "context_length": get("n_positions", "max_position_embeddings") or 64,
        "embedding_length": width,
        "block_count": count(c),
        "feed_forward_length": get("intermediate_size", "n_inner", "d_ff") or 4 * width,
        "attention.head_count": heads,
        "attention.head_count_kv": get("num_key_value_heads") or heads,
        "attention.key_length": head,
        "attention.value_length": head,
        "attention.layer_norm_epsilon": epsilon,
        "attention.layer_norm_rms_epsilon": epsilon,
        "rope.dimension_count": get("rotary_dim") or int(head * (get("rotary_pct", "partial_rotary_factor") or 1)),
        "rope.freq_base": float(get("rope_theta", "rotary_emb_base") or 10000),
        "vocab_size": c["vocab_size"],
        "use_parallel_residual": True,
        "attention.causal": arch != "bert",
        "pooling_type": 0,
        "attention.max_alibi_bias": 8.0,
    }
    if arch in ("gemma2", "gemma3"):
        out["attention.sliding_window"] = c["sliding_window"]
    if arch == "gemma2":
        out |= {key: c[key] for key in ("attn_logit_softcapping", "final_logit_softcapping")}
    if arch == "gemma3":
        out |= {"attention.sliding_window_pattern": c["sliding_window_pattern"]}
        out |= {"rope.scaling.type": "linear", "rope.scaling.factor": c["rope_scaling"]["factor"]}
    if arch == "t5":
        out |= {"decoder_block_count": count(c), "decoder_start_token_id": 0}
        out["attention.relative_buckets_count"] = c["relative_attention_num_buckets"]
    out = {f"{arch}.{key}": value for key, value in out.items()}
    names = [f"token{n}" for n in range(c["vocab_size"])]
    tokenizer = {"model": "gpt2", "pre": "gpt-2", "tokens": names, "merges": ["a b"], "token_type_count": 2}
    return {"general.architecture": arch} | out | {f"tokenizer.ggml.{key}": value for key, value in tokenizer.items()}


def gguf(path, values, arrays):
    def string(x):
        return struct.pack("<Q", len(x.encode())) + x.encode()

    def value(x):
        if isinstance(x, list):
            return struct.pack("<IIQ", 9, 8, len(x)) + b"".join(map(string, x))
        if isinstance(x, str):
            return struct.pack("<I", 8) + string(x)
        kind, code = {bool: (7, "?"), int: (4, "I"), float: (6, "f")}[type(x)]
        return struct.pack("<I" + code, kind, x)

    head, data = b"GGUF" + struct.pack("<IQQ", 3, len(arrays), len(values)), b""
    head += b"".join(string(key) + value(x) for key, x in values.items())
    for name, x in arrays.items():
        head += string(name) + struct.pack(f"<I{x.ndim}QIQ", x.ndim, *x.shape[::-1], 0, len(data))
        raw = np.ascontiguousarray(x, "<f4").tobytes()
        data += raw + b"\0" * (-len(raw) % 32)
    path.write_bytes(head + b"\0" * (-len(head) % 32) + data)
