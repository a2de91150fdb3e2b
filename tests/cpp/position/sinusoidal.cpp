// Sinusoids: values from the paper, from other codebases, and what makes them a position code.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "made.hpp"
#include "position/registry.hpp"
#include "samples.hpp"
#include "table.hpp"
#include "values.hpp"

namespace posenc::test {
namespace {

enum : std::uint8_t { kInterleaved, kHalves };
enum : std::uint8_t { kWidthHalf, kWidthHalfLess1 };
enum : std::uint8_t { kSinCos, kCosSin };

std::unique_ptr<Encoding> sinusoidal(double width, double base = 10000, int layout = kInterleaved,
                                     int denominator = kWidthHalf, int order = kSinCos) {
  const auto index = static_cast<std::size_t>(find_encoding("sinusoidal"));
  std::vector<double> values = {width, base, static_cast<double>(layout),
                                static_cast<double>(denominator), static_cast<double>(order)};
  values = complete(*registry()[index], values);
  REQUIRE(resolve(*registry()[index], values).status == Status::ok);
  return registry()[index]->make(values);
}

std::vector<float> rows(const Encoding& encoding, const std::vector<std::int32_t>& positions) {
  const auto count = static_cast<std::int64_t>(positions.size());
  const auto width = static_cast<std::size_t>(encoding.embed()->width());
  std::vector<float> out(positions.size() * width, kUnwritten);
  encoding.embed()->rows({positions.data(), count}, out.data());
  return out;
}

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

TEST_CASE("the conventions in use give these rows") {
  struct Row {
    const char* what;
    double width;
    int layout, denominator, order;
    std::vector<double> expected;  // of position 1
  };
  // tensorflow/tensor2tensor#1925 and others: "halves or interleaved, is it a bug?" Both are in
  // use, and tensor2tensor also divides by d/2 − 1.
  const Row table[] = {
      {"paper", 4, kInterleaved, kWidthHalf, kSinCos, {.84147098, .54030231, .00999983, .99995}},
      {"halves", 4, kHalves, kWidthHalf, kSinCos, {.84147098, .00999983, .54030231, .99995}},
      {"tensor2tensor", 4, kHalves, kWidthHalfLess1, kSinCos, {.84147098, 1e-4, .54030231, 1}},
      {"cosines first", 4, kHalves, kWidthHalfLess1, kCosSin, {.54030231, 1, .84147098, 1e-4}},
      {"interleaved, cosines first",
       4,
       kInterleaved,
       kWidthHalf,
       kCosSin,
       {.54030231, .84147098, .99995, .00999983}},
      {"one column", 1, kInterleaved, kWidthHalf, kSinCos, {.84147098}},
      {"one column in halves", 1, kHalves, kWidthHalf, kSinCos, {0}},
      {"two columns", 2, kInterleaved, kWidthHalfLess1, kSinCos, {.84147098, .54030231}},
      {"odd: the last sine has no cosine",
       3,
       kInterleaved,
       kWidthHalf,
       kSinCos,
       {.84147098, .54030231, std::sin(std::pow(10000, -2.0 / 3))}},
      {"odd in halves: a column of zeros",
       5,
       kHalves,
       kWidthHalfLess1,
       kSinCos,
       {.84147098, 1e-4, .54030231, 1, 0}},
  };
  for (const Row& row : table) {
    CAPTURE(row.what);
    const auto encoding = sinusoidal(row.width, 10000, row.layout, row.denominator, row.order);
    CHECK(differences(rows(*encoding, {1}), row.expected) == "");
  }
}

TEST_CASE("diffusion timesteps: halves, shift 0 or 1, cosines first when flipped") {
  struct Row {
    double shift, flip;
    std::vector<double> expected;  // of timestep 10: e^(−ln(10000)·i/(2 − shift)) = 1, then 1/100
  };
  const double s = std::sin(10.0);
  const double c = std::cos(10.0);
  const Row rows_of[] = {
      {0, 0, {s, std::sin(.1), c, std::cos(.1)}},
      {1, 0, {s, std::sin(.001), c, std::cos(.001)}},
      {0, 1, {c, std::cos(.1), s, std::sin(.1)}},
      {1, 1, {c, std::cos(.001), s, std::sin(.001)}},
  };
  for (const Row& row : rows_of) {
    const auto encoding = Values("sinusoidal")
                              .set("width", 4)
                              .set("layout", kHalves)
                              .set("denominator", row.shift)
                              .set("order", row.flip)
                              .make();
    CHECK(differences(rows(*encoding, {10}), row.expected) == "");
  }
}

TEST_CASE("fairseq starts at padding_idx + 1, and padding is a row of zeros") {
  const auto fairseq = Values("sinusoidal")
                           .set("width", 6)
                           .set("layout", kHalves)
                           .set("denominator", kWidthHalfLess1)
                           .set("offset", 2)
                           .set("zeroPadding", 1)
                           .make();
  const auto plain = sinusoidal(6, 10000, kHalves, kWidthHalfLess1);
  CHECK(bit_differences(rows(*fairseq, {0, 1, 7}), rows(*plain, {2, 3, 9})) == "");
  CHECK(rows(*fairseq, {-1}) == std::vector<float>(6, 0.0F));
}

TEST_CASE("coordinates of an image share the row") {
  const std::int32_t place[] = {2, 3};
  const auto of = [](double p) {
    return std::vector<double>{std::sin(p), std::sin(p / 100), std::cos(p), std::cos(p / 100)};
  };
  const auto y = of(2);
  const auto x = of(3);
  const std::vector<double> expected[] = {
      {y[0], y[2], y[1], y[3], x[0], x[2], x[1], x[3]},
      {y[0], y[1], y[2], y[3], x[0], x[1], x[2], x[3]},
      {y[0], y[1], x[0], x[1], y[2], y[3], x[2], x[3]},
  };
  for (const int layout : {0, 1, 2}) {
    const Values values = Values("sinusoidal").set("width", 8).set("axes", 2).set("layout", layout);
    const auto encoding = values.make();
    std::vector<float> row(8, kUnwritten);
    encoding->embed()->rows({place, 1, 2}, row.data());
    CHECK(differences(row, expected[layout], {1e-7, 0}) == "");
    CHECK_FALSE(encoding->domain().holds({place, 2, 1}));
  }
  CHECK(Values("sinusoidal").set("width", 10).set("axes", 2).fault() ==
        "width: a multiple of 2 · axes");
}

TEST_CASE("positions are multiplied after the offset, each coordinate by its own number") {
  // LLaMA's 4096 stretched to 32768: the last position stands at 4095.875 (Chen 2023).
  const auto interpolated =
      made("sinusoidal", {{"width", 4}, {"positionScale", kept<double>({0.125})}});
  const double at = 4095.875;
  CHECK(differences(
            rows(*interpolated, {32767}),
            std::vector<double>{std::sin(at), std::cos(at), std::sin(at / 100), std::cos(at / 100)},
            {2e-7, 0}) == "");

  // DETR in a grid of 3 rows and 5 columns: the place (1, 2), counted from 1, in parts of 2π.
  const double pi = std::numbers::pi;
  const auto detr = made("sinusoidal", {{"width", 4},
                                        {"axes", 2},
                                        {"offset", 1},
                                        {"positionScale", kept<double>({2 * pi / 3, 2 * pi / 5})}});
  const std::int32_t place[] = {1, 2};
  std::vector<float> row(4, kUnwritten);
  detr->embed()->rows({place, 1, 2}, row.data());
  const double y = 2 * pi * 2 / 3;
  const double x = 2 * pi * 3 / 5;
  CHECK(differences(row, std::vector<double>{std::sin(y), std::cos(y), std::sin(x), std::cos(x)},
                    {2e-7, 0}) == "");

  const Refusal refused =
      refusal("sinusoidal", {{"width", 4}, {"axes", 2}, {"positionScale", kept<double>({1})}});
  CHECK(std::string(refused.option) == "positionScale");
  CHECK(std::string(refused.rule) == "one per axis");
}

TEST_CASE("the trained scale multiplies all rows, and has the gradient of that") {
  Values values = Values("sinusoidal").set("width", 5).give("scale", {0.5F});
  const auto encoding = values.make();
  const std::vector<std::int32_t> positions = {0, 3, 900};
  const auto plain = rows(*sinusoidal(5), positions);
  std::vector<double> half(plain.begin(), plain.end());
  for (double& x : half) x *= 0.5;
  CHECK(differences(rows(*encoding, positions), half, {1e-7, 0}) == "");

  const auto d_out = random_floats(15, 4);
  float d_scale = 10;  // gradients are added
  float* const grads[] = {&d_scale};
  encoding->embed()->rows_grad({positions.data(), 3}, d_out.data(), grads);
  CHECK(d_scale == doctest::Approx(10 + dot(d_out, plain)));
  float* const unwanted[] = {nullptr};
  encoding->embed()->rows_grad({positions.data(), 3}, d_out.data(), unwanted);
  CHECK(values.give("scale", {1, 2}).fault() == "scale: one number");
}

TEST_CASE("position 0 is sines of 0 and cosines of 0") {
  CHECK(rows(*sinusoidal(6), {0}) == std::vector<float>{0, 1, 0, 1, 0, 1});
  CHECK(rows(*sinusoidal(6, 10000, kHalves), {0}) == std::vector<float>{0, 0, 0, 1, 1, 1});
}

TEST_CASE("frequencies fall from 1 towards 1/base") {
  CHECK(differences(std::vector<float>{1, .1F, .01F, .001F}, sinusoidal(8)->frequencies()) == "");
  const auto to_the_end = sinusoidal(8, 10000, kHalves, kWidthHalfLess1);
  CHECK(to_the_end->frequencies().size() == 4);
  CHECK(to_the_end->frequencies()[3] == doctest::Approx(1e-4).epsilon(1e-14));
  CHECK(sinusoidal(127)->frequencies().size() == 64);
  CHECK(sinusoidal(127, 10000, kHalves)->frequencies().size() == 63);
  struct Row {
    double width, longest;  // longest wavelength / 2π
  };
  for (const Row row : {Row{64, 7498.94}, Row{128, 8659.64}, Row{512, 9646.62}}) {
    const auto encoding = sinusoidal(row.width);
    CHECK(1 / encoding->frequencies().back() == doctest::Approx(row.longest).epsilon(1e-6));
  }
}

TEST_CASE("an odd width has one more sine than cosines (gc-os-ai/pyaptamer#607)") {
  const auto encoding = sinusoidal(127);
  const std::vector<float> row = rows(*encoding, {0});
  CHECK(std::count(row.begin(), row.end(), 0.0F) == 64);
  CHECK(std::count(row.begin(), row.end(), 1.0F) == 63);
}

TEST_CASE("positions are as alike as the tutorial prints: cosine similarities for d = 128") {
  const auto encoding = sinusoidal(128);
  const auto similarity = [&](std::int32_t a, std::int32_t b) {
    const auto x = rows(*encoding, {a});
    const auto y = rows(*encoding, {b});
    return dot(x, y) / std::sqrt(dot(x, x) * dot(y, y));
  };
  const auto printed = [](double x) { return std::round(x * 1000) / 1000; };
  double adjacent = 0.0;
  for (std::int32_t p = 0; p < 99; ++p) adjacent += similarity(p, p + 1) / 99;
  CHECK(printed(adjacent) == .970);
  CHECK(printed(similarity(0, 1)) == .970);
  CHECK(printed(similarity(0, 5)) == .737);
  CHECK(printed(similarity(0, 10)) == .669);
  CHECK(printed(similarity(0, 20)) == .608);
  CHECK(printed(similarity(0, 50)) == .546);
}

TEST_CASE("products of rows depend on the distance alone (BrianPulfer/PapersReimplementations#9)") {
  const auto encoding = sinusoidal(32);
  std::vector<float> by_distance;
  for (const std::int32_t from : {0, 1, 17, 1000, 1 << 20}) {
    std::vector<float> products;
    for (std::int32_t k = 0; k < 20; ++k) {
      products.push_back(
          static_cast<float>(dot(rows(*encoding, {from}), rows(*encoding, {from + k})) / 16));
    }
    if (by_distance.empty()) by_distance = products;
    CHECK(differences(products, std::span<const float>(by_distance), {1e-6, 0}) == "");
  }
}

TEST_CASE("a shift is a linear map of the row, the same for every position") {
  // (sin, cos)(m + k) = rotation by k·w of (sin, cos)(m), pair by pair (Vaswani 2017, section 3.5).
  const auto encoding = sinusoidal(24);
  const auto frequencies = encoding->frequencies();
  for (const std::int32_t shift : {1, 7, -30, 5000}) {
    for (const std::int32_t from : {0, 3, 250, -9}) {
      const auto before = rows(*encoding, {from});
      std::vector<double> mapped;
      for (std::size_t i = 0; i < frequencies.size(); ++i) {
        const double c = std::cos(shift * frequencies[i]);
        const double s = std::sin(shift * frequencies[i]);
        mapped.push_back(c * before[2 * i] + s * before[2 * i + 1]);
        mapped.push_back(c * before[2 * i + 1] - s * before[2 * i]);
      }
      CHECK(differences(rows(*encoding, {from + shift}), mapped, {5e-7, 0}) == "");
    }
  }
}

TEST_CASE("neighbours far out are still told apart") {
  // In bfloat16, 257 is 256 and whole blocks of positions share a row
  // (huggingface/transformers#28685, huggingface/diffusers#13922).
  const auto encoding = sinusoidal(8);
  for (const std::int32_t from : {256, 2048, 65536, 1 << 24, kMaxPosition - 1}) {
    const auto a = rows(*encoding, {from});
    const auto b = rows(*encoding, {from + 1});
    CHECK(a[0] == doctest::Approx(std::sin(static_cast<double>(from))).epsilon(1e-5));
    CHECK(std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) > 0.5);
  }
}

}  // namespace
}  // namespace posenc::test
