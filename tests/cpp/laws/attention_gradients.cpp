// Gradients of attention with every encoding that acts inside it are those of finite differences of
// the float64 reference: by queries, keys, values, trained parameters and all that is added or
// multiplied.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "attention/rows.hpp"
#include "attention_case.hpp"
#include "finite_differences.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

/// A random sum of the output.
class Loss {
 public:
  Loss(AttentionCase& problem, const Reference& reference)
      : c_(problem),
        r_(reference),
        weights_(random_floats(c_.batch * c_.heads * c_.queries * c_.value_dim, 99)) {
    for (auto* numbers : {&c_.query, &c_.key, &c_.value, &c_.added.values, &c_.sink_logits,
                          &c_.head_scales, &c_.query_scales}) {
      round_to_steps(*numbers);
    }
    round_to_steps(scale_);
    c_.scale = scale_[0];
  }

  double value() const {
    const auto output = expected(c_, r_).output;
    double sum = 0.0;
    for (std::size_t i = 0; i < output.size(); ++i) {
      sum += static_cast<double>(weights_[i]) * output[i];
    }
    return sum;
  }

  const std::vector<float>& weights() const { return weights_; }

  /// Compares some gradient with finite differences by the numbers that it belongs to, at all of
  /// them or, with a stride, some.
  void check(const char* what, std::vector<float>& numbers, const std::vector<float>& gradient,
             std::size_t stride = 1) const {
    CAPTURE(std::string(what));
    REQUIRE(gradient.size() == numbers.size());
    std::vector<float> actual;
    std::vector<double> slopes;
    for (std::size_t i = 0; i < numbers.size(); i += stride) {
      actual.push_back(gradient[i]);
      slopes.push_back(central_difference(numbers, i, [this] { return value(); }));
    }
    CHECK(differences(actual, slopes, kGradientBounds) == "");
  }
  /// The same of the scale.
  void check_scale(double gradient) {
    const double slope = central_difference(scale_, 0, [this] {
      c_.scale = scale_[0];
      return value();
    });
    c_.scale = scale_[0];
    CHECK(differences(std::vector{static_cast<float>(gradient)}, std::vector{slope},
                      kGradientBounds) == "");
  }

 private:
  AttentionCase& c_;
  const Reference& r_;
  std::vector<float> weights_;
  std::vector<float> scale_ = {c_.scale};
};

/// Checks all gradients of a problem with an encoding, whose tensors are `trained` in table order
/// (null = not given); `of_bias` are those of a second encoding, with a bias.
void check_all(AttentionCase c, const Reference& reference, const std::vector<Tensor*>& trained,
               std::size_t stride = 1, const std::vector<Tensor*>& of_bias = {}) {
  Loss loss(c, reference);
  Gradients g;
  g.d_output = loss.weights();
  const auto zeros = [](const Tensor* tensor) {
    return std::vector<float>(tensor == nullptr ? 0 : tensor->numbers.size());
  };
  for (const Tensor* tensor : trained) g.tensors.push_back(zeros(tensor));
  for (const Tensor* tensor : of_bias) g.bias_tensors.push_back(zeros(tensor));
  REQUIRE(run(c, {.taps = false, .gradients = &g}).status == Status::ok);
  loss.check("query", c.query, g.query, stride);
  loss.check("key", c.key, g.key, stride);
  loss.check("value", c.value, g.value, stride);
  loss.check("added", c.added.values, g.added, stride);
  loss.check("sink_logits", c.sink_logits, g.sink_logits);
  loss.check("head_scales", c.head_scales, g.head_scales);
  loss.check("query_scales", c.query_scales, g.query_scales, stride);
  loss.check_scale(g.score_scale);
  for (std::size_t t = 0; t < trained.size(); ++t) {
    CAPTURE(t);
    if (trained[t] != nullptr) loss.check("tensor", trained[t]->numbers, g.tensors[t], stride);
  }
  for (std::size_t t = 0; t < of_bias.size(); ++t) {
    CAPTURE(t);
    if (of_bias[t] == nullptr) continue;
    loss.check("tensor of the bias", of_bias[t]->numbers, g.bias_tensors[t], stride);
  }
}

/// The trained tensors of a sample in table order, null = not given; rounded to steps.
std::vector<Tensor*> trained_of(const Sample& sample) {
  const auto values = complete(*sample.description, sample.values);
  std::vector<Tensor*> trained;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (sample.description->parameters[i].kind != Parameter::Kind::tensor) continue;
    const auto found =
        std::find_if(sample.tensors.begin(), sample.tensors.end(),
                     [&](const TensorPointer& tensor) { return tensor->value() == values[i]; });
    trained.push_back(found == sample.tensors.end() ? nullptr : found->get());
    if (trained.back() != nullptr) round_to_steps(trained.back()->numbers);
  }
  return trained;
}

/// Moves the units of DAPE away from their kinks, at which differences are no gradients.
void leave_kinks(const Sample& dape) {
  std::vector<float>& hidden = dape.tensors[1]->numbers;
  for (std::size_t i = 0; i < hidden.size(); ++i) hidden[i] = i % 2 == 0 ? 16.0F : -16.0F;
}

/// Calls law(sample, trained tensors) for every encoding that acts inside attention.
template <class Law>
void with_every_encoding(const AttentionCase& c, Law law) {
  for (const Sample& sample : samples(c.head_dim, static_cast<int>(c.heads), c.value_dim)) {
    const auto& hooks = sample.description->hooks;
    const bool acts =
        std::any_of(hooks.begin(), hooks.end(), [](Hook hook) { return hook != Hook::embed; });
    if (!acts && !hooks.empty()) continue;
    CAPTURE(sample.label);
    law(sample, trained_of(sample));
  }
}

