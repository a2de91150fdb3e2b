// The way back through whole models against differences of their loss. Not with relu: its kinks
// have no gradient that differences could find.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "train/dropout.hpp"
#include "train/rows_back.hpp"
#include "train/trainer.hpp"

namespace posenc::test {
namespace {

using L = LayerTensor;
using M = ModelTensor;

/// One kind of model.
struct Kind {
  std::string name;
  ModelShape shape;
  bool biases, norms_of_heads, position_table, embedding_norm, own_head;
};

Kind kind(const std::string& name, NormKind norm, Activation activation, bool gated, bool rest) {
  Kind k{name, {}, rest, rest, rest, rest, rest};
  k.shape.vocabulary = 11;
  k.shape.width = 6;
  k.shape.embedding_scale = rest ? 1.5F : 1.0F;
  k.shape.logit_scale = rest ? 0.7F : 1.0F;
  k.shape.position_offset = rest ? 2 : 0;
  StackShape& s = k.shape.decoder;
  s.layers = 2;
  s.heads = 4;
  s.kv_heads = 2;
  s.head_dim = 3;
  s.hidden = 9;
  s.norm = norm;
  s.activation = activation;
  s.gated = gated;
  s.softcap = rest ? 5.0F : 0.0F;
  return k;
}

const Kind kKinds[] = {
    kind("rms, silu, gated", NormKind::rms, Activation::silu, true, false),
    kind("layer norm, gelu, with everything", NormKind::layer, Activation::gelu, false, true),
    kind("layer norm, tanh gelu, gated", NormKind::layer, Activation::gelu_tanh, true, true),
};

bool wanted(const Kind& k, TensorPlace place) {
  const std::string name =
      place.part == Part::whole ? M::kNames[place.tensor] : L::kNames[place.tensor];
  const auto has = [&](const char* text) { return name.find(text) != std::string::npos; };
  if (place.part == Part::encoder || has("post_norm") || has("cross") || has("transform") ||
      has("type") || has("head.norm") || has("encoder")) {
    return false;
  }
  if (has("query_norm") || has("key_norm")) return k.norms_of_heads;
  if (has("embedding.position")) return k.position_table;
  if (has("embedding.norm")) return k.embedding_norm;
  if (name == "head.weight") return k.own_head;
  if (has(".bias")) return k.biases;
  return true;
}

void fill(Model& model, const Kind& k) {
  REQUIRE(model.allocate() == Status::ok);
  Random stream(3, 0);
  for (std::int64_t number = 0; number < model.tensor_count(); ++number) {
    const TensorPlace place = model.place(number);
    TensorShape shape = model.expected(place);
    if (shape.rows == 0 || !wanted(k, place)) continue;
    if (place.part == Part::whole && place.tensor == M::positions) shape.rows = 12;
    REQUIRE(model.add(place, shape, Precision::f32) == Status::ok);
    std::vector<float> numbers(static_cast<std::size_t>(shape.rows * shape.columns));
    const float base = shape.rows == 1 ? 1.0F : 0.0F;
    for (float& x : numbers) x = base + 0.4F * stream.normal();
    model.write(place, 0, shape.rows, numbers.data());
  }
  TensorPlace missing;
  REQUIRE_FALSE(model.missing(missing));
}

/// Checks the gradients of all kinds of models against differences of their loss; gives the losses.
std::vector<double> check_gradients(const Dropout& dropout) {
  std::vector<double> losses;
  constexpr std::int64_t kBatch = 2;
  constexpr std::int64_t kTokens = 5;
  const std::int32_t ids[] = {1, 4, 4, 10, 2, 7, 0, 3, 3, 9};
  const std::int32_t targets[] = {4, 4, 10, 2, 5, 0, 3, 3, 9, 1};
  const float weights[] = {1, 1, 0, 2, 1, 1, 1, 0.5F, 1, 0};
  for (const Kind& k : kKinds) {
    CAPTURE(k.name);
    Model model(k.shape);
    fill(model, k);
    Trainer trainer(model, 0);
    REQUIRE(trainer.allocate() == Status::ok);
    const std::vector<LayerTerms> layers(2, {.terms = {}, .scale = 0.6F, .window = 0});
    const std::vector<LayerTrained> trained(2);
    TrainingBatch batch;
    batch.step.batch = kBatch;
    batch.step.tokens = kTokens;
    batch.step.ids = ids;
    batch.step.layers = layers;
    batch.targets = targets;
    batch.weights = weights;
    batch.trained = trained;
    batch.dropout = dropout;
    double loss = 0.0;
    REQUIRE(trainer.learn(batch, loss) == Status::ok);
    CHECK(loss > 0.5);
    losses.push_back(loss);
    const auto loss_now = [&] {
      double now = 0.0;
      REQUIRE(trainer.learn(batch, now) == Status::ok);
      return now;
    };
    for (std::int64_t number = 0; number < model.tensor_count(); ++number) {
      const TensorPlace place = model.place(number);
      float* values = model.numbers(place);
      if (values == nullptr) continue;
      CAPTURE(number);
      const Matrix& matrix = model.tensor(place);
      const std::int64_t count = matrix.rows * matrix.columns;
      // All calls below add to the gradients too.
      const std::vector<float> gradient(trainer.gradient(place), trainer.gradient(place) + count);
      for (std::int64_t i = 0; i < count; i += std::max<std::int64_t>(1, count / 5)) {
        const float before = values[i];
        constexpr float kStep = 4e-3F;
        values[i] = before + kStep;
        const double up = loss_now();
        values[i] = before - kStep;
        const double down = loss_now();
        values[i] = before;
        const double difference = (up - down) / (2.0 * double{kStep});
        CHECK(std::fabs(difference - double{gradient[static_cast<std::size_t>(i)]}) <
              2e-3 + 1e-2 * std::fabs(difference));
      }
      trainer.clear();
      loss_now();
    }
  }
  return losses;
}

TEST_CASE("gradients of whole models are those of their loss") {
  const std::vector<double> plain = check_gradients({});
  CHECK(check_gradients({.rate = 0.0F, .seed = 5}) == plain);
}

TEST_CASE("gradients under dropout are those of the loss with the same numbers dropped") {
  const std::vector<double> plain = check_gradients({});
  const std::vector<double> dropped = check_gradients({.rate = 0.3F, .seed = 5});
  const std::vector<double> others = check_gradients({.rate = 0.3F, .seed = 6});
  for (std::size_t i = 0; i < plain.size(); ++i) {
    CHECK(dropped[i] != plain[i]);
    CHECK(dropped[i] != others[i]);
  }
}

TEST_CASE("dropout: as many numbers as it says, each place its own, and the mean stays") {
  constexpr std::int64_t kCount = 20000;
  const auto dropped = [](const Dropout& dropout, std::uint64_t place) {
    std::vector<float> x(kCount, 3.0F);
    drop(dropout, place, kCount, x.data());
    return x;
  };
  for (const float rate : {0.1F, 0.5F, 0.95F}) {
    CAPTURE(rate);
    const Dropout dropout{.rate = rate, .seed = 7};
    const std::vector<float> x = dropped(dropout, drop_mlp(3));
    std::int64_t zeros = 0;
    double sum = 0.0;
    for (const float number : x) {
      zeros += number == 0.0F ? 1 : 0;
      sum += double{number};
      if (number != 0.0F) CHECK(number == 3.0F * (1.0F / (1.0F - rate)));
    }
    // Within five deviations of what chance gives.
    const double share = double{rate};
    const double deviation = std::sqrt(share * (1.0 - share) / double{kCount});
    CHECK(std::fabs(static_cast<double>(zeros) / double{kCount} - share) < 5.0 * deviation);
    CHECK(std::fabs(sum / double{kCount} - 3.0) < 15.0 * deviation / (1.0 - share));
    CHECK(dropped(dropout, drop_mlp(3)) == x);
    CHECK(dropped(dropout, drop_attention(3)) != x);
    CHECK(dropped(dropout, drop_mlp(2)) != x);
    CHECK(dropped({.rate = rate, .seed = 8}, drop_mlp(3)) != x);
  }
  CHECK(dropped({.rate = 0.0F, .seed = 7}, 0) == std::vector<float>(kCount, 3.0F));
  CHECK(drop_attention(0) != kDropInput);
  CHECK(drop_mlp(0) != drop_attention(0));
  CHECK(drop_mlp(0) != drop_attention(1));
}

TEST_CASE("the way back through relu: where it has no kink") {
  const float x[] = {-2.0F, -1e-6F, 1e-6F, 3.0F, 5.0F};
  const float d_out[] = {1.0F, 2.0F, -3.0F, 4.0F, 0.5F};
  float d_x[5];
  activate_back(Activation::relu, x, d_out, 5, d_x);
  const float expected[] = {0.0F, 0.0F, -3.0F, 4.0F, 0.5F};
  for (int i = 0; i < 5; ++i) CHECK(d_x[i] == expected[i]);
}

TEST_CASE("trainers refuse what they cannot train") {
  Kind k = kKinds[0];
  k.shape.decoder.placement = NormPlacement::post;
  Model post(k.shape);
  fill(post, k);
  CHECK(Trainer(post, 0).allocate() == Status::unsupported);

  Model model(kKinds[0].shape);
  fill(model, kKinds[0]);
  Trainer trainer(model, 1);
  REQUIRE(trainer.allocate() == Status::ok);
  TrainingBatch batch;
  double loss = 0.0;
  CHECK(trainer.learn(batch, loss) == Status::shape);
}

}  // namespace
}  // namespace posenc::test
