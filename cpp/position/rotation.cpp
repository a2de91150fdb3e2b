#include "position/rotation.hpp"

#include <algorithm>

#include "core/buffer.hpp"
#include "core/simd.hpp"

namespace posenc {

namespace {

// What is left at the ends of rows is kept out of line: copies of it in every kernel would be half
// of their code.

/// Turns the pairs from `i` on, whose members are `x[step · i]` and `partner` numbers further.
[[gnu::noinline]] void rotate_rest(const float* x, std::int64_t i, std::int64_t step,
                                   std::int64_t partner, const float* cos, const float* sin,
                                   std::int64_t pairs, float* out) {
  for (; i < pairs; ++i) {
    const float a = x[step * i];
    const float b = x[step * i + partner];
    out[step * i] = a * cos[i] - b * sin[i];
    out[step * i + partner] = b * cos[i] + a * sin[i];
  }
}

/// Turns some pairs of the same token of `Heads` heads, which lie `stride` numbers apart and share
/// their cosines and sines.
template <int Heads, int Registers>
void rotate_half_step(const float* x, std::int64_t stride, const float* cos, const float* sin,
                      std::int64_t pairs, float* out) {
  Batch c[Registers];
  Batch s[Registers];
  for (int r = 0; r < Registers; ++r) {
    c[r] = load(cos + r * kLanes);
    s[r] = load(sin + r * kLanes);
  }
  for (int h = 0; h < Heads; ++h) {
    Batch a[Registers];
    Batch b[Registers];
    for (int r = 0; r < Registers; ++r) {
      a[r] = load(x + h * stride + r * kLanes);
      b[r] = load(x + h * stride + pairs + r * kLanes);
    }
    for (int r = 0; r < Registers; ++r) {
      store(out + h * stride + r * kLanes, fma(a[r], c[r], -(b[r] * s[r])));
      store(out + h * stride + pairs + r * kLanes, fma(b[r], c[r], a[r] * s[r]));
    }
  }
}

template <int Heads>
void rotate_half(const float* x, std::int64_t stride, const float* cos, const float* sin,
                 std::int64_t pairs, float* out) {
  std::int64_t i = 0;
  for (; i + 2 * kLanes <= pairs; i += 2 * kLanes) {
    rotate_half_step<Heads, 2>(x + i, stride, cos + i, sin + i, pairs, out + i);
  }
  if (i + kLanes <= pairs) {
    rotate_half_step<Heads, 1>(x + i, stride, cos + i, sin + i, pairs, out + i);
    i += kLanes;
  }
  if (i == pairs) return;
  for (int h = 0; h < Heads; ++h) {
    rotate_rest(x + h * stride, i, 1, pairs, cos, sin, pairs, out + h * stride);
  }
}

template <int Heads>
void rotate_interleaved(const float* x, std::int64_t stride, const float* cos, const float* sin,
                        std::int64_t pairs, float* out) {
  std::int64_t i = 0;
  for (; i + kLanes <= pairs; i += kLanes) {
    const Batch c = load(cos + i);
    const Batch s = load(sin + i);
    const Batch cos_low = zip_low(c, c);
    const Batch cos_high = zip_high(c, c);
    const Batch sin_low = zip_low(-s, s);
    const Batch sin_high = zip_high(-s, s);
    for (int h = 0; h < Heads; ++h) {
      const float* in = x + h * stride + 2 * i;
      const Batch low = load(in);
      const Batch high = load(in + kLanes);
      store(out + h * stride + 2 * i, fma(low, cos_low, swap_pairs(low) * sin_low));
      store(out + h * stride + 2 * i + kLanes, fma(high, cos_high, swap_pairs(high) * sin_high));
    }
  }
  if (i == pairs) return;
  for (int h = 0; h < Heads; ++h) {
    rotate_rest(x + h * stride, i, 2, 1, cos, sin, pairs, out + h * stride);
  }
}

/// Few numbers, for which a call of memcpy would take longer.
[[gnu::noinline]] void copy_numbers(const float* x, std::int64_t count, float* out) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(out + i, load(x + i));
  for (; i < count; ++i) out[i] = x[i];
}

/// `tokens` rows of each of `Heads` heads, which lie `stride` numbers apart.
template <int Heads>
void rotate_heads(const Rotate& rotate, const float* x, std::int64_t stride, const float* cos,
                  const float* sin, std::int64_t tokens, float* out) {
  const std::int64_t head_dim = rotate.head_dim();
  const std::int64_t pairs = rotate.rotary_dim() / 2;
  const std::int64_t width = rotate.table_width();
  const std::int64_t first = rotate.offset();
  const std::int64_t end = first + 2 * pairs;
  const bool half = rotate.layout() == PairLayout::half;
  const std::int64_t part = pairs / rotate.parts();  // pairs that are formed together
  for (std::int64_t t = 0; t < tokens; ++t) {
    const float* row = x + t * head_dim;
    float* turned = out + t * head_dim;
    const float* c = cos + t * width;
    const float* s = sin + t * width;
    if (half) {
      for (std::int64_t i = 0; i < pairs; i += part) {
        const std::int64_t at = first + 2 * i;
        rotate_half<Heads>(row + at, stride, c + i, s + i, part, turned + at);
      }
    } else {
      rotate_interleaved<Heads>(row + first, stride, c, s, pairs, turned + first);
    }
    if (turned == row || head_dim == 2 * pairs) continue;
    for (int h = 0; h < Heads; ++h) {
      copy_numbers(row + h * stride, first, turned + h * stride);
      copy_numbers(row + h * stride + end, head_dim - end, turned + h * stride + end);
    }
  }
}

}  // namespace

