#include "hook_losses.hpp"

#include <doctest/doctest.h>

#include "position/hook_gradients.hpp"
#include "table.hpp"

namespace posenc::test {

namespace {

const std::vector<std::int32_t> kTokens = {0, 1, 2, 5, 7, 9, 13, 20};
constexpr auto kCount = std::int64_t{8};
constexpr Side kSides[] = {Side::query, Side::key};

}  // namespace

HookLoss::HookLoss(const Sample& sample, int heads) : sample_(sample), heads_(heads) {
  const auto encoding = sample.make();
  axes_ = axes_read(encoding->domain());
  positions_ = with_zeros(kTokens, axes_);
  std::int64_t most = 2 * heads * kCount * kCount;  // biases and weights
  if (const Rotate* rotate = encoding->rotate(); rotate != nullptr) {
    rows_ = random_floats(2 * heads * kCount * rotate->head_dim(), 76);
    most = 2 * heads * kCount * rotate->turned_dim();
  }
  if (encoding->head_mix() != nullptr) rows_ = random_floats(2 * heads * kCount, 78);
  if (const Embed* embed = encoding->embed(); embed != nullptr) most = kCount * embed->width();
  weights_ = random_floats(most, 77);
}

double HookLoss::value() const {
  const Reference& r = sample_.reference;
  const auto encoding = sample_.make();
  double sum = 0.0;
  const float* weight = weights_.data();
  const auto add = [&](double term) { sum += *weight++ * term; };
  if (const Embed* embed = encoding->embed(); embed != nullptr) {
    for (const std::int64_t at : kTokens) {
      for (std::int64_t column = 0; column < embed->width(); ++column) add(r.embed(at, column));
    }
  }
  if (const Rotate* rotate = encoding->rotate(); rotate != nullptr) {
    std::int64_t first = 0;
    for (const Side side : kSides) {
      for (int head = 0; head < heads_; ++head) {
        for (const std::int64_t at : kTokens) {
          const auto row = part(rows_, first, rotate->head_dim());
          for (const double x : rotated(r, row, at, side, head)) add(x);
          first += rotate->head_dim();
        }
      }
    }
  }
  for (int head = 0; head < heads_; ++head) {
    for (const std::int64_t at : kTokens) {
      if (r.scale) add(r.scale(head, at));
      if (!r.bias) continue;
      for (const std::int64_t key : kTokens) add(r.bias(head, at, key));
    }
  }
  for (int head = 0; r.weight && head < heads_; ++head) {
    for (const std::int64_t at : kTokens) {
      for (const std::int64_t key : kTokens) add(r.weight(head, at, key));
    }
  }
  for (std::int64_t i = 0; r.mix && i < heads_ * kCount; ++i) {
    std::vector<double> of_heads[2];  // scores, biases
    for (std::int64_t row = i % kCount; row < 2 * heads_ * kCount; row += kCount) {
      of_heads[row / (heads_ * kCount)].push_back(rows_[static_cast<std::size_t>(row)]);
    }
    add(r.mix(static_cast<int>(i / kCount), of_heads[0], of_heads[1]));
  }
  return sum;
}

void HookLoss::add_gradient(std::span<float* const> grads) const {
  const auto encoding = sample_.make();
  const Positions tokens{positions_.data(), kCount, axes_};
  const float* weights = weights_.data();
  if (encoding->embed() != nullptr) {
    REQUIRE(encoding->embed()->rows_grad(tokens, weights, grads) == Status::ok);
  }
  if (const Bias* bias = encoding->bias(); bias != nullptr) {
    bias_grad(*bias, tokens, tokens, weights, grads);
    const float* more = weights + heads_ * kCount * kCount;
    if (bias->weighs()) weights_grad(*bias, tokens, tokens, more, grads);
  }
  if (encoding->scale() != nullptr) scale_grad(*encoding->scale(), heads_, tokens, weights, grads);
  if (const HeadMix* mix = encoding->head_mix(); mix != nullptr) {
    mix->add_grad(rows_.data(), rows_.data() + heads_ * kCount, weights, kCount, kCount, nullptr,
                  nullptr, grads);
  }
  const Rotate* rotate = encoding->rotate();
  if (rotate == nullptr) return;
  for (const Side side : kSides) {
    const std::int64_t rows = side == Side::query ? 0 : heads_ * kCount;
    const RotateCall call{.x = rows_.data() + rows * rotate->head_dim(),
                          .out = nullptr,
                          .batch = 1,
                          .heads = heads_,
                          .tokens = kCount,
                          .positions = tokens.data,
                          .positions_per_batch = false,
                          .axes = axes_,
                          .side = side,
                          .inverse = false};
    const float* d_out = weights + rows * rotate->turned_dim();
    REQUIRE(rotate_grad(*rotate, call, d_out, grads) == Status::ok);
  }
}

}  // namespace posenc::test
