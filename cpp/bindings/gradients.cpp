#include "bindings/gradients.hpp"

#include <array>
#include <span>

#include "position/hook_gradients.hpp"

namespace posenc::bindings {

namespace {

/// The pointers that hooks want, from the addresses at `grads`.
class Gradients {
 public:
  Gradients(const double* block, Address grads) {
    const auto* addresses = at<std::uint32_t>(grads);
    for (const Parameter& p : description_of(block)->parameters) {
      if (p.kind != Parameter::Kind::tensor) continue;
      pointers_[count_] = at<float>(Address{addresses[count_]});
      ++count_;
    }
  }
  operator std::span<float* const>() const { return {pointers_.data(), count_}; }

 private:
  static constexpr std::size_t kMost = 16;
  std::array<float*, kMost> pointers_{};
  std::size_t count_ = 0;
};

}  // namespace

int embed_gradient(Address block, Address positions, double tokens, int axes, Address d_out,
                   Address grads) {
  const auto encoding = make(at<double>(block));
  if (encoding == nullptr) return code(Status::memory);
  if (encoding->embed() == nullptr) return code(Status::unsupported);
  const Positions rows = positions_at(positions, tokens, axes);
  if (!encoding->domain().holds(rows)) return code(Status::position);
  return code(encoding->embed()->rows_grad(rows, at<float>(d_out),
                                           Gradients(at<double>(block), grads)));
}

int rotate_gradient(Address call_block, Address grads) {
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
  return code(rotate_grad(*hook, call, call.out, Gradients(block, grads)));
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
            Gradients(at<double>(block), grads));
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
             Gradients(at<double>(block), grads));
  return code(Status::ok);
}

}  // namespace posenc::bindings
