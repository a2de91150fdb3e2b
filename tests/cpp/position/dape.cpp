// DAPE: the perceptron across heads, and its gradients.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "attention_case.hpp"
#include "core/simd.hpp"
#include "finite_differences.hpp"
#include "made.hpp"
#include "samples.hpp"
#include "table.hpp"
#include "values.hpp"

namespace posenc::test {
namespace {

/// The scores with what is added to them, by equation 5, one number after another.
std::vector<double> mixed(int heads, int width, const std::vector<TensorPointer>& weights,
                          const std::vector<float>& scores, const std::vector<float>& biases) {
  const std::size_t count = scores.size() / static_cast<std::size_t>(heads);
  std::vector<double> out(scores.begin(), scores.end());
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> both;
    for (const auto* x : {&scores, &biases}) {
      for (std::size_t h = 0; h < static_cast<std::size_t>(heads); ++h) {
        both.push_back((*x)[h * count + i]);
      }
    }
    for (int h = 0; h < heads; ++h) {
      double sum = number(weights[3], h);
      for (int unit = 0; unit < width; ++unit) {
        double x = number(weights[1], unit);
        for (int j = 0; j < 2 * heads; ++j) {
          x += number(weights[0], unit * 2 * heads + j) * both[static_cast<std::size_t>(j)];
        }
        sum += number(weights[2], h * width + unit) * (x < 0 ? 0.01 * x : x);
      }
      out[static_cast<std::size_t>(h) * count + i] += sum;
    }
  }
  return out;
}

struct Perceptron {
  int heads, width;
  std::vector<TensorPointer> weights = {random_tensor(2 * heads * width, 1),
                                        random_tensor(width, 2), random_tensor(heads* width, 3),
                                        random_tensor(heads, 4)};

