// What must hold for every encoding that adds to the logit.
#include <doctest/doctest.h>

#include <functional>
#include <vector>

#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

/// The biases of a query, or the weights.
struct Row {
  std::function<double(int, std::int64_t, std::int64_t)> expected;
  void (Bias::*row)(int, Positions, Positions, float*) const;
  void (Bias::*by_distance)(int, std::int64_t, std::int64_t, float*) const;
};

void check_rows(const Encoding& encoding, const Row& what) {
  const Bias* bias = encoding.bias();
  const int axes = axes_read(encoding.domain());
  const auto keys = known(encoding, {-3, 0, 1, 2, 9, 10, 11, 100, 5000});
  for (int head = 0; head < bias->heads(); ++head) {
    for (const std::int32_t query : known(encoding, {-5, 0, 10, 4000})) {
      std::vector<double> expected;
      for (const std::int32_t key : keys) expected.push_back(what.expected(head, query, key));
      std::vector<float> row(keys.size(), kUnwritten);
      (bias->*what.row)(
          head, {with_zeros({query}, axes).data(), 1, axes},
          {with_zeros(keys, axes).data(), static_cast<std::int64_t>(keys.size()), axes},
          row.data());
      CHECK(differences(row, expected) == "");
      if (!bias->toeplitz()) continue;
      for (std::size_t n = 0; n < keys.size(); ++n) {
        float value = 0.0F;
        (bias->*what.by_distance)(head, query - keys[n], 1, &value);
        CHECK(differences(std::vector<float>{value}, part(expected, static_cast<int>(n), 1)) == "");
      }
    }
  }
}

TEST_CASE("biases and weights are those of the float64 reference, by row and by distance") {
  int biases = 0;
  int weights = 0;
  for (const int heads : {1, 2, 3, 8, 12}) {
    for (const Sample& sample : samples(16, heads)) {
      const auto encoding = sample.make();
      const Bias* bias = encoding->bias();
      if (bias == nullptr) continue;
      CAPTURE(sample.label);
      CHECK(bias->heads() == heads);
      CHECK(bias->weighs() == !!sample.reference.weight);
      ++biases;
      check_rows(*encoding, {sample.reference.bias, &Bias::row, &Bias::by_distance});
      if (!bias->weighs()) continue;
      ++weights;
      check_rows(*encoding,
                 {sample.reference.weight, &Bias::weights_row, &Bias::weights_by_distance});
    }
  }
  CHECK(biases > 0);
  CHECK(weights > 0);
}

}  // namespace
}  // namespace posenc::test
