#include "attention/linear.hpp"

#include <algorithm>
#include <cmath>

#include "core/buffer.hpp"
#include "core/simd.hpp"

namespace posenc {

namespace {

/// e^g, in float64 as elsewhere: the module then has one exp.
float share(float g) { return static_cast<float>(std::exp(static_cast<double>(g))); }

/// row ← keep · row; sums += factor · row
void decay_and_read(float keep, float factor, float* row, std::int64_t count, float* sums) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const Batch kept = Batch(keep) * load(row + i);
    store(row + i, kept);
    store(sums + i, fma(Batch(factor), kept, load(sums + i)));
  }
  for (; i < count; ++i) {
    row[i] *= keep;
    sums[i] += factor * row[i];
  }
}

/// out += factor · x
void add(float factor, const float* x, std::int64_t count, float* out) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    store(out + i, fma(Batch(factor), load(x + i), load(out + i)));
  }
  for (; i < count; ++i) out[i] += factor * x[i];
}

bool fits(const LinearAttentionProblem& p) {
  return p.batch >= 0 && p.tokens >= 0 && p.heads >= 1 && p.kv_heads >= 1 &&
         p.heads % p.kv_heads == 0 && p.key_dim >= 1 && p.value_dim >= 1 &&
         (p.decay_dim == 1 || p.decay_dim == p.key_dim) &&
         (p.beta_heads == 1 || p.beta_heads == p.kv_heads);
}

/// A token of one kv head: `row` counts batch entries and tokens. `written` has room for a value.
void step(const LinearAttentionProblem& p, std::int64_t row, std::int64_t kv_head, float* state,
          float* written) {
  const std::int64_t kv_row = row * p.kv_heads + kv_head;
  const float* key = p.key + kv_row * p.key_dim;
  const float* value = p.value + kv_row * p.value_dim;
  const float* decay = p.decay == nullptr ? nullptr : p.decay + kv_row * p.decay_dim;

  // What the key recalls of the decayed state, which the delta rule takes away from the value.
  std::fill_n(written, p.value_dim, 0.0F);
  if (decay != nullptr || p.beta != nullptr) {
    float keep = decay == nullptr ? 1.0F : share(decay[0]);
    for (std::int64_t d = 0; d < p.key_dim; ++d) {
      if (d > 0 && p.decay_dim > 1) keep = share(decay[d]);
      decay_and_read(keep, -key[d], state + d * p.value_dim, p.value_dim, written);
    }
  }
  if (p.beta == nullptr) {
    std::copy_n(value, p.value_dim, written);
  } else {
    const float beta = p.beta[row * p.beta_heads + (p.beta_heads > 1 ? kv_head : 0)];
    for (std::int64_t m = 0; m < p.value_dim; ++m) written[m] = beta * (value[m] + written[m]);
  }

  const std::int64_t group = p.heads / p.kv_heads;
  const std::int64_t first = row * p.heads + kv_head * group;
  std::fill_n(p.output + first * p.value_dim, group * p.value_dim, 0.0F);
  for (std::int64_t d = 0; d < p.key_dim; ++d) {
    float* of_dim = state + d * p.value_dim;
    add(key[d], written, p.value_dim, of_dim);
    for (std::int64_t h = first; h < first + group; ++h) {
      const float q = p.scale * p.query[h * p.key_dim + d];
      add(q, of_dim, p.value_dim, p.output + h * p.value_dim);
    }
  }
}

}  // namespace

Status linear_attention(const LinearAttentionProblem& p) {
  if (!fits(p)) return Status::shape;
  Buffer<float> written(p.value_dim);
  if (!written.ok()) return Status::memory;
  for (std::int64_t entry = 0; entry < p.batch; ++entry) {
    for (std::int64_t kv_head = 0; kv_head < p.kv_heads; ++kv_head) {
      float* state = p.state + (entry * p.kv_heads + kv_head) * p.key_dim * p.value_dim;
      for (std::int64_t t = 0; t < p.tokens; ++t) {
        step(p, entry * p.tokens + t, kv_head, state, written.data());
      }
    }
  }
  return Status::ok;
}

}  // namespace posenc
