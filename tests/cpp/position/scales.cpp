// Temperatures by position: log-n, scalable softmax, Llama 4.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "made.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

double factor(const Encoding& encoding, std::int32_t position, int head = 0) {
  return encoding.scale()->factor(head, {&position, 1});
}

TEST_CASE("log-n grows from the trained length on") {
  const auto encoding = made("log_n", {{"trainedLength", 4096}});
  CHECK(factor(*encoding, 32767) == doctest::Approx(1.25));
  CHECK(factor(*encoding, 4096) == doctest::Approx(std::log(4097.0) / std::log(4096.0)));
  for (const std::int32_t position : {-100, -1, 0, 17, 4095}) {
    CHECK(factor(*encoding, position) == 1);
  }
  CHECK(std::string(refusal("log_n", {}).option) == "trainedLength");
  CHECK(std::string(refusal("log_n", {{"trainedLength", 1}}).option) == "trainedLength");
}

TEST_CASE("scalable softmax has trained numbers for every head") {
  const auto plain = made("ssmax", {{"heads", 2}});
  CHECK(factor(*plain, 99) == doctest::Approx(std::log(100.0)));
  CHECK(factor(*plain, 0) == 0);
  CHECK(factor(*plain, -5) == 0);
  const auto encoding = made(
      "ssmax",
      {{"heads", 2}, {"strengths", kept<float>({0.43F, -2})}, {"biases", kept<float>({0.5F, 1})}});
  CHECK(factor(*encoding, 7, 0) == doctest::Approx(0.43 * std::log(8.0) + 0.5));
  CHECK(factor(*encoding, 7, 1) == doctest::Approx(-2 * std::log(8.0) + 1));

  std::vector<float> strengths(2, 1.0F);
  std::vector<float> biases(2, 0.0F);
  float* const grads[] = {strengths.data(), biases.data()};
  const std::int32_t position = 7;
  encoding->scale()->factor_grad(1, {&position, 1}, 3.0F, grads);
  CHECK(strengths[0] == 1);
  CHECK(strengths[1] == doctest::Approx(1 + 3 * std::log(8.0)));
  CHECK(biases == std::vector<float>{0, 3});
  float* const none[] = {nullptr, nullptr};
  encoding->scale()->factor_grad(1, {&position, 1}, 3.0F, none);

  CHECK(std::string(refusal("ssmax", {{"heads", 2}, {"strengths", kept<float>({1})}}).option) ==
        "strengths");
  CHECK(std::string(refusal("ssmax", {{"heads", 2}, {"biases", kept<float>({1})}}).option) ==
        "biases");
}

TEST_CASE("Llama 4's temperature rises every 8192 tokens") {
  const auto encoding = made("llama4_temperature", {});
  CHECK(factor(*encoding, -1) == 1);
  CHECK(factor(*encoding, -20000) == 1);
  CHECK(factor(*encoding, 8190) == 1);
  CHECK(factor(*encoding, 8191) == doctest::Approx(1 + 0.1 * std::log(2.0)));
  CHECK(factor(*encoding, 16382) == doctest::Approx(1 + 0.1 * std::log(2.0)));
  CHECK(factor(*encoding, 16383) == doctest::Approx(1 + 0.1 * std::log(3.0)));
  // Ministral 3: 1 + beta·ln(1 + floor(m / original_max_position_embeddings)).
  const auto ministral =
      made("llama4_temperature", {{"floorScale", 16384}, {"offset", 0}, {"scale", 0.1}});
  CHECK(factor(*ministral, 16383) == 1);
  CHECK(factor(*ministral, 16384) == doctest::Approx(1 + 0.1 * std::log(2.0)));
}

}  // namespace
}  // namespace posenc::test
