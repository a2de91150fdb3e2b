// Turning whole tensors: shared and per-batch positions, in place, backwards, stretches of tokens.
#include "position/rotation.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "position/registry.hpp"
#include "reference.hpp"
#include "samples.hpp"
#include "table.hpp"
#include "test_encodings.hpp"

namespace posenc::test {
namespace {

struct Shape {
  std::int64_t batch, heads, tokens, head_dim;
  std::int64_t size() const { return batch * heads * tokens * head_dim; }
};

std::vector<double> expected(const Reference& reference, const std::vector<float>& x, Shape shape,
                             const std::vector<std::int32_t>& positions, Side side = Side::query) {
  std::vector<double> out;
  const bool shared = static_cast<std::int64_t>(positions.size()) == shape.tokens;
  for (std::int64_t row = 0; row < shape.batch * shape.heads * shape.tokens; ++row) {
    const std::int64_t token = row % shape.tokens;
    const std::int64_t entry = shared ? 0 : row / (shape.heads * shape.tokens);
    const auto turned =
        rotated(reference, part(x, row * shape.head_dim, shape.head_dim),
                positions[static_cast<std::size_t>(entry * shape.tokens + token)], side);
    out.insert(out.end(), turned.begin(), turned.end());
  }
  return out;
}

RotateCall call_of(const float* x, float* out, Shape shape,
                   const std::vector<std::int32_t>& positions) {
  return {.x = x,
          .out = out,
          .batch = shape.batch,
          .heads = shape.heads,
          .tokens = shape.tokens,
          .positions = positions.data(),
          .positions_per_batch = static_cast<std::int64_t>(positions.size()) != shape.tokens,
          .axes = 1,
          .side = Side::query,
          .inverse = false};
}

std::vector<Sample> rotations(std::int64_t width) {
  std::vector<Sample> all;
  for (Sample& sample : samples(width, 1)) {
    const Reference& r = sample.reference;
    if (r.turns() && !r.turn && r.tokens == 0) all.push_back(std::move(sample));
  }
  return all;
}

TEST_CASE("a tensor is turned by positions that the batch shares, or has its own of") {
  const Shape shape{3, 3, 150, 10};
  const std::vector<float> x = random_floats(shape.size(), 1);
  std::vector<std::int32_t> shared = count_from(-20, shape.tokens);
  std::vector<std::int32_t> own;
  for (std::int32_t entry = 0; entry < 3; ++entry) {
    for (std::int32_t t = 0; t < 150; ++t) own.push_back(1000 * entry + 3 * t % 101);
  }
  for (const Sample& sample : rotations(shape.head_dim)) {
    CAPTURE(sample.label);
    const auto encoding = sample.make();
    for (const auto& positions : {shared, own}) {
      std::vector<float> out(x.size(), kUnwritten);
      CHECK(rotate_tensor(*encoding->rotate(), call_of(x.data(), out.data(), shape, positions)) ==
            Status::ok);
      CHECK(differences(out, expected(sample.reference, x, shape, positions)) == "");

      std::vector<float> in_place = x;
      CHECK(rotate_tensor(*encoding->rotate(), call_of(in_place.data(), in_place.data(), shape,
                                                       positions)) == Status::ok);
      CHECK(bit_differences(in_place, out) == "");

      RotateCall back = call_of(out.data(), out.data(), shape, positions);
      back.inverse = true;
      CHECK(rotate_tensor(*encoding->rotate(), back) == Status::ok);
      CHECK(differences(out, std::span<const float>(x), {1e-6, 1e-6}) == "");
    }
  }
}

TEST_CASE("tokens and heads turn alike alone and among others") {
  // The wide head takes many stretches of tables; heads go in fours, twos and ones; the last shape
  // has dimensions before and after those that turn.
  struct Row {
    Shape shape;
    double rotary_dim, offset;
  };
  const Row rows[] = {{{1, 7, 70, 2048}, 2048, 0}, {{2, 3, 9, 64}, 64, 0}, {{1, 7, 9, 46}, 22, 9}};
  const Description& rope = *registry()[static_cast<std::size_t>(find_encoding("rope"))];
  for (const auto& [shape, rotary_dim, offset] : rows) {
    for (const double layout : {0.0, 1.0}) {
      std::vector<double> values = complete(
          rope, {static_cast<double>(shape.head_dim), rotary_dim, 10000, layout, NAN, 1, offset});
      REQUIRE(resolve(rope, values).status == Status::ok);
      const auto encoding = rope.make(values);
      const std::vector<float> x = random_floats(shape.size(), 1);
      const std::vector<std::int32_t> positions = count_from(1000, shape.tokens);
      std::vector<float> together(x.size(), kUnwritten);
      CHECK(rotate_tensor(*encoding->rotate(),
                          call_of(x.data(), together.data(), shape, positions)) == Status::ok);
      std::vector<float> alone(x.size(), kUnwritten);
      for (std::int64_t row = 0; row < shape.batch * shape.heads * shape.tokens; ++row) {
        const std::vector<std::int32_t> position = {
            positions[static_cast<std::size_t>(row % shape.tokens)]};
        const std::int64_t at = row * shape.head_dim;
        CHECK(rotate_tensor(*encoding->rotate(), call_of(x.data() + at, alone.data() + at,
                                                         {1, 1, 1, shape.head_dim}, position)) ==
              Status::ok);
      }
      CHECK(bit_differences(together, alone) == "");
      CHECK(rotate_tensor(*encoding->rotate(),
                          call_of(alone.data(), alone.data(), shape, positions)) == Status::ok);
      CHECK(bit_differences(alone, together) != "");
    }
  }
}

TEST_CASE("the number of axes is the stride of positions") {
  const Shape shape{1, 2, 70, 8};
  const std::vector<float> x = random_floats(shape.size(), 1);
  const std::vector<std::int32_t> positions = count_from(5, shape.tokens);
  std::vector<std::int32_t> with_axes;
  for (const std::int32_t p : positions) with_axes.insert(with_axes.end(), {p, -p, 77});
  for (const Sample& sample : rotations(shape.head_dim)) {
    if (sample.reference.axes > 1) continue;
    const auto encoding = sample.make();
    std::vector<float> out(x.size(), kUnwritten);
    std::vector<float> same(x.size());
    RotateCall call = call_of(x.data(), out.data(), shape, positions);
    CHECK(rotate_tensor(*encoding->rotate(), call) == Status::ok);
    call.out = same.data();
    call.positions = with_axes.data();
    call.axes = 3;
    CHECK(rotate_tensor(*encoding->rotate(), call) == Status::ok);
    CHECK(bit_differences(same, out) == "");
  }
}

TEST_CASE("the side reaches the table") {
  const Shape shape{1, 2, 70, 6};
  const std::vector<float> x = random_floats(shape.size(), 1);
  const std::vector<std::int32_t> positions = count_from(-30, shape.tokens);
  const GrowingRotation growing(shape.head_dim);
  Reference reference;
  reference.rotary_dim = shape.head_dim;
  reference.layout = PairLayout::interleaved;
  reference.frequency = GrowingRotation::frequency;
  reference.magnitude = GrowingRotation::magnitude;
  for (const Side side : {Side::query, Side::key}) {
    std::vector<float> out(x.size(), kUnwritten);
    RotateCall call = call_of(x.data(), out.data(), shape, positions);
    call.side = side;
    CHECK(rotate_tensor(growing, call) == Status::ok);
    CHECK(differences(out, expected(reference, x, shape, positions, side)) == "");
  }
}

TEST_CASE("an empty tensor is turned into an empty tensor") {
  const auto encoding = rotations(8).front().make();
  const std::vector<std::int32_t> positions = {0, 1};
  for (const Shape shape : {Shape{0, 2, 2, 8}, Shape{2, 0, 2, 8}, Shape{2, 2, 0, 8}}) {
    RotateCall call = call_of(nullptr, nullptr, shape, positions);
    call.positions_per_batch = false;
    CHECK(rotate_tensor(*encoding->rotate(), call) == Status::ok);
  }
}

}  // namespace
}  // namespace posenc::test
