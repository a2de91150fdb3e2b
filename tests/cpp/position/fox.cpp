// Forget gates: which tokens a key has been forgotten by, and how far that is exact.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "attention_case.hpp"
#include "position/registry.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

std::vector<float> row(const Encoding& encoding, int head, std::int32_t query,
                       const std::vector<std::int32_t>& keys) {
  std::vector<float> out(keys.size(), kUnwritten);
  encoding.bias()->row(head, {&query, 1}, {keys.data(), static_cast<std::int64_t>(keys.size())},
                       out.data());
  return out;
}

TEST_CASE("a key is forgotten by the gates after it, that of the query included") {
  const Tensor gates(std::vector<float>{-1, -2, -4, -8,  // head 0
                                        0, 0, -.5F, 0});
  const auto encoding = make_encoding("fox", {2, 4, gates.value()});
  // The first gate never counts: nothing stands before its token.
  CHECK(row(*encoding, 0, 3, {0, 1, 2, 3}) == std::vector<float>{-14, -12, -8, 0});
  CHECK(row(*encoding, 0, 1, {0, 1}) == std::vector<float>{-2, 0});
  CHECK(row(*encoding, 1, 3, {0, 1, 2, 3}) == std::vector<float>{-.5F, -.5F, 0, 0});
}

TEST_CASE("keys after the query meet the gates between, of their own kind where there are two") {
  const Tensor gates(std::vector<float>{-1, -2, -4, -8});
  const Tensor future(std::vector<float>{-16, -32, -64, -128});
  const auto one = make_encoding("fox", {1, 4, gates.value()});
  CHECK(row(*one, 0, 1, {0, 1, 2, 3}) == std::vector<float>{-2, 0, -4, -12});
  const auto two = make_encoding("fox", {1, 4, gates.value(), future.value()});
  CHECK(row(*two, 0, 1, {0, 1, 2, 3}) == std::vector<float>{-2, 0, -64, -192});
}

TEST_CASE("equal gates of e^-slope are ALiBi") {
  std::vector<float> gates;
  for (const double slope : alibi_slopes(4)) {
    gates.insert(gates.end(), 50, static_cast<float>(-slope));
  }
  const Tensor table(gates);
  const auto fox = make_encoding("fox", {4, 50, table.value()});
  const auto alibi = make_encoding("alibi", {4});
  for (int head = 0; head < 4; ++head) {
    for (const std::int32_t query : {0, 7, 49}) {
      const auto keys = count_from(0, 50);
      CHECK(row(*fox, head, query, keys) == row(*alibi, head, query, keys));
    }
  }
}

TEST_CASE("differences stay exact far into a sequence") {
  // In float32 the sums, around −500000, would be wrong by several hundredths.
  std::vector<float> gates(1 << 20, -0.5F);
  gates[(1 << 20) - 1] = -0.001F;
  const Tensor table(gates);
  const auto encoding = make_encoding("fox", {1, 1 << 20, table.value()});
  CHECK(row(*encoding, 0, (1 << 20) - 1, {(1 << 20) - 2})[0] ==
        doctest::Approx(-0.001).epsilon(1e-6));
}

TEST_CASE("a closed gate hides what came before it, not what follows") {
  for (const float closed :
       {-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::lowest(), -1e4F}) {
    const Tensor gates(std::vector<float>{-1, -1, closed, -1, -1});
    const auto encoding = make_encoding("fox", {1, 5, gates.value()});
    CHECK(row(*encoding, 0, 4, {0, 1, 2, 3, 4}) == std::vector<float>{-10003, -10002, -2, -1, 0});
  }
}

TEST_CASE("positions that have no gate are refused") {
  const Tensor gates(std::vector<float>{-1, -2, -4});
  const auto encoding = make_encoding("fox", {1, 3, gates.value()});
  CHECK(encoding->domain().low == 0);
  CHECK(encoding->domain().high == 2);
  AttentionCase c;
  c.queries = c.keys = 3;
  c.fill(1);
  c.encodings = {encoding.get()};
  CHECK(run(c).status == Status::ok);
  for (const std::int32_t outside : {-1, 3, kMaxPosition, -kMaxPosition}) {
    CAPTURE(outside);
    for (auto* positions : {&c.query_positions, &c.key_positions}) {
      const auto before = *positions;
      positions->back() = outside;
      CHECK(run(c).status == Status::position);
      *positions = before;
    }
  }
}

