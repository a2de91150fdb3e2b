// The loops of the way back: batch entries, kv heads, the query heads that share them, blocks of
// queries, blocks of keys, panels.
#include "attention/backward.hpp"

#include <algorithm>

#include "attention/backward_head.hpp"
#include "attention/backward_mix.hpp"
#include "attention/backward_turns.hpp"
#include "attention/check.hpp"
#include "attention/operands.hpp"
#include "core/objects.hpp"

namespace posenc {

namespace {

/// Runs through the heads one after another, or, where scores of all heads are mixed, through all
/// of them at once, as the way there does. Those that run together are slots.
class Backward {
 public:
  Backward(const AttentionProblem& problem, const AttentionGradients& gradients)
      : p_(problem),
        g_(gradients),
        slots_(mixes() ? p_.heads : 1),
        operands_(kv_slots()),
        keys_(kv_slots()),
        heads_(slots_),
        mix_(problem, gradients.content) {}

  Status run() {
    Status status = allocate();
    for (std::int64_t entry = 0; entry < p_.batch && status == Status::ok; ++entry) {
      status = run_entry(entry);
    }
    return status;
  }

 private:
  bool mixes() const { return p_.terms.head_mix != nullptr; }
  /// Head h reads kv head floor(h · kv_heads / heads).
  std::int64_t group() const { return p_.heads / p_.kv_heads; }
  std::int64_t kv_slots() const { return mixes() ? p_.kv_heads : 1; }
  std::int64_t slot(std::int64_t head) const { return mixes() ? head : 0; }
  std::int64_t kv_slot(std::int64_t head) const { return slot(head) / group(); }

  Status allocate() {
    if (!operands_.ok() || !keys_.ok() || !heads_.ok()) return Status::memory;
    for (std::int64_t i = 0; i < kv_slots(); ++i) {
      Status status = operands_.add(p_).allocate();
      if (status == Status::ok) status = keys_.add(p_, g_, operands_[i]).allocate();
      if (status != Status::ok) return status;
    }
    for (std::int64_t i = 0; i < slots_; ++i) {
      const std::int64_t kv = kv_slot(i);
      const Status status = heads_.add(p_, g_, operands_[kv], keys_[kv]).allocate();
      if (status != Status::ok) return status;
    }
    return mix_.allocate();
  }

  Status run_entry(std::int64_t entry) {
    for (Operands& operands : operands_) {
      if (const Status status = operands.enter(entry); status != Status::ok) return status;
    }
    for (std::int64_t head = 0; head < p_.heads; ++head) {
      if (const Status status = enter(head); status != Status::ok) return status;
      if (slot(head) + 1 < slots_) continue;
      const std::int64_t count = heads_[0].block_size();
      for (std::int64_t first = 0; first < p_.queries; first += count) {
        run_query_block(first, std::min(count, p_.queries - first));
      }
      for (std::int64_t done = head + 1 - slots_; done <= head; ++done) {
        if (const Status status = leave(done); status != Status::ok) return status;
      }
    }
    return Status::ok;
  }

  Status enter(std::int64_t head) {
    if (head % group() == 0) {
      operands_[kv_slot(head)].enter_kv_head(head / group());
      keys_[kv_slot(head)].enter(head / group());
    }
    return heads_[slot(head)].enter(head);
  }

  Status leave(std::int64_t head) {
    const Status status = heads_[slot(head)].leave();
    const bool last = (head + 1) % group() == 0;
    return status == Status::ok && last ? keys_[kv_slot(head)].leave() : status;
  }

  void run_query_block(std::int64_t first, std::int64_t count) {
    for (HeadBackward& head : heads_) head.start(first, count);
    const KeyRows& keys = operands_[0].rows();
    const bool backwards = p_.terms.content != nullptr && p_.terms.content->gated();
    for (std::int64_t step = 0; step < keys.block_count; ++step) {
      const KeyBlock& block = keys.block(backwards ? keys.block_count - 1 - step : step);
      for (std::int64_t i = 0; i < heads_[0].panels(); ++i) {
        if (mixes()) {
          run_mixed_tile(i, block);
        } else {
          heads_[0].run_tile(i, block);
        }
      }
      for (HeadBackward& head : heads_) head.finish_keys(block);
    }
    for (HeadBackward& head : heads_) head.finish_queries();
  }

  /// A tile of all heads.
  void run_mixed_tile(std::int64_t i, const KeyBlock& block) {
    bool any = false;
    for (HeadBackward& head : heads_) any |= head.sees(i, block);
    if (!any) return;
    for (std::int64_t h = 0; h < slots_; ++h) {
      heads_[h].write_raw(i, block, mix_.scores(h), mix_.biases(h));
    }
    mix_.mix(block.count);
    for (std::int64_t h = 0; h < slots_; ++h) {
      heads_[h].run_mixed_tile(i, block, mix_.sums(h), mix_.d_sums(h));
    }
    mix_.mix_grad(block.count);
    for (std::int64_t h = 0; h < slots_; ++h) {
      heads_[h].take_mix_grad(i, block, mix_.d_scores(h), mix_.d_biases(h));
    }
  }

  const AttentionProblem& p_;
  const AttentionGradients& g_;
  std::int64_t slots_;
  Objects<Operands> operands_;  // of a kv head in each slot
  Objects<KeyGradient> keys_;   // the same
  Objects<HeadBackward> heads_;
  MixGradient mix_;
};

}  // namespace

Status attention_backward(const AttentionProblem& problem, const AttentionGradients& gradients) {
  const Status status = check(problem);
  if (problem.query_rows != 0 || problem.key_rows != 0 || problem.key_counts != nullptr ||
      problem.keys_turned) {
    return Status::unsupported;
  }
  return status == Status::ok ? Backward(problem, gradients).run() : status;
}

}  // namespace posenc
