// Samples of encodings that add a number to the logit, with their float64 formulas.
#include <algorithm>
#include <cmath>

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

}  // namespace

void add_biases(std::vector<Sample>& all, int heads) {
  add_alibi(all, heads);
  add_t5(all, heads);
}

}  // namespace posenc::test
