#include "position/hook_gradients.hpp"

#include "core/buffer.hpp"

namespace posenc {

void bias_grad(const Bias& bias, Positions queries, Positions keys, const float* d_out,
               std::span<float* const> grads) {
  for (int head = 0; head < bias.heads(); ++head) {
    for (std::int64_t m = 0; m < queries.count; ++m, d_out += keys.count) {
      bias.row_grad(head, queries.from(m, 1), keys, d_out, grads);
    }
  }
}

void weights_grad(const Bias& bias, Positions queries, Positions keys, const float* d_out,
                  std::span<float* const> grads) {
  for (int head = 0; head < bias.heads(); ++head) {
    for (std::int64_t m = 0; m < queries.count; ++m, d_out += keys.count) {
      bias.weights_row_grad(head, queries.from(m, 1), keys, d_out, grads);
    }
  }
}

void scale_grad(const Scale& scale, int heads, Positions queries, const float* d_out,
                std::span<float* const> grads) {
  for (int head = 0; head < heads; ++head) {
    for (std::int64_t m = 0; m < queries.count; ++m) {
      scale.factor_grad(head, queries.from(m, 1), *d_out++, grads);
    }
  }
}

Status rotate_grad(const Rotate& rotate, const RotateCall& call, const float* d_out,
                   std::span<float* const> grads) {
  const std::int64_t step = call.positions_per_batch ? call.tokens * call.axes : 0;
  for (std::int64_t i = 0; i < call.batch * call.heads; ++i) {
    const Positions positions{call.positions + i / call.heads * step, call.tokens, call.axes};
    const Status status = rotate.turn_grad(call.side, static_cast<int>(i % call.heads), positions,
                                           call.x + i * call.tokens * rotate.head_dim(),
                                           d_out + i * call.tokens * rotate.turned_dim(), grads);
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

Status rotate_input_grad(const Rotate& rotate, const RotateCall& call, const float* d_out,
                         float* d_x) {
  const std::int64_t width = rotate.table_width();
  Buffer<float> cos(call.tokens * width);
  Buffer<float> sin(call.tokens * width);
  if (!cos.ok() || !sin.ok()) return Status::memory;
  for (std::int64_t i = 0; i < call.batch * call.heads; ++i) {
    if (i == 0 || (call.positions_per_batch && i % call.heads == 0)) {
      const std::int64_t entry = call.positions_per_batch ? i / call.heads : 0;
      const Positions positions{call.positions + entry * call.tokens * call.axes, call.tokens,
                                call.axes};
      rotate.table(call.side, positions, cos.data(), sin.data());
    }
    const std::int64_t row = i * call.tokens;
    rotate.input_grad(call.side, static_cast<int>(i % call.heads), call.x + row * rotate.head_dim(),
                      cos.data(), sin.data(), d_out + row * rotate.turned_dim(), call.tokens,
                      d_x + row * rotate.head_dim());
  }
  return Status::ok;
}

}  // namespace posenc
