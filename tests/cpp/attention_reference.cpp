// Attention by its definition, one number after another, in float64.
#include <cmath>
#include <limits>

#include "attention_case.hpp"
#include "table.hpp"

namespace posenc::test {

namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();

using Row = std::vector<double>;

/// The vectors of one head, and what is computed of them.
class Head {
 public:
  Head(const AttentionCase& problem, const Reference& reference, std::int64_t entry,
       std::int64_t head)
      : c_(problem), r_(reference), entry_(entry), head_(static_cast<int>(head)) {
    query_row_ = (entry * c_.heads + head) * c_.queries;
    key_row_ = (entry * c_.kv_heads + head * c_.kv_heads / c_.heads) * c_.keys;
    for (std::int64_t n = 0; n < c_.keys; ++n) {
      keys_.push_back(turned(c_.key, key_row_ + n, c_.key_at(entry, n), Side::key,
                             static_cast<int>(head * c_.kv_heads / c_.heads)));
    }
  }

  /// Scaled scores of a query, before terms of other heads.
  Row scores(std::int64_t m) const {
    const std::int64_t at = c_.query_at(entry_, m);
    const Row query = turned(c_.query, query_row_ + m, at, Side::query, head_);
    Row scores;
    for (std::int64_t n = 0; n < c_.keys; ++n) scores.push_back(score(query, m, at, n));
    if (r_.row) {
      Row shown = scores;
      for (std::int64_t n = 0; n < c_.keys; ++n) {
        if (!visible(m, n)) shown[static_cast<std::size_t>(n)] = kHidden;
      }
      const Row added = r_.row(head_, query, shown);
      for (std::size_t n = 0; n < scores.size(); ++n) scores[n] += added[n];
    }
    return scores;
  }

  double bias(std::int64_t m, std::int64_t n) const {
    return r_.bias ? r_.bias(head_, c_.query_at(entry_, m), c_.key_at(entry_, n)) : 0.0;
  }

  void add_query(std::int64_t m, const Row& scores, Stages<double>& result) const {
    const std::int64_t at = c_.query_at(entry_, m);
    Row logits;
    for (std::int64_t n = 0; n < c_.keys; ++n) {
      logits.push_back(logit(scores[static_cast<std::size_t>(n)], m, n, result));
    }
    const Row weights = softmax(logits);
    result.logits.insert(result.logits.end(), logits.begin(), logits.end());
    result.weights.insert(result.weights.end(), weights.begin(), weights.end());
    mix(at, logits, weights, result.output);
  }

 private:
  Row turned(const std::vector<float>& x, std::int64_t row, std::int64_t position, Side side,
             int head) const {
    return rotated(r_, part(x, row * c_.head_dim, c_.head_dim), position, side, head);
  }

  double product(const Row& query, std::int64_t m, std::int64_t at, std::int64_t n) const {
    if (r_.product) {
      return r_.product(part(c_.query, (query_row_ + m) * c_.head_dim, c_.head_dim),
                        part(c_.key, (key_row_ + n) * c_.head_dim, c_.head_dim), at,
                        c_.key_at(entry_, n));
    }
    const Row& key = keys_[static_cast<std::size_t>(n)];
    double s = 0.0;
    for (std::size_t d = 0; d < query.size(); ++d) s += query[d] * key[d];
    return s;
  }

  double score(const Row& query, std::int64_t m, std::int64_t at, std::int64_t n) const {
    const Row& key = keys_[static_cast<std::size_t>(n)];
    const std::int64_t key_at = c_.key_at(entry_, n);
    double s = product(query, m, at, n);
    if (r_.content) s += r_.content(head_, query, key, at, key_at);
    s *= static_cast<double>(c_.scale) * (r_.scale ? r_.scale(head_, at) : 1.0);
    if (!c_.head_scales.empty()) s *= c_.head_scales[static_cast<std::size_t>(head_)];
    if (!c_.query_scales.empty()) s *= per_token(c_.query_scales, c_.queries, entry_, m);
    return s;
  }

  double logit(double s, std::int64_t m, std::int64_t n, Stages<double>& stages) const {
    const std::int64_t at = c_.query_at(entry_, m);
    const std::int64_t key_at = c_.key_at(entry_, n);
    stages.scores.push_back(s);
    const double cap = c_.softcap;
    if (cap > 0) s = cap * std::tanh(s / cap);
    stages.capped.push_back(s);
    if (r_.weight) s *= r_.weight(head_, at, key_at);
    s += bias(m, n);
    stages.biased.push_back(s);
    if (!visible(m, n)) return kHidden;
    return c_.added.values.empty() ? s : s + c_.added.at(entry_, head_, m, n);
  }

