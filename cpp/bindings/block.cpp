#include "bindings/block.hpp"

#include <cstddef>
#include <span>

namespace posenc::bindings {

const Description* description_of(const double* block) {
  const auto all = registry();
  const double id = block[0];
  if (!(id >= 0 && id < static_cast<double>(all.size()))) return nullptr;
  return all[static_cast<std::size_t>(id)];
}

std::unique_ptr<Encoding> make(const double* block) {
  const Description* d = description_of(block);
  if (d == nullptr) return nullptr;
  const std::span values(block + 1, d->parameters.size());
  auto encoding = d->make(values);
  if (encoding != nullptr) encoding->set_origin(d->make, values);
  return encoding;
}

RotateCall rotate_call(const double* f) {
  using F = RotateField;
  return {
      .x = at<float>(f[F::x]),
      .out = at<float>(f[F::out]),
      .batch = static_cast<std::int64_t>(f[F::batch]),
      .heads = static_cast<std::int64_t>(f[F::heads]),
      .tokens = static_cast<std::int64_t>(f[F::tokens]),
      .positions = at<std::int32_t>(f[F::positions]),
      .positions_per_batch = f[F::positions_per_batch] != 0,
      .axes = static_cast<int>(f[F::axes]),
      .side = f[F::side] == 0 ? Side::query : Side::key,
      .inverse = f[F::inverse] != 0,
  };
}

}  // namespace posenc::bindings
