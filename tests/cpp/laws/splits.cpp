// Attention gives the same bits however its work is divided among threads.
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "attention/rows.hpp"
#include "attention_case.hpp"
#include "masked_cases.hpp"
#include "samples.hpp"
#include "splits.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

const Split splits[] = {{.shares = 2, .seed = 1},
                        {.shares = 3, .seed = 2},
                        {.shares = 40, .seed = 3},  // more than there are units
                        {.shares = 2, .at_once = true},
                        {.shares = 5, .at_once = true}};

std::string differences_by_bits(const Stages<float>& actual, const Stages<float>& expected) {
  if (actual.status != expected.status) return "status";
  const std::size_t bytes = expected.statistics.size() * sizeof(RowStatistics);
  // No bytes may lie nowhere, which memcmp does not allow.
  if (bytes > 0 && std::memcmp(actual.statistics.data(), expected.statistics.data(), bytes) != 0) {
    return "statistics";
  }
  return bit_differences(actual.output, expected.output) +
         bit_differences(actual.scores, expected.scores) +
         bit_differences(actual.capped, expected.capped) +
         bit_differences(actual.biased, expected.biased) +
         bit_differences(actual.logits, expected.logits) +
         bit_differences(actual.weights, expected.weights);
}

void check_splits(const AttentionCase& problem, bool taps = true) {
  const Stages<float> whole = run(problem, {.taps = taps});
  for (const Split& split : splits) {
    CAPTURE(split.shares);
    CAPTURE(split.at_once);
    const Divided divided(split);
    CHECK(differences_by_bits(run(problem, {.taps = taps}), whole) == "");
  }
}

/// Three blocks of queries for each of four heads, of two entries.
AttentionCase problem() {
  AttentionCase c;
  c.batch = 2;
  c.heads = 4;
  c.kv_heads = 2;
  c.queries = 2 * kQueryBlock + 3;
  c.keys = 2 * kKeyBlock + 5;
  c.fill(1);
  c.causal = true;
  return c;
}

TEST_CASE("any split gives the same bits with every encoding") {
  AttentionCase c = problem();
  for (const Sample& sample : attention_samples(c.head_dim, static_cast<int>(c.heads))) {
    CAPTURE(sample.label);
    const auto encoding = sample.make();
    c.encodings = {encoding.get()};
    check_splits(c);
    check_splits(c, /*taps=*/false);
  }
}

TEST_CASE("any split gives the same bits under every mask") {
  for (const MaskedCase& masked : masked_cases()) {
    CAPTURE(masked.label);
    check_splits(masked.problem);
  }
}

TEST_CASE("any split gives the same bits for any number of tokens and heads") {
  for (const std::int64_t queries : {0, 1, 63, 64, 65}) {
    for (const std::int64_t heads : {1, 2, 6}) {
      AttentionCase c;
      c.heads = heads;
      c.kv_heads = heads == 6 ? 3 : 1;
      c.queries = queries;
      c.keys = 70;
      c.fill(static_cast<unsigned>(queries));
      check_splits(c);
    }
  }
}

TEST_CASE("what one share cannot do, the whole cannot") {
  AttentionCase c = problem();
  std::vector<Sample> gated = attention_samples(c.head_dim, static_cast<int>(c.heads));
  std::erase_if(gated, [](const Sample& s) { return s.description != described("cope"); });
  REQUIRE(!gated.empty());
  const auto encoding = gated[0].make();
  c.encodings = {encoding.get()};
  // Gates are counted along ascending keys, which those of the second entry are not.
  std::vector<std::int32_t> both = c.key_positions;
  both.insert(both.end(), c.key_positions.rbegin(), c.key_positions.rend());
  c.key_positions = both;
  for (const Split& split : splits) {
    const Divided divided(split);
    CHECK(run(c).status == Status::unsupported);
  }
}

}  // namespace
}  // namespace posenc::test
