#include "attention/decode_kernels.hpp"

namespace posenc {

namespace {

/// Products of `Rows` queries with `Keys` consecutive keys, spread over registers: Σ_d query[r][d]
/// · key[n][d] is the sum of the numbers of sums[r][n].
template <int Rows, int Keys>
inline void dot_side_by_side(const float* query /* (Rows, width) */,
                             const float* key /* (Keys, width) */, std::int64_t width,
                             Batch (*sums)[Keys]) {
  // Enough sums that none waits for its last product, and steps that outweigh moving on where
  // registers allow.
  constexpr int kSums = Rows * Keys < 8 ? 4 / Keys : 1;
  constexpr int kLoads = Rows * kSums;
  constexpr int kStep = kLoads * kLanes;
  Batch parts[Rows][Keys][kSums];
  const float* keys[Keys];
  const float* queries[Rows];
  for (int r = 0; r < Rows; ++r) queries[r] = query + r * width;
  for (int n = 0; n < Keys; ++n) keys[n] = key + n * width;
  for (auto& of_row : parts) {
    for (auto& of_key : of_row) std::fill_n(of_key, kSums, Batch(0.0F));
  }
  for (const float* end = query + width / kStep * kStep; queries[0] != end;) {
    for (int i = 0; i < kLoads; ++i) {
      Batch q[Rows];
      for (int r = 0; r < Rows; ++r) q[r] = load(queries[r] + i * kLanes);
      for (int n = 0; n < Keys; ++n) {
        const Batch k = load(keys[n] + i * kLanes);
        for (int r = 0; r < Rows; ++r) {
          Batch& part = parts[r][n][i % kSums];
          part = fma(q[r], k, part);
        }
      }
    }
    for (auto& q : queries) q += kStep;
    for (auto& k : keys) k += kStep;
  }
  const std::int64_t rest = width % kStep;
  for (int r = 0; r < Rows; ++r) {
    for (int n = 0; n < Keys; ++n) {
      sums[r][n] = parts[r][n][0];
      for (int i = 1; i < kSums; ++i) sums[r][n] = sums[r][n] + parts[r][n][i];
      if (rest > 0) sums[r][n] = sums[r][n] + first_lane(dot(queries[r], keys[n], rest));
    }
  }
}

}  // namespace

template <int Rows, Source From>
void dot_few(const float* query /* (Rows, width) */, const float* key /* (count, width) */,
             std::int64_t count, std::int64_t width, float* out /* (Rows, out_stride) */,
             std::int64_t out_stride) {
  constexpr int kGroup = 8 / Rows;
  constexpr int kKeys = From == Source::cache ? kGroup : Rows;
  std::int64_t n = 0;
  for (; n + kGroup <= count; n += kGroup) {
    Batch sums[kGroup / kKeys][Rows][kKeys];
    for (int i = 0; i < kGroup / kKeys; ++i) {
      dot_side_by_side<Rows, kKeys>(query, key + (n + i * kKeys) * width, width, sums[i]);
    }
    for (int r = 0; r < Rows; ++r) {
      for (int first = 0; first < kGroup; first += kLanes) {
        Batch parts[kLanes];
        for (int i = 0; i < kLanes; ++i) {
          parts[i] = sums[(first + i) / kKeys][r][(first + i) % kKeys];
        }
        transpose(parts);
        Batch sum = parts[0];
        for (int i = 1; i < kLanes; ++i) sum = sum + parts[i];
        store(out + r * out_stride + n + first, sum);
      }
    }
  }
  for (; n < count; ++n) {
    for (int r = 0; r < Rows; ++r) {
      out[r * out_stride + n] = dot(query + r * width, key + n * width, width);
    }
  }
}

template void dot_few<1, Source::cache>(const float*, const float*, std::int64_t, std::int64_t,
                                        float*, std::int64_t);
template void dot_few<1, Source::memory>(const float*, const float*, std::int64_t, std::int64_t,
                                         float*, std::int64_t);
template void dot_few<kSharedRows, Source::cache>(const float*, const float*, std::int64_t,
                                                  std::int64_t, float*, std::int64_t);
template void dot_few<kSharedRows, Source::memory>(const float*, const float*, std::int64_t,
                                                   std::int64_t, float*, std::int64_t);

}  // namespace posenc
