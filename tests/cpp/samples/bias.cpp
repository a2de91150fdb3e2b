// Samples of encodings that add a number to the logit, with their float64 formulas.
#include <algorithm>
#include <cmath>
#include <utility>

#include "samples.hpp"

namespace posenc::test {

namespace {

void add_alibi(std::vector<Sample>& all, int heads) {
  const auto with = [](int biased) {
    Reference r;
    r.bias = [slopes = alibi_slopes(biased)](int head, std::int64_t query, std::int64_t key) {
      const auto h = static_cast<std::size_t>(head);
      const double slope = h < slopes.size() ? slopes[h] : 0.0;
      return -slope * static_cast<double>(std::abs(query - key));
    };
    return r;
  };
  const auto h = static_cast<double>(heads);
  all.push_back({"alibi", described("alibi"), {h}, with(heads)});
  const int some = (heads + 1) / 2;
  all.push_back(
      {"alibi, some heads", described("alibi"), {h, static_cast<double>(some)}, with(some)});
}

/// T5's bucket of a relative position, key − query, as the paper's appendix and code describe it.
std::int64_t t5_bucket(std::int64_t relative, std::int64_t buckets, double longest, bool both) {
  std::int64_t bucket = 0;
  std::int64_t n = std::max<std::int64_t>(-relative, 0);
  if (both) {
    buckets /= 2;
    if (relative > 0) bucket = buckets;
    n = std::abs(relative);
  }
  const std::int64_t exact = buckets / 2;
  if (n < exact) return bucket + n;
  const auto e = static_cast<long double>(exact);
  const long double log = std::log(static_cast<long double>(n) / e) / std::log(longest / e);
  // Whole results of the logarithm must not fall below themselves.
  const auto grown = static_cast<std::int64_t>(
      std::floor(log * static_cast<long double>(buckets - exact) + 1e-15L));
  return bucket + std::min(exact + grown, buckets - 1);
}

void add_t5(std::vector<Sample>& all, int heads) {
  const auto with = [&](const char* label, std::int64_t buckets, double longest, bool both) {
    const TensorPointer table = random_tensor(buckets * heads, 61);
    Reference r;
    r.bias = [=](int head, std::int64_t query, std::int64_t key) {
      const std::int64_t bucket = t5_bucket(key - query, buckets, longest, both);
      return static_cast<double>(table->numbers[static_cast<std::size_t>(bucket * heads + head)]);
    };
    all.push_back({label,
                   described("t5"),
                   {static_cast<double>(heads), static_cast<double>(buckets), longest,
                    both ? 1.0 : 0.0, table->value()},
                   r,
                   {table}});
  };
  with("t5 both ways", 32, 128, true);
  with("t5 one way", 12, 40, false);
}

/// first, first + step, …
TensorPointer ramp(int count, double first, double step) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<float>(first + step * i));
  return std::make_shared<Tensor>(std::move(values));
}

double number(const TensorPointer& tensor, std::int64_t i) {
  return static_cast<double>(tensor->numbers[static_cast<std::size_t>(i)]);
}

void add_kerple(std::vector<Sample>& all, int heads) {
  const TensorPointer r1 = ramp(heads, 0.1, 0.05);
  const TensorPointer r2 = ramp(heads, 0.3, 0.1);
  const auto h = static_cast<double>(heads);
  Reference log;
  log.bias = [=](int head, std::int64_t query, std::int64_t key) {
    const double x = std::abs(static_cast<double>(query - key));
    return -number(r1, head) * std::log(1 + number(r2, head) * x);
  };
  all.push_back(
      {"kerple log", described("kerple"), {h, 0, r1->value(), r2->value()}, log, {r1, r2}});
  Reference power;
  power.bias = [=](int head, std::int64_t query, std::int64_t key) {
    const double x = std::abs(static_cast<double>(query - key));
    return -number(r1, head) * std::pow(x, number(r2, head));
  };
  all.push_back(
      {"kerple power", described("kerple"), {h, 1, r1->value(), r2->value()}, power, {r1, r2}});
}

void add_sandwich(std::vector<Sample>& all, int heads) {
  Reference r;
  r.bias = [heads](int head, std::int64_t query, std::int64_t key) {
    // The product of two sinusoidal rows: Σ sin·sin + cos·cos.
    double product = 0.0;
    for (std::int64_t i = 0; i < 5; ++i) {
      const double w = power_frequency(1000, i, 5);
      product += sine(query, w) * sine(key, w) + cosine(query, w) * cosine(key, w);
    }
    return product / (8.0 * (head + 1) / heads);
  };
  all.push_back({"sandwich", described("sandwich"), {static_cast<double>(heads), 10, 1000}, r});
}

void add_fire(std::vector<Sample>& all, int heads) {
  const int width = 5;
  const TensorPointer w1 = random_tensor(width, 71);
  const TensorPointer b1 = random_tensor(width, 72);
  const TensorPointer w2 = random_tensor(heads * width, 73);
  const TensorPointer b2 = random_tensor(heads, 74);
  const auto h = static_cast<double>(heads);
  const auto with = [&](const char* label, double length, const TensorPointer& c,
                        const TensorPointer& multiplier) {
    Reference r;
    r.relative = false;
    r.bias = [=](int head, std::int64_t query, std::int64_t key) {
      const double scale = c ? number(c, 0) : static_cast<double>(0.1);
      const double threshold = std::abs((multiplier ? number(multiplier, 0) : 1.0) * length);
      const double reach = std::max(static_cast<double>(query), threshold);
      const double x = std::log(std::abs(scale * static_cast<double>(query - key)) + 1) /
                       (std::log(std::abs(scale * reach) + 1) + 1e-6);
      double sum = number(b2, head);
      for (int i = 0; i < width; ++i) {
        const double unit = number(w1, i) * x + number(b1, i);
        if (unit > 0) sum += number(w2, head * width + i) * unit;
      }
      return sum;
    };
    Sample sample{label,
                  described("fire"),
                  {h, width, length, 1e-6, w1->value(), b1->value(), w2->value(), b2->value()},
                  r,
                  {w1, b1, w2, b2}};
    for (const TensorPointer& given : {c, multiplier}) {
      if (!given) continue;
      sample.values.push_back(given->value());
      sample.tensors.push_back(given);
    }
    all.push_back(sample);
  };
  with("fire", 512, nullptr, nullptr);
  with("fire, trained scale and threshold", 16, ramp(1, -0.3, 0), ramp(1, -0.7, 0));
}

}  // namespace

void add_biases(std::vector<Sample>& all, int heads) {
  add_alibi(all, heads);
  add_t5(all, heads);
  add_kerple(all, heads);
  add_sandwich(all, heads);
  add_fire(all, heads);
}

}  // namespace posenc::test
