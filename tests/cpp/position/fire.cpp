// FIRE: where its normaliser changes, and what it refuses.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "position/registry.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

/// FIRE with one head and one unit that passes its input on: the bias is the normalised distance.
struct Identity {
  explicit Identity(double length, float c = 1.0F)
      : scale({c}),
        encoding(make_encoding("fire", {1, 1, length, 1e-6, one.value(), zero.value(), one.value(),
                                        zero.value(), scale.value()})) {}
  double of(std::int32_t query, std::int32_t key) const {
    float out = kUnwritten;
    encoding->bias()->row(0, {&query, 1}, {&key, 1}, &out);
    return out;
  }

  Tensor one{{1.0F}}, zero{{0.0F}}, scale;
  std::unique_ptr<Encoding> encoding;
};

TEST_CASE("up to the threshold distances are normalised by it, later by the query's position") {
  const Identity fire(15);
  CHECK(fire.of(0, 0) == 0);
  CHECK(fire.of(3, 0) == doctest::Approx(std::log(4.0) / std::log(16.0)));
  CHECK(fire.of(15, 8) == doctest::Approx(std::log(8.0) / std::log(16.0)));
  CHECK(fire.of(31, 28) == doctest::Approx(std::log(4.0) / std::log(32.0)));
  // The first key is as far as can be, for every later query.
  for (const std::int32_t query : {15, 16, 500, 1 << 20}) {
    CHECK(fire.of(query, 0) == doctest::Approx(1.0).epsilon(1e-5));
  }
}

TEST_CASE("keys after the query count by their distance") {
  const Identity fire(100);
  CHECK(fire.of(10, 17) == fire.of(10, 3));
}

TEST_CASE("without a threshold the first query still gives finite numbers") {
  const Identity fire(0);
  CHECK(fire.of(0, 0) == 0);
  CHECK(fire.of(7, 0) == doctest::Approx(1.0).epsilon(1e-5));
  CHECK(fire.of(7, 7) == 0);
}

TEST_CASE("what does not fit is refused") {
  const Tensor one({1.0F});
  const Tensor two(std::vector<float>{1, 1});
  const double x = one.value();
  const double y = two.value();
  struct Row {
    std::vector<double> values;
    int parameter;
    const char* rule;
  };
  const Row rows[] = {
      {{1, 1, 8, 1e-6, y, x, x, x}, 4, "width numbers"},
      {{1, 1, 8, 1e-6, x, y, x, x}, 5, "width numbers"},
      {{1, 1, 8, 1e-6, x, x, y, x}, 6, "heads · width numbers"},
      {{1, 1, 8, 1e-6, x, x, x, y}, 7, "heads numbers"},
      {{1, 1, 8, 1e-6, x, x, x, x, y}, 8, "one number"},
      {{1, 1, 8, 1e-6, x, x, x, x, x, y}, 9, "one number"},
  };
  for (const Row& row : rows) {
    auto values = complete(*described("fire"), row.values);
    const Fault fault = resolve(*described("fire"), values);
    CHECK(fault.parameter == row.parameter);
    CHECK(std::string(fault.rule) == row.rule);
  }
}

}  // namespace
}  // namespace posenc::test