TEST_CASE("gradients of every encoding are those of finite differences") {
  AttentionCase causal;
  causal.heads = 2;
  causal.kv_heads = 1;
  causal.queries = 4;
  causal.keys = 6;
  causal.head_dim = 4;
  causal.value_dim = 3;
  causal.fill(1);
  causal.causal = true;
  causal.softcap = 3.0F;

  AttentionCase padded = causal;
  padded.batch = 2;
  padded.queries = 2;
  padded.keys = 5;
  padded.value_dim = 4;
  padded.fill(2);
  padded.causal = false;
  padded.softcap = 0.0F;
  padded.window = 4;
  padded.key_mask = {1, 1, 0, 1, 1, 0, 1, 1, 1, 1};
  padded.sink_logits = {0.5F, -1.0F};
  padded.head_scales = {1.5F, 0.75F};
  padded.query_scales = {0.5F, 1.25F, 2.0F, -0.75F};
  for (const AttentionCase& c : {causal, padded}) {
    CAPTURE(c.batch);
    with_every_encoding(c, [&](const Sample& sample, const std::vector<Tensor*>& trained) {
      const auto encoding = sample.make();
      AttentionCase with = c;
      with.encodings = {encoding.get()};
      check_all(with, sample.reference, trained);
    });
  }
}

TEST_CASE("a scale of 0 has a gradient") {
  AttentionCase c;
  c.heads = 2;
  c.queries = 3;
  c.keys = 5;
  c.fill(4);
  c.head_scales = {1.0F, 0.0F};
  c.query_scales = {0.0F, 1.0F, -1.0F};
  check_all(c, {}, {});
}

TEST_CASE("heads are mixed over biases and weights, under masks of their own") {
  AttentionCase c;
  c.batch = 2;
  c.heads = 4;
  c.kv_heads = 2;
  c.queries = 3;
  c.keys = 5;
  c.head_dim = 4;
  c.value_dim = 3;
  c.fill(5);
  c.sink_logits = {0.5F, -1.0F, 0.0F, 2.0F};
  c.head_scales = {1.5F, 0.75F, -0.5F, 1.0F};
  // Each head hides other keys; what it does not see, others read the scores of.
  c.shown.shape[0] = c.shown.shape[2] = 1;
  c.shown.shape[1] = 4;
  c.shown.shape[3] = 5;
  c.shown.values = {1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0};
  c.added.shape[0] = c.added.shape[1] = 1;
  c.added.shape[2] = 3;
  c.added.shape[3] = 5;
  c.added.values = random_floats(15, 8);
  const auto all = samples(c.head_dim, 4, c.value_dim);
  const auto mixes = std::find_if(all.begin(), all.end(),
                                  [](const Sample& sample) { return sample.label == "dape"; });
  REQUIRE(mixes != all.end());
  leave_kinks(*mixes);
  const auto mix = mixes->make();
  int checked = 0;
  for (const Sample& sample : all) {
    if (!fills(*sample.description, Hook::bias) || sample.label.rfind("swin", 0) == 0) continue;
    // Biases so large that they carry DAPE's units back over their kinks.
    const std::string name = sample.description->name;
    if (name == "fire" || name == "fox") continue;
    CAPTURE(sample.label);
    const auto bias = sample.make();
    const std::vector<Tensor*> of_bias = trained_of(sample);
    for (const bool consecutive : {true, false}) {
      CAPTURE(consecutive);
      AttentionCase with = c;
      if (!consecutive) with.key_positions = {0, 2, 1, 3, 4};
      with.encodings = {mix.get(), bias.get()};
      Reference reference = sample.reference;
      reference.mix = mixes->reference.mix;
      check_all(with, reference, trained_of(*mixes), 1, of_bias);
    }
    ++checked;
  }
  CHECK(checked >= 10);
}

TEST_CASE("weights and biases at positions that are not consecutive") {
  AttentionCase c;
  c.heads = 2;
  c.queries = 3;
  c.keys = 5;
  c.fill(6);
  c.key_positions = {0, 7, 3, 4, 20};
  c.query_positions = {4, 21, 6};
  c.causal = true;
  for (const Sample& sample : samples(c.head_dim, 2)) {
    const auto encoding = sample.make();
    const Bias* bias = encoding->bias();
    if (bias == nullptr || !bias->toeplitz()) continue;
    CAPTURE(sample.label);
    AttentionCase with = c;
    with.encodings = {encoding.get()};
    check_all(with, sample.reference, trained_of(sample));
  }
}

TEST_CASE("gradients across the edges of tiles") {
  AttentionCase c;
  c.heads = 2;
  c.kv_heads = 1;
  c.queries = kQueryBlock + 3;
  c.keys = kKeyBlock + 5;
  c.head_dim = 9;
  c.value_dim = 6;
  c.fill(3);
  c.causal = true;
  const Description* last = nullptr;
  with_every_encoding(c, [&](const Sample& sample, std::vector<Tensor*> trained) {
    const auto encoding = sample.make();
    if (!unbounded(*encoding) || sample.description == last) return;
    last = sample.description;
    // Among so many distances some meet a kink of its units, where differences are no gradients.
    if (std::string(last->name) == "fire") trained.clear();
    if (std::string(last->name) == "dape") leave_kinks(sample);
    AttentionCase with = c;
    with.encodings = {encoding.get()};
    check_all(with, sample.reference, trained, 613);
  });
}

}  // namespace
}  // namespace posenc::test
