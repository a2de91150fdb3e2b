// Samples of encodings that add a number to the logit, with their float64 formulas.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "samples.hpp"

namespace posenc::test {

namespace {

constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

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

void add_weighing_kerple(std::vector<Sample>& all, int heads) {
  const TensorPointer a = ramp(heads, 0.05, 0.05);
  const TensorPointer p = ramp(heads, 0.3, 0.1);
  const TensorPointer r1 = ramp(heads, 0.1, 0.05);
  const TensorPointer r2 = ramp(heads, 0.3, 0.1);
  Reference alone;
  alone.bias = [](int, std::int64_t, std::int64_t) { return 0.0; };
  alone.weight = [=](int head, std::int64_t query, std::int64_t key) {
    const double x = std::abs(static_cast<double>(query - key));
    return std::exp(-number(a, head) * std::pow(x, number(p, head)));
  };
  const auto h = static_cast<double>(heads);
  all.push_back({"kerple weights",
                 described("kerple"),
                 {h, 1, kNotGiven, kNotGiven, a->value(), p->value()},
                 alone,
                 {a, p}});
  Reference both = alone;
  both.bias = [=](int head, std::int64_t query, std::int64_t key) {
    const double x = std::abs(static_cast<double>(query - key));
    return -number(r1, head) * std::pow(x, number(r2, head));
  };
  all.push_back({"kerple weights and power",
                 described("kerple"),
                 {h, 1, r1->value(), r2->value(), a->value(), p->value()},
                 both,
                 {r1, r2, a, p}});
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
  // No unit is at its kink for a distance of the tests, where differences are no gradients.
  const TensorPointer b1 = ramp(width, -0.7, 0.5);
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

void add_dynamic_bias(std::vector<Sample>& all, int heads) {
  const auto with = [&](const char* label, int width, int depth, bool log_distance) {
    const int more = depth - 1;
    std::vector<TensorPointer> weights = {random_tensor(width, 81),
                                          random_tensor(width, 82),
                                          random_tensor(more * width * width, 83),
                                          random_tensor(more * width, 84),
                                          random_tensor(heads * width, 85),
                                          random_tensor(heads, 86)};
    // Small slopes: the bias of far distances stays within the range of the tests' tolerances.
    for (float& x : weights[0]->numbers) x *= log_distance ? 0.1F : 0.01F;
    Reference r;
    r.bias = [=](int head, std::int64_t query, std::int64_t key) {
      const auto distance = static_cast<double>(query - key);
      const double sign = distance > 0 ? 1 : -1;
      std::vector<double> x = {log_distance ? sign * std::log(std::abs(distance) + 1) : distance};
      const auto linear = [&x](const TensorPointer& w, const TensorPointer& b, int row, int matrix,
                               int rows) {
        const auto columns = static_cast<int>(x.size());
        double sum = number(b, matrix * rows + row);
        for (int j = 0; j < columns; ++j) {
          sum += number(w, (matrix * rows + row) * columns + j) * x[static_cast<std::size_t>(j)];
        }
        return sum;
      };
      for (int layer = 0; layer < depth; ++layer) {
        std::vector<double> next;
        for (int i = 0; i < width; ++i) {
          const double u = layer == 0 ? linear(weights[0], weights[1], i, 0, width)
                                      : linear(weights[2], weights[3], i, layer - 1, width);
          next.push_back(u / (1 + std::exp(-u)));
        }
        x = next;
      }
      return linear(weights[4], weights[5], head, 0, heads);
    };
    Sample sample{label,
                  described("dynamic_bias"),
                  {static_cast<double>(heads), static_cast<double>(width),
                   static_cast<double>(depth), log_distance ? 1.0 : 0.0},
                  r,
                  weights};
    for (const TensorPointer& tensor : weights) sample.values.push_back(tensor->value());
    all.push_back(sample);
  };
  with("dynamic bias, one layer", 3, 1, false);
  with("dynamic bias, three layers of the logarithm", 4, 3, true);
}

// The laws have one axis of positions: rows of the image, all in one column.
constexpr int kRows = 9;
constexpr int kColumns = 4;

std::int64_t clipped_row(std::int64_t query, std::int64_t key) {
  return std::clamp<std::int64_t>(query - key, 1 - kRows, kRows - 1);
}

void add_swin(std::vector<Sample>& all, int heads) {
  const TensorPointer table = random_tensor((2 * kRows - 1) * (2 * kColumns - 1) * heads, 91);
  Reference r;
  r.axes = 2;
  r.bias = [=](int head, std::int64_t query, std::int64_t key) {
    const std::int64_t row = clipped_row(query, key) + kRows - 1;
    return number(table, (row * (2 * kColumns - 1) + kColumns - 1) * heads + head);
  };
  all.push_back({"swin",
                 described("swin"),
                 {static_cast<double>(heads), kRows, kColumns, table->value()},
                 r,
                 {table}});
}

void add_swin_cpb(std::vector<Sample>& all, int heads) {
  const int hidden = 6;
  const TensorPointer w1 = random_tensor(2 * hidden, 92);
  const TensorPointer b1 = random_tensor(hidden, 93);
  const TensorPointer w2 = random_tensor(heads * hidden, 94);
  const auto with = [&](const char* label, double pretrained_rows) {
    Reference r;
    r.axes = 2;
    r.bias = [=](int head, std::int64_t query, std::int64_t key) {
      const double size = pretrained_rows > 0 ? pretrained_rows : kRows;
      const double share = static_cast<double>(clipped_row(query, key)) / (size - 1) * 8;
      const double y = (share < 0 ? -1 : 1) * std::log(std::abs(share) + 1) / std::log(8.0);
      double sum = 0.0;
      for (int i = 0; i < hidden; ++i) {
        const double unit = number(w1, 2 * i) * y + number(b1, i);  // x is 0
        sum += number(w2, head * hidden + i) * std::max(unit, 0.0);
      }
      return 16 / (1 + std::exp(-sum));
    };
    all.push_back({label,
                   described("swin_cpb"),
                   {static_cast<double>(heads), kRows, kColumns, pretrained_rows, 0, hidden,
                    w1->value(), b1->value(), w2->value()},
                   r,
                   {w1, b1, w2}});
  };
  with("swin cpb", 0);
  with("swin cpb, pre-trained on smaller windows", 5);
}

void add_fox(std::vector<Sample>& all, int heads) {
  constexpr int kTokens = 300;
  const auto gates = [heads](unsigned seed) {
    TensorPointer gate = random_tensor(std::int64_t{heads} * kTokens, seed);
    for (float& x : gate->numbers) x = -0.1F * std::abs(x);
    return gate;
  };
  const auto with = [&](const char* label, const TensorPointer& past, const TensorPointer& future) {
    Reference r;
    r.relative = false;
    r.bias = [=](int head, std::int64_t query, std::int64_t key) {
      const TensorPointer& gate = key > query && future ? future : past;
      double sum = 0.0;
      for (std::int64_t l = std::min(query, key) + 1; l <= std::max(query, key); ++l) {
        sum += number(gate, head * std::int64_t{kTokens} + l);
      }
      return sum;
    };
    Sample sample{
        label, described("fox"), {static_cast<double>(heads), kTokens, past->value()}, r, {past}};
    if (future) {
      sample.values.push_back(future->value());
      sample.tensors.push_back(future);
    }
    all.push_back(sample);
  };
  with("fox", gates(95), nullptr);
  with("fox, two kinds of gates", gates(96), gates(97));
}

}  // namespace

void add_biases(std::vector<Sample>& all, int heads) {
  add_alibi(all, heads);
  add_t5(all, heads);
  add_kerple(all, heads);
  add_weighing_kerple(all, heads);
  add_sandwich(all, heads);
  add_fire(all, heads);
  add_dynamic_bias(all, heads);
  add_swin(all, heads);
  add_swin_cpb(all, heads);
  add_fox(all, heads);
}

}  // namespace posenc::test
