// Attention with a state against its recurrence in float64: every rule, grouped heads, odd widths;
// and in two parts, the second of which goes on from the state of the first.
#include "attention/linear.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "table.hpp"

namespace posenc::test {
namespace {

struct LinearCase {
  std::int64_t batch, heads, kv_heads, tokens, key_dim, value_dim;
  std::int64_t decay_dim, beta_heads;  // 0 = the rule does without
  std::vector<float> query{}, key{}, value{}, decay{}, beta{}, state{}, output{};

  void fill() {
    const std::int64_t rows = batch * tokens;
    query = random_floats(rows * heads * key_dim, 1);
    key = random_floats(rows * kv_heads * key_dim, 2);
    // Short keys and rates below 1, as in trained models: the delta rule then forgets.
    for (float& k : key) k /= std::sqrt(static_cast<float>(2 * key_dim));
    value = random_floats(rows * kv_heads * value_dim, 3);
    decay = random_floats(rows * kv_heads * decay_dim, 4);
    for (float& g : decay) g = -0.1F * std::abs(g);
    beta = random_floats(rows * beta_heads, 5);
    for (float& b : beta) b = 1 / (1 + std::exp(-b));
    state = random_floats(batch * kv_heads * key_dim * value_dim, 6);
    output.assign(static_cast<std::size_t>(rows * heads * value_dim), kUnwritten);
  }

  LinearAttentionProblem problem() {
    return {.batch = batch,
            .heads = heads,
            .kv_heads = kv_heads,
            .tokens = tokens,
            .key_dim = key_dim,
            .value_dim = value_dim,
            .query = query.data(),
            .key = key.data(),
            .value = value.data(),
            .decay = decay_dim == 0 ? nullptr : decay.data(),
            .decay_dim = std::max<std::int64_t>(decay_dim, 1),
            .beta = beta_heads == 0 ? nullptr : beta.data(),
            .beta_heads = std::max<std::int64_t>(beta_heads, 1),
            .scale = 0.3F,
            .state = state.data(),
            .output = output.data()};
  }
};

struct Expected {
  std::vector<double> output, state;
};

/// S ← e^g S; v ← β(v − Sᵀk); S ← S + k vᵀ; output = scale · Sᵀq.
Expected recurrence(const LinearCase& c) {
  Expected e{std::vector<double>(c.output.size()), widen(c.state)};
  const auto at = [](const std::vector<float>& x, std::int64_t i) {
    return static_cast<double>(x[static_cast<std::size_t>(i)]);
  };
  for (std::int64_t row = 0; row < c.batch * c.tokens; ++row) {
    for (std::int64_t h = 0; h < c.kv_heads; ++h) {
      const std::int64_t kv = row * c.kv_heads + h;
      double* state = e.state.data() + (row / c.tokens * c.kv_heads + h) * c.key_dim * c.value_dim;
      for (std::int64_t m = 0; m < c.value_dim; ++m) {
        double v = at(c.value, kv * c.value_dim + m);
        double recalled = 0;
        for (std::int64_t d = 0; d < c.key_dim; ++d) {
          double& s = state[d * c.value_dim + m];
          if (c.decay_dim > 0) s *= std::exp(at(c.decay, kv * c.decay_dim + d % c.decay_dim));
          recalled += s * at(c.key, kv * c.key_dim + d);
        }
        if (c.beta_heads > 0)
          v = at(c.beta, row * c.beta_heads + h % c.beta_heads) * (v - recalled);
        for (std::int64_t d = 0; d < c.key_dim; ++d) {
          state[d * c.value_dim + m] += at(c.key, kv * c.key_dim + d) * v;
        }
      }
      const std::int64_t group = c.heads / c.kv_heads;
      for (std::int64_t q = row * c.heads + h * group; q < row * c.heads + (h + 1) * group; ++q) {
        for (std::int64_t m = 0; m < c.value_dim; ++m) {
          double sum = 0;
          for (std::int64_t d = 0; d < c.key_dim; ++d) {
            sum += at(c.query, q * c.key_dim + d) * state[d * c.value_dim + m];
          }
          e.output[static_cast<std::size_t>(q * c.value_dim + m)] = 0.3 * sum;
        }
      }
    }
  }
  return e;
}

/// Sums of up to 17 products of numbers around 1, and rounding that is carried on for 60 tokens.
constexpr Tolerance kCarried = {2e-5, 2e-5};

TEST_CASE("attention with a state is its recurrence") {
  LinearCase cases[] = {
      {2, 4, 2, 60, 17, 9, 0, 0}, {2, 4, 2, 60, 17, 9, 1, 0}, {2, 4, 2, 60, 17, 9, 17, 0},
      {2, 4, 2, 60, 17, 9, 0, 1}, {2, 4, 2, 60, 17, 9, 0, 2}, {2, 4, 2, 60, 17, 9, 17, 2},
      {1, 3, 3, 5, 1, 1, 1, 3},   {1, 1, 1, 1, 4, 8, 4, 1},   {3, 6, 1, 7, 3, 13, 1, 1},
      {1, 2, 1, 0, 3, 4, 0, 0},   {0, 2, 1, 4, 3, 4, 0, 0},
  };
  for (LinearCase& c : cases) {
    CAPTURE(c.key_dim);
    CAPTURE(c.decay_dim);
    CAPTURE(c.beta_heads);
    c.fill();
    const Expected expected = recurrence(c);
    CHECK(linear_attention(c.problem()) == Status::ok);
    CHECK(differences(c.output, expected.output, kCarried) == "");
    CHECK(differences(c.state, expected.state, kCarried) == "");
  }
}

TEST_CASE("attention with a state goes on where it stopped") {
  LinearCase whole{1, 2, 1, 9, 5, 6, 5, 1};
  whole.fill();
  LinearCase parts = whole;
  CHECK(linear_attention(whole.problem()) == Status::ok);
  LinearAttentionProblem first = parts.problem();
  first.tokens = 4;
  CHECK(linear_attention(first) == Status::ok);
  LinearAttentionProblem second = parts.problem();
  second.tokens = 5;
  second.query += 4 * 2 * 5;
  second.key += 4 * 5;
  second.value += 4 * 6;
  second.decay += 4 * 5;
  second.beta += 4;
  second.output += 4 * 2 * 6;
  CHECK(linear_attention(second) == Status::ok);
  CHECK(bit_differences(parts.output, whole.output) == "");
  CHECK(bit_differences(parts.state, whole.state) == "");
}

TEST_CASE("attention with a state refuses dimensions that do not fit") {
  for (const auto& change : {+[](LinearAttentionProblem& p) { p.kv_heads = 3; },
                             +[](LinearAttentionProblem& p) { p.kv_heads = 0; },
                             +[](LinearAttentionProblem& p) { p.tokens = -1; },
                             +[](LinearAttentionProblem& p) { p.key_dim = 0; },
                             +[](LinearAttentionProblem& p) { p.decay_dim = 2; },
                             +[](LinearAttentionProblem& p) { p.beta_heads = 3; }}) {
    LinearCase c{1, 4, 2, 3, 5, 6, 5, 2};
    c.fill();
    LinearAttentionProblem p = c.problem();
    change(p);
    CHECK(linear_attention(p) == Status::shape);
    CHECK(c.output == std::vector<float>(c.output.size(), kUnwritten));
  }
}

}  // namespace
}  // namespace posenc::test
