// Gradients of the trained parameters of biases are those of central differences.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

constexpr int kHeads = 3;
const std::vector<std::int32_t> kKeys = {0, 1, 2, 5, 9, 13, 14, 20};

/// Σ c · (bias + weight) over all heads, a few queries and kKeys, c random.
struct Loss {
  explicit Loss(const Sample& made) : sample(made) {}

  template <class Visit>
  void each_row(Visit visit) const {
    const auto keys = static_cast<std::int64_t>(kKeys.size());
    const std::vector<std::int32_t> all = with_zeros(kKeys, axes);
    std::int64_t row = 0;
    for (int head = 0; head < kHeads; ++head) {
      for (const std::int32_t query : {0, 7, 13, 20}) {
        const auto one = with_zeros({query}, axes);
        visit(head, Positions{one.data(), 1, axes}, Positions{all.data(), keys, axes},
              coefficients.data() + row++ * keys);
      }
    }
  }

  double value() const {
    const auto encoding = sample.make();
    double sum = 0.0;
    each_row([&](int head, Positions query, Positions keys, const float* c) {
      std::vector<float> row(kKeys.size());
      encoding->bias()->row(head, query, keys, row.data());
      for (std::size_t n = 0; n < row.size(); ++n) sum += static_cast<double>(c[n]) * row[n];
      if (!encoding->bias()->weighs()) return;
      encoding->bias()->weights_row(head, query, keys, row.data());
      for (std::size_t n = 0; n < row.size(); ++n) sum += static_cast<double>(c[n]) * row[n];
    });
    return sum;
  }

  void gradient(std::span<float* const> grads) const {
    const auto encoding = sample.make();
    each_row([&](int head, Positions query, Positions keys, const float* c) {
      encoding->bias()->row_grad(head, query, keys, c, grads);
      if (encoding->bias()->weighs()) {
        encoding->bias()->weights_row_grad(head, query, keys, c, grads);
      }
    });
  }

  const Sample& sample;
  const int axes = axes_read(sample.make()->domain());
  std::vector<float> coefficients = random_floats(kHeads * 4 * 8, 77);
};

/// Where each tensor parameter of the table lies among the sample's tensors: null when not given.
std::vector<Tensor*> tensors_by_parameter(const Sample& sample) {
  std::vector<Tensor*> found;
  std::size_t next = 0;
  const auto values = complete(*sample.description, sample.values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (sample.description->parameters[i].kind != Parameter::Kind::tensor) continue;
    found.push_back(std::isnan(values[i]) ? nullptr : sample.tensors.at(next++).get());
  }
  return found;
}

TEST_CASE("gradients of trained biases are those of central differences") {
  int trained = 0;
  for (const Sample& sample : samples(16, kHeads)) {
    if (sample.tensors.empty() || !fills(*sample.description, Hook::bias)) continue;
    CAPTURE(sample.label);
    ++trained;
    const Loss loss(sample);
    const std::vector<Tensor*> tensors = tensors_by_parameter(sample);
    std::vector<std::vector<float>> gradients;
    std::vector<float*> pointers;
    for (const Tensor* tensor : tensors) {
      gradients.emplace_back(tensor == nullptr ? 0 : tensor->numbers.size(), 1.0F);
    }
    for (auto& gradient : gradients)
      pointers.push_back(gradient.empty() ? nullptr : gradient.data());
    loss.gradient(pointers);

    for (std::size_t t = 0; t < tensors.size(); ++t) {
      CAPTURE(t);
      std::vector<double> expected;
      double largest = 0.0;
      for (std::size_t i = 0; i < gradients[t].size(); ++i) {
        float& x = tensors[t]->numbers[i];
        const float before = x;
        const float step = 1.0F / 512;
        x = before + step;
        const double above = loss.value();
        x = before - step;
        const double below = loss.value();
        x = before;
        const double difference = (above - below) / (2.0 * step);
        largest = std::max(largest, std::abs(difference));
        expected.push_back(1.0 + difference);  // gradients are added to what is there
      }
      CHECK(differences(gradients[t], expected, {1e-3 * (1 + largest), 1e-3}) == "");
      CHECK((gradients[t].empty() || largest > 0.01));
    }

    // Null is a gradient that nobody wants; the others stay the same.
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      std::vector<float> alone(gradients[t].size(), 1.0F);
      std::vector<float*> only(tensors.size(), nullptr);
      only[t] = alone.empty() ? nullptr : alone.data();
      loss.gradient(only);
      CHECK(bit_differences(alone, gradients[t]) == "");
    }
  }
  CHECK(trained > 0);
}

}  // namespace
}  // namespace posenc::test
