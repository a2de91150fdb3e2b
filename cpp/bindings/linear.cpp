#include "bindings/linear.hpp"

#include "attention/linear.hpp"

namespace posenc::bindings {

int linear_attention_call(Address call_block) {
  using F = LinearField;
  const auto* f = at<double>(call_block);
  const auto integer = [f](int field) { return static_cast<std::int64_t>(f[field]); };
  return code(linear_attention({
      .batch = integer(F::batch),
      .heads = integer(F::heads),
      .kv_heads = integer(F::kv_heads),
      .tokens = integer(F::tokens),
      .key_dim = integer(F::key_dim),
      .value_dim = integer(F::value_dim),
      .query = at<float>(f[F::query]),
      .key = at<float>(f[F::key]),
      .value = at<float>(f[F::value]),
      .decay = at<float>(f[F::decay]),
      .decay_dim = integer(F::decay_dim),
      .beta = at<float>(f[F::beta]),
      .beta_heads = integer(F::beta_heads),
      .scale = static_cast<float>(f[F::scale]),
      .state = at<float>(f[F::state]),
      .output = at<float>(f[F::output]),
  }));
}

}  // namespace posenc::bindings
