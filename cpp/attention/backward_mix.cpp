#include "attention/backward_mix.hpp"

#include <algorithm>

namespace posenc {

namespace {

/// For as many tensors as an encoding may have: none is wanted.
constexpr float* kUnwanted[16] = {};

}  // namespace

MixGradient::MixGradient(const AttentionProblem& problem, std::span<float* const> grads)
    : mix_(problem.terms.head_mix),
      size_(mix_ == nullptr ? 0 : problem.heads * kTile),
      grads_(grads.empty() ? std::span<float* const>(kUnwanted) : grads) {}

Status MixGradient::allocate() {
  for (Buffer<float>* tiles : {&scores_, &biases_, &sums_, &d_sums_, &d_scores_, &d_biases_}) {
    *tiles = Buffer<float>(size_);
    if (!tiles->ok()) return Status::memory;
  }
  return Status::ok;
}

void MixGradient::mix(std::int64_t count) {
  std::copy_n(scores_.data(), size_, sums_.data());
  mix_->add(biases_.data(), count * kPanel, kTile, sums_.data());
}

void MixGradient::mix_grad(std::int64_t count) {
  std::fill_n(d_scores_.data(), size_, 0.0F);
  std::fill_n(d_biases_.data(), size_, 0.0F);
  mix_->add_grad(scores_.data(), biases_.data(), d_sums_.data(), count * kPanel, kTile,
                 d_scores_.data(), d_biases_.data(), grads_);
}

}  // namespace posenc
