#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "hook_reference.hpp"

namespace posenc::fuzz {

namespace {

using test::AttentionCase;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

AttentionCase shape(Bytes& bytes, Limits limits) {
  const std::int64_t widths[] = {8, 4, 2, 1, 3, 6, 16, 17, 33};
  const std::int64_t tokens[] = {3, 1, 0, 2, 4, 5, 7, 8, 9, 16, 17, 31, 33, 63, 64, 65, 70};
  AttentionCase c;
  c.batch = std::int64_t{1} + bytes.below(3);
  c.kv_heads = std::int64_t{1} + bytes.below(3);
  c.heads = c.kv_heads * (1 + bytes.below(3));
  c.head_dim = bytes.pick(widths);
  const std::int64_t value_widths[] = {c.head_dim, c.head_dim, 3, 20};
  c.value_dim = bytes.pick(value_widths);
  c.queries = std::min(bytes.pick(tokens), limits.most_tokens);
  c.keys = std::min(bytes.pick(tokens), limits.most_tokens);
  // What is empty, or does not fit.
  switch (bytes.below(64)) {
    case 1:
      c.batch = 0;
      break;
    case 2:
      c.heads = 0;
      break;
    case 3:
      c.kv_heads = c.heads + 1;
      break;
    case 4:
      c.head_dim = 0;
      break;
    case 5:
      c.value_dim = 0;
      break;
    case 6:
      c.kv_heads = 0;
      break;
    default:
      break;
  }
  while (c.batch * c.heads * c.queries * c.keys > limits.most_pairs) c.queries /= 2;
  return c;
}

/// Positions that mostly lie in a domain.
std::vector<std::int32_t> positions(Bytes& bytes, const PositionDomain& domain, std::int64_t tokens,
                                    std::int64_t batch) {
  const bool per_batch = bytes.flag();
  const bool inside = !bytes.once_in(8);
  const std::int64_t count = tokens * (per_batch ? batch : 1);
  const std::int64_t starts[] = {0,
                                 domain.low,
                                 std::int64_t{domain.high} - tokens + 1,
                                 -3,
                                 1 << 20,
                                 1 << 24,
                                 std::numeric_limits<std::int32_t>::min(),
                                 std::numeric_limits<std::int32_t>::max() - tokens,
                                 bytes.word()};
  const std::int64_t steps[] = {1, 1, 0, 2, -1, 7, 300, -5000, 1 << 28};
  std::int64_t at = bytes.pick(starts);
  std::int64_t step = bytes.pick(steps);
  const bool jumps = bytes.once_in(4);
  std::vector<std::int32_t> all;
  for (std::int64_t i = 0; i < count; ++i) {
    if (jumps) step = bytes.pick(steps);
    const std::int64_t low = inside ? domain.low : std::numeric_limits<std::int32_t>::min();
    const std::int64_t high = inside ? domain.high : std::numeric_limits<std::int32_t>::max();
    all.push_back(static_cast<std::int32_t>(std::clamp(at, low, high)));
    at += step;
  }
  return all;
}

template <class T, std::size_t kCount>
std::vector<T> per_token(Bytes& bytes, const T (&choices)[kCount], std::int64_t tokens,
                         std::int64_t batch) {
  std::vector<T> all(size(tokens * (bytes.flag() ? batch : 1)));
  for (T& number : all) number = bytes.pick(choices);
  return all;
}

template <class T, std::size_t kCount>
test::Dense<T> per_pair(Bytes& bytes, const T (&choices)[kCount], const AttentionCase& c) {
  test::Dense<T> all;
  const std::int64_t full[] = {c.batch, c.heads, c.queries, c.keys};
  std::int64_t count = 1;
  for (int d = 0; d < 4; ++d) {
    all.shape[d] = bytes.flag() ? 1 : full[d];
    count *= all.shape[d];
  }
  for (std::int64_t i = 0; i < count; ++i) all.values.push_back(bytes.pick(choices));
  return all;
}

void add_masks(Bytes& bytes, AttentionCase& c) {
  const std::int64_t reaches[] = {0, 1, 2, 5, 40, std::int64_t{1} << 31, std::int64_t{1} << 53};
  const std::uint8_t bits[] = {1, 1, 0};
  const std::uint8_t rare[] = {0, 0, 0, 1};
  const std::int32_t segments[] = {0, 0, 1, -7};
  const float added[] = {0.0F, 0.5F, -1.0F, -1e9F, -kInfinity};
  c.causal = bytes.flag();
  const auto once = [&](std::int64_t& number) {
    if (bytes.once_in(4)) number = bytes.pick(reaches);
  };
  once(c.window);
  once(c.before);
  once(c.after);
  once(c.chunk);
  once(c.sinks);
  if (bytes.once_in(4)) c.key_mask = per_token(bytes, bits, c.keys, c.batch);
  if (bytes.once_in(8)) c.global_keys = per_token(bytes, rare, c.keys, c.batch);
  if (bytes.once_in(8)) c.global_queries = per_token(bytes, rare, c.queries, c.batch);
  // Both or none: an empty array is none.
  if (bytes.once_in(8) && c.batch * c.queries * c.keys > 0) {
    c.query_segments = per_token(bytes, segments, c.queries, c.batch);
    c.key_segments = per_token(bytes, segments, c.keys, c.batch);
  }
  if (bytes.once_in(8)) c.shown = per_pair(bytes, bits, c);
  if (bytes.once_in(8)) c.added = per_pair(bytes, added, c);
}

/// Scales and the like. @returns whether they are in range
bool add_numbers(Bytes& bytes, AttentionCase& c) {
  const float caps[] = {0.5F, 5.0F, 50.0F, 1e-30F, 1e30F, -1.0F, kNaN, kInfinity};
  const float scales[] = {1.0F, 0.0F, -1.0F, 4.0F, 1e-30F, kNaN, -kInfinity};
  const float factors[] = {1.0F, 0.5F, 0.0F, -2.0F};
  const float sinks[] = {0.0F, 3.0F, -40.0F, 90.0F, -1e9F};
  if (bytes.once_in(4)) c.softcap = bytes.pick(caps);
  if (bytes.once_in(4)) c.scale = bytes.pick(scales);
  if (bytes.once_in(8)) c.sink_logits = per_token(bytes, sinks, c.heads, 1);
  if (bytes.once_in(8)) c.head_scales = per_token(bytes, factors, c.heads, 1);
  if (bytes.once_in(8)) c.query_scales = per_token(bytes, factors, c.queries, c.batch);
  return std::isfinite(c.scale) && std::isfinite(c.softcap) && c.softcap >= 0;
}

/// Puts NaN where padding is.
void spoil_padding(AttentionCase& c) {
  for (std::int64_t entry = 0; entry < c.batch; ++entry) {
    for (std::int64_t n = 0; n < c.keys; ++n) {
      for (std::int64_t h = 0; h < c.kv_heads && !c.real(entry, n); ++h) {
        std::fill_n(c.key_row(entry, h, n), c.head_dim, kNaN);
        std::fill_n(c.value_row(entry, h, n), c.value_dim, kNaN);
      }
    }
  }
}

double largest(const test::Stages<double>& stages) {
  double most = 0.0;
  for (const auto* stage : {&stages.scores, &stages.capped, &stages.biased}) {
    for (const double x : *stage) most = std::isnan(x) ? most : std::max(most, std::abs(x));
  }
  return most;
}

}  // namespace

Problem::Problem(Bytes& bytes, Limits limits)
    : attention(shape(bytes, limits)),
      encodings(bytes, attention.head_dim, attention.heads, attention.value_dim),
      made(encodings.make()) {
  AttentionCase& c = attention;
  c.fill(bytes.byte());
  if (made == Status::ok) c.encodings = encodings.list();
  const PositionDomain domain = encodings.terms().domain;
  if (bytes.flag()) {
    c.query_positions = positions(bytes, domain, c.queries, c.batch);
    c.key_positions = positions(bytes, domain, c.keys, c.batch);
  }
  c.axes = test::axes_read(domain);
  c.query_positions = coordinates(c.query_positions, c.axes);
  c.key_positions = coordinates(c.key_positions, c.axes);
  add_masks(bytes, c);
  const bool in_range = add_numbers(bytes, c);
  const auto known = [&](const std::vector<std::int32_t>& all) {
    return domain.holds({all.data(), static_cast<std::int64_t>(all.size()) / c.axes, c.axes});
  };
  fits = in_range && c.heads > 0 && c.kv_heads > 0 && c.heads % c.kv_heads == 0 && c.head_dim > 0 &&
         c.value_dim > 0 && known(c.query_positions) && known(c.key_positions);
  if (fits) spoil_padding(c);
}

std::string Problem::text() const {
  const test::AttentionCase& c = attention;
  std::ostringstream out;
  out << " [" << c.batch << ' ' << c.heads << '/' << c.kv_heads << ' ' << c.queries << 'x' << c.keys
      << ' ' << c.head_dim << ' ' << c.value_dim << (c.causal ? " causal" : "") << " window "
      << c.window << " before " << c.before << " after " << c.after << " chunk " << c.chunk
      << " sinks " << c.sinks << " scale " << c.scale << " softcap " << c.softcap;
  const auto given = [&](const char* name, const auto& array) {
    if (!array.empty()) out << ' ' << name << ' ' << +array.front() << " …";
  };
  given("queries at", c.query_positions);
  given("keys at", c.key_positions);
  given("key mask", c.key_mask);
  given("global keys", c.global_keys);
  given("global queries", c.global_queries);
  given("segments", c.query_segments);
  given("shown", c.shown.values);
  given("added", c.added.values);
  given("sink logits", c.sink_logits);
  given("head scales", c.head_scales);
  given("query scales", c.query_scales);
  return out.str() + "]" + encodings.text();
}

test::Tolerance tolerance_of(const test::Stages<double>& expected, test::Tolerance bounds) {
  const double size = 1 + largest(expected);
  return {bounds.absolute * size, bounds.relative * size};
}

bool is_moderate(const test::Stages<double>& expected) { return largest(expected) < 1e3; }

}  // namespace posenc::fuzz
