#include "content_loss.hpp"

#include <cmath>

#include "finite_differences.hpp"
#include "position/gates.hpp"

namespace posenc::test {

namespace {

using Row = std::vector<double>;

std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

/// out[first …] += factor · x
void add(double factor, const float* x, std::int64_t count, Row& out, std::int64_t first) {
  for (std::int64_t i = 0; i < count; ++i) out[size(first + i)] += factor * x[i];
}

std::vector<float> narrow(const Row& x) { return {x.begin(), x.end()}; }

/// One head on the way back, one number after another. Members are named as in the hook's formulas.
class Backward {
 public:
  Backward(const AttentionCase& problem, const Content& hook, const Sample& sample,
           const Stages<double>& stages, const std::vector<float>& d_output)
      : c_(problem),
        hook_(hook),
        r_(sample.reference),
        stages_(stages),
        d_output_(d_output),
        d_query_(c_.query.size()),
        d_key_(c_.key.size()) {}

  void head(int h, std::span<float* const> grads) {
    d_r_ = d_s_ = Row(size(hook_.rows() * c_.head_dim));
    d_u_ = Row(size(c_.head_dim));
    d_c_ = Row(size(hook_.rows()));
    d_w_ = Row(size(hook_.rows() * c_.value_dim));
    for (std::int64_t entry = 0; entry < c_.batch; ++entry) {
      for (std::int64_t m = 0; m < c_.queries; ++m) query(entry, h, m);
    }
    const auto r = narrow(d_r_), s = narrow(d_s_), u = narrow(d_u_), c = narrow(d_c_),
               w = narrow(d_w_);
    const auto of = [](const float* term, const std::vector<float>& gradient) {
      return term == nullptr ? nullptr : gradient.data();
    };
    hook_.tables_grad(h,
                      {.query_vectors = of(hook_.query_vectors(h), r),
                       .key_vectors = of(hook_.key_vectors(h), s),
                       .global = of(hook_.global(h), u),
                       .offsets = of(hook_.offsets(h), c),
                       .value_vectors = of(hook_.value_vectors(h), w)},
                      grads);
  }

  std::vector<float> d_query() const { return narrow(d_query_); }
  std::vector<float> d_key() const { return narrow(d_key_); }

 private:
  void query(std::int64_t entry, int h, std::int64_t m) {
    const std::int64_t query_row = (entry * c_.heads + h) * c_.queries + m;
    const std::int64_t kv_head = h * c_.kv_heads / c_.heads;
    const std::int64_t key_row = (entry * c_.kv_heads + kv_head) * c_.keys;
    const float* q = c_.query.data() + query_row * c_.head_dim;
    const float* e = d_output_.data() + query_row * c_.value_dim;
    const std::int64_t at = c_.query_at(entry, m);
    const auto row_of = [&](std::int64_t n) { return hook_.row(at - c_.key_at(entry, n)); };

    // ∂weight, then through softmax and softcap: the gradient by scaled scores.
    Row d(size(c_.keys));
    double mean = 0.0;
    for (std::int64_t n = 0; n < c_.keys; ++n) {
      const double weight = stages_.weights[size(query_row * c_.keys + n)];
      for (std::int64_t i = 0; i < c_.value_dim; ++i) {
        const double w = r_.value ? r_.value(h, at, c_.key_at(entry, n), i) : 0.0;
        d[size(n)] += e[i] * (c_.value[size((key_row + n) * c_.value_dim + i)] + w);
      }
      mean += weight * d[size(n)];
      if (!hook_.gated()) add(weight, e, c_.value_dim, d_w_, row_of(n) * c_.value_dim);
    }
    for (std::int64_t n = 0; n < c_.keys; ++n) {
      const std::size_t i = size(query_row * c_.keys + n);
      const double bent = c_.softcap == 0.0F ? 0.0 : stages_.capped[i] / c_.softcap;
      d[size(n)] = stages_.weights[i] * (d[size(n)] - mean) * (1 - bent * bent);
    }

    if (hook_.gated()) count_gates(h, q, key_row, query_row, d);
    for (std::int64_t n = 0; n < c_.keys; ++n) {
      const double raw = c_.scale * d[size(n)];
      const float* k = c_.key.data() + (key_row + n) * c_.head_dim;
      add(raw, k, c_.head_dim, d_query_, query_row * c_.head_dim);
      add(raw, q, c_.head_dim, d_key_, (key_row + n) * c_.head_dim);
      if (hook_.gated()) continue;
      const std::int64_t row = row_of(n) * c_.head_dim;
      add(raw, q, c_.head_dim, d_r_, row);
      add(raw, k, c_.head_dim, d_s_, row);
      add(raw, k, c_.head_dim, d_u_, 0);
      d_c_[size(row_of(n))] += raw;
      if (const float* r = hook_.query_vectors(h); r != nullptr) {
        add(raw, r + row, c_.head_dim, d_query_, query_row * c_.head_dim);
      }
      for (const float* by_key : {with(hook_.key_vectors(h), row), hook_.global(h)}) {
        if (by_key != nullptr) add(raw, by_key, c_.head_dim, d_key_, (key_row + n) * c_.head_dim);
      }
    }
  }

