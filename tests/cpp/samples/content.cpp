#include "samples/content.hpp"

#include <algorithm>
#include <cmath>

#include "table.hpp"

namespace posenc::test {

namespace {

using Row = std::span<const double>;

/// Row `row` of a table (…, width) times a vector.
double product(const TensorPointer& table, std::int64_t row, Row x) {
  const auto width = static_cast<std::int64_t>(x.size());
  double sum = 0.0;
  for (std::int64_t d = 0; d < width; ++d) {
    sum += x[static_cast<std::size_t>(d)] * number(table, row * width + d);
  }
  return sum;
}

/// The place of a key as seen by a query, clipped to ±reach and counted from 0.
std::int64_t place(std::int64_t query, std::int64_t key, std::int64_t reach) {
  return std::clamp(key - query, -reach, reach) + reach;
}

void add_shaw(std::vector<Sample>& all, HeadShape shape) {
  constexpr std::int64_t kReach = 5;
  constexpr std::int64_t kRows = 2 * kReach + 1;
  const int heads = shape.heads;
  const std::int64_t head_dim = shape.head_dim;
  const std::int64_t value_dim = shape.value_dim;
  const auto given = [&] {
    return Values("shaw").set("headDim", static_cast<double>(head_dim)).set("maxDistance", kReach);
  };
  const auto shared = random_tensor(kRows * head_dim, 101);
  Reference keys;
  keys.content = [shared](int, Row q, Row, std::int64_t at_query, std::int64_t at_key) {
    return product(shared, place(at_query, at_key, kReach), q);
  };
  all.push_back({"shaw keys", given().share("keys", shared), keys});

  const auto per_head = random_tensor(heads * kRows * head_dim, 102);
  const auto values = random_tensor(heads * kRows * value_dim, 103);
  Reference both;
  both.content = [per_head](int head, Row q, Row k, std::int64_t at_query, std::int64_t at_key) {
    const std::int64_t row = head * kRows + place(at_key, at_query, kReach);
    return product(per_head, row, q) + product(per_head, row, k);
  };
  both.value = [values, value_dim](int head, std::int64_t at_query, std::int64_t at_key,
                                   std::int64_t column) -> double {
    const std::int64_t row = head * kRows + place(at_key, at_query, kReach);
    return number(values, row * value_dim + column);
  };
  all.push_back({"shaw keys and values of each head",
                 given()
                     .set("heads", heads)
                     .set("valueDim", static_cast<double>(value_dim))
                     .share("keys", per_head)
                     .share("values", values)
                     .set("direction", 1)
                     .set("keyTerm", 1),
                 both});
}

void add_transformer_xl(std::vector<Sample>& all, HeadShape shape) {
  constexpr std::int64_t kWidth = 6;
  const int heads = shape.heads;
  const std::int64_t head_dim = shape.head_dim;
  const std::int64_t size = heads * head_dim;
  const auto u = random_tensor(size, 111);
  const auto v = random_tensor(size, 112);
  const auto projection = random_tensor(size * kWidth, 113);
  // r[δ] = W_R · (sin δw_0, sin δw_1, …, cos δw_0, …), and the score (q + v)·r[δ] + u·k.
  const auto reference = [=](std::int64_t low, std::int64_t high) {
    Reference r;
    r.content = [=](int head, Row q, Row k, std::int64_t at_query, std::int64_t at_key) {
      const std::int64_t distance = std::clamp(at_query - at_key, low, high);
      std::vector<double> sinusoid;
      for (std::int64_t i = 0; i < kWidth; ++i) {
        const double w = power_frequency(10000, i % (kWidth / 2), kWidth / 2.0);
        sinusoid.push_back(i < kWidth / 2 ? sine(distance, w) : cosine(distance, w));
      }
      double sum = product(u, head, k);
      for (std::int64_t d = 0; d < head_dim; ++d) {
        const std::int64_t i = head * head_dim + d;
        sum += (q[static_cast<std::size_t>(d)] + number(v, i)) * product(projection, i, sinusoid);
      }
      return sum;
    };
    return r;
  };
  const auto given = [&](double reach) {
    return Values("transformer_xl")
        .set("heads", heads)
        .set("headDim", static_cast<double>(head_dim))
        .set("maxDistance", reach)
        .share("contentBias", u)
        .share("positionBias", v);
  };
  all.push_back({"transformer_xl", given(300).share("projection", projection), reference(0, 300)});
  all.push_back({"transformer_xl bidirectional, clamped",
                 given(7).share("projection", projection).set("bidirectional", 1),
                 reference(-7, 7)});

  constexpr std::int64_t kReach = 4;
  const auto vectors = random_tensor((kReach + 1) * size, 114);
  Reference projected;
  projected.content = [=](int head, Row q, Row k, std::int64_t at_query, std::int64_t at_key) {
    const std::int64_t row =
        head * (kReach + 1) + std::clamp<std::int64_t>(at_query - at_key, 0, kReach);
    double sum = product(u, head, k) + product(vectors, row, q);
    for (std::int64_t d = 0; d < head_dim; ++d) {
      sum += number(v, head * head_dim + d) * number(vectors, row * head_dim + d);
    }
    return sum;
  };
  all.push_back(
      {"transformer_xl of projected vectors", given(kReach).share("vectors", vectors), projected});
}

/// The logarithmic bucket of a distance, as the paper's code describes it.
std::int64_t log_bucket(std::int64_t distance, std::int64_t buckets, std::int64_t most) {
  const std::int64_t middle = buckets / 2;
  if (std::abs(distance) <= middle) return distance;
  const auto m = static_cast<long double>(middle);
  const auto far = static_cast<long double>(std::min(std::abs(distance), most - 1));
  const auto end = static_cast<long double>(most - 1);
  const long double above = std::ceil(std::log(far / m) / std::log(end / m) * (m - 1));
  const auto bucket = middle + static_cast<std::int64_t>(above);
  return distance < 0 ? -bucket : bucket;
}

void add_deberta(std::vector<Sample>& all, HeadShape shape) {
  constexpr std::int64_t kSpan = 6;
  const auto heads = shape.heads;
  const auto size = heads * 2 * kSpan * shape.head_dim;
  const auto keys = random_tensor(size, 121);
  const auto queries = random_tensor(size, 122);
  const auto given = [&] {
    return Values("deberta")
        .set("heads", heads)
        .set("headDim", static_cast<double>(shape.head_dim));
  };
  Reference logarithmic;
  logarithmic.content = [=](int head, Row q, Row k, std::int64_t at_query, std::int64_t at_key) {
    const std::int64_t bucket = log_bucket(at_query - at_key, kSpan, 40);
    const auto row = head * 2 * kSpan + std::clamp<std::int64_t>(bucket + kSpan, 0, 2 * kSpan - 1);
    return product(keys, row, q) + product(queries, row, k);
  };
  all.push_back({"deberta c2p, p2c in buckets",
                 given()
                     .set("maxDistance", 40)
                     .set("buckets", kSpan)
                     .share("keys", keys)
                     .share("queries", queries),
                 logarithmic});

  Reference clipped;
  const std::int64_t width = shape.head_dim;
  clipped.content = [=](int head, Row, Row, std::int64_t at_query, std::int64_t at_key) {
    const auto row =
        head * 2 * kSpan + std::clamp<std::int64_t>(at_query - at_key + kSpan, 0, 2 * kSpan - 1);
    std::vector<double> relative;
    for (std::int64_t d = 0; d < width; ++d) relative.push_back(number(queries, row * width + d));
    return product(keys, row, relative);
  };
  all.push_back({"deberta p2p, every distance",
                 given()
                     .set("maxDistance", kSpan)
                     .share("keys", keys)
                     .share("queries", queries)
                     .set("c2p", 0)
                     .set("p2c", 0)
                     .set("p2p", 1),
                 clipped});
}

void add_cope(std::vector<Sample>& all, HeadShape shape) {
  constexpr std::int64_t kCounts = 7;
  const auto with = [&](const char* label, int tables) {
    const auto vectors = random_tensor(std::max(tables, 1) * kCounts * shape.head_dim, 131);
    Reference r;
    r.row = [=](int head, Row query, Row scores) {
      const std::int64_t first = tables == 0 ? 0 : head * kCounts;
      std::vector<double> added(scores.size());
      for (std::size_t n = 0; n < scores.size(); ++n) {
        double open = 0.0;
        for (std::size_t t = n; t < scores.size(); ++t) open += 1 / (1 + std::exp(-scores[t]));
        open = std::min(open, static_cast<double>(kCounts - 1));
        const auto below = static_cast<std::int64_t>(open);
        const std::int64_t above = std::min(below + 1, kCounts - 1);
        const double part = open - static_cast<double>(below);
        added[n] = (1 - part) * product(vectors, first + below, query) +
                   part * product(vectors, first + above, query);
      }
      return added;
    };
    all.push_back({label,
                   Values("cope")
                       .set("headDim", static_cast<double>(shape.head_dim))
                       .set("heads", tables)
                       .share("vectors", vectors),
                   r});
  };
  with("cope", shape.heads);
  with("cope shared by the heads", 0);
}

void add_dape(std::vector<Sample>& all, HeadShape shape) {
  constexpr int kWidth = 5;
  const int heads = shape.heads;
  const auto first = random_tensor(2 * heads * kWidth, 141);
  const auto hidden = random_tensor(kWidth, 142);
  const auto last = random_tensor(heads * kWidth, 143);
  const auto offsets = random_tensor(heads, 144);
  // Terms of about one: their sums keep the digits that the tests ask for.
  for (const TensorPointer& tensor : {first, last}) {
    for (float& x : tensor->numbers) x *= 0.25F;
  }
  Reference r;
  r.mix = [=](int head, Row scores, Row biases) {
    double sum = number(offsets, head);
    for (int unit = 0; unit < kWidth; ++unit) {
      double x = number(hidden, unit);
      for (int h = 0; h < heads; ++h) {
        const auto i = static_cast<std::size_t>(h);
        x += number(first, unit * 2 * heads + h) * scores[i];
        x += number(first, (unit * 2 + 1) * heads + h) * biases[i];
      }
      sum += number(last, head * kWidth + unit) * (x < 0 ? 0.25 * x : x);
    }
    return sum;
  };
  all.push_back({"dape",
                 Values("dape")
                     .set("heads", heads)
                     .set("width", kWidth)
                     .set("negativeSlope", 0.25)
                     .share("firstWeight", first)
                     .share("firstBias", hidden)
                     .share("lastWeight", last)
                     .share("lastBias", offsets),
                 r});
}

}  // namespace

void add_content_samples(std::vector<Sample>& all, HeadShape shape) {
  add_shaw(all, shape);
  add_transformer_xl(all, shape);
  add_deberta(all, shape);
  add_cope(all, shape);
  add_dape(all, shape);
}

}  // namespace posenc::test
