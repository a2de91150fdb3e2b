// Learned positions: rows of a table, the offsets of real checkpoints, and what has no row.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "table.hpp"
#include "values.hpp"

namespace posenc::test {
namespace {

/// A table of `rows` rows (10·row, 10·row + 1).
Values table(int rows) {
  std::vector<float> numbers;
  for (int i = 0; i < rows; ++i) {
    numbers.push_back(10.0F * static_cast<float>(i));
    numbers.push_back(10.0F * static_cast<float>(i) + 1);
  }
  return Values("learned").set("width", 2).give("table", numbers);
}

std::vector<float> rows(const Encoding& encoding, const std::vector<std::int32_t>& positions) {
  std::vector<float> out(positions.size() * 2, kUnwritten);
  encoding.embed()->rows({positions.data(), static_cast<std::int64_t>(positions.size())},
                         out.data());
  return out;
}

TEST_CASE("learned: a row of the table, any order") {
  CHECK(rows(*table(4).make(), {0, 3, 3, 1}) == std::vector<float>{0, 1, 30, 31, 30, 31, 10, 11});
}

TEST_CASE("learned: OPT starts at row 2 (huggingface/transformers#20761)") {
  const auto opt = table(5).set("offset", 2).make();
  CHECK(rows(*opt, {0, 1, 2}) == std::vector<float>{20, 21, 30, 31, 40, 41});
}

TEST_CASE("learned: RoBERTa's padding is row padding_idx (facebookresearch/fairseq#1187)") {
  // ids 5, 6, PAD with padding_idx 1: rows 2, 3, 1. The padding is position −1.
  const auto roberta = table(5).set("offset", 1 + 1).make();
  CHECK(rows(*roberta, {0, 1, -1}) == std::vector<float>{20, 21, 30, 31, 10, 11});
}

TEST_CASE("learned: a table has room for rows − offset tokens; others are refused") {
  struct Row {
    int rows;
    double offset;
    std::int32_t low, high;
  };
  // facebookresearch/fairseq#1187: 514 rows hold 512 tokens with padding_idx 1, 510 with 3.
  for (const Row row : {Row{512, 0, 0, 511}, {514, 2, -2, 511}, {514, 4, -4, 509}, {1, 0, 0, 0}}) {
    const auto encoding = table(row.rows).set("offset", row.offset).make();
    const PositionDomain domain = encoding->domain();
    CHECK(domain.low == row.low);
    CHECK(domain.high == row.high);
    for (const std::int32_t outside : {row.low - 1, row.high + 1, kMaxPosition, -kMaxPosition}) {
      const std::int32_t positions[] = {0, outside};
      CHECK_FALSE(domain.holds({positions, 2}));
    }
    const std::int32_t ends[] = {row.low, row.high};
    CHECK(domain.holds({ends, 2}));
  }
}

TEST_CASE("learned: gradients are added to the rows that were read") {
  const auto encoding = table(3).set("offset", 1).make();
  const std::vector<std::int32_t> positions = {1, 0, 1};
  const std::vector<float> d_out = {1, 2, 3, 4, 5, 6};
  std::vector<float> d_table = {100, 100, 100, 100, 100, 100};
  float* const grads[] = {d_table.data()};
  encoding->embed()->rows_grad({positions.data(), 3}, d_out.data(), grads);
  CHECK(d_table == std::vector<float>{100, 100, 103, 104, 106, 108});
}

TEST_CASE("learned: what does not fit is refused") {
  const std::string shape = "table: a whole number of rows of width numbers";
  CHECK(Values("learned").set("width", 2).fault() == "table: required");
  CHECK(Values("learned").set("width", 2).give("table", {1, 2, 3}).fault() == shape);
  CHECK(Values("learned").set("width", 2).give("table", {}).fault() == shape);
  CHECK(table(3).set("offset", 3).fault() == "offset: less than the rows of the table");
  CHECK(table(3).set("offset", 2).fault() == "");
}

}  // namespace
}  // namespace posenc::test
