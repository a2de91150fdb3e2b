#include "hook_reference.hpp"

#include <cmath>

#include "core/simd.hpp"
#include "position/rotation.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::fuzz {

namespace {

using test::AttentionCase;
using test::Reference;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;

std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

/// A token at a position.
class Token {
 public:
  Token(std::int64_t position, int axes)
      : at_(coordinates({static_cast<std::int32_t>(position)}, axes)), axes_(axes) {}
  operator Positions() const { return {at_.data(), 1, axes_}; }  // NOLINT: stands for it

 private:
  std::vector<std::int32_t> at_;
  int axes_;
};

Doubles turned(const Rotate& rotate, int regime, Side side, int head, std::span<const float> row,
               const Token& token, bool inverse = false) {
  Floats cos(size(rotate.table_width()));
  Floats sin(cos.size());
  Floats out(size(rotate.turned_dim()));
  rotate.regime_table(regime, side, token, cos.data(), sin.data());
  if (inverse) invert_table(cos.data(), sin.data(), rotate.table_width());
  rotate.turn(side, head, row.data(), cos.data(), sin.data(), 1, out.data());
  return test::widen(out);
}

double dot(std::span<const double> x, const float* y) {
  double sum = 0.0;
  for (std::size_t i = 0; y != nullptr && i < x.size(); ++i)
    sum += x[i] * static_cast<double>(y[i]);
  return sum;
}

void add_rotation(const Rotate& rotate, int axes, Reference& r) {
  if (rotate.regimes() == 1) {
    r.turn = [&rotate, axes](Side side, int head, std::span<const float> row, std::int64_t at) {
      return turned(rotate, 0, side, head, row, {at, axes});
    };
    return;
  }
  r.product = [&rotate, axes](std::span<const float> query, std::span<const float> key,
                              std::int64_t query_at, std::int64_t key_at) {
    int regime = rotate.regimes() - 1;
    while (regime > 0 && key_at > rotate.last_key(regime, static_cast<std::int32_t>(query_at))) {
      --regime;
    }
    const Doubles q = turned(rotate, regime, Side::query, 0, query, {query_at, axes});
    const Doubles k = turned(rotate, regime, Side::key, 0, key, {key_at, axes});
    double sum = 0.0;
    for (std::size_t d = 0; d < q.size(); ++d) sum += q[d] * k[d];
    return sum;
  };
}

/// Terms of the places between the keys of a row and its query (CoPE).
Doubles gated(const Content& content, int head, std::span<const double> query,
              std::span<const double> scores) {
  Doubles added(scores.size());
  double open = 0.0;
  for (std::size_t n = scores.size(); n-- > 0;) {
    open += 1 / (1 + std::exp(-scores[n]));
    const double place = std::min(open, static_cast<double>(content.rows() - 1));
    const auto below = static_cast<std::int64_t>(place);
    const std::int64_t above = std::min(below + 1, content.rows() - 1);
    const auto term = [&](std::int64_t row) {
      return dot(query, content.query_vectors(head) + row * content.head_dim());
    };
    const double part = place - static_cast<double>(below);
    added[n] = (1 - part) * term(below) + part * term(above);
  }
  return added;
}

void add_content(const Content& content, Reference& r) {
  if (content.gated()) {
    r.row = [&content](int head, std::span<const double> query, std::span<const double> scores) {
      return gated(content, head, query, scores);
    };
    return;
  }
  const auto row_of = [](const float* vectors, std::int64_t row, std::int64_t width) {
    return vectors == nullptr ? nullptr : vectors + row * width;
  };
  r.content = [&content, row_of](int head, std::span<const double> query,
                                 std::span<const double> key, std::int64_t query_at,
                                 std::int64_t key_at) {
    const std::int64_t row = content.row(query_at - key_at);
    const float* offset = row_of(content.offsets(head), row, 1);
    return dot(query, row_of(content.query_vectors(head), row, content.head_dim())) +
           dot(key, row_of(content.key_vectors(head), row, content.head_dim())) +
           dot(key, content.global(head)) + (offset == nullptr ? 0.0 : double{*offset});
  };
  if (content.value_dim() == 0) return;
  r.value = [&content, row_of](int head, std::int64_t query_at, std::int64_t key_at,
                               std::int64_t column) {
    const float* vector =
        row_of(content.value_vectors(head), content.row(query_at - key_at), content.value_dim());
    return vector == nullptr ? 0.0 : double{vector[column]};
  };
}

void add_bias(const Bias& bias, int axes, Reference& r) {
  r.bias = [&bias, axes](int head, std::int64_t query_at, std::int64_t key_at) {
    float out = 0.0F;
    bias.row(head, Token(query_at, axes), Token(key_at, axes), &out);
    return double{out};
  };
  if (!bias.weighs()) return;
  r.weight = [&bias, axes](int head, std::int64_t query_at, std::int64_t key_at) {
    float out = 0.0F;
    bias.weights_row(head, Token(query_at, axes), Token(key_at, axes), &out);
    return double{out};
  };
}

double mixed(const HeadMix& mix, int head, const Doubles& scores, const Doubles& biases) {
  constexpr std::size_t kRegister = Batch::size;
  Floats all_scores(scores.size() * kRegister);
  Floats all_biases(all_scores.size());
  for (std::size_t h = 0; h < scores.size(); ++h) {
    all_scores[h * kRegister] = static_cast<float>(scores[h]);
    all_biases[h * kRegister] = static_cast<float>(biases[h]);
  }
  const float before = all_scores[size(head) * kRegister];
  mix.add(all_biases.data(), kRegister, kRegister, all_scores.data());
  return double{all_scores[size(head) * kRegister]} - double{before};
}

Reference reference_of(const ScoreTerms& terms, int axes) {
  Reference r;
  if (terms.rotate != nullptr) add_rotation(*terms.rotate, axes, r);
  if (terms.content != nullptr) add_content(*terms.content, r);
  if (terms.bias != nullptr) add_bias(*terms.bias, axes, r);
  if (terms.head_mix != nullptr) {
    r.mix = [mix = terms.head_mix](int head, std::span<const double> scores,
                                   std::span<const double> biases) {
      return mixed(*mix, head, {scores.begin(), scores.end()}, {biases.begin(), biases.end()});
    };
  }
  if (terms.scale != nullptr) {
    r.scale = [scale = terms.scale, axes](int head, std::int64_t query_at) {
      return double{scale->factor(head, Token(query_at, axes))};
    };
  }
  if (terms.mask != nullptr) {
    r.visible = [mask = terms.mask, axes](int head, std::int64_t query_at, std::int64_t key_at) {
      std::uint8_t visible = 1;
      mask->row(head, Token(query_at, axes), Token(key_at, axes), &visible);
      return visible != 0;
    };
  }
  return r;
}

/// Calls change(entry, head, token, row) for each row of a tensor.
template <class Change>
void each_row(Floats& x, std::int64_t heads, std::int64_t tokens, std::int64_t width,
              Change change) {
  const std::int64_t rows = static_cast<std::int64_t>(x.size()) / width;
  for (std::int64_t i = 0; i < rows; ++i) {
    change(i / tokens / heads, i / tokens % heads, i % tokens, x.data() + i * width);
  }
}

}  // namespace

