#include "position/rotation.hpp"

#include <algorithm>
#include <cstring>

#include "core/buffer.hpp"
#include "core/simd.hpp"

namespace posenc {

namespace {

void rotate_half(const float* x, const float* cos, const float* sin, std::int64_t pairs,
                 float* out) {
  std::int64_t i = 0;
  for (; i + kLanes <= pairs; i += kLanes) {
    const Batch a = load(x + i);
    const Batch b = load(x + pairs + i);
    const Batch c = load(cos + i);
    const Batch s = load(sin + i);
    store(out + i, fma(a, c, -(b * s)));
    store(out + pairs + i, fma(b, c, a * s));
  }
  for (; i < pairs; ++i) {
    const float a = x[i];
    const float b = x[pairs + i];
    out[i] = a * cos[i] - b * sin[i];
    out[pairs + i] = b * cos[i] + a * sin[i];
  }
}

void rotate_interleaved(const float* x, const float* cos, const float* sin, std::int64_t pairs,
                        float* out) {
  std::int64_t i = 0;
  for (; i + kLanes <= pairs; i += kLanes) {
    const Batch c = load(cos + i);
    const Batch s = load(sin + i);
    const Batch low = load(x + 2 * i);
    const Batch high = load(x + 2 * i + kLanes);
    store(out + 2 * i, fma(low, zip_low(c, c), swap_pairs(low) * zip_low(-s, s)));
    store(out + 2 * i + kLanes, fma(high, zip_high(c, c), swap_pairs(high) * zip_high(-s, s)));
  }
  for (; i < pairs; ++i) {
    const float a = x[2 * i];
    const float b = x[2 * i + 1];
    out[2 * i] = a * cos[i] - b * sin[i];
    out[2 * i + 1] = b * cos[i] + a * sin[i];
  }
}

}  // namespace

void rotate_rows(const Rotate& rotate, const float* x, const float* cos, const float* sin,
                 std::int64_t tokens, float* out) {
  const std::int64_t head_dim = rotate.head_dim();
  const std::int64_t rotary_dim = rotate.rotary_dim();
  const std::int64_t pairs = rotary_dim / 2;
  const bool half = rotate.layout() == PairLayout::half;
  const auto rest = static_cast<std::size_t>(head_dim - rotary_dim) * sizeof(float);
  for (std::int64_t t = 0; t < tokens; ++t) {
    const float* row = x + t * head_dim;
    float* turned = out + t * head_dim;
    if (half) {
      rotate_half(row, cos + t * pairs, sin + t * pairs, pairs, turned);
    } else {
      rotate_interleaved(row, cos + t * pairs, sin + t * pairs, pairs, turned);
    }
    if (rest > 0 && turned != row) std::memcpy(turned + rotary_dim, row + rotary_dim, rest);
  }
}

Status rotate_tensor(const Rotate& rotate, const RotateCall& call) {
  // Tables of this many tokens stay in the first-level cache while all heads pass over them.
  constexpr std::int64_t kStretch = 64;
  const std::int64_t head_dim = rotate.head_dim();
  const std::int64_t pairs = rotate.rotary_dim() / 2;
  Buffer<float> cos(kStretch * pairs);
  Buffer<float> sin(kStretch * pairs);
  if (!cos.ok() || !sin.ok()) return Status::memory;

  // Positions shared by the batch are one long run of heads.
  const std::int64_t groups = call.positions_per_batch ? call.batch : 1;
  const std::int64_t rows_of_tokens = call.batch * call.heads / std::max<std::int64_t>(groups, 1);
  for (std::int64_t group = 0; group < groups; ++group) {
    const Positions positions{call.positions + group * call.tokens * call.axes, call.tokens,
                              call.axes};
    for (std::int64_t first = 0; first < call.tokens; first += kStretch) {
      const std::int64_t count = std::min(kStretch, call.tokens - first);
      rotate.table(call.side, positions.from(first, count), cos.data(), sin.data());
      if (call.inverse) {
        for (std::int64_t i = 0; i < count * pairs; ++i) sin[i] = -sin[i];
      }
      for (std::int64_t h = 0; h < rows_of_tokens; ++h) {
        const std::int64_t at = ((group * rows_of_tokens + h) * call.tokens + first) * head_dim;
        rotate_rows(rotate, call.x + at, cos.data(), sin.data(), count, call.out + at);
      }
    }
  }
  return Status::ok;
}

}  // namespace posenc
