// Decoding as a plain C program does it, the bar for `npm run bench -- --models`: a Llama of
// llama2.c's file format, one thread, matrices times vectors in loops that the compiler vectorises.
//
//   llama-loop FILE TOKENS: writes TOKENS tokens greedily from token 1, prints their ids and the
//   tokens of a second that it took.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

struct Sizes {
  std::int32_t width, hidden, layers, heads, kv_heads, vocabulary, length;
};

/// out = weight · x
void multiply(const float* weight, const float* x, int rows, int columns, float* out) {
  for (int row = 0; row < rows; ++row) {
    float sum = 0.0F;
    const float* w = weight + std::int64_t{row} * columns;
    for (int i = 0; i < columns; ++i) sum += w[i] * x[i];
    out[row] = sum;
  }
}

void normalize(const float* x, const float* weight, int width, float* out) {
  float squares = 0.0F;
  for (int i = 0; i < width; ++i) squares += x[i] * x[i];
  const float factor = 1.0F / std::sqrt(squares / static_cast<float>(width) + 1e-5F);
  for (int i = 0; i < width; ++i) out[i] = weight[i] * (x[i] * factor);
}

/// Turns neighbours by their angle at a position.
void rotate(float* x, int heads, int head_dim, int position) {
  for (int head = 0; head < heads; ++head, x += head_dim) {
    for (int i = 0; i < head_dim; i += 2) {
      const float exponent = static_cast<float>(i) / static_cast<float>(head_dim);
      const float angle = static_cast<float>(position) / std::pow(10000.0F, exponent);
      const float c = std::cos(angle);
      const float s = std::sin(angle);
      const float a = x[i];
      const float b = x[i + 1];
      x[i] = a * c - b * s;
      x[i + 1] = a * s + b * c;
    }
  }
}

class Llama {
 public:
  explicit Llama(const std::vector<char>& file) {
    s = *reinterpret_cast<const Sizes*>(file.data());
    shared = s.vocabulary > 0;
    s.vocabulary = std::abs(s.vocabulary);
    head_dim = s.width / s.heads;
    kv_width = s.kv_heads * head_dim;
    const auto* at = reinterpret_cast<const float*>(file.data() + sizeof(Sizes));
    const auto take = [&](std::int64_t count) {
      const float* begin = at;
      at += count;
      return begin;
    };
    const std::int64_t w = s.width, l = s.layers;
    embedding = take(s.vocabulary * w);
    attention_norm = take(l * w);
    wq = take(l * w * w);
    wk = take(l * kv_width * w);
    wv = take(l * kv_width * w);
    wo = take(l * w * w);
    mlp_norm = take(l * w);
    w1 = take(l * s.hidden * w);
    w2 = take(l * w * s.hidden);
    w3 = take(l * s.hidden * w);
    norm = take(w);
    take(std::int64_t{s.length} * head_dim);  // tables of angles
    head = shared ? embedding : take(s.vocabulary * w);
    for (auto* buffer : {&x, &normed, &query, &found, &added}) buffer->resize(s.width);
    gate.resize(s.hidden);
    up.resize(s.hidden);
    weights.resize(s.length);
    logits.resize(s.vocabulary);
    keys.resize(l * s.length * kv_width);
    values.resize(l * s.length * kv_width);
  }

  int next(int token, int position) {
    for (int i = 0; i < s.width; ++i) x[i] = embedding[std::int64_t{token} * s.width + i];
    for (int layer = 0; layer < s.layers; ++layer) {
      attend(layer, position);
      feed_forward(layer);
    }
    normalize(x.data(), norm, s.width, x.data());
    multiply(head, x.data(), s.vocabulary, s.width, logits.data());
    int best = 0;
    for (int i = 1; i < s.vocabulary; ++i) best = logits[i] > logits[best] ? i : best;
    return best;
  }

  Sizes s{};

 private:
  void attend(std::int64_t layer, int position) {
    const std::int64_t w = s.width;
    normalize(x.data(), attention_norm + layer * w, s.width, normed.data());
    float* layer_keys = keys.data() + layer * s.length * kv_width;
    float* layer_values = values.data() + layer * s.length * kv_width;
    float* key = layer_keys + std::int64_t{position} * kv_width;
    float* value = layer_values + std::int64_t{position} * kv_width;
    multiply(wq + layer * w * w, normed.data(), s.width, s.width, query.data());
    multiply(wk + layer * w * kv_width, normed.data(), kv_width, s.width, key);
    multiply(wv + layer * w * kv_width, normed.data(), kv_width, s.width, value);
    rotate(query.data(), s.heads, head_dim, position);
    rotate(key, s.kv_heads, head_dim, position);
    const float scale = 1.0F / std::sqrt(static_cast<float>(head_dim));
    for (int h = 0; h < s.heads; ++h) {
      const float* q = query.data() + h * head_dim;
      const int kv = h / (s.heads / s.kv_heads) * head_dim;
      float most = -1e30F;
      for (int t = 0; t <= position; ++t) {
        float score = 0.0F;
        for (int i = 0; i < head_dim; ++i) score += q[i] * layer_keys[t * kv_width + kv + i];
        weights[t] = score * scale;
        most = weights[t] > most ? weights[t] : most;
      }
      float sum = 0.0F;
      for (int t = 0; t <= position; ++t) sum += weights[t] = std::exp(weights[t] - most);
      float* out = found.data() + h * head_dim;
      for (int i = 0; i < head_dim; ++i) out[i] = 0.0F;
      for (int t = 0; t <= position; ++t) {
        const float weight = weights[t] / sum;
        for (int i = 0; i < head_dim; ++i) out[i] += weight * layer_values[t * kv_width + kv + i];
      }
    }
    multiply(wo + layer * w * w, found.data(), s.width, s.width, added.data());
    for (int i = 0; i < s.width; ++i) x[i] += added[i];
  }

  void feed_forward(std::int64_t layer) {
    const std::int64_t size = std::int64_t{s.hidden} * s.width;
    normalize(x.data(), mlp_norm + layer * s.width, s.width, normed.data());
    multiply(w1 + layer * size, normed.data(), s.hidden, s.width, gate.data());
    multiply(w3 + layer * size, normed.data(), s.hidden, s.width, up.data());
    for (int i = 0; i < s.hidden; ++i) gate[i] *= up[i] / (1.0F + std::exp(-gate[i]));
    multiply(w2 + layer * size, gate.data(), s.width, s.hidden, added.data());
    for (int i = 0; i < s.width; ++i) x[i] += added[i];
  }

  bool shared = true;
  int head_dim = 0, kv_width = 0;
  const float *embedding, *attention_norm, *wq, *wk, *wv, *wo, *mlp_norm, *w1, *w2, *w3, *norm;
  const float* head;
  std::vector<float> x, normed, query, found, added, gate, up, weights, logits, keys, values;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  std::ifstream stream(arguments[1], std::ios::binary);
  const std::vector<char> file{std::istreambuf_iterator<char>(stream), {}};
  if (file.size() < sizeof(Sizes)) return 1;
  Llama llama(file);
  const int tokens = std::atoi(arguments[2]);
  int token = 1;
  const auto start = std::chrono::steady_clock::now();
  for (int position = 0; position < tokens && position < llama.s.length; ++position) {
    token = llama.next(token, position);
    std::printf("%d ", token);
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  std::printf("\n%f\n", tokens / time.count());
  return 0;
}
