#include "samples.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <utility>

#include "table.hpp"

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
  all.push_back({"rope half", described("rope"), {d}, with(10000, all_pairs, PairLayout::half)});
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

/// Two layouts of an encoding that turns pairs by base^(-2i/rotary_dim), or not at all.
Reference turning(std::int64_t rotary_dim, PairLayout layout, double floor = 0) {
  Reference r;
  r.rotary_dim = rotary_dim;
  r.layout = layout;
  r.frequency = [=](std::int64_t pair) {
    const double w = power_frequency(10000, pair, static_cast<double>(rotary_dim) / 2);
    return w < floor ? 0.0 : w;
  };
  return r;
}

void add_rope_family(std::vector<Sample>& all, std::int64_t width) {
  if (width < 2) return;
  const auto d = static_cast<double>(width);
  const std::int64_t rotary_dim = width / 2 * 2;
  const std::int64_t pairs = width / 2;
  if (width > 2) {
    const std::int64_t room = (width - 1) / 2 * 2;
    const auto given = kept<double>({0.25, 0});
    Reference trailing;
    trailing.turn = [=](Side, int, std::span<const float> row, std::int64_t position) {
      Reference slice = turning(room, PairLayout::interleaved);
      auto out = widen(row);
      const auto turned = rotated(slice, row.subspan(1), position);
      std::copy(turned.begin(), turned.end(), out.begin() + 1);
      return out;
    };
    all.push_back({"rope of the last dimensions",
                   described("rope"),
                   {d, kNotGiven, kNotGiven, 1, kNotGiven, kNotGiven, 1},
                   trailing});
    if (width > 3) {
      Reference still = turning(4, PairLayout::half);
      still.frequency = [](std::int64_t pair) { return pair == 0 ? 0.25 : 0.0; };
      all.push_back({"rope, given frequencies",
                     described("rope"),
                     {d, kNotGiven, kNotGiven, kNotGiven, given},
                     still});
    }
  }

  Reference decaying = turning(rotary_dim, PairLayout::interleaved);
  decaying.magnitude = [=](Side side, std::int64_t position, std::int64_t pair) {
    const double zeta = (2 * static_cast<double>(pair) + 0.4 * static_cast<double>(rotary_dim)) /
                        (1.4 * static_cast<double>(rotary_dim));
    const double power = static_cast<double>(position) / 1e8;
    return std::pow(zeta, side == Side::query ? power : -power);
  };
  all.push_back({"xpos", described("xpos"), {d, kNotGiven, kNotGiven, kNotGiven, 1e8}, decaying});

  all.push_back({"rope_nd, one axis",
                 described("rope_nd"),
                 {d, 1},
                 turning(rotary_dim, PairLayout::interleaved)});
  std::vector<float> trained;
  for (std::int64_t i = 0; i < pairs; ++i) trained.push_back(0.5F / static_cast<float>(i + 1));
  std::vector<double> mixed(13, kNotGiven);
  mixed[0] = d;
  mixed[1] = 1;
  mixed[4] = 0;
  mixed[12] = kept(trained);
  Reference learned = turning(rotary_dim, PairLayout::half);
  learned.frequency = [trained](std::int64_t pair) {
    return static_cast<double>(trained[static_cast<std::size_t>(pair)]);
  };
  all.push_back({"rope_nd, trained frequencies", described("rope_nd"), mixed, learned});

  Reference axes = turning(rotary_dim, PairLayout::half);
  axes.reads_axes = true;
  const auto third = static_cast<double>(pairs / 3);
  const auto sections = kept<double>({static_cast<double>(pairs) - 2 * third, third, third});
  for (const double order : {0, 1}) {
    all.push_back({order == 0 ? "mrope chunked" : "mrope interleaved",
                   described("mrope"),
                   {d, kNotGiven, kNotGiven, kNotGiven, sections, order},
                   axes});
  }

  constexpr double kTrainedLength = 100;
  all.push_back({"hope",
                 described("hope"),
                 {d, kNotGiven, kNotGiven, 1, kTrainedLength},
                 turning(rotary_dim, PairLayout::interleaved, 6.283185307 / kTrainedLength)});
}

void add_alibi(std::vector<Sample>& all, int heads) {
  Reference r;
  r.bias = [slopes = alibi_slopes(heads)](int head, std::int64_t query, std::int64_t key) {
    return -slopes[static_cast<std::size_t>(head)] * static_cast<double>(std::abs(query - key));
  };
  all.push_back({"alibi", described("alibi"), {static_cast<double>(heads)}, r});
}

}  // namespace

template <class T>
double kept(std::vector<T> numbers) {
  static std::deque<std::pair<std::vector<T>, Array>> all;
  auto& [values, array] = all.emplace_back(std::move(numbers), Array{});
  array.address = static_cast<double>(reinterpret_cast<std::uintptr_t>(values.data()));
  array.count = static_cast<double>(values.size());
  return static_cast<double>(reinterpret_cast<std::uintptr_t>(&array));
}

template double kept(std::vector<double> numbers);
template double kept(std::vector<float> numbers);

std::vector<double> complete(const Description& description, std::vector<double> values) {
  values.resize(std::max(values.size(), description.parameters.size()), kNotGiven);
  return values;
}

std::unique_ptr<Encoding> Sample::make() const {
  std::vector<double> resolved = complete(*description, values);
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
  add_rope_family(all, width);
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