std::vector<std::int32_t> coordinates(const std::vector<std::int32_t>& positions, int axes) {
  std::vector<std::int32_t> out;
  for (const std::int32_t position : positions) {
    for (int axis = 0; axis < axes; ++axis) {
      // Small on the others: the first that are outside of a table are those of the first axis.
      out.push_back(axis == 0 ? position : (position / (2 * axis)) % 2);
    }
  }
  return out;
}

test::Stages<double> expected(const AttentionCase& problem, const ScoreTerms& terms) {
  const Reference reference = reference_of(terms, problem.axes);
  if (terms.rotate == nullptr || !terms.rotate->turns_output_back()) {
    return test::expected(problem, reference);
  }
  AttentionCase c = problem;
  const Rotate& rotate = *terms.rotate;
  each_row(c.value, c.kv_heads, c.keys, c.value_dim,
           [&](std::int64_t entry, std::int64_t head, std::int64_t token, float* row) {
             const auto out = turned(rotate, 0, Side::key, static_cast<int>(head),
                                     {row, size(c.value_dim)}, {c.key_at(entry, token), c.axes});
             for (std::size_t d = 0; d < out.size(); ++d) row[d] = static_cast<float>(out[d]);
           });
  test::Stages<double> result = test::expected(c, reference);
  Floats output(result.output.begin(), result.output.end());
  result.output.clear();
  each_row(output, c.heads, c.queries, c.value_dim,
           [&](std::int64_t entry, std::int64_t head, std::int64_t token, float* row) {
             const auto out =
                 turned(rotate, 0, Side::query, static_cast<int>(head), {row, size(c.value_dim)},
                        {c.query_at(entry, token), c.axes}, true);
             result.output.insert(result.output.end(), out.begin(), out.end());
           });
  return result;
}

}  // namespace posenc::fuzz
