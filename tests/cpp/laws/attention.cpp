// What must hold for attention with every encoding that acts inside it.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "attention/kernels.hpp"
#include "attention/rows.hpp"
#include "attention_case.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

/// Calls law(case, reference) with every encoding; the case holds the encoding.
template <class Law>
void with_every_encoding(AttentionCase problem, Law law) {
  for (const Sample& sample :
       attention_samples(problem.head_dim, static_cast<int>(problem.heads), problem.value_dim)) {
    CAPTURE(sample.label);
    const auto encoding = sample.make();
    problem.encodings = {encoding.get()};
    law(problem, sample.reference);
  }
}

TEST_CASE("every stage is that of the float64 reference at awkward widths and addresses") {
  int offset = 0;
  for (const std::int64_t head_dim : {1, 2, 3, 5, 17, 63, 65, 127}) {
    for (const std::int64_t value_dim : {1, 3, 4, 6, 17, 65}) {
      if ((head_dim > 17) != (value_dim > 6)) continue;
      AttentionCase problem;
      problem.heads = 2;
      problem.queries = 5;
      problem.keys = 9;
      problem.head_dim = head_dim;
      problem.value_dim = value_dim;
      problem.fill(static_cast<unsigned>(head_dim * 1000 + value_dim));
      problem.causal = value_dim % 2 == 0;
      CAPTURE(head_dim);
      CAPTURE(value_dim);
      with_every_encoding(problem, [&](const AttentionCase& p, const Reference& reference) {
        offset = (offset + 1) % 4;
        CHECK(stage_differences(run(p, {.taps = true, .offset = offset}), expected(p, reference)) ==
              "");
      });
    }
  }
}

TEST_CASE("numbers of tokens around the edges of tiles change nothing") {
  const std::int64_t queries[] = {1,
                                  kPanel - 1,
                                  kPanel,
                                  kPanel + 1,
                                  kQueryBlock - 1,
                                  kQueryBlock,
                                  kQueryBlock + 1,
                                  2 * kQueryBlock + 3};
  const std::int64_t keys[] = {
      1, kTileRows + 1, kKeyBlock - 1, kKeyBlock, kKeyBlock + 1, 2 * kKeyBlock, 2 * kKeyBlock + 5};
  for (std::size_t i = 0; i < std::size(queries); ++i) {
    for (std::size_t j = 0; j < std::size(keys); ++j) {
      AttentionCase problem;
      problem.queries = queries[i];
      problem.keys = keys[j];
      problem.head_dim = 6;
      problem.value_dim = 5;
      problem.heads = 2;
      problem.kv_heads = 1;
      problem.fill(static_cast<unsigned>(100 * i + j));
      // From 0 upwards, so that tables of positions hold them.
      const std::int64_t first = std::max<std::int64_t>(problem.queries - problem.keys, 0);
      problem.key_positions = count_from(first, problem.keys);
      problem.query_positions = count_from(first + problem.keys - problem.queries, problem.queries);
      problem.causal = (i + j) % 2 == 0;
      problem.window = (i + j) % 3 == 0 ? 40 : 0;
      CAPTURE(problem.queries);
      CAPTURE(problem.keys);
      with_every_encoding(problem, [](const AttentionCase& p, const Reference& reference) {
        CHECK(stage_differences(run(p), expected(p, reference)) == "");
      });
    }
  }
}

TEST_CASE("taps do not change the output") {
  AttentionCase problem;
  problem.queries = kQueryBlock + 7;
  problem.keys = kKeyBlock + 31;
  problem.head_dim = 10;
  problem.fill(8);
  problem.causal = true;
  with_every_encoding(problem, [](const AttentionCase& p, const Reference& /*reference*/) {
    CHECK(bit_differences(run(p, {.taps = false}).output, run(p).output) == "");
  });
}

TEST_CASE("queries do not depend on their neighbours") {
  // One query alone goes another way through the keys; five, from anywhere in a panel, have the
  // same bits as among others.
  AttentionCase problem;
  problem.queries = kQueryBlock + kPanel + 3;
  problem.keys = problem.queries + kKeyBlock;
  problem.head_dim = 9;
  problem.value_dim = 7;
  problem.fill(21);
  for (const bool causal : {false, true}) {
    problem.causal = causal;
    with_every_encoding(problem, [](const AttentionCase& p, const Reference& /*reference*/) {
      const auto all = run(p, {.taps = false});
      for (std::int64_t m = 0; m < p.queries; m += 5) {
        const AttentionCase alone = slice(p, m, 1, 0, p.keys);
        CHECK(differences(run(alone, {.taps = false}).output, output_rows(p, all, m, 1)) == "");
        if (m + 5 > p.queries) break;
        const AttentionCase five = slice(p, m, 5, 0, p.keys);
        CHECK(bit_differences(run(five, {.taps = false}).output, output_rows(p, all, m, 5)) == "");
      }
    });
  }
}

