// What must hold for every encoding that turns queries and keys.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "position/rotation.hpp"
#include "reference.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

constexpr std::int64_t kWidths[] = {1, 2, 3, 5, 8, 17, 32, 63, 64, 65, 127, 128};
constexpr std::int64_t kTokens = 5;

/// Rows turned to their positions by the kernels, with tables made on the way.
std::vector<float> turn(const Rotate& rotate, std::span<const float> x,
                        const std::vector<std::int32_t>& positions, int offset = 0) {
  const auto tokens = static_cast<std::int64_t>(positions.size());
  const std::size_t size = positions.size() * static_cast<std::size_t>(rotate.table_width());
  Unaligned cos(std::vector<float>(size), offset);
  Unaligned sin(std::vector<float>(size), offset);
  rotate.table(Side::query, {positions.data(), tokens}, cos.data(), sin.data());
  Unaligned in(x, offset);
  Unaligned out(std::vector<float>(x.size(), kUnwritten), offset);
  rotate_rows(rotate, in.data(), cos.data(), sin.data(), tokens, out.data());
  return {out.values().begin(), out.values().end()};
}

template <class Law>
void for_each_rotation(Law law) {
  int count = 0;
  for (const std::int64_t width : kWidths) {
    for (const Sample& sample : samples(width, 2)) {
      const auto encoding = sample.make();
      const Reference& reference = sample.reference;
      if (encoding->rotate() == nullptr || reference.turn || reference.tokens > 0) continue;
      CAPTURE(sample.label);
      CAPTURE(width);
      law(*encoding->rotate(), reference,
          random_floats(kTokens * width, static_cast<unsigned>(width)));
      ++count;
    }
  }
  CHECK(count > 0);
}

const std::vector<std::int32_t> kPositions = {0, 1, -7, 5000, 123456};

TEST_CASE("kernels turn like complex numbers, wherever the arrays lie") {
  for_each_rotation(
      [](const Rotate& rotate, const Reference& reference, const std::vector<float>& x) {
        std::vector<double> expected;
        for (std::int64_t t = 0; t < kTokens; ++t) {
          const auto row = rotated(reference, part(x, t * rotate.head_dim(), rotate.head_dim()),
                                   kPositions[static_cast<std::size_t>(t)]);
          expected.insert(expected.end(), row.begin(), row.end());
        }
        for (int offset = 0; offset < 4; ++offset) {
          CHECK(differences(turn(rotate, x, kPositions, offset), expected, {1e-6, 0}) == "");
        }
      });
}

TEST_CASE("turning keeps the length of every row") {
  for_each_rotation(
      [](const Rotate& rotate, const Reference& reference, const std::vector<float>& x) {
        if (reference.magnitude) return;
        const auto y = turn(rotate, x, kPositions);
        for (std::int64_t t = 0; t < kTokens; ++t) {
          const auto norm = [&](const std::vector<float>& rows) {
            double sum = 0.0;
            for (const float v : part(rows, t * rotate.head_dim(), rotate.head_dim())) {
              sum += static_cast<double>(v) * v;
            }
            return std::sqrt(sum);
          };
          CHECK(norm(y) == doctest::Approx(norm(x)).epsilon(1e-6));
        }
      });
}

TEST_CASE("turning to −p undoes turning to p") {
  for_each_rotation(
      [](const Rotate& rotate, const Reference& /*reference*/, const std::vector<float>& x) {
        std::vector<std::int32_t> back;
        for (const std::int32_t p : kPositions) back.push_back(-p);
        const auto there = turn(rotate, x, kPositions);
        CHECK(differences(turn(rotate, there, back), std::span<const float>(x), {1e-6, 0}) == "");
        CHECK(differences(there, std::span<const float>(x), {1e-3, 0}) != "");
      });
}

TEST_CASE("turning by a, then by b, is turning by a + b") {
  for_each_rotation(
      [](const Rotate& rotate, const Reference& /*reference*/, const std::vector<float>& x) {
        const std::vector<std::int32_t> a = {3, -200, 77, 4096, 100000};
        const std::vector<std::int32_t> b = {4, 150, -77, 1, 65536};
        std::vector<std::int32_t> sum;
        for (std::size_t t = 0; t < a.size(); ++t) sum.push_back(a[t] + b[t]);
        CHECK(differences(turn(rotate, turn(rotate, x, a), b),
                          std::span<const float>(turn(rotate, x, sum)), {1e-6, 0}) == "");
      });
}

TEST_CASE("rows may be turned in place") {
  for_each_rotation(
      [](const Rotate& rotate, const Reference& /*reference*/, const std::vector<float>& x) {
        const std::size_t size = kPositions.size() * static_cast<std::size_t>(rotate.table_width());
        std::vector<float> cos(size);
        std::vector<float> sin(size);
        rotate.table(Side::query, {kPositions.data(), kTokens}, cos.data(), sin.data());
        std::vector<float> in_place = x;
        rotate_rows(rotate, in_place.data(), cos.data(), sin.data(), kTokens, in_place.data());
        CHECK(bit_differences(in_place, turn(rotate, x, kPositions)) == "");
      });
}

}  // namespace
}  // namespace posenc::test