  static const float* with(const float* table, std::int64_t offset) {
    return table == nullptr ? nullptr : table + offset;
  }

  /// Replaces the gradient by scores with counted positions by that of the scores without.
  void count_gates(int h, const float* q, std::int64_t key_row, std::int64_t query_row, Row& d) {
    const float* vectors = hook_.query_vectors(h);
    std::vector<float> scores;
    for (std::int64_t n = 0; n < c_.keys; ++n) {
      const double logit = stages_.logits[size(query_row * c_.keys + n)];
      scores.push_back(
          std::isinf(logit)
              ? static_cast<float>(logit)
              : static_cast<float>(c_.scale *
                                   product(q, c_.key.data() + (key_row + n) * c_.head_dim)));
    }
    std::vector<float> by_count;
    for (std::int64_t r = 0; r < hook_.rows(); ++r) {
      by_count.push_back(static_cast<float>(product(q, vectors + r * c_.head_dim)));
    }
    const auto d_out = narrow(d);
    std::vector<float> d_scores(size(c_.keys));
    std::vector<float> d_by_count(size(hook_.rows()));
    gated_row_grad({.keys = c_.keys,
                    .rows = hook_.rows(),
                    .stride = 1,
                    .scores = scores.data(),
                    .by_count = by_count.data(),
                    .d_out = d_out.data()},
                   d_scores.data(), d_by_count.data());
    d.assign(d_scores.begin(), d_scores.end());
    for (std::int64_t r = 0; r < hook_.rows(); ++r) {
      const double by = d_by_count[size(r)];
      add(by, q, c_.head_dim, d_r_, r * c_.head_dim);
      add(by, vectors + r * c_.head_dim, c_.head_dim, d_query_, query_row * c_.head_dim);
    }
  }

  double product(const float* a, const float* b) const {
    double sum = 0.0;
    for (std::int64_t i = 0; i < c_.head_dim; ++i) sum += static_cast<double>(a[i]) * b[i];
    return sum;
  }

  const AttentionCase& c_;
  const Content& hook_;
  const Reference& r_;
  const Stages<double>& stages_;
  const std::vector<float>& d_output_;
  Row d_query_, d_key_;
  Row d_r_, d_s_, d_u_, d_c_, d_w_;
};

}  // namespace

ContentLoss::ContentLoss(const Sample& sample, const AttentionCase& shapes)
    : problem(shapes), sample_(sample) {
  problem.fill(41);
  round_to_steps(problem.query);
  round_to_steps(problem.key);
  weights_ = random_floats(problem.batch * problem.heads * problem.queries * problem.value_dim, 42);
}

double ContentLoss::value() const {
  const auto output = expected(problem, sample_.reference).output;
  double sum = 0.0;
  for (std::size_t i = 0; i < output.size(); ++i) sum += weights_[i] * output[i];
  return sum;
}

void ContentLoss::add_gradient(std::span<float* const> grads) {
  const auto encoding = sample_.make();
  const auto stages = expected(problem, sample_.reference);
  Backward backward(problem, *encoding->content(), sample_, stages, weights_);
  for (int head = 0; head < problem.heads; ++head) backward.head(head, grads);
  d_query = backward.d_query();
  d_key = backward.d_key();
}

}  // namespace posenc::test
