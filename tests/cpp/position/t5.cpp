// T5: buckets by distance, and biases by bucket.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "position/registry.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

/// T5 with one head whose table holds the buckets' own numbers.
struct Buckets {
  Buckets(int buckets, double longest, bool both)
      : table(own_numbers(buckets)),
        encoding(make_encoding(
            "t5", {1, static_cast<double>(buckets), longest, both ? 1.0 : 0.0, table.value()})) {}

  static std::vector<float> own_numbers(int buckets) {
    std::vector<float> own;
    for (int b = 0; b < buckets; ++b) own.push_back(static_cast<float>(b));
    return own;
  }
  /// Of a key that stands `relative` after the query.
  int of(std::int32_t relative) const {
    float bucket = kUnwritten;
    encoding->bias()->by_distance(0, -std::int64_t{relative}, 1, &bucket);
    return static_cast<int>(bucket);
  }

  Tensor table;
  std::unique_ptr<Encoding> encoding;
};

struct Row {
  std::int32_t relative;  // key − query
  int bucket;
};

TEST_CASE("both ways, 32 buckets: the last one begins at a distance of 91, not 128") {
  const Buckets buckets(32, 128, true);
  const Row rows[] = {{-kMaxPosition, 15},
                      {-200, 15},
                      {-128, 15},
                      {-91, 15},
                      {-90, 14},
                      {-64, 14},
                      {-16, 10},
                      {-12, 9},
                      {-11, 8},
                      {-8, 8},
                      {-7, 7},
                      {0, 0},
                      {1, 17},
                      {7, 23},
                      {8, 24},
                      {11, 24},
                      {16, 26},
                      {64, 30},
                      {90, 30},
                      {91, 31},
                      {128, 31},
                      {kMaxPosition, 31}};
  for (const Row row : rows) {
    CAPTURE(row.relative);
    CHECK(buckets.of(row.relative) == row.bucket);
  }
}

TEST_CASE("one way, 32 buckets: the last one begins at a distance of 113") {
  const Buckets buckets(32, 128, false);
  const Row rows[] = {{0, 0},     {-1, 1},     {-15, 15}, {-16, 16}, {-18, 16},
                      {-20, 17},  {-21, 18},   {-32, 21}, {-64, 26}, {-112, 30},
                      {-113, 31}, {-1000, 31}, {1, 0},    {500, 0}};
  for (const Row row : rows) {
    CAPTURE(row.relative);
    CHECK(buckets.of(row.relative) == row.bucket);
  }
}

TEST_CASE("an odd number of buckets leaves the last ones of each direction unused") {
  // 9 buckets are 4 a direction: two of one distance, two logarithmic.
  const Buckets buckets(9, 8, true);
  const Row rows[] = {{0, 0}, {-1, 1}, {-2, 2}, {-3, 2}, {-4, 3}, {-9, 3}, {1, 5}, {2, 6}, {4, 7}};
  for (const Row row : rows) {
    CAPTURE(row.relative);
    CHECK(buckets.of(row.relative) == row.bucket);
  }
}

TEST_CASE("buckets never fall as the distance grows, and all of them are met") {
  for (const bool both : {false, true}) {
    for (const double longest : {20.0, 128.0, 5000.0}) {
      const Buckets buckets(32, longest, both);
      int last = -1;
      for (std::int32_t x = 0; x <= 5000; ++x) {
        const int bucket = buckets.of(-x);
        CHECK(bucket >= last);
        last = bucket;
      }
      CHECK(last == (both ? 15 : 31));
    }
  }
}

TEST_CASE("scores are not divided by the square root of the head's width") {
  const Buckets buckets(32, 128, true);
  CHECK(buckets.encoding->score_scale(64) == 1.0);
}

TEST_CASE("what does not fit is refused") {
  const Tensor table(std::vector<float>(64));
  struct Case {
    std::vector<double> values;
    int parameter;
    const char* rule;
  };
  const double given = table.value();
  const Case cases[] = {
      {{2, 3, 128, 1, given}, 1, "at least 4 when bidirectional"},
      {{2, 32, 8, 1, given}, 2, "more than half of the buckets of a direction"},
      {{2, 32, 16, 0, given}, 2, "more than half of the buckets of a direction"},
      {{4, 32, 128, 1, given}, 4, "buckets · heads numbers"},
      {{2, 32, 128, 1}, 4, "required"},
  };
  for (const Case& c : cases) {
    auto values = complete(*described("t5"), c.values);
    const Fault fault = resolve(*described("t5"), values);
    CHECK(fault.status == Status::parameter);
    CHECK(fault.parameter == c.parameter);
    CHECK(std::string(fault.rule) == c.rule);
  }
}

}  // namespace
}  // namespace posenc::test