TEST_CASE("decoding adds gates and changes nothing before") {
  const std::vector<float> all = random_floats(20, 3);
  const Tensor whole(all);
  const auto at_once = make_encoding("fox", {1, 20, whole.value()});
  for (std::int32_t t = 1; t <= 20; ++t) {
    const Tensor so_far(std::vector<float>(all.begin(), all.begin() + t));
    const auto step = make_encoding("fox", {1, static_cast<double>(t), so_far.value()});
    const auto keys = count_from(0, t);
    CHECK(bit_differences(row(*step, 0, t - 1, keys), row(*at_once, 0, t - 1, keys)) == "");
  }
}

TEST_CASE("gates between key and query have its gradient, in whatever order keys come") {
  const Tensor gates(std::vector<float>(6, -1));
  const Tensor future(std::vector<float>(6, -1));
  struct Row {
    std::vector<std::int32_t> keys;
    std::vector<float> d_row, past, later;  // of a query at 3
  };
  const Row rows[] = {
      {{0, 1, 2, 3, 4, 5}, {1, 2, 4, 8, 16, 32}, {0, 1, 3, 7, 0, 0}, {0, 0, 0, 0, 48, 32}},
      {{5, 2, 4, 0, 3, 1}, {32, 4, 16, 1, 8, 2}, {0, 1, 3, 7, 0, 0}, {0, 0, 0, 0, 48, 32}},
      {{0, 5, 1, 1}, {1, 2, 4, 8}, {0, 1, 13, 13, 0, 0}, {0, 0, 0, 0, 2, 2}},
      {{4, 4, 0, 0}, {1, 2, 4, 8}, {0, 12, 12, 12, 0, 0}, {0, 0, 0, 0, 3, 0}},
  };
  const auto two = make_encoding("fox", {1, 6, gates.value(), future.value()});
  const auto one = make_encoding("fox", {1, 6, gates.value()});
  for (const Row& row : rows) {
    const std::int32_t query = 3;
    const Positions keys{row.keys.data(), static_cast<std::int64_t>(row.keys.size())};
    std::vector<float> past(6);
    std::vector<float> later(6);
    float* const grads[] = {past.data(), later.data()};
    two->bias()->row_grad(0, {&query, 1}, keys, row.d_row.data(), grads);
    CHECK(past == row.past);
    CHECK(later == row.later);
    // Without gates of their own, keys after the query have those of the others.
    float* const shared[] = {past.data(), nullptr};
    std::fill(past.begin(), past.end(), 0.0F);
    one->bias()->row_grad(0, {&query, 1}, keys, row.d_row.data(), shared);
    for (std::size_t i = 0; i < 6; ++i) CHECK(past[i] == row.past[i] + row.later[i]);
  }
}

TEST_CASE("a gate that is closed further than one can be has no gradient") {
  const Tensor gates({-1.0F, -2e4F, -1e4F, -1.0F});
  const auto encoding = make_encoding("fox", {1, 4, gates.value()});
  const std::vector<float> d_row = {1, 1, 1, 1};
  const auto keys = count_from(0, 4);
  std::vector<float> grad(4);
  float* const grads[] = {grad.data(), nullptr};
  for (const std::int32_t query : {3, 0}) {
    encoding->bias()->row_grad(0, {&query, 1}, {keys.data(), 4}, d_row.data(), grads);
  }
  // From the query at 3: 1 key before gate 1, 2 before gate 2, 3 before gate 3; from that at 0 the
  // other way round.
  CHECK(grad == std::vector<float>{0, 0, 2 + 2, 3 + 1});
}

TEST_CASE("every head has a gate per token") {
  const Tensor six(std::vector<float>(6));
  const Tensor five(std::vector<float>(5));
  struct Row {
    std::vector<double> values;
    int parameter;
  };
  for (const Row& given :
       {Row{{2, 3, five.value()}, 2}, Row{{2, 3, six.value(), five.value()}, 3}}) {
    auto values = complete(*described("fox"), given.values);
    const Fault fault = resolve(*described("fox"), values);
    CHECK(fault.parameter == given.parameter);
    CHECK(std::string(fault.rule) == "heads · tokens numbers");
  }
}

}  // namespace
}  // namespace posenc::test
