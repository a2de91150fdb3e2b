// The JavaScript side of the kernels: numbers and byte offsets in, a status out. Only files of this
// folder include Embind.
#include <emscripten/bind.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include "bindings/attention_call.hpp"
#include "bindings/block.hpp"
#include "bindings/cache.hpp"
#include "bindings/describe.hpp"
#include "bindings/fields.hpp"
#include "bindings/gradients.hpp"
#include "bindings/linear.hpp"
#include "bindings/model.hpp"
#include "bindings/trainer.hpp"
#include "bindings/transformer.hpp"
#include "core/random.hpp"
#include "position/given_table.hpp"
#include "position/registry.hpp"
#include "position/rotation.hpp"

namespace posenc::bindings {

namespace {

/// The last fault that `resolve` found.
Fault last_fault;

int resolve_block(Address block) {
  auto* values = at<double>(block);
  const Description* d = description_of(values);
  last_fault = d == nullptr ? Fault{Status::parameter, -1, "an encoding of the registry"}
                            : resolve(*d, {values + 1, d->parameters.size()});
  return code(last_fault.status);
}

int fault_parameter() { return last_fault.parameter; }
std::string fault_rule() { return last_fault.rule; }

double frequency_count(Address block) {
  const auto encoding = make(at<double>(block));
  return encoding == nullptr ? 0.0 : static_cast<double>(encoding->frequencies().size());
}

int frequencies(Address block, Address out) {
  const auto encoding = make(at<double>(block));
  if (encoding == nullptr) return code(Status::memory);
  auto* to = at<double>(out);
  for (const double frequency : encoding->frequencies()) *to++ = frequency;
  return code(Status::ok);
}

double attention_factor(Address block) {
  const auto encoding = make(at<double>(block));
  return encoding == nullptr ? 1.0 : encoding->attention_factor();
}

/// Writes what positions the encoding knows: lowest, highest, coordinates, whether one coordinate
/// stands for all.
int domain(Address block, Address out) {
  const auto encoding = make(at<double>(block));
  if (encoding == nullptr) return code(Status::memory);
  const PositionDomain known = encoding->domain();
  auto* to = at<double>(out);
  to[0] = known.low;
  to[1] = known.high;
  to[2] = known.axes;
  to[3] = known.one_for_all ? 1 : 0;
  return code(Status::ok);
}

/// Whether distances alone matter to the encoding.
int relative(Address block) {
  const auto encoding = make(at<double>(block));
  return encoding != nullptr && encoding->relative() ? 1 : 0;
}

/// Whether keys can wait turned, each by a turn that has an inverse.
int keeps_turned(Address block) {
  const auto encoding = make(at<double>(block));
  const Rotate* hook = encoding == nullptr ? nullptr : encoding->rotate();
  return hook != nullptr && hook->regimes() == 1 && hook->turns_pairs_only() ? 1 : 0;
}

double score_scale(Address block, double head_dim) {
  const auto encoding = make(at<double>(block));
  return encoding == nullptr ? std::nan("")
                             : encoding->score_scale(static_cast<std::int64_t>(head_dim));
}

double embed_width(Address block) {
  const auto encoding = make(at<double>(block));
  if (encoding == nullptr || encoding->embed() == nullptr) return 0.0;
  return static_cast<double>(encoding->embed()->width());
}

int embed(Address block, Address positions, double tokens, int axes, Address out) {
  const auto encoding = make(at<double>(block));
  if (encoding == nullptr) return code(Status::memory);
  if (encoding->embed() == nullptr) return code(Status::unsupported);
  const Positions rows = positions_at(positions, tokens, axes);
  if (!encoding->domain().holds(rows)) return code(Status::position);
  encoding->embed()->rows(rows, at<float>(out));
  return code(Status::ok);
}

double rotation_width(Address block) {
  const auto encoding = make(at<double>(block));
  if (encoding == nullptr || encoding->rotate() == nullptr) return 0.0;
  return static_cast<double>(encoding->rotate()->table_width());
}

double turned_dim(Address block) {
  const auto encoding = make(at<double>(block));
  if (encoding == nullptr || encoding->rotate() == nullptr) return 0.0;
  return static_cast<double>(encoding->rotate()->turned_dim());
}

int rotation_table(Address block, int side, Address positions, double tokens, int axes, Address cos,
                   Address sin) {
  const auto encoding = make(at<double>(block));
  if (encoding == nullptr) return code(Status::memory);
  if (encoding->rotate() == nullptr) return code(Status::unsupported);
  const Positions rows = positions_at(positions, tokens, axes);
  if (!encoding->domain().holds(rows)) return code(Status::position);
  encoding->rotate()->table(side == 0 ? Side::query : Side::key, rows, at<float>(cos),
                            at<float>(sin));
  return code(Status::ok);
}

int rotate(Address call_block) {
  using F = RotateField;
  const auto* f = at<double>(call_block);
  const auto encoding = make(at<double>(f[F::encoding]));
  if (encoding == nullptr) return code(Status::memory);
  const Rotate* hook = encoding->rotate();
  if (hook == nullptr) return code(Status::unsupported);
  if (f[F::head_dim] != static_cast<double>(hook->head_dim())) return code(Status::shape);
  const RotateCall call = rotate_call(f);
  const std::int64_t rows = call.tokens * (call.positions_per_batch ? call.batch : 1);
  if (!encoding->domain().holds({call.positions, rows, call.axes})) return code(Status::position);
  return code(rotate_tensor(*hook, call));
}

/// The same by `rows` rows of given tables; the field `encoding` is not read.
int rotate_by_table(Address call_block, Address cos, Address sin, double rows, int rotary_dim,
                    int layout) {
  const auto* f = at<double>(call_block);
  const RotateCall call = rotate_call(f);
  const std::int64_t tokens = call.tokens * (call.positions_per_batch ? call.batch : 1);
  const PositionDomain domain{.low = 0, .high = static_cast<std::int32_t>(rows) - 1};
  if (!domain.holds({call.positions, tokens, call.axes})) return code(Status::position);
  const auto head_dim = static_cast<std::int64_t>(f[RotateField::head_dim]);
  const GivenTable table(head_dim, rotary_dim, static_cast<PairLayout>(layout), at<float>(cos),
                         at<float>(sin));
  return code(rotate_tensor(table, call));
}

double bias_heads(Address block) {
  const auto encoding = make(at<double>(block));
  return encoding == nullptr || encoding->bias() == nullptr ? 0.0 : encoding->bias()->heads();
}

int bias(Address block, Address query_positions, double queries, Address key_positions, double keys,
         int axes, Address out) {
  const auto encoding = make(at<double>(block));
  if (encoding == nullptr) return code(Status::memory);
  const Bias* hook = encoding->bias();
  if (hook == nullptr) return code(Status::unsupported);
  const Positions query_rows = positions_at(query_positions, queries, axes);
  const Positions key_rows = positions_at(key_positions, keys, axes);
  const PositionDomain domain = encoding->domain();
  if (!domain.holds(query_rows) || !domain.holds(key_rows)) return code(Status::position);
  auto* row = at<float>(out);
  for (int head = 0; head < hook->heads(); ++head) {
    for (std::int64_t m = 0; m < query_rows.count; ++m, row += key_rows.count) {
      hook->row(head, query_rows.from(m, 1), key_rows, row);
    }
  }
  return code(Status::ok);
}

int scale(Address block, Address positions, double tokens, int axes, int heads, Address out) {
  const auto encoding = make(at<double>(block));
  if (encoding == nullptr) return code(Status::memory);
  if (encoding->scale() == nullptr) return code(Status::unsupported);
  const Positions rows = positions_at(positions, tokens, axes);
  if (!encoding->domain().holds(rows)) return code(Status::position);
  auto* to = at<float>(out);
  for (int head = 0; head < heads; ++head) {
    for (std::int64_t t = 0; t < rows.count; ++t) {
      *to++ = encoding->scale()->factor(head, rows.from(t, 1));
    }
  }
  return code(Status::ok);
}

int attention_call(Address call_block) {
  AttentionCall call;
  const Status status = call.read(at<double>(call_block));
  return code(status == Status::ok ? attention(call.problem) : status);
}

int random(double seed_low, double seed_high, double skip, int kind, double count, Address out) {
  const auto seed =
      static_cast<std::uint64_t>(seed_high) << 32 | static_cast<std::uint64_t>(seed_low);
  Random stream(seed, static_cast<std::uint64_t>(skip));
  auto* to = at<float>(out);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(count); ++i) {
    *to++ = kind == 0 ? stream.uniform() : stream.normal();
  }
  return code(Status::ok);
}

}  // namespace

