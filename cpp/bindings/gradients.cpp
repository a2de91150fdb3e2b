#include "bindings/gradients.hpp"

#include <span>

#include "attention/backward.hpp"
#include "bindings/attention_call.hpp"
#include "bindings/gradient_list.hpp"
#include "position/hook_gradients.hpp"

namespace posenc::bindings {

int embed_gradient(Address block, Address positions, double tokens, int axes, Address d_out,
                   Address grads) {
  const auto encoding = make(at<double>(block));
  if (encoding == nullptr) return code(Status::memory);
  if (encoding->embed() == nullptr) return code(Status::unsupported);
  const Positions rows = positions_at(positions, tokens, axes);
  if (!encoding->domain().holds(rows)) return code(Status::position);
  return code(
      encoding->embed()->rows_grad(rows, at<float>(d_out), GradientList(at<double>(block), grads)));
}

int rotate_gradient(Address call_block, Address grads, Address d_x) {
  const auto* f = at<double>(call_block);
  const auto* block = at<double>(f[RotateField::encoding]);
  const auto encoding = make(block);
  if (encoding == nullptr) return code(Status::memory);
  const Rotate* hook = encoding->rotate();
  if (hook == nullptr) return code(Status::unsupported);
  if (f[RotateField::head_dim] != static_cast<double>(hook->head_dim())) return code(Status::shape);
  const RotateCall call = rotate_call(f);
  const std::int64_t rows = call.tokens * (call.positions_per_batch ? call.batch : 1);
  if (!encoding->domain().holds({call.positions, rows, call.axes})) return code(Status::position);
  const Status status = rotate_grad(*hook, call, call.out, GradientList(block, grads));
  if (status != Status::ok || d_x == 0) return code(status);
  return code(rotate_input_grad(*hook, call, call.out, at<float>(d_x)));
}

int bias_gradient(Address block, Address query_positions, double queries, Address key_positions,
                  double keys, int axes, Address d_out, Address grads) {
  const auto encoding = make(at<double>(block));
  if (encoding == nullptr) return code(Status::memory);
  if (encoding->bias() == nullptr) return code(Status::unsupported);
  const Positions query_rows = positions_at(query_positions, queries, axes);
  const Positions key_rows = positions_at(key_positions, keys, axes);
  const PositionDomain domain = encoding->domain();
  if (!domain.holds(query_rows) || !domain.holds(key_rows)) return code(Status::position);
  bias_grad(*encoding->bias(), query_rows, key_rows, at<float>(d_out),
            GradientList(at<double>(block), grads));
  return code(Status::ok);
}

int scale_gradient(Address block, Address positions, double tokens, int axes, int heads,
                   Address d_out, Address grads) {
  const auto encoding = make(at<double>(block));
  if (encoding == nullptr) return code(Status::memory);
  if (encoding->scale() == nullptr) return code(Status::unsupported);
  const Positions rows = positions_at(positions, tokens, axes);
  if (!encoding->domain().holds(rows)) return code(Status::position);
  scale_grad(*encoding->scale(), heads, rows, at<float>(d_out),
             GradientList(at<double>(block), grads));
  return code(Status::ok);
}

int attention_gradient(Address call_block, Address gradient_block) {
  using F = GradientField;
  const auto* fields = at<double>(call_block);
  AttentionCall call;
  if (const Status status = call.read(fields); status != Status::ok) return code(status);
  const AttentionProblem& p = call.problem;

  const auto* f = at<double>(gradient_block);
  AttentionGradients g;
  GradientList trained[CallEncodings::kMost];
  const auto* lists = at<std::uint32_t>(f[F::encodings]);
  const auto* blocks = at<std::uint32_t>(fields[AttentionField::encodings]);
  for (std::int64_t i = 0; lists != nullptr && i < call.encodings.count(); ++i) {
    trained[i] = GradientList(at<double>(Address{blocks[i]}), Address{lists[i]});
    hand_out(call.encodings[i], trained[i], g);
  }
  g.d_output = at<float>(f[F::d_output]);
  g.query = at<float>(f[F::query]);
  g.key = at<float>(f[F::key]);
  g.value = at<float>(f[F::value]);
  g.score_scale = at<double>(f[F::score_scale]);
  g.sink_logits = at<float>(f[F::sink_logits]);
  g.head_scales = at<float>(f[F::head_scales]);
  g.query_scales = at<float>(f[F::query_scales]);
  const auto& added = p.masks.added;
  g.added = {at<float>(f[F::added]), added.batch_stride, added.head_stride, added.query_stride,
             added.key_stride};
  return code(attention_backward(p, g));
}

}  // namespace posenc::bindings
