#include "attention/decode.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "attention/decode_kernels.hpp"
#include "attention/operands.hpp"
#include "attention/panel.hpp"
#include "attention/share_problem.hpp"
#include "attention/tile.hpp"

namespace posenc {

namespace {

constexpr std::int64_t kMostQueries = 4;
/// Blocks of keys of which the scores are kept until the values are read: long stretches, so that
/// both stream.
constexpr std::int64_t kBlocks = 8;
constexpr std::int64_t kKeys = kBlocks * kKeyBlock;

/// Keys of a block, and where their scores are.
struct Stretch {
  KeyBlock block;
  std::int64_t offset;
  bool all_visible;  // to all rows
};

/// One query of one head.
struct Row {
  std::int64_t head, query;
  HeadScores* scores;
  Panel panel;  // of this query alone
  RowState state;
};

class Decode {
 public:
  explicit Decode(const AttentionProblem& problem)
      : p_(problem),
        operands_(problem),
        group_(problem.heads / problem.kv_heads),
        scores_(static_cast<std::size_t>(group_)) {}

  /// A unit is a kv head.
  Status run(Share& share) {
    if (const Status status = operands_.allocate(); status != Status::ok) return status;
    const std::int64_t count = group_ * p_.queries;
    rows_ = Buffer<Row>(count);
    queries_ = Buffer<float>(count * operands_.dim());
    sums_ = Buffer<float>(count * p_.value_dim);
    weights_ = Buffer<float>(kSharedRows * kKeys);
    if (!rows_.ok() || !queries_.ok() || !sums_.ok() || !weights_.ok()) return Status::memory;
    for (std::int64_t unit = share.next(); unit >= 0; unit = share.next()) {
      Status status = enter(unit / p_.kv_heads);
      if (status == Status::ok) status = run_kv_head(unit % p_.kv_heads);
      if (status != Status::ok) return status;
    }
    return Status::ok;
  }

 private:
  Status enter(std::int64_t entry) {
    if (entry == entry_) return Status::ok;
    entry_ = entry;
    return operands_.enter(entry);
  }

  Status run_kv_head(std::int64_t kv_head) {
    operands_.enter_kv_head(kv_head);
    for (std::int64_t g = 0; g < group_; ++g) {
      HeadScores& scores = scores_[static_cast<std::size_t>(g)];
      const auto head = kv_head * group_ + g;
      const Status status = scores.build(p_, operands_, static_cast<int>(head));
      if (status != Status::ok) return status;
      for (std::int64_t query = 0; query < p_.queries; ++query) start(head, query, scores);
    }
    const std::int64_t count = group_ * p_.queries;
    std::fill_n(sums_.data(), count * p_.value_dim, 0.0F);
    for (std::int64_t b = 0; b < operands_.rows().block_count; b += kBlocks) {
      if (source() == Source::cache) {
        add_blocks<Source::cache>(count, b);
      } else {
        add_blocks<Source::memory>(count, b);
      }
    }
    for (std::int64_t r = 0; r < count; ++r) write(rows_[r], sums_.data() + r * p_.value_dim);
    return Status::ok;
  }

  void start(std::int64_t head, std::int64_t query, HeadScores& scores) {
    const std::int64_t r = head % group_ * p_.queries + query;
    Row& row = rows_[r];
    row.head = head;
    row.query = query;
    row.scores = &scores;
    row.state = {-std::numeric_limits<float>::infinity(), 0.0F};
    if (p_.sink_logits != nullptr) row.state = {p_.sink_logits[head], 1.0F};
    scores.place(query, 1, row.panel);
    float* out = queries_.data() + r * operands_.dim();
    const float* turned = operands_.queries(head, query, 1, operands_.regimes().first, out);
    for (std::int64_t d = 0; d < operands_.dim(); ++d) out[d] = turned[d] * row.panel.factor[0];
  }

  /// Where the keys and values of one layer are likely to be. Last-level caches hold tens of
  /// megabytes, which other layers take their share of.
  Source source() const {
    const std::int64_t numbers =
        p_.batch * p_.kv_heads * p_.keys * (operands_.dim() + p_.value_dim);
    constexpr std::int64_t kCached = std::int64_t{3} << 20;
    return numbers <= kCached ? Source::cache : Source::memory;
  }

