// CAPE: sinusoids at real positions, which training shifts and stretches.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "made.hpp"
#include "position/registry.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

std::vector<float> rows(const Encoding& encoding, const std::vector<std::int32_t>& positions) {
  const auto width = static_cast<std::size_t>(encoding.embed()->width());
  std::vector<float> out(positions.size() * width, kUnwritten);
  encoding.embed()->rows({positions.data(), static_cast<std::int64_t>(positions.size())},
                         out.data());
  return out;
}

/// Where positions stand, within ±π: sine and cosine of the first frequency, which is 1.
std::vector<double> places(const Options& options, const std::vector<std::int32_t>& positions) {
  Options all = {{"width", 2}};
  all.insert(all.end(), options.begin(), options.end());
  const auto row = rows(*made("cape", all), positions);
  std::vector<double> out;
  for (std::size_t i = 0; i < row.size(); i += 2) out.push_back(std::atan2(row[i], row[i + 1]));
  return out;
}

void check_near(const std::vector<double>& actual, const std::vector<double>& expected) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(actual[i] - expected[i]) < 3e-7);
  }
}

TEST_CASE("in use, and where nothing is drawn, CAPE is the sinusoid of the paper") {
  const std::vector<std::int32_t> positions = {-7, 0, 1, 300, 123456};
  for (const double width : {5, 64}) {
    const auto sinusoid = rows(*made("sinusoidal", {{"width", width}, {"base", 500}}), positions);
    const Options in_use = {{"width", width},  {"base", 500},     {"globalShift", 60},
                            {"localShift", 1}, {"maxScale", 1.1}, {"seed", 3}};
    CHECK(bit_differences(rows(*made("cape", in_use), positions), sinusoid) == "");
    const Options nothing = {{"width", width}, {"base", 500}, {"training", 1}, {"seed", 3}};
    CHECK(bit_differences(rows(*made("cape", nothing), positions), sinusoid) == "");
  }
}

TEST_CASE("positions are centred, then scaled") {
  // Speech: features every 0.03 s, five of them around their mean (normalize, pos_scale = 0.03).
  check_near(places({{"positionScale", 0.03}, {"centre", 2}}, {0, 1, 2, 3, 4}),
             {-0.06, -0.03, 0, 0.03, 0.06});
}

TEST_CASE("training draws these positions: (x + Δ + δ)·λ") {
  // Made with whole numbers of any size, in Python, from the known stream of core/random.hpp.
  const auto with = [](double seed) {
    return Options{{"positionScale", 0.5}, {"centre", 0.5},   {"training", 1}, {"globalShift", 0.5},
                   {"localShift", 0.25},   {"maxScale", 1.5}, {"seed", seed}};
  };
  check_near(places(with(42), {-3, 0, 1, 2}),
             {-1.1500433233565281, -0.22200951941934052, 0.4354118064726134, 0.7797790302515392});
  check_near(places(with(0x1p53 - 1), {-3, 0, 1, 2}),
             {-2.0483366264559346, -0.5358607589992281, -0.19478920464732685, 0.41809425538934664});
}

TEST_CASE("a sequence shares its shift and scale; each position has its own jitter") {
  constexpr int kSeeds = 400;
  double shift_sum = 0;
  double log_sum = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    CAPTURE(seed);
    const auto with = [&](const char* option, double value) {
      return places({{"training", 1}, {"seed", seed}, {option, value}}, {0, 1, 2});
    };
    const auto shifted = with("globalShift", 0.9);
    CHECK(std::abs(shifted[0]) <= 0.9 + 1e-6);
    CHECK(shifted[1] - shifted[0] == doctest::Approx(1).epsilon(1e-5));
    const auto jittered = with("localShift", 0.5);
    for (int i = 0; i < 3; ++i) CHECK(std::abs(jittered[static_cast<std::size_t>(i)] - i) < 0.501);
    CHECK(std::abs(jittered[1] - jittered[0] - 1) > 1e-6);
    const auto scaled = with("maxScale", 1.5);
    CHECK(scaled[0] == 0);
    CHECK(scaled[1] >= 1 / 1.5 - 1e-6);
    CHECK(scaled[1] <= 1.5 + 1e-6);
    CHECK(scaled[2] == doctest::Approx(2 * scaled[1]).epsilon(1e-5));
    shift_sum += shifted[0];
    log_sum += std::log(scaled[1]);
  }
  // Both are uniform around 0: standard deviations 0.9/√3 and ln 1.5/√3, by √400.
  CHECK(std::abs(shift_sum / kSeeds) < 4 * 0.9 / std::sqrt(3.0 * kSeeds));
  CHECK(std::abs(log_sum / kSeeds) < 4 * std::log(1.5) / std::sqrt(3.0 * kSeeds));
}

TEST_CASE("jitter below half a step keeps the order, and no two seeds agree") {
  std::set<double> first;
  for (int seed = 0; seed < 50; ++seed) {
    const auto at = places({{"positionScale", 0.1},
                            {"localShift", 0.05},
                            {"globalShift", 0.2},
                            {"training", 1},
                            {"seed", seed}},
                           count_from(0, 20));
    CHECK(std::is_sorted(at.begin(), at.end()));
    first.insert(at[0]);
  }
  CHECK(first.size() == 50);
}

TEST_CASE("rows are finite at the ends of all ranges") {
  for (const double centre : {-1e9, 1e9}) {
    const Options options = {
        {"width", 8},         {"positionScale", 1e3}, {"centre", centre}, {"training", 1},
        {"globalShift", 1e9}, {"localShift", 1e9},    {"maxScale", 1e3},  {"seed", 1}};
    for (const float x : rows(*made("cape", options), {-kMaxPosition, 0, kMaxPosition})) {
      CHECK(std::abs(x) <= 1.000001F);
    }
  }
}

}  // namespace
}  // namespace posenc::test
