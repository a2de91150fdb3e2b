// Every trained parameter of every encoding has a gradient, that of finite differences of the
// float64 reference.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "content_loss.hpp"
#include "finite_differences.hpp"
#include "hook_losses.hpp"

namespace posenc::test {
namespace {

constexpr int kHeads = 3;
constexpr std::int64_t kWidth = 6;

struct Trained {
  const Parameter* parameter;
  Tensor* tensor;  ///< Null when not given.
};

/// The tensor parameters of the table.
std::vector<Trained> trained_parameters(const Sample& sample) {
  std::vector<Trained> found;
  const auto values = complete(*sample.description, sample.values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Parameter& parameter = sample.description->parameters[i];
    if (parameter.kind != Parameter::Kind::tensor) continue;
    found.push_back({&parameter, nullptr});
    for (const TensorPointer& tensor : sample.tensors) {
      if (tensor->value() == values[i]) found.back().tensor = tensor.get();
    }
    // A tensor that the sample does not hold cannot be moved.
    CHECK((found.back().tensor != nullptr) == !std::isnan(values[i]));
  }
  return found;
}

/// Checks the gradients of a sample's tensors. Returns the parameters that have one.
template <class Loss>
std::set<const Parameter*> check(const Sample& sample, Loss loss) {
  std::set<const Parameter*> moving;
  const std::vector<Trained> trained = trained_parameters(sample);
  std::vector<std::vector<float>> gradients;
  std::vector<float*> pointers;
  for (const auto& [parameter, tensor] : trained) {
    gradients.emplace_back(tensor == nullptr ? 0 : tensor->numbers.size(), 1.0F);
    if (tensor != nullptr) round_to_steps(tensor->numbers);
  }
  for (auto& gradient : gradients) pointers.push_back(gradient.empty() ? nullptr : gradient.data());
  loss.add_gradient(pointers);

  for (std::size_t t = 0; t < trained.size(); ++t) {
    const auto& [parameter, tensor] = trained[t];
    if (tensor == nullptr || tensor->numbers.empty()) continue;
    const std::string name = parameter->name;
    CAPTURE(name);
    auto expected = central_differences(tensor->numbers, [&] { return loss.value(); });
    const bool moves = std::any_of(expected.begin(), expected.end(),
                                   [](double slope) { return std::abs(slope) > 0.01; });
    CHECK(moves);
    if (moves) moving.insert(parameter);
    for (double& slope : expected) slope += 1;  // gradients are added to what is there
    CHECK(differences(gradients[t], expected, kGradientBounds) == "");
    // Null is a gradient that nobody wants; the others stay the same.
    std::vector<float> alone(gradients[t].size(), 1.0F);
    std::vector<float*> only(trained.size(), nullptr);
    only[t] = alone.data();
    loss.add_gradient(only);
    CHECK(bit_differences(alone, gradients[t]) == "");
  }
  return moving;
}

TEST_CASE("every trained parameter has the gradient of finite differences") {
  AttentionCase problem;
  problem.heads = problem.kv_heads = kHeads;
  problem.queries = 5;
  problem.keys = 9;
  problem.head_dim = kWidth;
  problem.value_dim = 4;
  std::set<const Parameter*> trained;
  for (const Sample& sample : samples(kWidth, kHeads, problem.value_dim)) {
    CAPTURE(sample.label);
    if (sample.make()->content() != nullptr) {
      trained.merge(check(sample, ContentLoss(sample, problem)));
    } else {
      trained.merge(check(sample, HookLoss(sample, kHeads)));
    }
  }
  for (const Description* description : registry()) {
    for (const Parameter& parameter : description->parameters) {
      if (parameter.kind != Parameter::Kind::tensor) continue;
      const std::string name = std::string(description->name) + " " + parameter.name;
      CAPTURE(name);
      CHECK(trained.contains(&parameter));
    }
  }
}

TEST_CASE("gradients by terms of content, queries and keys, whatever the shapes") {
  AttentionCase causal;
  causal.heads = 2;
  causal.queries = 4;
  causal.keys = 7;
  causal.head_dim = 5;
  causal.value_dim = 3;
  causal.causal = true;
  AttentionCase padded = causal;
  padded.batch = 2;
  padded.causal = false;
  padded.heads = padded.kv_heads = 1;
  padded.queries = padded.keys = 6;
  padded.head_dim = 1;
  padded.key_mask = {1, 1, 1, 1, 0, 0, 0, 1, 1, 0, 1, 1};
  padded.softcap = 2.0F;
  AttentionCase window = causal;
  window.causal = false;
  window.heads = 1;
  window.queries = window.keys = 6;
  window.head_dim = 9;
  window.window = 4;
  for (const AttentionCase& problem : {causal, padded, window}) {
    CAPTURE(problem.head_dim);
    for (const Sample& sample :
         samples(problem.head_dim, static_cast<int>(problem.heads), problem.value_dim)) {
      if (sample.make()->content() == nullptr) continue;
      CAPTURE(sample.label);
      ContentLoss loss(sample, problem);
      check(sample, loss);
      const std::vector<float*> none(trained_parameters(sample).size(), nullptr);
      loss.add_gradient(none);
      const auto value = [&] { return loss.value(); };
      CHECK(differences(loss.d_query, central_differences(loss.problem.query, value),
                        kGradientBounds) == "");
      CHECK(differences(loss.d_key, central_differences(loss.problem.key, value),
                        kGradientBounds) == "");
    }
  }
}

}  // namespace
}  // namespace posenc::test