TEST_CASE("batch entries do not depend on their neighbours") {
  AttentionCase problem;
  problem.batch = 3;
  problem.heads = 4;
  problem.kv_heads = 2;
  problem.queries = 11;
  problem.keys = 13;
  problem.head_dim = 8;
  problem.value_dim = 6;
  problem.fill(31);
  problem.query_positions.clear();
  problem.key_positions.clear();
  problem.key_mask.clear();
  for (std::int32_t b = 0; b < 3; ++b) {
    for (const std::int32_t p : count_from(2 + 50 * b, 11)) problem.query_positions.push_back(p);
    for (const std::int32_t p : count_from(50 * b, 13)) problem.key_positions.push_back(p);
    for (int n = 0; n < 13; ++n) problem.key_mask.push_back(n >= b ? 1 : 0);
  }
  problem.causal = true;
  with_every_encoding(problem, [](const AttentionCase& p, const Reference& reference) {
    const auto all = run(p);
    CHECK(stage_differences(all, expected(p, reference)) == "");
    for (std::int64_t b = 0; b < 3; ++b) {
      AttentionCase alone = p;
      alone.batch = 1;
      const auto take = [&](auto& x) {
        const auto size = static_cast<std::int64_t>(x.size()) / 3;
        const auto taken = part(x, b * size, size);
        x = std::vector(taken.begin(), taken.end());
      };
      take(alone.query);
      take(alone.key);
      take(alone.value);
      take(alone.query_positions);
      take(alone.key_positions);
      take(alone.key_mask);
      const std::int64_t size = p.heads * p.queries * p.value_dim;
      CHECK(bit_differences(run(alone).output, part(all.output, b * size, size)) == "");
    }
  });
}

TEST_CASE("adding a constant to all positions changes nothing") {
  // Of relative encodings: absolute ones act on the input (laws/embed.cpp), or say so.
  AttentionCase problem;
  problem.heads = 2;
  problem.queries = 20;
  problem.keys = 110;
  problem.head_dim = 12;
  problem.fill(41);
  problem.causal = true;
  problem.window = 50;
  with_every_encoding(problem, [](const AttentionCase& p, const Reference& reference) {
    if (!reference.relative || !unbounded(*p.encodings[0])) return;
    const auto here = run(p);
    for (const std::int32_t shift : {7, -1000, 100000, (1 << 24) - 200}) {
      AttentionCase there = p;
      for (std::int32_t& position : there.query_positions) position += shift;
      for (std::int32_t& position : there.key_positions) position += shift;
      const auto moved = run(there);
      CHECK(differences(moved.output, std::span<const float>(here.output)) == "");
      CHECK(differences(moved.weights, std::span<const float>(here.weights)) == "");
    }
  });
}

TEST_CASE(
    "encodings say whether they are relative, and absolute ones do change with all positions") {
  AttentionCase problem;
  problem.heads = 2;
  problem.queries = 20;
  problem.keys = 60;
  problem.head_dim = 12;
  problem.fill(42);
  problem.causal = true;
  int absolute = 0;
  with_every_encoding(problem, [&](AttentionCase p, const Reference& reference) {
    CHECK(p.encodings[0]->relative() == reference.relative);
    if (reference.relative) return;
    ++absolute;
    const auto here = run(p);
    // Past the length up to which FIRE counts distances as they are, where tables reach so far.
    const std::int32_t shift = p.encodings[0]->domain().high > 1000 ? 701 : 7;
    for (std::int32_t& position : p.query_positions) position += shift;
    for (std::int32_t& position : p.key_positions) position += shift;
    const auto there = run(p);
    REQUIRE(there.status == Status::ok);
    CHECK(differences(there.weights, std::span<const float>(here.weights)) != "");
  });
  CHECK(absolute > 5);
  for (const Sample& sample : samples(12, 2)) {
    if (fills(*sample.description, Hook::embed)) CHECK_FALSE(sample.make()->relative());
  }
}

TEST_CASE("moving the queries alone does change the weights, unless there is no encoding") {
  AttentionCase problem;
  problem.queries = 4;
  problem.keys = 30;
  problem.head_dim = 12;
  problem.fill(43);
  with_every_encoding(problem, [](AttentionCase p, const Reference& reference) {
    const auto here = run(p);
    for (std::int32_t& position : p.query_positions) position += 5;
    const auto there = run(p);
    const bool acts = reference.turns() || reference.bias || reference.content || reference.scale;
    const bool same = differences(there.weights, std::span<const float>(here.weights)).empty();
    CHECK(same != acts);
  });
}

TEST_CASE("the order of keys in memory does not matter, their positions do") {
  AttentionCase problem;
  problem.heads = 2;
  problem.queries = 70;
  problem.keys = 120;
  problem.head_dim = 8;
  problem.value_dim = 8;
  problem.fill(51);
  problem.causal = true;
  problem.window = 33;
  // A ring buffer whose oldest slot is 37, and a stride that visits every slot.
  with_every_encoding(problem, [](const AttentionCase& p, const Reference& reference) {
    if (reference.row) return;  // counts keys in their order (position/cope.cpp)
    const auto straight = run(p);
    AttentionCase source = p;
    for (const std::int64_t stride : {1, 7, 119}) {
      AttentionCase shuffled = p;
      for (std::int64_t n = 0; n < p.keys; ++n) {
        const std::int64_t from = (37 + n * stride) % p.keys;
        shuffled.key_positions[static_cast<std::size_t>(n)] =
            p.key_positions[static_cast<std::size_t>(from)];
        std::copy_n(source.key_row(0, 0, from), p.head_dim, shuffled.key_row(0, 0, n));
        std::copy_n(source.value_row(0, 0, from), p.value_dim, shuffled.value_row(0, 0, n));
      }
      const auto result = run(shuffled);
      CHECK(differences(result.output, std::span<const float>(straight.output)) == "");
      CHECK(stage_differences(result, expected(shuffled, reference)) == "");
    }
  });
}

}  // namespace
}  // namespace posenc::test
