// Samples of RoPE's family.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "made.hpp"
#include "samples/families.hpp"
#include "table.hpp"

namespace posenc::test {

namespace {

constexpr double kHalf = 0;
constexpr double kInterleaved = 1;

class Samples {
 public:
  Samples(std::vector<Sample>& all, std::int64_t width) : all_(all), width_(width) {}

  void add(const char* label, const char* name, Options options, Reference reference,
           std::vector<TensorPointer> tensors = {}) {
    options.emplace_back("headDim", static_cast<double>(width_));
    const auto index = static_cast<std::size_t>(find_encoding(name));
    all_.push_back({label, registry()[index], values_of(name, options), std::move(reference),
                    std::move(tensors)});
  }

 private:
  std::vector<Sample>& all_;
  std::int64_t width_;
};

/// Pairs that turn by 10000^(-2i/rotary_dim), or not at all below a floor.
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

/// Multiplies the pair (a, b) of a row, as a complex number.
void turn(std::vector<double>& row, std::int64_t a, std::int64_t b, std::complex<double> factor) {
  auto& real = row[static_cast<std::size_t>(a)];
  auto& imaginary = row[static_cast<std::size_t>(b)];
  const auto z = std::complex<double>(real, imaginary) * factor;
  real = z.real();
  imaginary = z.imag();
}

void add_options_of_rope(Samples& samples, std::int64_t width) {
  if (width < 4) return;
  Reference trailing;
  trailing.turn = [=](Side, int, std::span<const float> row, std::int64_t position) {
    const std::int64_t room = (width - 1) / 2 * 2;
    auto out = widen(row);
    const auto turned = rotated(turning(room, PairLayout::interleaved), row.subspan(1), position);
    std::copy(turned.begin(), turned.end(), out.begin() + 1);
    return out;
  };
  samples.add("rope of the last dimensions", "rope", {{"offset", 1}, {"layout", kInterleaved}},
              trailing);

  Reference given = turning(4, PairLayout::half);
  given.frequency = [](std::int64_t pair) { return pair == 0 ? 0.25 : 0.0; };
  samples.add("rope, given frequencies", "rope", {{"frequencies", kept<double>({0.25, 0})}}, given);
}

void add_xpos(Samples& samples, std::int64_t rotary_dim) {
  constexpr double kScaleBase = 1e8;
  Reference decaying = turning(rotary_dim, PairLayout::interleaved);
  decaying.magnitude = [=](Side side, std::int64_t position, std::int64_t pair) {
    const auto d = static_cast<double>(rotary_dim);
    const double zeta = (2 * static_cast<double>(pair) + 0.4 * d) / (1.4 * d);
    const double power = static_cast<double>(position) / kScaleBase;
    return std::pow(zeta, side == Side::query ? power : -power);
  };
  samples.add("xpos", "xpos", {{"scaleBase", kScaleBase}}, decaying);
}

void add_axes(Samples& samples, std::int64_t rotary_dim) {
  const std::int64_t pairs = rotary_dim / 2;
  samples.add("rope_nd, one axis", "rope_nd", {{"axes", 1}},
              turning(rotary_dim, PairLayout::interleaved));

  const TensorPointer trained = random_tensor(pairs, 75);
  for (float& frequency : trained->numbers) frequency *= 0.25F;
  Reference learned = turning(rotary_dim, PairLayout::half);
  learned.frequency = [=](std::int64_t pair) { return number(trained, pair); };
  samples.add("rope_nd, trained frequencies", "rope_nd",
              {{"axes", 1}, {"layout", kHalf}, {"mixed", trained->value()}}, learned, {trained});

  if (rotary_dim >= 4) {
    // The first of two axes has the first half of the head; the other stands at 0.
    const std::int64_t block = rotary_dim / 4 * 2;
    Reference blocks;
    blocks.axes = 2;
    blocks.turn = [=](Side, int, std::span<const float> row, std::int64_t position) {
      auto out = widen(row);
      const auto first = row.first(static_cast<std::size_t>(block));
      const auto turned = rotated(turning(block, PairLayout::half), first, position);
      std::copy(turned.begin(), turned.end(), out.begin());
      return out;
    };
    samples.add("rope_nd, halves of each axis", "rope_nd", {{"layout", 2}}, blocks);
  }

  Reference text = turning(rotary_dim, PairLayout::half);
  text.axes = 3;
  const std::int64_t third = pairs / 3;
  const double sections = kept<double>({static_cast<double>(pairs - 2 * third),
                                        static_cast<double>(third), static_cast<double>(third)});
  samples.add("mrope chunked", "mrope", {{"sections", sections}}, text);
  samples.add("mrope interleaved", "mrope", {{"sections", sections}, {"order", 1}}, text);
}

void add_high_frequencies(Samples& samples, std::int64_t rotary_dim) {
  constexpr double kTrainedLength = 100;
  const Reference fast =
      turning(rotary_dim, PairLayout::interleaved, 2 * std::numbers::pi / kTrainedLength);
  const Options options = {{"layout", kInterleaved}, {"trainedLength", kTrainedLength}};
  samples.add("hope", "hope", options, fast);
  samples.add("fope", "fope", options, fast);
}

/// Cosines and sines are sums over all frequencies, of coefficients that no pair shares.
void add_sums_of_frequencies(Samples& samples, std::int64_t rotary_dim) {
  const std::int64_t pairs = rotary_dim / 2;
  const TensorPointer cosines = random_tensor(pairs * pairs, 73);
  const TensorPointer sines = random_tensor(pairs * pairs, 74);
  // Sums of about one.
  for (const TensorPointer& tensor : {cosines, sines}) {
    for (float& x : tensor->numbers) x /= std::sqrt(static_cast<float>(pairs));
  }
  Reference r;
  r.relative = false;
  r.turn = [=](Side, int, std::span<const float> row, std::int64_t position) {
    auto out = widen(row);
    for (std::int64_t i = 0; i < pairs; ++i) {
      double cos = 0.0;
      double sin = 0.0;
      for (std::int64_t j = 0; j < pairs; ++j) {
        const double w = power_frequency(10000, j, static_cast<double>(pairs));
        cos += number(cosines, j * pairs + i) * cosine(position, w);
        sin += number(sines, j * pairs + i) * sine(position, w);
      }
      turn(out, 2 * i, 2 * i + 1, {cos, sin});
    }
    return out;
  };
  samples.add("fope, trained", "fope",
              {{"layout", kInterleaved},
               {"frequencyCount", static_cast<double>(pairs)},
               {"cosines", cosines->value()},
               {"sines", sines->value()}},
              r, {cosines, sines});
}

void add_imaginary_heads(Samples& samples, std::int64_t rotary_dim, int heads) {
  if (heads % 2 != 0) return;
  Reference r;
  r.turn = [=](Side side, int head, std::span<const float> row, std::int64_t position) {
    auto out = rotated(turning(rotary_dim, PairLayout::half), row, position);
    if (side == Side::key || head % 2 == 0) return out;
    for (std::int64_t i = 0; i < rotary_dim / 2; ++i) turn(out, i, i + rotary_dim / 2, {0, -1});
    return out;
  };
  samples.add("rope_pp", "rope_pp", {{"heads", heads}}, r);
}

void add_pope(Samples& samples, std::int64_t width, int heads) {
  const TensorPointer phases = random_tensor(heads * width, 77);
  for (float& phase : phases->numbers) phase = -std::abs(phase);
  Reference r;
  r.turn = [=](Side side, int head, std::span<const float> row, std::int64_t position) {
    std::vector<double> out;
    for (std::int64_t i = 0; i < width; ++i) {
      const double w = power_frequency(10000, i, static_cast<double>(width));
      const double phase = side == Side::query ? 0.0 : number(phases, head * width + i);
      const double x = row[static_cast<std::size_t>(i)];
      const double magnitude = std::log1p(std::exp(x));
      const auto z = std::polar(magnitude, phase) *
                     std::complex<double>(cosine(position, w), sine(position, w));
      out.push_back(z.real());
      out.push_back(z.imag());
    }
    return out;
  };
  samples.add("pope", "pope", {{"heads", heads}, {"phases", phases->value()}}, r, {phases});
}

void add_selective(Samples& samples, std::int64_t rotary_dim) {
  constexpr std::int64_t kTokens = 50;
  const std::int64_t pairs = rotary_dim / 2;
  const TensorPointer angles = random_tensor(kTokens * pairs, 78);
  Reference r;
  r.relative = false;
  r.tokens = kTokens;
  r.turn = [=](Side, int, std::span<const float> row, std::int64_t position) {
    auto out = widen(row);
    for (std::int64_t i = 0; i < pairs; ++i) {
      double angle = 0.0;
      for (std::int64_t t = 0; t <= position; ++t) angle += number(angles, t * pairs + i);
      turn(out, i, i + pairs, std::polar(1.0, angle));
    }
    return out;
  };
  samples.add("selective_rope", "selective_rope", {{"angles", angles->value()}}, r, {angles});
}

/// Distances of query m and key n ≤ m as the papers state them; later keys count as near.
void add_remapped(Samples& samples, std::int64_t rotary_dim) {
  struct Row {
    const char* label;
    Options options;
    bool relative;
    std::int64_t period;  // of the positions of near keys; 0 = none
    double (*distance)(std::int64_t m, std::int64_t n);
  };
  const Row rows[] = {
      {"rope_remapped, self-extend",
       {{"method", 0}, {"window", 14}, {"group", 4}},
       false,
       0,
       [](std::int64_t m, std::int64_t n) {
         const auto floor = [](std::int64_t x) { return std::floor(static_cast<double>(x) / 4); };
         return m - n < 14 ? static_cast<double>(m - n) : floor(m) - floor(n) + 14 - 3;
       }},
      {"rope_remapped, rerope",
       {{"method", 1}, {"window", 21}},
       true,
       0,
       [](std::int64_t m, std::int64_t n) {
         return static_cast<double>(std::min<std::int64_t>(m - n, 21));
       }},
      {"rope_remapped, leaky-rerope",
       {{"method", 2}, {"window", 11}, {"factor", 2.5}},
       true,
       0,
       [](std::int64_t m, std::int64_t n) {
         const auto d = static_cast<double>(m - n);
         return d < 11 ? d : 11 + (d - 11) / 2.5;
       }},
      {"rope_remapped, dual-chunk",
       {{"method", 3}, {"chunk", 20}, {"farthest", 31}},
       false,
       20,
       [](std::int64_t m, std::int64_t n) {
         const auto chunk = [](std::int64_t x) { return std::floor(static_cast<double>(x) / 20); };
         const double query = static_cast<double>(m) - 20 * chunk(m);
         const double key = static_cast<double>(n) - 20 * chunk(n);
         if (chunk(m) <= chunk(n)) return query - key;
         return (chunk(m) - chunk(n) == 1 ? std::min(query + 20, 31.0) : 31.0) - key;
       }},
  };
  for (const PairLayout layout : {PairLayout::half, PairLayout::interleaved}) {
    for (const Row& row : rows) {
      Reference r = turning(rotary_dim, layout);
      r.relative = row.relative;
      // By itself, a row is turned as one that meets near keys.
      r.turn = [turn = turning(rotary_dim, layout), period = row.period](
                   Side, int, std::span<const float> x, std::int64_t position) {
        const std::int64_t rest = period == 0 ? position : (position % period + period) % period;
        return rotated(turn, x, rest);
      };
      r.product = [turn = turning(rotary_dim, layout), distance = row.distance](
                      std::span<const float> query, std::span<const float> key, std::int64_t m,
                      std::int64_t n) { return turned_product(turn, query, key, distance(m, n)); };
      Options options = row.options;
      options.emplace_back("layout", layout == PairLayout::half ? kHalf : kInterleaved);
      samples.add(row.label, "rope_remapped", options, r);
    }
  }
}

}  // namespace

void add_rotary(std::vector<Sample>& all, std::int64_t width, int heads) {
  Samples samples(all, width);
  add_pope(samples, width, heads);
  if (width < 2) return;
  const std::int64_t rotary_dim = width / 2 * 2;
  add_options_of_rope(samples, width);
  add_xpos(samples, rotary_dim);
  add_axes(samples, rotary_dim);
  add_high_frequencies(samples, rotary_dim);
  add_sums_of_frequencies(samples, rotary_dim);
  add_imaginary_heads(samples, rotary_dim, heads);
  add_selective(samples, rotary_dim);
  add_remapped(samples, rotary_dim);
}

}  // namespace posenc::test
