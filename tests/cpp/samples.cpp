#include "samples.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <utility>

#include "samples/absolute.hpp"
#include "samples/content.hpp"
#include "samples/families.hpp"
#include "table.hpp"

namespace posenc::test {

namespace {

constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

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

}  // namespace

TensorPointer random_tensor(std::int64_t count, unsigned seed) {
  return std::make_shared<Tensor>(random_floats(count, seed));
}

double number(const TensorPointer& tensor, std::int64_t i) {
  return static_cast<double>(tensor->numbers[static_cast<std::size_t>(i)]);
}

const Description* described(const char* name) {
  const int index = find_encoding(name);
  REQUIRE(index >= 0);
  return registry()[static_cast<std::size_t>(index)];
}

std::vector<double> complete(const Description& description, std::vector<double> values) {
  values.resize(std::max(values.size(), description.parameters.size()), kNotGiven);
  return values;
}

std::unique_ptr<Encoding> Sample::make() const {
  static std::deque<std::vector<double>> kept;  // copies of encodings are made of them
  std::vector<double>& resolved = kept.emplace_back(complete(*description, values));
  const Fault fault = resolve(*description, resolved);
  REQUIRE_MESSAGE(fault.status == Status::ok, label << ": " << fault.rule);
  auto encoding = description->make(resolved);
  REQUIRE(encoding != nullptr);
  encoding->set_origin(description->make, resolved);
  return encoding;
}

std::unique_ptr<Encoding> make_encoding(const char* name, std::vector<double> values) {
  return Sample{name, described(name), std::move(values), {}}.make();
}

std::vector<Sample> samples(std::int64_t width, int heads, std::int64_t value_dim) {
  std::vector<Sample> all;
  add_nope(all);
  add_sinusoidal(all, width);
  add_rope(all, width);
  add_rotary(all, width, heads);
  add_scales(all, heads);
  add_biases(all, heads);
  const HeadShape shape = {heads, width, value_dim == 0 ? width : value_dim};
  add_content_samples(all, shape);
  add_absolute_samples(all, shape);
  return all;
}

std::vector<Sample> attention_samples(std::int64_t width, int heads, std::int64_t value_dim) {
  std::vector<Sample> chosen;
  for (Sample& sample : samples(width, heads, value_dim)) {
    if (sample.reference.tokens > 0) continue;
    const auto& hooks = sample.description->hooks;
    const bool acts =
        std::any_of(hooks.begin(), hooks.end(), [](Hook hook) { return hook != Hook::embed; });
    if (acts || hooks.empty()) chosen.push_back(std::move(sample));
  }
  return chosen;
}

bool unbounded(const Encoding& encoding) { return encoding.domain().high == kMaxPosition; }

int axes_read(const PositionDomain& domain) { return domain.one_for_all ? 1 : domain.axes; }

std::vector<std::int32_t> with_zeros(const std::vector<std::int32_t>& positions, int axes) {
  const auto stride = static_cast<std::size_t>(axes);
  std::vector<std::int32_t> out(positions.size() * stride, 0);
  for (std::size_t t = 0; t < positions.size(); ++t) out[t * stride] = positions[t];
  return out;
}

std::vector<std::int32_t> known(const Encoding& encoding, std::vector<std::int32_t> positions) {
  const PositionDomain domain = encoding.domain();
  const int axes = axes_read(domain);
  std::erase_if(positions, [&](std::int32_t p) {
    return !domain.holds({with_zeros({p}, axes).data(), 1, axes});
  });
  return positions;
}

bool fills(const Description& description, Hook hook) {
  const auto& hooks = description.hooks;
  return std::find(hooks.begin(), hooks.end(), hook) != hooks.end();
}

}  // namespace posenc::test
