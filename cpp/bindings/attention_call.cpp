#include "bindings/attention_call.hpp"

#include "bindings/fields.hpp"

namespace posenc::bindings {

namespace {

Masks masks(const double* f) {
  using F = AttentionField;
  const auto integer = [f](int field) { return static_cast<std::int64_t>(f[field]); };
  const auto pairs = [&integer](auto* data) {
    return PerPair{data, integer(F::mask_batch), integer(F::mask_head), integer(F::mask_query),
                   integer(F::mask_key)};
  };
  return {
      .causal = f[F::causal] != 0,
      .window = integer(F::window),
      .before = integer(F::before),
      .after = integer(F::after),
      .chunk = integer(F::chunk),
      .sinks = integer(F::sinks),
      .global_keys = {at<std::uint8_t>(f[F::global_keys]), f[F::global_keys_per_batch] != 0},
      .global_queries = {at<std::uint8_t>(f[F::global_queries]),
                         f[F::global_queries_per_batch] != 0},
      .real_keys = {at<std::uint8_t>(f[F::key_mask]), f[F::key_mask_per_batch] != 0},
      .query_segments = {at<std::int32_t>(f[F::query_segments]),
                         f[F::query_segments_per_batch] != 0},
      .key_segments = {at<std::int32_t>(f[F::key_segments]), f[F::key_segments_per_batch] != 0},
      .visible = pairs(at<const std::uint8_t>(f[F::visible])),
      .added = pairs(at<const float>(f[F::added])),
  };
}

}  // namespace

Status CallEncodings::make(Address blocks, double count, ScoreTerms& terms) {
  const auto size = static_cast<std::size_t>(count);
  if (size > kMost) return Status::conflict;
  const Encoding* encodings[kMost];
  for (std::size_t i = 0; i < size; ++i) {
    made_[i] = bindings::make(at<double>(Address{at<std::uint32_t>(blocks)[i]}));
    if (made_[i] == nullptr) return Status::memory;
    encodings[i] = made_[i].get();
    ++count_;
  }
  return collect({encodings, size}, terms);
}

Status AttentionCall::read(const double* f) {
  using F = AttentionField;
  const auto integer = [f](int field) { return static_cast<std::int64_t>(f[field]); };
  AttentionProblem& p = problem;
  p.batch = integer(F::batch);
  p.heads = integer(F::heads);
  p.kv_heads = integer(F::kv_heads);
  p.queries = integer(F::queries);
  p.keys = integer(F::keys);
  p.head_dim = integer(F::head_dim);
  p.value_dim = integer(F::value_dim);
  p.query = at<float>(f[F::query]);
  p.key = at<float>(f[F::key]);
  p.value = at<float>(f[F::value]);
  p.output = at<float>(f[F::output]);
  p.softcap = static_cast<float>(f[F::softcap]);
  p.scale = static_cast<float>(f[F::scale]);
  p.head_scales = at<float>(f[F::head_scales]);
  p.query_scales = {at<float>(f[F::query_scales]), f[F::query_scales_per_batch] != 0};
  p.sink_logits = at<float>(f[F::sink_logits]);
  p.masks = masks(f);
  p.axes = static_cast<int>(f[F::axes]);
  p.query_positions = at<std::int32_t>(f[F::query_positions]);
  p.query_positions_per_batch = f[F::query_positions_per_batch] != 0;
  p.key_positions = at<std::int32_t>(f[F::key_positions]);
  p.key_positions_per_batch = f[F::key_positions_per_batch] != 0;
  p.taps = {at<float>(f[F::scores]), at<float>(f[F::capped]), at<float>(f[F::biased]),
            at<float>(f[F::logits]), at<float>(f[F::weights])};
  p.statistics = at<RowStatistics>(f[F::statistics]);
  return encodings.make(static_cast<Address>(f[F::encodings]), f[F::encoding_count], p.terms);
}

}  // namespace posenc::bindings
