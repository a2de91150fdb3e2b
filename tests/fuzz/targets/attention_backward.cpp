// Fuzzes `attention_backward`: gradients are slopes of the float64 reference along some direction.
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "hook_reference.hpp"
#include "problem.hpp"
#include "require.hpp"

namespace posenc::fuzz {
namespace {

using Floats = std::vector<float>;

bool all_finite(const auto& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](auto x) { return std::isfinite(x); });
}

/// A random sum of the output, and how it changes with what it was made of.
class Loss {
 public:
  Loss(Problem& problem, unsigned seed)
      : problem_(problem),
        random_(seed),
        weights_(test::random_floats(c().batch * c().heads * c().queries * c().value_dim, seed)) {}

  const Floats& weights() const { return weights_; }

  /// Checks a gradient along a direction that moves a few numbers.
  void check(const std::string& what, Floats& numbers, const Floats& gradient,
             const std::function<void()>& moved = {}) {
    if (numbers.empty() || gradient.empty()) return;
    require(gradient.size() == numbers.size(), what + " has another size");
    require(all_finite(gradient), what + " is not finite:" + problem_.text());
    const Floats before = numbers;
    Floats direction(numbers.size(), 0.0F);
    for (int i = 0; i < kMoved; ++i) {
      const std::size_t at = random_() % numbers.size();
      if (std::abs(numbers[at]) < kMost) direction[at] = random_() % 2 == 0 ? 1.0F : -1.0F;
    }
    double slope = 0.0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      slope += double{direction[i]} * double{gradient[i]};
    }
    const auto at = [&](float step) {
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = before[i] + step * direction[i];
      if (moved) moved();
      return value();
    };
    const double below = at(-kStep);
    const double above = at(kStep);
    const double here = at(0.0F);
    const double left = (here - below) / double{kStep};
    const double right = (above - here) / double{kStep};
    // Between both, so that neither kinks nor curves matter.
    const double most = std::max(std::abs(left), std::abs(right));
    const double slack = tolerance_ * (1.0 + most) + std::abs(right - left);
    require(!std::isfinite(most) ||
                (slope >= std::min(left, right) - slack && slope <= std::max(left, right) + slack),
            what + ": " + std::to_string(slope) + ", slopes " + std::to_string(left) + " and " +
                std::to_string(right) + problem_.text());
  }

  /// Sets what the hooks, which work in single precision, leave uncertain.
  void set_size(double size) { tolerance_ = 1e-3 * size; }

 private:
  static constexpr int kMoved = 6;
  static constexpr float kStep = 1.0F / 1024;
  static constexpr float kMost = 1000.0F;  ///< What a step moves exactly enough.

  const test::AttentionCase& c() const { return problem_.attention; }
  double value() const {
    const auto output = expected(c(), problem_.encodings.terms()).output;
    double sum = 0.0;
    for (std::size_t i = 0; i < output.size(); ++i) sum += double{weights_[i]} * output[i];
    return sum;
  }

  Problem& problem_;
  std::minstd_rand random_;
  Floats weights_;
  double tolerance_ = 0.0;
};

/// True when trained angles of tokens turn by more than a little with each step.
bool turns_far(const Problem& problem) {
  const auto far = [](std::int32_t x) { return x < -64 || x > 64; };
  const test::AttentionCase& c = problem.attention;
  return problem.encodings.terms().rotate != nullptr &&
         (std::any_of(c.query_positions.begin(), c.query_positions.end(), far) ||
          std::any_of(c.key_positions.begin(), c.key_positions.end(), far));
}

void go_back(Bytes bytes) {
  const unsigned seed = bytes.byte();
  const auto offset = static_cast<int>(bytes.below(4));
  Problem problem(bytes, {.most_tokens = 20, .most_pairs = 300});
  test::AttentionCase& c = problem.attention;
  if (problem.made != Status::ok || !problem.fits) return;
  // A cap that is narrower than the steps has no slope that they could find.
  if (c.softcap > 0 && c.softcap < 0.1F) return;
  Loss loss(problem, seed);
  const std::vector<test::Tensor*> trained = problem.encodings.trained();
  test::Gradients g;
  g.d_output = loss.weights();
  for (const test::Tensor* tensor : trained) {
    g.tensors.emplace_back(tensor == nullptr ? 0 : tensor->numbers.size());
  }
  if (getenv("DBG")) {
    const std::string d = getenv("DBG");
    if (d.find('c') != d.npos) c.softcap = 0;
    if (d.find('s') != d.npos) c.sink_logits.clear();
    if (d.find('a') != d.npos) c.added = {};
    if (d.find('m') != d.npos) c.key_mask.clear();
    if (d.find('v') != d.npos) c.shown = {};
    if (d.find('k') != d.npos) c.scale = 1;
    for (float x : c.added.values) fprintf(stderr, "added %g ", double(x));
    for (float x : c.sink_logits) fprintf(stderr, "sink %g ", double(x));
    for (float x : c.head_scales) fprintf(stderr, "hs %g ", double(x));
    for (float x : c.query_scales) fprintf(stderr, "qs %g ", double(x));
  }
  const auto run = [&](test::Gradients& gradients) {
    return test::run(
        c, {.taps = false, .gradients = &gradients, .offset = offset, .zero_axes = false});
  };
  if (run(g).status != Status::ok) return;
  const auto wanted = expected(c, problem.encodings.terms());
  if (!is_moderate(wanted) || !all_finite(wanted.output)) return;
  test::Gradients again = g;
  for (auto& tensor : again.tensors) std::fill(tensor.begin(), tensor.end(), 0.0F);
  require(run(again).status == Status::ok, "the same call is refused");
  require_same(test::bit_differences(again.query, g.query), "another gradient of the query");
  require_same(test::bit_differences(again.key, g.key), "another gradient of the key");

  if (!problem.encodings.has_plain_tensors()) return;

  loss.set_size(tolerance_of(wanted, {1.0, 1.0}).absolute);
  loss.check("query", c.query, g.query);
  loss.check("key", c.key, g.key);
  loss.check("value", c.value, g.value);
  loss.check("added", c.added.values, g.added);
  loss.check("sink logits", c.sink_logits, g.sink_logits);
  loss.check("head scales", c.head_scales, g.head_scales);
  loss.check("query scales", c.query_scales, g.query_scales);
  Floats scale = {c.scale};
  loss.check("scale", scale, {static_cast<float>(g.score_scale)}, [&] { c.scale = scale[0]; });
  if (turns_far(problem)) return;
  for (std::size_t t = 0; t < trained.size(); ++t) {
    if (trained[t] == nullptr) continue;
    loss.check("tensor " + std::to_string(t), trained[t]->numbers, g.tensors[t], [&] {
      problem.encodings.make();
      c.encodings = problem.encodings.list();
    });
  }
}

}  // namespace
}  // namespace posenc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  posenc::fuzz::go_back({data, size});
  return 0;
}
