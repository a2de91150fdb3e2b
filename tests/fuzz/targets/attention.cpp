// Fuzzes `attention`: what is refused has a reason, and what is not equals the float64 reference.
#include <algorithm>
#include <cmath>
#include <string>

#include "hook_reference.hpp"
#include "problem.hpp"
#include "require.hpp"

namespace posenc::fuzz {
namespace {

bool all_finite(const auto& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](auto x) { return std::isfinite(x); });
}

void attend(Bytes bytes) {
  const bool taps = bytes.flag();
  const auto offset = static_cast<int>(bytes.below(4));
  const Problem problem(bytes, {});
  const test::AttentionCase& c = problem.attention;
  if (problem.made != Status::ok) return;
  const auto actual = test::run(c, {.taps = taps, .offset = offset, .zero_axes = false});
  require(actual.status != Status::memory, "so little needs little memory");
  require(problem.fits || actual.status != Status::ok, "a fault is taken");
  if (actual.status != Status::ok) {
    const bool may_not_go_together = actual.status == Status::unsupported ||
                                     actual.status == Status::shape ||
                                     actual.status == Status::conflict;
    require(!problem.fits || may_not_go_together,
            std::string("a problem without a fault is refused: ") +
                kStatusNames[static_cast<int>(actual.status)] + problem.text());
    return;
  }
  const auto wanted = expected(c, problem.encodings.terms());
  if (is_moderate(wanted) && all_finite(wanted.output)) {
    require(all_finite(actual.output), "finite numbers give finite numbers");
    const auto compare = [&](const std::string& what, const auto& x, const auto& y) {
      require_same(test::differences(x, y, tolerance_of(wanted)), what + problem.text());
    };
    compare("output", actual.output, wanted.output);
    if (!taps) return;
    compare("scores", actual.scores, wanted.scores);
    compare("capped", actual.capped, wanted.capped);
    compare("biased", actual.biased, wanted.biased);
    compare("logits", actual.logits, wanted.logits);
    compare("weights", actual.weights, wanted.weights);
  }
}

}  // namespace
}  // namespace posenc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  posenc::fuzz::attend({data, size});
  return 0;
}
