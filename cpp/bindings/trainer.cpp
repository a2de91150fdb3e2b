#include "bindings/trainer.hpp"

#include <memory>

#include "bindings/fields.hpp"
#include "bindings/gradient_list.hpp"
#include "bindings/step_call.hpp"
#include "train/trainer.hpp"

namespace posenc::bindings {

namespace {

Trainer& trainer_at(Address handle) { return *at<Trainer>(handle); }

/// The lists of one group of encodings.
struct GroupTrained {
  GradientList lists[CallEncodings::kMost];
  LayerTrained hooks;

  void read(const CallEncodings& encodings, const std::uint32_t* blocks, Address addresses) {
    const auto* list = at<std::uint32_t>(addresses);
    for (std::int64_t i = 0; list != nullptr && i < encodings.count(); ++i) {
      lists[i] = GradientList(at<double>(Address{blocks[i]}), Address{list[i]});
      hand_out(encodings[i], lists[i], hooks);
    }
  }
};

}  // namespace

int trainer_make(Address model, double adopted, Address out) {
  auto made = std::make_unique<Trainer>(*at<Model>(model), static_cast<std::int64_t>(adopted));
  const Status status = made->allocate();
  if (status != Status::ok) return code(status);
  *at<double>(out) = static_cast<double>(reinterpret_cast<Address>(made.release()));
  return code(Status::ok);
}

void trainer_free(Address handle) { delete at<Trainer>(handle); }

Address trainer_adopt(Address handle, Address values, double count, int decays) {
  return reinterpret_cast<Address>(
      trainer_at(handle).adopt(at<float>(values), static_cast<std::int64_t>(count), decays != 0));
}

int trainer_learn(Address handle, Address step, Address learn, Address loss) {
  using F = LearnField;
  const auto* f = at<double>(learn);
  StepCall call(at<double>(step));
  if (const Status status = call.read(); status != Status::ok) return code(status);
  const auto layers = static_cast<std::int64_t>(call.step.layers.size());
  Objects<GroupTrained> groups(call.group_count());
  Objects<LayerTrained> trained(layers);
  if (!groups.ok() || !trained.ok()) return code(Status::memory);
  const auto* addresses = at<std::uint32_t>(f[F::trained]);
  for (std::int64_t group = 0; group < call.group_count(); ++group) {
    groups.add().read(call.encodings(group), call.blocks(group), Address{addresses[group]});
  }
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    trained.add(groups[call.group_of(layer)].hooks);
  }
  GradientList embedding;
  if (f[F::embedding_trained] != 0) {
    const double block = at<double>(step)[StepField::embedding];
    embedding = GradientList(at<double>(block), static_cast<Address>(f[F::embedding_trained]));
  }
  return code(trainer_at(handle).learn(
      {.step = call.step,
       .targets = at<std::int32_t>(f[F::targets]),
       .weights = at<float>(f[F::weights]),
       .trained = {trained.begin(), trained.end()},
       .embedding_grads = embedding,
       .dropout = {static_cast<float>(f[F::dropout]), static_cast<std::uint64_t>(f[F::seed])}},
      *at<double>(loss)));
}

void trainer_clear(Address handle) { trainer_at(handle).clear(); }

double trainer_norm(Address handle) { return trainer_at(handle).norm(); }

void trainer_update(Address handle, Address fields) {
  using F = UpdateField;
  const auto* f = at<double>(fields);
  const auto number = [f](int field) { return static_cast<float>(f[field]); };
  trainer_at(handle).update({.rate = number(F::rate),
                             .beta1 = number(F::beta1),
                             .beta2 = number(F::beta2),
                             .epsilon = number(F::epsilon),
                             .decay = number(F::decay)},
                            static_cast<std::int64_t>(f[F::step]), number(F::clip));
}

Address trainer_gradient(Address handle, int part, double layer, int tensor) {
  return reinterpret_cast<Address>(trainer_at(handle).gradient(
      {static_cast<Part>(part), static_cast<std::int64_t>(layer), tensor}));
}

double trainer_state_size(Address handle) {
  return static_cast<double>(trainer_at(handle).state_size());
}

void trainer_save(Address handle, Address out) { trainer_at(handle).save_state(at<float>(out)); }

void trainer_load(Address handle, Address from) { trainer_at(handle).load_state(at<float>(from)); }

}  // namespace posenc::bindings
