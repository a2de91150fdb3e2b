#include "attention/check.hpp"

#include <algorithm>
#include <cmath>

namespace posenc {

namespace {

/// True when the encodings know the positions of all keys that there are.
bool knows_keys(const AttentionProblem& p) {
  const std::int64_t entries = p.key_positions_per_batch ? p.batch : 1;
  for (std::int64_t entry = 0; entry < entries; ++entry) {
    const std::int64_t count = p.key_positions_per_batch ? p.key_count(entry) : p.keys;
    const std::int64_t first = entry * p.key_stride() * p.axes;
    if (!p.terms.domain.holds({p.key_positions + first, count, p.axes})) return false;
  }
  return true;
}

}  // namespace

Status check(const AttentionProblem& p) {
  if (p.batch < 0 || p.heads < 1 || p.kv_heads < 1 || p.queries < 0 || p.keys < 0 ||
      p.head_dim < 1 || p.value_dim < 1 || p.axes < 1 || p.heads % p.kv_heads != 0) {
    return Status::shape;
  }
  if (p.query_stride() < p.queries || p.key_stride() < p.keys) return Status::shape;
  for (std::int64_t entry = 0; entry < p.batch; ++entry) {
    if (p.key_count(entry) < 0 || p.key_count(entry) > p.keys) return Status::shape;
  }
  const ScoreTerms& terms = p.terms;
  if (const Rotate* rotate = terms.rotate; rotate != nullptr) {
    if (rotate->head_dim() != p.head_dim) return Status::shape;
    if (rotate->turns_output_back() && p.value_dim != p.head_dim) return Status::shape;
    if (terms.content != nullptr && rotate->turned_dim() != p.head_dim) return Status::shape;
    if (terms.content != nullptr && rotate->regimes() > 1) return Status::unsupported;
    if (p.keys_turned && (rotate->regimes() > 1 || rotate->turned_dim() != p.head_dim)) {
      return Status::unsupported;
    }
  }
  if (const Content* content = terms.content; content != nullptr) {
    if (content->head_dim() != p.head_dim) return Status::shape;
    if (content->heads() != 0 && content->heads() != p.heads) return Status::shape;
    if (content->value_dim() != 0 && content->value_dim() != p.value_dim) return Status::shape;
  }
  if (terms.head_mix != nullptr && terms.head_mix->heads() != p.heads) return Status::shape;
  if (terms.bias != nullptr && terms.bias->heads() != p.heads) return Status::shape;
  if (!std::isfinite(p.scale) || !std::isfinite(p.softcap) || p.softcap < 0) {
    return Status::parameter;
  }
  if (p.masks.window < 0 || p.masks.before < -1 || p.masks.after < -1 || p.masks.chunk < 0 ||
      p.masks.sinks < 0) {
    return Status::parameter;
  }
  if ((p.masks.query_segments.data == nullptr) != (p.masks.key_segments.data == nullptr)) {
    return Status::parameter;
  }
  const std::int64_t query_count = p.queries * (p.query_positions_per_batch ? p.batch : 1);
  if (!terms.domain.holds({p.query_positions, query_count, p.axes}) || !knows_keys(p)) {
    return Status::position;
  }
  return Status::ok;
}

Status collect(std::span<const Encoding* const> encodings, ScoreTerms& terms) {
  if (encodings.size() > ScoreTerms::kMost) return Status::conflict;
  std::copy(encodings.begin(), encodings.end(), terms.encodings);
  const auto fill = [](auto& place, auto* hook) {
    if (hook == nullptr) return true;
    if (place != nullptr) return false;
    place = hook;
    return true;
  };
  for (const Encoding* e : encodings) {
    if (e->embed() != nullptr && e->rotate() == nullptr && e->content() == nullptr &&
        e->head_mix() == nullptr && e->bias() == nullptr && e->scale() == nullptr &&
        e->mask() == nullptr) {
      return Status::unsupported;
    }
    if (!fill(terms.rotate, e->rotate()) || !fill(terms.content, e->content()) ||
        !fill(terms.head_mix, e->head_mix()) || !fill(terms.bias, e->bias()) ||
        !fill(terms.scale, e->scale()) || !fill(terms.mask, e->mask())) {
      return Status::conflict;
    }
    if (terms.content != nullptr && terms.head_mix != nullptr) return Status::conflict;
    terms.domain = terms.domain.intersection(e->domain());
    terms.relative = terms.relative && e->relative();
  }
  return Status::ok;
}

}  // namespace posenc