EMSCRIPTEN_BINDINGS(posenc) {
  using emscripten::function;
  function("describe", &describe);
  function("resolve", &resolve_block);
  function("faultParameter", &fault_parameter);
  function("faultRule", &fault_rule);
  function("frequencyCount", &frequency_count);
  function("frequencies", &frequencies);
  function("attentionFactor", &attention_factor);
  function("domain", &domain);
  function("relative", &relative);
  function("keepsTurned", &keeps_turned);
  function("scoreScale", &score_scale);
  function("embedWidth", &embed_width);
  function("embed", &embed);
  function("rotationWidth", &rotation_width);
  function("turnedDim", &turned_dim);
  function("rotationTable", &rotation_table);
  function("rotate", &rotate);
  function("rotateByTable", &rotate_by_table);
  function("biasHeads", &bias_heads);
  function("bias", &bias);
  function("scale", &scale);
  function("embedGradient", &embed_gradient);
  function("rotateGradient", &rotate_gradient);
  function("biasGradient", &bias_gradient);
  function("scaleGradient", &scale_gradient);
  function("attention", &attention_call);
  function("random", &random);
#ifndef POSENC_LITE
  function("linear", &linear_call);
  function("attentionBackward", &attention_gradient);
  function("linearAttention", &linear_attention_call);
  function("cacheMake", &cache_make);
  function("cacheFree", &cache_free);
  function("cacheAppend", &cache_append);
  function("cacheAttend", &cache_attend);
  function("cacheEvict", &cache_evict);
  function("cacheTruncate", &cache_truncate);
  function("cacheShift", &cache_shift);
  function("cacheCopySequence", &cache_copy_sequence);
  function("cacheClear", &cache_clear);
  function("cacheClone", &cache_clone);
  function("cacheCount", &cache_count);
  function("cacheNext", &cache_next);
  function("cachePositions", &cache_positions);
  function("cacheSize", &cache_size);
  function("cacheSave", &cache_save);
  function("cacheRestore", &cache_restore);
  function("modelMake", &model_make);
  function("modelFree", &model_free);
  function("modelExpected", &model_expected);
  function("modelAdd", &model_add);
  function("modelWrite", &model_write);
  function("modelMissing", &model_missing);
  function("modelNumbers", &model_numbers);
  function("modelBytes", &model_bytes);
  function("trainerMake", &trainer_make);
  function("trainerFree", &trainer_free);
  function("trainerAdopt", &trainer_adopt);
  function("trainerLearn", &trainer_learn);
  function("trainerClear", &trainer_clear);
  function("trainerNorm", &trainer_norm);
  function("trainerUpdate", &trainer_update);
  function("trainerGradient", &trainer_gradient);
  function("trainerStateSize", &trainer_state_size);
  function("trainerSave", &trainer_save);
  function("trainerLoad", &trainer_load);
  function("modelStep", &model_step);
  function("modelCross", &model_cross);
#endif
}

}  // namespace posenc::bindings