  /// Blocks of keys from `first`, for all rows; several share the loads.
  template <Source From>
  void add_blocks(std::int64_t count, std::int64_t first) {
    std::int64_t r = 0;
    for (; r + kSharedRows <= count; r += kSharedRows) add_rows<kSharedRows, From>(r, first);
    for (; r < count; ++r) add_rows<1, From>(r, first);
  }

  /// The same for `Rows` queries from row `first_row`: scores of all keys, then their softmax, then
  /// all values.
  template <int Rows, Source From>
  void add_rows(std::int64_t first_row, std::int64_t first_block) {
    const std::int64_t dim = operands_.dim();
    const KeyRows& key_rows = operands_.rows();
    Row* rows = &rows_[first_row];
    Stretch stretches[kBlocks];
    std::int64_t stretch_count = 0;
    std::int64_t key_count = 0;
    const std::int64_t end = std::min(first_block + kBlocks, key_rows.block_count);
    for (std::int64_t b = first_block; b < end; ++b) {
      KeyBlock block = key_rows.block(b);
      if constexpr (Rows == 1) block = rows->scores->masks().in_sight(rows->panel, block);
      Visibility visibility[Rows];
      bool none = true;
      bool all = true;
      for (int r = 0; r < Rows; ++r) {
        visibility[r] = rows[r].scores->masks().visibility(rows[r].panel, block);
        none &= visibility[r] == Visibility::none;
        all &= visibility[r] == Visibility::all;
      }
      if (none) continue;
      float* scores = weights_.data() + key_count;
      const float* keys = operands_.keys(operands_.regimes().first) + block.first * dim;
      dot_few<Rows, From>(queries_.data() + first_row * dim, keys, block.count, dim, scores, kKeys);
      for (int r = 0; r < Rows; ++r) {
        rows[r].scores->finish_row(rows[r].panel, block, visibility[r], scores + r * kKeys);
      }
      stretches[stretch_count++] = {block, key_count, all};
      key_count += block.count;
    }
    float* sums = sums_.data() + first_row * p_.value_dim;
    for (int r = 0; r < Rows; ++r) {
      const float correction = softmax_row(weights_.data() + r * kKeys, key_count, rows[r].state);
      multiply(correction, p_.value_dim, sums + r * p_.value_dim);
    }
    for (std::int64_t i = 0; i < stretch_count; ++i) {
      const auto& [block, offset, all] = stretches[i];
      const float* values = operands_.values() + block.first * p_.value_dim;
      const float* weights = weights_.data() + offset;
      if (all || operands_.clean(block)) {
        mix_few<Rows, From>(weights, kKeys, block.count, values, p_.value_dim, sums);
        continue;
      }
      for (int r = 0; r < Rows; ++r) {
        mix_visible(weights + r * kKeys, block.count, values, p_.value_dim,
                    sums + r * p_.value_dim);
      }
    }
  }

  void write(const Row& row, const float* sums) {
    const std::int64_t at = operands_.query_row(row.head, row.query);
    float* output = p_.output + at * p_.value_dim;
    const float sum = row.state.sum;
    for (std::int64_t d = 0; d < p_.value_dim; ++d) output[d] = sum == 0.0F ? 0.0F : sums[d] / sum;
    operands_.turn_back(row.head, row.query, 1, output);
    if (p_.statistics != nullptr) p_.statistics[at] = {0.0F, row.state.maximum, sum};
  }

  const AttentionProblem& p_;
  Operands operands_;
  std::int64_t entry_ = -1;
  std::int64_t group_;  // heads that share a kv head
  std::vector<HeadScores> scores_;
  Buffer<Row> rows_;       // (group, queries)
  Buffer<float> queries_;  // (group, queries, dim): turned, times their factor
  Buffer<float> sums_;     // (group, queries, value_dim): unnormalised
  Buffer<float> weights_;  // (kSharedRows, kKeys)
};

}  // namespace

bool decodes(const AttentionProblem& p) {
  const ScoreTerms& terms = p.terms;
  return p.queries <= kMostQueries && terms.content == nullptr && terms.head_mix == nullptr &&
         (terms.rotate == nullptr || terms.rotate->regimes() == 1) &&
         p.masks.added.data == nullptr && !p.taps.any();
}

Status decode(const AttentionProblem& problem) {
  return share_problem(
      problem, problem.batch * problem.kv_heads,
      [](const AttentionProblem& own, Share& share) { return Decode(own).run(share); });
}

}  // namespace posenc
