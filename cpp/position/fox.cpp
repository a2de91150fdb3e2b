// The Forgetting Transformer's bias (Lin 2025, section 3): each token has a forget gate between 0
// and 1 per head, made from its content; a query at m adds to the logit of a key at n the log gates
// of all tokens after the key up to the query itself: Σ_{l = n+1 … m} ln f_l. Also known as
// data-dependent ALiBi: gates that are all e^-a are ALiBi with slope a.
//
// The caller makes the log gates, ln sigmoid(w·x_t + b), of every token so far of one sequence;
// when decoding, one more per head and token. Positions are indices into them: 0 … tokens − 1.
//
// Keys after the query, in bidirectional attention, get Σ_{l = m+1 … n} of the log gates, or of
// futureLogGates where a model has two kinds of gates (x-transformers' DataDependentAlibi).
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/buffer.hpp"
#include "position/array_counts.hpp"
#include "position/gradient.hpp"
#include "position/registry.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t { kHeads, kTokens, kLogGates, kFutureLogGates, kParameters };

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("heads", 1, 4096, {"头数", "number of heads"}).required(),
    Parameter::integer(
        "tokens", 1, 1 << 30,
        {"门的个数：位置从 0 到 tokens − 1", "number of gates: positions run from 0 to tokens − 1"})
        .required(),
    Parameter::tensor("logGates",
                      {"每个头、每个词元的遗忘门的对数（不大于零），形状（heads，tokens）",
                       "logarithm of the forget gate of every head and token, at most 0, shape "
                       "(heads, tokens)"})
        .required(),
    Parameter::tensor("futureLogGates",
                      {"查询之后的键所用的门的对数，形状（heads，tokens）；默认与 logGates 相同",
                       "log gates for keys after the query, shape (heads, tokens); logGates unless "
                       "given"}),
};

constexpr Hook kHooks[] = {Hook::bias};

/// A closed gate: e^-10000 is 0 in float32, while differences of sums of it stay numbers, which
/// those of −∞ do not.
constexpr double kClosed = -1e4;

/// Sums of the log gates of each head up to and including every token, in float64: their
/// differences stay exact to float32 however long the sequence.
Buffer<double> cumulated(std::span<const float> log_gates, std::int64_t tokens) {
  Buffer<double> sums(static_cast<std::int64_t>(log_gates.size()));
  if (!sums.ok()) return sums;
  double sum = 0.0;
  for (std::size_t i = 0; i < log_gates.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (at % tokens == 0) sum = 0.0;
    sum += std::max(static_cast<double>(log_gates[i]), kClosed);
    sums[at] = sum;
  }
  return sums;
}

class Fox final : public Encoding, public Bias {
 public:
  /// `future` is empty where keys after the query use the same gates.
  Fox(std::span<const double> values, Buffer<double> past, Buffer<double> future)
      : heads_(static_cast<int>(values[kHeads])),
        tokens_(static_cast<std::int64_t>(values[kTokens])),
        two_kinds_(!std::isnan(values[kFutureLogGates])),
        past_(std::move(past)),
        future_(std::move(future)) {}
  const Bias* bias() const override { return this; }
  bool relative() const override { return false; }
  PositionDomain domain() const override {
    return {.low = 0, .high = static_cast<std::int32_t>(tokens_ - 1)};
  }

  int heads() const override { return heads_; }
  bool toeplitz() const override { return false; }
  void row(int head, Positions query, Positions keys, float* out) const override {
    const double* past = past_.data() + head * tokens_;
    const double* future = two_kinds_ ? future_.data() + head * tokens_ : past;
    const std::int64_t m = query.at(0);
    for (std::int64_t i = 0; i < keys.count; ++i) {
      const std::int64_t n = keys.at(i);
      out[i] = static_cast<float>(n <= m ? past[m] - past[n] : future[n] - future[m]);
    }
  }
  void row_grad(int head, Positions query, Positions keys, const float* d_row,
                std::span<float* const> grads) const override {
    // A gate takes part in the biases of all keys beyond it: where keys come in the order of their
    // positions, gates between two of them are visited once.
    const std::int64_t m = query.at(0);
    float* const past = grads[0];
    double sum = 0.0;
    for (std::int64_t i = 0; i < keys.count; ++i) {
      const std::int64_t n = keys.at(i);
      if (n >= m) continue;
      sum += static_cast<double>(d_row[i]);
      const bool next_follows = i + 1 < keys.count && keys.at(i + 1) > n && keys.at(i + 1) < m;
      const std::int64_t last = next_follows ? keys.at(i + 1) : m;
      for (std::int64_t l = n + 1; l <= last; ++l) add_to(past, head * tokens_ + l, sum);
      if (!next_follows) sum = 0.0;
    }
    float* const future = two_kinds_ ? grads[1] : grads[0];
    for (std::int64_t i = keys.count - 1; i >= 0; --i) {
      const std::int64_t n = keys.at(i);
      if (n <= m) continue;
      sum += static_cast<double>(d_row[i]);
      const bool next_follows = i > 0 && keys.at(i - 1) < n && keys.at(i - 1) > m;
      const std::int64_t first = next_follows ? keys.at(i - 1) : m;
      for (std::int64_t l = first + 1; l <= n; ++l) add_to(future, head * tokens_ + l, sum);
      if (!next_follows) sum = 0.0;
    }
  }

 private:
  int heads_;
  std::int64_t tokens_;
  bool two_kinds_;
  Buffer<double> past_;    // (heads, tokens)
  Buffer<double> future_;  // (heads, tokens)
};

Fault derive(std::span<double> values) {
  const double count = values[kHeads] * values[kTokens];
  return check_counts(values, {{kLogGates, count, "heads · tokens numbers"},
                               {kFutureLogGates, count, "heads · tokens numbers", true}});
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  const auto tokens = static_cast<std::int64_t>(values[kTokens]);
  Buffer<double> past = cumulated(numbers<float>(values[kLogGates]), tokens);
  Buffer<double> future = cumulated(numbers<float>(values[kFutureLogGates]), tokens);
  if (!past.ok() || !future.ok()) return nullptr;
  return std::make_unique<Fox>(values, std::move(past), std::move(future));
}

}  // namespace

extern const Description fox = {
    .name = "fox",
    .title = {.zh = "遗忘门偏置（FoX，数据相关的 ALiBi）",
              .en = "Forget-gate bias (FoX, data-dependent ALiBi)"},
    .year = 2025,
    .paper = "Lin et al., Forgetting Transformer: Softmax Attention with a Forget Gate",
    .url = "https://arxiv.org/abs/2503.02130",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