  bool visible(std::int64_t m, std::int64_t n) const {
    const std::int64_t at = c_.query_at(entry_, m);
    const std::int64_t key_at = c_.key_at(entry_, n);
    if (!c_.real(entry_, n)) return false;
    if (c_.causal && key_at > at) return false;
    if (!local(m, n)) return false;
    if (!c_.query_segments.empty() && per_token(c_.query_segments, c_.queries, entry_, m) !=
                                          per_token(c_.key_segments, c_.keys, entry_, n)) {
      return false;
    }
    if (!c_.shown.values.empty() && c_.shown.at(entry_, head_, m, n) == 0) return false;
    if (!c_.added.values.empty() && double{c_.added.at(entry_, head_, m, n)} == kHidden) {
      return false;
    }
    return !r_.visible || r_.visible(head_, at, key_at);
  }

  bool local(std::int64_t m, std::int64_t n) const {
    const std::int64_t at = c_.query_at(entry_, m);
    const std::int64_t key_at = c_.key_at(entry_, n);
    if (c_.sinks > 0 && key_at < c_.sinks) return true;
    if (!c_.global_keys.empty() && per_token(c_.global_keys, c_.keys, entry_, n) != 0) return true;
    if (!c_.global_queries.empty() && per_token(c_.global_queries, c_.queries, entry_, m) != 0) {
      return true;
    }
    if (c_.window > 0 && std::abs(at - key_at) >= c_.window) return false;
    if (c_.before >= 0 && at - key_at > c_.before) return false;
    if (c_.after >= 0 && key_at - at > c_.after) return false;
    const auto chunk_of = [this](std::int64_t p) {
      return std::floor(static_cast<double>(p) / static_cast<double>(c_.chunk));
    };
    return c_.chunk == 0 || chunk_of(at) == chunk_of(key_at);
  }

  Row softmax(const Row& logits) const {
    const bool sinks = !c_.sink_logits.empty();
    const double sink = sinks ? c_.sink_logits[static_cast<std::size_t>(head_)] : kHidden;
    double maximum = sink;
    for (const double s : logits) maximum = std::isnan(s) || s > maximum ? s : maximum;
    Row weights;
    double sum = sinks ? std::exp(sink - maximum) : 0.0;
    for (const double s : logits) {
      weights.push_back(s == kHidden ? 0.0 : std::exp(s - maximum));
      sum += weights.back();
    }
    for (double& w : weights) w = sum == 0.0 ? 0.0 : w / sum;
    return weights;
  }

  /// What is hidden takes no part, be its value NaN.
  void mix(std::int64_t at, const Row& logits, const Row& weights, Row& output) const {
    Row sum(static_cast<std::size_t>(c_.value_dim), 0.0);
    for (std::int64_t n = 0; n < c_.keys; ++n) {
      if (logits[static_cast<std::size_t>(n)] == kHidden) continue;
      const auto value = part(c_.value, (key_row_ + n) * c_.value_dim, c_.value_dim);
      for (std::size_t d = 0; d < sum.size(); ++d) {
        const double added =
            r_.value ? r_.value(head_, at, c_.key_at(entry_, n), static_cast<std::int64_t>(d))
                     : 0.0;
        sum[d] += weights[static_cast<std::size_t>(n)] * (value[d] + added);
      }
    }
    output.insert(output.end(), sum.begin(), sum.end());
  }

  const AttentionCase& c_;
  const Reference& r_;
  std::int64_t entry_;
  int head_;
  std::int64_t query_row_ = 0, key_row_ = 0;
  std::vector<Row> keys_;  // turned to their positions
};

/// Adds to the scores of a query, by head, what all heads make of them.
void mix(const Reference& reference, const std::vector<Head>& heads, std::int64_t m,
         std::vector<Row>& scores) {
  for (std::size_t n = 0; n < scores[0].size(); ++n) {
    Row before;
    Row biases;
    for (std::size_t h = 0; h < heads.size(); ++h) {
      before.push_back(scores[h][n]);
      biases.push_back(heads[h].bias(m, static_cast<std::int64_t>(n)));
    }
    for (std::size_t h = 0; h < heads.size(); ++h) {
      scores[h][n] += reference.mix(static_cast<int>(h), before, biases);
    }
  }
}

}  // namespace

Stages<double> expected(const AttentionCase& problem, const Reference& reference) {
  Stages<double> result;
  for (std::int64_t entry = 0; entry < problem.batch; ++entry) {
    std::vector<Head> heads;
    for (std::int64_t h = 0; h < problem.heads; ++h) {
      heads.emplace_back(problem, reference, entry, h);
    }
    std::vector<std::vector<Row>> scores;  // by query, by head
    for (std::int64_t m = 0; m < problem.queries; ++m) {
      scores.emplace_back();
      for (const Head& head : heads) scores.back().push_back(head.scores(m));
      if (reference.mix) mix(reference, heads, m, scores.back());
    }
    for (std::size_t h = 0; h < heads.size(); ++h) {
      for (std::int64_t m = 0; m < problem.queries; ++m) {
        heads[h].add_query(m, scores[static_cast<std::size_t>(m)][h], result);
      }
    }
  }
  return result;
}

}  // namespace posenc::test
