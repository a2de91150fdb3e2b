// Fourier features: values by hand, several coordinates, gradients by finite differences.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "table.hpp"
#include "values.hpp"

namespace posenc::test {
namespace {

std::vector<float> rows(const Encoding& encoding, const std::vector<std::int32_t>& positions,
                        int axes) {
  const auto count = static_cast<std::int64_t>(positions.size()) / axes;
  std::vector<float> out(static_cast<std::size_t>(count * encoding.embed()->width()), kUnwritten);
  encoding.embed()->rows({positions.data(), count, axes}, out.data());
  return out;
}

TEST_CASE("fourier: cosines, then sines, over the square root of their number") {
  const auto encoding = Values("fourier").give("frequencies", {0.5F, 2}).make();
  REQUIRE(encoding->embed()->width() == 4);
  const std::vector<double> expected = {std::cos(1.5) / 2, std::cos(6.0) / 2, std::sin(1.5) / 2,
                                        std::sin(6.0) / 2};
  CHECK(differences(rows(*encoding, {3}, 1), expected, {1e-7, 0}) == "");
}

TEST_CASE("fourier: coordinates add up in the angle") {
  const auto encoding = Values("fourier").set("axes", 2).give("frequencies", {0.5F, -2}).make();
  // w·x = 0.5·3 − 2·4.
  const double norm = std::sqrt(2.0);
  CHECK(differences(rows(*encoding, {3, 4}, 2),
                    std::vector<double>{std::cos(-6.5) / norm, std::sin(-6.5) / norm},
                    {1e-7, 0}) == "");
  const std::int32_t position[] = {3, 4};
  CHECK(encoding->domain().holds({position, 1, 2}));
  CHECK_FALSE(encoding->domain().holds({position, 2, 1}));
}

TEST_CASE("fourier: GELU between two layers") {
  // At position 0 the features are 1, 0 over √2.
  const auto encoding = Values("fourier")
                            .give("frequencies", {1})
                            .give("hiddenWeights", {2, -2, 7, 7})
                            .give("hiddenBias", {1, 0})
                            .give("rowWeights", {1, 10, 100})
                            .give("rowBias", {0.5F});
  CHECK(encoding.fault() == "rowWeights: hidden · width numbers");
  auto fitting = Values(encoding).give("rowWeights", {1, 10}).make();
  const auto gelu = [](double x) { return x * std::erfc(-x / std::sqrt(2.0)) / 2; };
  const double expected = 0.5 + gelu(std::sqrt(2.0) + 1) + 10 * gelu(-std::sqrt(2.0));
  CHECK(rows(*fitting, {0}, 1)[0] == doctest::Approx(expected).epsilon(1e-6));
}

constexpr int kAxes = 2;
const std::vector<std::int32_t> kPositions = {0, 1, 3, -2, 1, 1};

Values with(const std::vector<std::vector<float>>& parameters) {
  constexpr const char* kNames[] = {"frequencies", "hiddenWeights", "hiddenBias", "rowWeights",
                                    "rowBias"};
  Values values = Values("fourier").set("axes", kAxes);
  for (std::size_t i = 0; i < parameters.size(); ++i) values.give(kNames[i], parameters[i]);
  return values;
}

/// Σ d_out · rows.
double loss(const std::vector<std::vector<float>>& parameters, const std::vector<float>& d_out) {
  const auto out = rows(*with(parameters).make(), kPositions, kAxes);
  double sum = 0.0;
  for (std::size_t i = 0; i < out.size(); ++i) sum += static_cast<double>(out[i]) * d_out[i];
  return sum;
}

TEST_CASE("fourier: gradients are those of finite differences") {
  // 3 pairs, 7 hidden units, 5 columns.
  const std::vector<std::vector<float>> deep = {random_floats(6, 1), random_floats(42, 2),
                                                random_floats(7, 3), random_floats(35, 4),
                                                random_floats(5, 5)};
  const std::vector<std::vector<float>> bare = {deep[0]};
  for (auto parameters : {deep, bare}) {
    const std::int64_t width = parameters.size() == 1 ? 6 : 5;
    const auto d_out = random_floats(3 * width, 6);
    std::vector<std::vector<float>> d;
    std::vector<float*> grads(5, nullptr);
    for (const auto& p : parameters) d.emplace_back(p.size(), 1.0F);  // gradients are added to
    for (std::size_t i = 0; i < d.size(); ++i) grads[i] = d[i].data();
    const auto encoding = with(parameters).make();
    encoding->embed()->rows_grad({kPositions.data(), 3, kAxes}, d_out.data(), grads);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      for (std::size_t k = 0; k < parameters[i].size(); ++k) {
        constexpr float kStep = 1.0F / 128;
        auto moved = parameters;
        moved[i][k] += kStep;
        const double above = loss(moved, d_out);
        moved[i][k] -= 2 * kStep;
        const double slope = (above - loss(moved, d_out)) / (2 * kStep);
        CAPTURE(i);
        CAPTURE(k);
        CHECK(std::abs(d[i][k] - 1 - slope) <= 1e-3 * (1 + std::abs(slope)));
      }
    }
    // What is not wanted is not written.
    std::vector<float*> none(5, nullptr);
    encoding->embed()->rows_grad({kPositions.data(), 3, kAxes}, d_out.data(), none);
  }
}

TEST_CASE("fourier: what does not fit is refused") {
  const Values bare = Values("fourier").give("frequencies", {1, 2, 3});
  CHECK(bare.fault() == "");
  CHECK(Values(bare).set("axes", 2).fault() == "frequencies: features / 2 · axes numbers");
  CHECK(Values(bare).give("rowBias", {1}).fault() == "hiddenBias: given, as the other layers are");
  CHECK(Values(bare).give("hiddenBias", {1}).fault() == "rowBias: given, as the other layers are");
  CHECK(Values(bare).give("hiddenBias", {1}).give("rowBias", {1}).fault() ==
        "hiddenWeights: features · hidden numbers");
}

}  // namespace
}  // namespace posenc::test