void rotate_rows(const Rotate& rotate, const float* x, const float* cos, const float* sin,
                 std::int64_t tokens, float* out) {
  rotate_heads<1>(rotate, x, 0, cos, sin, tokens, out);
}

void invert_table(float* cos, float* sin, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float square = cos[i] * cos[i] + sin[i] * sin[i];
    cos[i] /= square;
    sin[i] /= -square;
  }
}

namespace {

/// Turns `count` tokens of all heads that share a table.
void turn_heads(const Rotate& rotate, const RotateCall& call, std::int64_t first_head,
                std::int64_t heads, std::int64_t first, std::int64_t count, const float* cos,
                const float* sin) {
  const std::int64_t stride = call.tokens * rotate.head_dim();
  const std::int64_t out_stride = call.tokens * rotate.turned_dim();
  const float* x = call.x + first_head * stride + first * rotate.head_dim();
  float* out = call.out + first_head * out_stride + first * rotate.turned_dim();
  std::int64_t h = 0;
  const auto turn_together = [&]<int Heads>() {
    for (; h + Heads <= heads; h += Heads) {
      rotate_heads<Heads>(rotate, x + h * stride, stride, cos, sin, count, out + h * stride);
    }
  };
  // Heads that share loaded cosines and sines. More than four would run out of the ways of the
  // first-level cache, as rows of different heads are often a power of two apart.
  if (rotate.turns_pairs_only() && rotate.tables() == 1) {
    turn_together.template operator()<4>();
    turn_together.template operator()<2>();
  }
  for (; h < heads; ++h) {
    const auto head = static_cast<int>((first_head + h) % call.heads);
    rotate.turn(call.side, head, x + h * stride, cos, sin, count, out + h * out_stride);
  }
}

}  // namespace

Status rotate_tensor(const Rotate& rotate, const RotateCall& call) {
  if (call.inverse && !rotate.turns_pairs_only()) return Status::unsupported;
  // Tables of a stretch of tokens stay in the second-level cache while all heads pass over them;
  // the longer the stretch, the longer the runs of memory that the processor reads ahead.
  constexpr std::int64_t kTableNumbers = 32768;  // 128 kB
  const std::int64_t width = rotate.table_width();
  const std::int64_t stretch = std::clamp<std::int64_t>(kTableNumbers / (2 * width), 1,
                                                        std::max<std::int64_t>(call.tokens, 1));
  Buffer<float> cos(stretch * width);
  Buffer<float> sin(stretch * width);
  if (!cos.ok() || !sin.ok()) return Status::memory;

  // Positions shared by the batch are one long run of heads.
  const std::int64_t groups = call.positions_per_batch ? call.batch : 1;
  const std::int64_t heads = call.batch * call.heads / std::max<std::int64_t>(groups, 1);
  for (std::int64_t group = 0; group < groups; ++group) {
    const Positions positions{call.positions + group * call.tokens * call.axes, call.tokens,
                              call.axes};
    for (std::int64_t first = 0; first < call.tokens; first += stretch) {
      const std::int64_t count = std::min(stretch, call.tokens - first);
      rotate.table(call.side, positions.from(first, count), cos.data(), sin.data());
      if (call.inverse) invert_table(cos.data(), sin.data(), count * width);
      turn_heads(rotate, call, group * heads, heads, first, count, cos.data(), sin.data());
    }
  }
  return Status::ok;
}

}  // namespace posenc
