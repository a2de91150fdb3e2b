// What must hold for every encoding that adds a row per position.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

constexpr std::int64_t kWidths[] = {1, 2, 3, 5, 8, 17, 32, 63, 64, 65, 127, 128};

std::vector<float> rows(const Embed& embed, const std::vector<std::int32_t>& positions,
                        int offset = 0) {
  const auto count = static_cast<std::int64_t>(positions.size());
  const auto size = positions.size() * static_cast<std::size_t>(embed.width());
  Unaligned out(std::vector<float>(size, kUnwritten), offset);
  embed.rows({positions.data(), count}, out.data());
  return {out.values().begin(), out.values().end()};
}

template <class Law>
void for_each_embedding(Law law) {
  int count = 0;
  for (const std::int64_t width : kWidths) {
    for (const Sample& sample : samples(width, 2)) {
      const auto encoding = sample.make();
      if (encoding->embed() == nullptr) continue;
      CAPTURE(sample.label);
      CAPTURE(width);
      REQUIRE(encoding->embed()->width() == width);
      law(*encoding->embed(), sample.reference);
      ++count;
    }
  }
  CHECK(count > 0);
}

TEST_CASE("rows are those of the float64 reference, wherever they are written") {
  const std::vector<std::int32_t> positions = {0, 1, -7, 5000, 123456, 1 << 24};
  for_each_embedding([&](const Embed& embed, const Reference& reference) {
    std::vector<double> expected;
    for (const std::int32_t position : positions) {
      for (std::int64_t c = 0; c < embed.width(); ++c) {
        expected.push_back(reference.embed(position, c));
      }
    }
    for (int offset = 0; offset < 4; ++offset) {
      CHECK(differences(rows(embed, positions, offset), expected, {2e-7, 0}) == "");
    }
  });
}

TEST_CASE("a row does not depend on the rows around it") {
  // Hence a row made while decoding is the row of the prefill, and a padded batch has the rows of
  // its positions.
  for_each_embedding([](const Embed& embed, const Reference& /*reference*/) {
    const auto all = rows(embed, count_from(90, 20));
    for (std::int32_t t = 0; t < 20; ++t) {
      CHECK(bit_differences(rows(embed, {90 + t}), part(all, t * embed.width(), embed.width())) ==
            "");
    }
    const auto shuffled = rows(embed, {101, 90, 101});
    CHECK(bit_differences(part(shuffled, 0, embed.width()),
                          part(all, 11 * embed.width(), embed.width())) == "");
    CHECK(bit_differences(part(shuffled, embed.width(), embed.width()),
                          part(all, 0, embed.width())) == "");
  });
}

TEST_CASE("embeddings are absolute: a shift of all positions changes the rows") {
  for_each_embedding([](const Embed& embed, const Reference& reference) {
    double changed = 0.0;
    for (std::int64_t c = 0; c < embed.width(); ++c) {
      changed += std::abs(reference.embed(3, c) - reference.embed(40, c));
    }
    // A single column of zeros (width 1 in halves) knows no position.
    if (changed == 0.0) return;
    CHECK(differences(rows(embed, {3}), std::span<const float>(rows(embed, {40})), {1e-3, 0}) !=
          "");
  });
}

}  // namespace
}  // namespace posenc::test
