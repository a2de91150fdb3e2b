// One attention problem that owns its data, to be run by the kernels and by the float64 reference.
#pragma once

#include <cstdint>
#include <vector>

#include "attention/backward.hpp"
#include "attention/problem.hpp"
#include "reference.hpp"

namespace posenc::test {

/// Numbers per pair, (batch, heads, queries, keys), each dimension as in the problem or 1.
template <class T>
struct Dense {
  std::int64_t shape[4] = {};
  std::vector<T> values;  // none = not given

  T at(std::int64_t entry, std::int64_t head, std::int64_t query, std::int64_t key) const {
    const std::int64_t index[] = {entry, head, query, key};
    std::int64_t offset = 0;
    for (int d = 0; d < 4; ++d) offset = offset * shape[d] + (shape[d] == 1 ? 0 : index[d]);
    return values[static_cast<std::size_t>(offset)];
  }
  /// The same for the kernels.
  template <class U>
  PerPair<U> pairs(U* data) const {
    const auto stride = [&](int d) {
      std::int64_t below = 1;
      for (int i = d + 1; i < 4; ++i) below *= shape[i];
      return shape[d] == 1 ? 0 : below;
    };
    if (values.empty()) return {};
    return {data, stride(0), stride(1), stride(2), stride(3)};
  }
};

struct AttentionCase {
  std::int64_t batch = 1, heads = 1, kv_heads = 1;
  std::int64_t queries = 1, keys = 1;
  std::int64_t head_dim = 8, value_dim = 8;
  std::vector<float> query, key, value;
  int axes = 1;
  std::vector<std::int32_t> query_positions;  // (queries, axes) or (batch, queries, axes)
  std::vector<std::int32_t> key_positions;    // (keys, axes) or (batch, keys, axes)
  std::vector<std::uint8_t> key_mask;         // none, (keys) or (batch, keys)
  float scale = 1.0F;
  float softcap = 0.0F;
  bool causal = false;
  std::int64_t window = 0, before = -1, after = -1, chunk = 0, sinks = 0;
  // None, (tokens) or (batch, tokens), of queries or of keys.
  std::vector<std::uint8_t> global_queries, global_keys;
  std::vector<std::int32_t> query_segments, key_segments;
  Dense<std::uint8_t> shown;  ///< 0 = hidden.
  Dense<float> added;
  std::vector<float> sink_logits, head_scales;  // none or (heads)
  std::vector<float> query_scales;              // none, (queries) or (batch, queries)
  std::vector<const Encoding*> encodings;

  /// Fills query, key and value with normal numbers, scale with 1/√head_dim, and positions as by
  /// default: keys 0, 1, …, queries the last of them.
  void fill(unsigned seed);

  std::int64_t query_at(std::int64_t entry, std::int64_t token) const;
  std::int64_t key_at(std::int64_t entry, std::int64_t token) const;
  bool real(std::int64_t entry, std::int64_t key) const;
  Masks masks() const;

  float* query_row(std::int64_t entry, std::int64_t head, std::int64_t token);
  float* key_row(std::int64_t entry, std::int64_t kv_head, std::int64_t token);
  float* value_row(std::int64_t entry, std::int64_t kv_head, std::int64_t token);
};

/// Output and taps; T is float for the kernels and double for the reference.
template <class T>
struct Stages {
  Status status = Status::ok;
  std::vector<T> output;                                   // (batch, heads, queries, value_dim)
  std::vector<RowStatistics> statistics;                   // (batch, heads, queries)
  std::vector<T> scores, capped, biased, logits, weights;  // (batch, heads, queries, keys)
};

/// Gradients of a loss by what it was made of.
struct Gradients {
  std::vector<float> d_output;  ///< Given: that by the output.
  /// Of the tensor parameters of the encodings, in table order; given with their sizes, or empty =
  /// not wanted.
  std::vector<std::vector<float>> tensors;

  std::vector<float> query, key, value;
  std::vector<float> added, sink_logits, head_scales, query_scales;  // where the case has them
};

struct RunOptions {
  bool taps = true;
  Gradients* gradients = nullptr;  ///< Wanted, or null.
  int offset = 0;                  ///< Arrays start this many floats after an aligned address.
  /// Positions of one axis get 0 on the others that the encodings read (images; rows of one
  /// column).
  bool zero_axes = true;
};

Stages<float> run(const AttentionCase& problem, RunOptions options = {});

/// The definition, one number after another.
Stages<double> expected(const AttentionCase& problem, const Reference& reference = {});

/// Where the two differ at any stage, or "".
std::string stage_differences(const Stages<float>& actual, const Stages<double>& expected);

/// The number of a token among those of an array of tests that the batch may share.
template <class T>
T per_token(const std::vector<T>& numbers, std::int64_t tokens, std::int64_t entry,
            std::int64_t token) {
  const bool shared = static_cast<std::int64_t>(numbers.size()) == tokens;
  return numbers[static_cast<std::size_t>((shared ? 0 : entry * tokens) + token)];
}

/// The tokens [first, first + count) of some queries against [key_first, key_first + key_count) of
/// the keys.
AttentionCase slice(const AttentionCase& problem, std::int64_t first, std::int64_t count,
                    std::int64_t key_first, std::int64_t key_count);

/// A self-attention among padding: `before` and `after` tokens of NaN that are masked, with
/// positions of no meaning.
AttentionCase padded(const AttentionCase& problem, std::int64_t before, std::int64_t after);

/// The outputs of the queries [first, first + count).
std::vector<float> output_rows(const AttentionCase& problem, const Stages<float>& result,
                               std::int64_t first, std::int64_t count);

}  // namespace posenc::test
