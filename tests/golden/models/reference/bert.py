"""BERT with the head of a masked language model. Learned positions, token type 0, norms after residuals, no mask."""

import numpy as np

from .draw import biased, norm, table, vector
from .parts import ACTIVATIONS, attention, layer_norm, linear, split_heads


def head_tensors(c):
    d = c["hidden_size"]
    out = biased("cls.predictions.transform.dense", d, d) | norm("cls.predictions.transform.LayerNorm", d)
    return out | {"cls.predictions.bias": vector(c["vocab_size"])}


def head(c, w, x, embedding):
    """Dense, activation, norm, the embedding again, a bias per token."""
    x = ACTIVATIONS[c["hidden_act"]](linear(x, w, "cls.predictions.transform.dense"))
    x = layer_norm(x, w, "cls.predictions.transform.LayerNorm", c["layer_norm_eps"])
    return x @ embedding.T + w["cls.predictions.bias"]


def feed_forward_tensors(c, p):
    d, hidden = c["hidden_size"], c["intermediate_size"]
    out = biased(p + "attention.output.dense", d, d) | norm(p + "attention.output.LayerNorm", d)
    return (
        out
        | biased(p + "intermediate.dense", hidden, d)
        | biased(p + "output.dense", d, hidden)
        | norm(p + "output.LayerNorm", d)
    )


def after_attention(c, w, p, x, mixed):
    x = layer_norm(
        x + linear(mixed, w, p + "attention.output.dense"), w, p + "attention.output.LayerNorm", c["layer_norm_eps"]
    )
    m = ACTIVATIONS[c["hidden_act"]](linear(x, w, p + "intermediate.dense"))
    return layer_norm(x + linear(m, w, p + "output.dense"), w, p + "output.LayerNorm", c["layer_norm_eps"])


def tensors(c):
    d, e = c["hidden_size"], "bert.embeddings."
    out = {
        e + "word_embeddings.weight": table(c["vocab_size"], d),
        e + "position_embeddings.weight": table(c["max_position_embeddings"], d, 0.5),
        e + "token_type_embeddings.weight": table(c["type_vocab_size"], d),
    }
    out |= norm(e + "LayerNorm", d)
    for n in range(c["num_hidden_layers"]):
        p = f"bert.encoder.layer.{n}."
        for name in ("query", "key", "value"):
            out |= biased(f"{p}attention.self.{name}", d, d)
        out |= feed_forward_tensors(c, p)
    return out | head_tensors(c)


def logits(c, w, sequence, place=np.arange, taps=None):
    heads, ids, e = c["num_attention_heads"], sequence["ids"], "bert.embeddings."
    x = w[e + "word_embeddings.weight"][ids] + w[e + "position_embeddings.weight"][place(len(ids))]
    x = layer_norm(x + w[e + "token_type_embeddings.weight"][0], w, e + "LayerNorm", c["layer_norm_eps"])
    for n in range(c["num_hidden_layers"]):
        p = f"bert.encoder.layer.{n}."
        q, k, v = (split_heads(linear(x, w, f"{p}attention.self.{y}"), heads) for y in ("query", "key", "value"))
        x = after_attention(c, w, p, x, attention(q, k, v, q.shape[-1] ** -0.5)[0])
    return head(c, w, x, w[e + "word_embeddings.weight"])
