#include "samples.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace posenc::test {

namespace {

constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

const Description* described(const char* name) {
  const int index = find_encoding(name);
  REQUIRE(index >= 0);
  return registry()[static_cast<std::size_t>(index)];
}

void add_nope(std::vector<Sample>& all) { all.push_back({"nope", described("nope"), {}, {}}); }

void add_sinusoidal(std::vector<Sample>& all, std::int64_t width) {
  const auto d = static_cast<double>(width);
  Reference interleaved;
  interleaved.embed = [d](std::int64_t position, std::int64_t column) {
    const double w = power_frequency(10000, column / 2, d / 2);
    return column % 2 == 0 ? sine(position, w) : cosine(position, w);
  };
  all.push_back({"sinusoidal interleaved",
                 described("sinusoidal"),
                 {d, kNotGiven, kNotGiven, kNotGiven, kNotGiven},
                 interleaved});

  Reference halves;
  const std::int64_t pairs = width / 2;
  const double denominator = std::max(static_cast<double>(pairs) - 1, 1.0);
  halves.embed = [pairs, denominator](std::int64_t position, std::int64_t column) {
    if (column == 2 * pairs) return 0.0;
    const double w = power_frequency(500, column % pairs, denominator);
    return column < pairs ? cosine(position, w) : sine(position, w);
  };
  all.push_back({"sinusoidal halves", described("sinusoidal"), {d, 500, 1, 1, 1}, halves});
}

void add_rope(std::vector<Sample>& all, std::int64_t width) {
  if (width < 2) return;
  const auto d = static_cast<double>(width);
  const auto with = [](double base, std::int64_t rotary_dim, PairLayout layout) {
    Reference r;
    r.rotary_dim = rotary_dim;
    r.layout = layout;
    r.frequency = [base, rotary_dim](std::int64_t pair) {
      return power_frequency(base, pair, static_cast<double>(rotary_dim) / 2);
    };
    return r;
  };
  const std::int64_t all_pairs = width / 2 * 2;
  const std::int64_t some = std::max<std::int64_t>(width / 4 * 2, 2);
  all.push_back({"rope half",
                 described("rope"),
                 {d, kNotGiven, kNotGiven, kNotGiven},
                 with(10000, all_pairs, PairLayout::half)});
  all.push_back({"rope interleaved",
                 described("rope"),
                 {d, kNotGiven, 500000, 1},
                 with(500000, all_pairs, PairLayout::interleaved)});
  all.push_back({"rope half, partial",
                 described("rope"),
                 {d, static_cast<double>(some), 100, 0},
                 with(100, some, PairLayout::half)});
  all.push_back({"rope interleaved, partial",
                 described("rope"),
                 {d, static_cast<double>(some), 10000, 1},
                 with(10000, some, PairLayout::interleaved)});
}

void add_alibi(std::vector<Sample>& all, int heads) {
  Reference r;
  r.bias = [slopes = alibi_slopes(heads)](int head, std::int64_t query, std::int64_t key) {
    return -slopes[static_cast<std::size_t>(head)] * static_cast<double>(std::abs(query - key));
  };
  all.push_back({"alibi", described("alibi"), {static_cast<double>(heads)}, r});
}

}  // namespace

std::unique_ptr<Encoding> Sample::make() const {
  std::vector<double> resolved = values;
  const Fault fault = resolve(*description, resolved);
  REQUIRE_MESSAGE(fault.status == Status::ok, label << ": " << fault.rule);
  auto encoding = description->make(resolved);
  REQUIRE(encoding != nullptr);
  return encoding;
}

std::vector<Sample> samples(std::int64_t width, int heads) {
  std::vector<Sample> all;
  add_nope(all);
  add_sinusoidal(all, width);
  add_rope(all, width);
  add_alibi(all, heads);
  return all;
}

std::vector<Sample> attention_samples(std::int64_t width, int heads) {
  std::vector<Sample> chosen;
  for (Sample& sample : samples(width, heads)) {
    const auto& hooks = sample.description->hooks;
    const bool acts =
        std::any_of(hooks.begin(), hooks.end(), [](Hook hook) { return hook != Hook::embed; });
    if (acts || hooks.empty()) chosen.push_back(std::move(sample));
  }
  return chosen;
}

bool fills(const Description& description, Hook hook) {
  const auto& hooks = description.hooks;
  return std::find(hooks.begin(), hooks.end(), hook) != hooks.end();
}

}  // namespace posenc::test
