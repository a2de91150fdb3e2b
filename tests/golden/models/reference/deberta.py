"""DeBERTa v2 and v3: no positions in the embedding; c2p and p2c with the layer's own query and key matrices
(share_att_key) on a normed table of relative positions in log buckets; head as BERT's (transformers' "legacy" one).

d(i, j) is the bucket of query i - key j; score = (q_i.k_j + q_i.K[d(i, j) + B] + k_j.Q[d(i, j) + B]) / sqrt(3 d).
"""

from math import ceil, log, sqrt

import numpy as np

from .bert import after_attention, feed_forward_tensors, head, head_tensors
from .draw import biased, norm, table
from .parts import attention, layer_norm, linear, split_heads


def bucket(relative, buckets, most):
    """Exact up to buckets / 2; beyond in logarithms, `most` - 1 at buckets - 1. One number at a time."""
    middle, distance = buckets // 2, abs(relative)
    if distance <= middle:
        return relative
    far = middle + ceil(log(distance / middle) / log((most - 1) / middle) * (middle - 1))
    return far if relative > 0 else -far


def spans(c):
    most = c["max_relative_positions"] if c["max_relative_positions"] > 0 else c["max_position_embeddings"]
    return c["position_buckets"], most


def tensors(c):
    d, rows = c["hidden_size"], 2 * spans(c)[0]
    out = {"deberta.embeddings.word_embeddings.weight": table(c["vocab_size"], d)}
    out |= norm("deberta.embeddings.LayerNorm", d)
    for n in range(c["num_hidden_layers"]):
        p = f"deberta.encoder.layer.{n}."
        for name in ("query", "key", "value"):
            out |= biased(f"{p}attention.self.{name}_proj", d, d)
        out |= feed_forward_tensors(c, p)
    out |= {"deberta.encoder.rel_embeddings.weight": table(rows, d)} | norm("deberta.encoder.LayerNorm", d)
    return out | head_tensors(c)


def rows_of(c, positions):
    """Row of the table for query i and key j."""
    buckets, most = spans(c)
    rows = np.array([[bucket(int(i - j), buckets, most) + buckets for j in positions] for i in positions])
    return np.clip(rows, 0, 2 * buckets - 1)


def terms(q, k, pq, pk, rows, kinds):
    """Unscaled c2p + p2c (heads, T, T); pq and pk (heads, rows of the table, d)."""
    total = 0.0
    if "c2p" in kinds:
        total = total + np.take_along_axis(np.einsum("hid,hrd->hir", q, pk), rows[None].repeat(len(q), 0), 2)
    if "p2c" in kinds:
        by_key = np.einsum("hjd,hrd->hjr", k, pq)
        total = total + np.take_along_axis(by_key, rows.T[None].repeat(len(q), 0), 2).swapaxes(1, 2)
    return total


def logits(c, w, sequence, place=np.arange, taps=None):
    heads, epsilon, ids = c["num_attention_heads"], c["layer_norm_eps"], sequence["ids"]
    kinds, rows = c["pos_att_type"].split("|"), rows_of(c, place(len(ids)))
    assert c["share_att_key"] and c["type_vocab_size"] == 0 and not c["position_biased_input"]
    words = w["deberta.embeddings.word_embeddings.weight"]
    x = layer_norm(words[ids], w, "deberta.embeddings.LayerNorm", epsilon)
    relative = w["deberta.encoder.rel_embeddings.weight"]
    if c["norm_rel_ebd"] == "layer_norm":
        relative = layer_norm(relative, w, "deberta.encoder.LayerNorm", epsilon)
    for n in range(c["num_hidden_layers"]):
        p = f"deberta.encoder.layer.{n}."
        q, k, v = (split_heads(linear(x, w, f"{p}attention.self.{y}_proj"), heads) for y in ("query", "key", "value"))
        pq, pk = (split_heads(linear(relative, w, f"{p}attention.self.{y}_proj"), heads) for y in ("query", "key"))
        scale = 1 / sqrt(q.shape[-1] * (1 + len(kinds)))
        mixed, _ = attention(q, k, v, scale, bias=scale * terms(q, k, pq, pk, rows, kinds))
        x = after_attention(c, w, p, x, mixed)
    return head(c, w, x, words)