  std::shared_ptr<const Encoding> make() const {
    return Values("dape")
        .set("heads", heads)
        .set("width", width)
        .share("firstWeight", weights[0])
        .share("firstBias", weights[1])
        .share("lastWeight", weights[2])
        .share("lastBias", weights[3])
        .make();
  }
};

TEST_CASE("one head, one unit, by hand") {
  const auto encoding = made("dape", {{"heads", 1},
                                      {"width", 1},
                                      {"firstWeight", kept<float>({2, -1})},
                                      {"firstBias", kept<float>({0.5F})},
                                      {"lastWeight", kept<float>({3})},
                                      {"lastBias", kept<float>({-1})}});
  // 2·1 − 0.5 + 0.5 = 2 passes; 2·(−1) + 0.5 = −1.5 is leaked to −0.015.
  std::vector<float> scores(kLanes, 1.0F);
  scores[1] = -1.0F;
  std::vector<float> biases(kLanes, 0.5F);
  biases[1] = 0.0F;
  encoding->head_mix()->add(biases.data(), kLanes, kLanes, scores.data());
  CHECK(scores[0] == 1 + 3 * 2 - 1);
  CHECK(scores[1] == doctest::Approx(-1 - 3 * 0.015 - 1));
}

TEST_CASE("every pair of a query and a key sees all heads, and nothing of other pairs") {
  for (const auto& size : {std::pair{1, 1}, {3, 5}, {12, 32}}) {
    const int heads = size.first;
    const int width = size.second;
    CAPTURE(heads);
    const Perceptron perceptron{heads, width};
    const auto encoding = perceptron.make();
    CHECK(encoding->head_mix()->heads() == heads);
    const std::int64_t count = 3 * kLanes;
    const auto scores = random_floats(heads * count, 5);
    const auto biases = random_floats(heads * count, 6);
    auto actual = scores;
    encoding->head_mix()->add(biases.data(), count, count, actual.data());
    const auto expected = mixed(heads, width, perceptron.weights, scores, biases);
    CHECK(differences(actual, expected, {2e-5, 2e-5}) == "");
    // A part of them, a stride apart.
    auto last = scores;
    encoding->head_mix()->add(biases.data() + 2 * kLanes, kLanes, count, last.data() + 2 * kLanes);
    for (std::size_t i = 0; i < last.size(); ++i) {
      const bool part_of = static_cast<std::int64_t>(i) % count >= 2 * kLanes;
      CHECK(last[i] == (part_of ? actual : scores)[i]);
    }
  }
}

TEST_CASE("gradients are those of finite differences") {
  Perceptron perceptron{3, 4};
  const std::int64_t count = kLanes;
  auto scores = random_floats(3 * count, 7);
  auto biases = random_floats(3 * count, 8);
  for (const TensorPointer& tensor : perceptron.weights) round_to_steps(tensor->numbers);
  round_to_steps(scores);
  round_to_steps(biases);
  const auto d_sums = random_floats(3 * count, 9);
  const auto loss = [&] {
    const auto sums = mixed(3, 4, perceptron.weights, scores, biases);
    double sum = 0.0;
    for (std::size_t i = 0; i < sums.size(); ++i) sum += d_sums[i] * sums[i];
    return sum;
  };
  std::vector<float> d_scores(scores.size(), 1.0F);  // gradients are added to what is there
  std::vector<float> d_biases(biases.size(), 1.0F);
  std::vector<std::vector<float>> d_weights;
  std::vector<float*> grads;
  for (const TensorPointer& tensor : perceptron.weights) {
    d_weights.emplace_back(tensor->numbers.size(), 1.0F);
  }
  for (auto& d : d_weights) grads.push_back(d.data());
  const auto encoding = perceptron.make();
  const HeadMix& mix = *encoding->head_mix();
  mix.add_grad(scores.data(), biases.data(), d_sums.data(), count, count, d_scores.data(),
               d_biases.data(), grads);

  const auto check = [&](const std::vector<float>& actual, std::vector<float>& numbers) {
    auto expected = central_differences(numbers, loss);
    for (double& slope : expected) slope += 1;
    CHECK(differences(actual, expected, kGradientBounds) == "");
  };
  check(d_scores, scores);
  check(d_biases, biases);
  for (std::size_t i = 0; i < d_weights.size(); ++i) {
    CAPTURE(i);
    check(d_weights[i], perceptron.weights[i]->numbers);
  }
  const std::vector<float*> none(4, nullptr);
  mix.add_grad(scores.data(), biases.data(), d_sums.data(), count, count, nullptr, nullptr, none);
}

const Sample& labelled(const std::vector<Sample>& all, const char* label) {
  for (const Sample& sample : all) {
    if (sample.label == label) return sample;
  }
  FAIL("no sample " << label);
  return all[0];
}

TEST_CASE("in attention it reads the biases of the encoding beside it") {
  AttentionCase problem;
  problem.batch = 2;
  problem.heads = 4;
  problem.kv_heads = 2;
  problem.queries = 70;
  problem.keys = 110;
  problem.fill(11);
  problem.causal = true;
  const auto all = samples(problem.head_dim, 4);
  const Sample& dape = labelled(all, "dape");
  const auto mixing = dape.make();
  for (const char* beside : {"alibi", "kerple weights and power", "rope half"}) {
    for (const float softcap : {0.0F, 1.5F}) {
      CAPTURE(beside);
      CAPTURE(softcap);
      const Sample& other = labelled(all, beside);
      const auto encoding = other.make();
      Reference reference = other.reference;
      reference.mix = dape.reference.mix;
      problem.softcap = softcap;
      problem.encodings = {mixing.get(), encoding.get()};
      CHECK(stage_differences(run(problem), expected(problem, reference)) == "");
      CHECK(bit_differences(run(problem, {.taps = false}).output, run(problem).output) == "");
    }
  }
}

TEST_CASE("attention takes one content term, of its number of heads") {
  AttentionCase problem;
  problem.heads = problem.kv_heads = 2;
  problem.fill(12);
  const auto all = samples(problem.head_dim, 2);
  const auto dape = labelled(all, "dape").make();
  const auto cope = labelled(all, "cope").make();
  problem.encodings = {dape.get(), cope.get()};
  CHECK(run(problem).status == Status::conflict);
  problem.encodings = {dape.get()};
  CHECK(run(problem).status == Status::ok);
  problem.heads = problem.kv_heads = 1;
  CHECK(run(problem).status == Status::shape);
}

TEST_CASE("weights of other shapes are refused by name") {
  const auto with = [](std::int64_t first, std::int64_t hidden, std::int64_t last,
                       std::int64_t offsets) {
    const Refusal refused = refusal(
        "dape", {{"heads", 2},
                 {"width", 3},
                 {"firstWeight", kept(std::vector<float>(static_cast<std::size_t>(first)))},
                 {"firstBias", kept(std::vector<float>(static_cast<std::size_t>(hidden)))},
                 {"lastWeight", kept(std::vector<float>(static_cast<std::size_t>(last)))},
                 {"lastBias", kept(std::vector<float>(static_cast<std::size_t>(offsets)))}});
    return std::string(refused.option) + ": " + refused.rule;
  };
  CHECK(with(6, 3, 6, 2) == "firstWeight: 2 · heads · width numbers");
  CHECK(with(12, 2, 6, 2) == "firstBias: width numbers");
  CHECK(with(12, 3, 12, 2) == "lastWeight: heads · width numbers");
  CHECK(with(12, 3, 6, 1) == "lastBias: heads numbers");
}

}  // namespace
}  // namespace posenc::test
