// PoPE: magnitudes and phases, the width of turned rows, trained phases.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "attention_case.hpp"
#include "made.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

double softplus(double x) { return std::log1p(std::exp(x)); }

TEST_CASE("a dimension becomes a complex number of its softplus") {
  const auto encoding = made("pope", {{"headDim", 2}, {"base", 100}});
  CHECK(encoding->rotate()->turned_dim() == 4);
  CHECK(encoding->frequencies()[0] == 1);
  CHECK(encoding->frequencies()[1] == doctest::Approx(0.1));
  const auto y = turned(*encoding, {0.5, -2}, {3});
  CHECK(differences(y,
                    std::vector<double>{softplus(0.5) * std::cos(3), softplus(0.5) * std::sin(3),
                                        softplus(-2) * std::cos(0.3), softplus(-2) * std::sin(0.3)},
                    {1e-6, 0}) == "");
  // Far from 0 the softplus is x, or nearly 0.
  const auto far = turned(*encoding, {90, -120}, {0});
  CHECK(far[0] == 90);
  CHECK(far[2] >= 0);
  CHECK(far[2] < 1e-37);
}

TEST_CASE("keys have a phase, which is kept within -2π … 0") {
  const std::vector<float> phases = {-1, 0.5, -7, -0.25};
  const auto encoding = made("pope", {{"headDim", 2}, {"heads", 2}, {"phases", kept(phases)}});
  const std::vector<float> zeros(4, 0.0F);
  const auto q = turned(*encoding, zeros, {0}, {.heads = 2});
  const auto k = turned(*encoding, zeros, {0}, {.side = Side::key, .heads = 2});
  const double magnitude = std::log(2.0);
  const double clamped[] = {-1, 0, -2 * std::numbers::pi, -0.25};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(q[2 * i] == doctest::Approx(magnitude));
    CHECK(q[2 * i + 1] == 0);
    CHECK(k[2 * i] == doctest::Approx(magnitude * std::cos(clamped[i])));
    CHECK(std::abs(k[2 * i + 1] - magnitude * std::sin(clamped[i])) < 1e-6);
  }
}

TEST_CASE("products: what by magnitudes, where by phases") {
  // Σ_i softplus(q_i) softplus(k_i) cos((m − n)·w_i − δ_i)
  const std::int64_t d = 24;
  const std::vector<float> q = random_floats(d, 1);
  const std::vector<float> k = random_floats(d, 2);
  std::vector<float> phases = random_floats(d, 3);
  for (float& phase : phases) phase = -std::abs(phase);
  const auto encoding =
      made("pope", {{"headDim", static_cast<double>(d)}, {"phases", kept(phases)}});
  for (const std::int32_t distance : {0, 3, 500}) {
    double expected = 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double w = std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(d));
      expected += softplus(q[i]) * softplus(k[i]) * std::cos(distance * w - phases[i]);
    }
    for (const std::int32_t at : {0, 70000}) {
      const auto a = turned(*encoding, q, {at + distance});
      const auto b = turned(*encoding, k, {at}, {.side = Side::key});
      CHECK(dot(a, b) == doctest::Approx(expected).epsilon(1e-5));
    }
  }
}

TEST_CASE("dimensions that do not turn pass behind the others") {
  const auto encoding = made("pope", {{"headDim", 5}, {"turnedDims", 2}});
  CHECK(encoding->rotate()->turned_dim() == 7);
  const std::vector<float> x = random_floats(5, 4);
  const auto y = turned(*encoding, x, {9});
  CHECK(bit_differences(part(y, 4, 3), part(x, 2, 3)) == "");

  AttentionCase c;
  c.head_dim = 5;
  c.keys = 7;
  c.fill(5);
  c.encodings = {encoding.get()};
  CHECK(run(c).status == Status::ok);
}

TEST_CASE("the turn of a wider row has no inverse") {
  const auto encoding = made("pope", {{"headDim", 4}});
  const std::vector<float> x(4);
  std::vector<float> out(8);
  const std::int32_t position = 1;
  CHECK(rotate_tensor(*encoding->rotate(), {.x = x.data(),
                                            .out = out.data(),
                                            .batch = 1,
                                            .heads = 1,
                                            .tokens = 1,
                                            .positions = &position,
                                            .positions_per_batch = false,
                                            .axes = 1,
                                            .side = Side::query,
                                            .inverse = true}) == Status::unsupported);
}

TEST_CASE("gradients of phases") {
  std::vector<float> phases = random_floats(3 * 5, 6);
  for (float& phase : phases) phase = -0.1F - std::abs(phase);
  const auto make = [](const std::vector<float>& trained) {
    return made("pope",
                {{"headDim", 7}, {"turnedDims", 5}, {"heads", 3}, {"phases", kept(trained)}});
  };
  for (const int head : {0, 2}) {
    check_turn_grad(phases, {.side = Side::key, .head = head, .positions = {0, 5, -3, 100}}, make);
  }
  // Clamped phases and queries have none.
  const std::vector<float> x = random_floats(7, 7);
  const std::vector<float> d_out = random_floats(12, 8);
  const std::int32_t position = 4;
  const auto grad_of = [&](Side side, float phase) {
    const auto encoding = make(std::vector<float>(15, phase));
    std::vector<float> grad(15, 0.0F);
    float* const grads[] = {grad.data()};
    encoding->rotate()->turn_grad(side, 0, {&position, 1}, x.data(), d_out.data(), grads);
    return grad;
  };
  const std::vector<float> none(15, 0.0F);
  CHECK(grad_of(Side::key, 0.5F) == none);
  CHECK(grad_of(Side::query, -0.5F) == none);
  CHECK(grad_of(Side::key, -0.5F) != none);
}

TEST_CASE("options that do not fit are refused") {
  CHECK(std::string(refusal("pope", {{"headDim", 4}, {"turnedDims", 5}}).option) == "turnedDims");
  CHECK(std::string(refusal("pope", {{"headDim", 4}, {"heads", 2}}).option) == "heads");
  CHECK(std::string(
            refusal("pope", {{"headDim", 4}, {"phases", kept(random_floats(5, 1))}}).option) ==
        "phases");
}

}  // namespace
}  // namespace posenc::test
