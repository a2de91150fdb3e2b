#include "samples/absolute.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/random.hpp"

namespace posenc::test {

namespace {

/// Positions that the sample tables hold: more than the laws attend.
constexpr std::int64_t kRows = 400;

void add_learned(std::vector<Sample>& all, std::int64_t width) {
  constexpr std::int64_t kOffset = 2;
  const auto table = random_tensor(kRows * width, 201);
  Reference r;
  r.embed = [=](std::int64_t position, std::int64_t column) {
    return number(table, (position + kOffset) * width + column);
  };
  all.push_back({"learned",
                 Values("learned")
                     .set("width", static_cast<double>(width))
                     .set("offset", kOffset)
                     .share("table", table),
                 r});
}

void add_scaled_sinusoid(std::vector<Sample>& all, std::int64_t width) {
  const auto scale = std::make_shared<Tensor>(std::vector<float>{0.375F});
  constexpr std::int64_t kOffset = 2;
  Reference r;
  r.embed = [=](std::int64_t position, std::int64_t column) {
    if (position == -1) return 0.0;
    const double w = power_frequency(10000, column / 2, static_cast<double>(width) / 2);
    const std::int64_t p = position + kOffset;
    return number(scale, 0) * (column % 2 == 0 ? sine(p, w) : cosine(p, w));
  };
  all.push_back({"sinusoidal scaled, from 2",
                 Values("sinusoidal")
                     .set("width", static_cast<double>(width))
                     .set("offset", kOffset)
                     .set("zeroPadding", 1)
                     .share("scale", scale),
                 r});
}

void add_cape(std::vector<Sample>& all, std::int64_t width) {
  constexpr std::uint64_t kSeed = 17;
  const auto within = [](std::uint64_t number, double most) {
    return (2 * static_cast<double>(Random(kSeed, number).uniform()) - 1) * most;
  };
  Reference r;
  r.embed = [=](std::int64_t position, std::int64_t column) {
    const auto place = static_cast<std::uint64_t>(position + (std::int64_t{1} << 30));
    const double at =
        ((static_cast<double>(position) - 2) * 0.25 + within(0, 6) + within(2 + place, 0.125)) *
        std::exp(within(1, std::log(1.25)));
    const double w = power_frequency(10000, column / 2, static_cast<double>(width) / 2);
    return column % 2 == 0 ? std::sin(at * w) : std::cos(at * w);
  };
  all.push_back({"cape in training",
                 Values("cape")
                     .set("width", static_cast<double>(width))
                     .set("positionScale", 0.25)
                     .set("centre", 2)
                     .set("training", 1)
                     .set("globalShift", 6)
                     .set("localShift", 0.125)
                     .set("maxScale", 1.25)
                     .set("seed", kSeed),
                 r});
}

void add_fourier(std::vector<Sample>& all, std::int64_t width) {
  if (width % 2 == 0) {
    const std::int64_t pairs = width / 2;
    const auto frequencies = random_tensor(pairs, 211);
    Reference bare;
    bare.embed = [=](std::int64_t position, std::int64_t column) {
      const double w = number(frequencies, column % pairs);
      const double norm = std::sqrt(static_cast<double>(width));
      return (column < pairs ? cosine(position, w) : sine(position, w)) / norm;
    };
    all.push_back({"fourier features", Values("fourier").share("frequencies", frequencies), bare});
  }

  constexpr std::int64_t kPairs = 3;
  constexpr std::int64_t kHidden = 5;
  const auto frequencies = random_tensor(kPairs, 212);
  const auto in = random_tensor(2 * kPairs * kHidden, 213);
  const auto in_bias = random_tensor(kHidden, 214);
  const auto out = random_tensor(kHidden * width, 215);
  const auto out_bias = random_tensor(width, 216);
  Reference deep;
  deep.embed_tolerance = 2e-6;
  deep.embed = [=](std::int64_t position, std::int64_t column) {
    double row = number(out_bias, column);
    for (std::int64_t h = 0; h < kHidden; ++h) {
      double x = number(in_bias, h);
      for (std::int64_t i = 0; i < kPairs; ++i) {
        const double w = number(frequencies, i);
        x += (cosine(position, w) * number(in, i * kHidden + h) +
              sine(position, w) * number(in, (kPairs + i) * kHidden + h)) /
             std::sqrt(2.0 * kPairs);
      }
      // x·Φ(x), Φ the normal distribution.
      row += number(out, h * width + column) * x * std::erfc(-x / std::sqrt(2.0)) / 2;
    }
    return row;
  };
  all.push_back({"fourier with layers",
                 Values("fourier")
                     .share("frequencies", frequencies)
                     .share("hiddenWeights", in)
                     .share("hiddenBias", in_bias)
                     .share("rowWeights", out)
                     .share("rowBias", out_bias),
                 deep});
}

void add_tupe(std::vector<Sample>& all, int heads) {
  constexpr std::int64_t kDim = 3;
  constexpr std::int64_t kReach = 4;
  constexpr std::int64_t kCount = 2 * kReach + 1;
  const auto queries = random_tensor(heads * kRows * kDim, 221);
  const auto keys = random_tensor(heads * kRows * kDim, 222);
  const auto relative = random_tensor(heads * kCount, 223);
  const auto first = random_tensor(heads, 224);
  const auto others = random_tensor(heads, 225);
  const auto absolute = [=](int head, std::int64_t query, std::int64_t key) {
    double sum = 0.0;
    for (std::int64_t d = 0; d < kDim; ++d) {
      sum += number(queries, (head * kRows + query) * kDim + d) *
             number(keys, (head * kRows + key) * kDim + d);
    }
    return sum / std::sqrt(2.0 * kDim);
  };
  const auto given = [&] {
    return Values("tupe")
        .set("heads", heads)
        .set("headDim", kDim)
        .share("queries", queries)
        .share("keys", keys);
  };
  Reference plain;
  plain.relative = false;
  plain.bias = absolute;
  all.push_back({"tupe", given(), plain});
  Reference untied;
  untied.relative = false;
  untied.bias = [=](int head, std::int64_t query, std::int64_t key) {
    if (query == 0) return number(first, head);
    if (key == 0) return number(others, head);
    const std::int64_t distance = std::clamp(key - query, -kReach, kReach);
    return absolute(head, query, key) + number(relative, head * kCount + distance + kReach);
  };
  all.push_back({"tupe untied, with relative biases",
                 given()
                     .share("relative", relative)
                     .share("firstToOthers", first)
                     .share("othersToFirst", others),
                 untied});
}

}  // namespace

void add_absolute_samples(std::vector<Sample>& all, HeadShape shape) {
  add_learned(all, shape.head_dim);
  add_scaled_sinusoid(all, shape.head_dim);
  add_cape(all, shape.head_dim);
  add_fourier(all, shape.head_dim);
  add_tupe(all, shape.heads);
}

}  // namespace posenc::test
