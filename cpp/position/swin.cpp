// Swin's relative position bias (Liu 2021, "Swin Transformer", section 3.2): a trained number per
// head and relative position inside a window of height × width tokens.
//
// table ((2·height − 1)·(2·width − 1), heads) in row-major order of (Δy, Δx), Δ = query − key, as
// in relative_position_bias_table of checkpoints. Their relative_position_index is not needed.
#include "position/array_counts.hpp"
#include "position/gradient.hpp"
#include "position/registry.hpp"
#include "position/window_bias.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t { kHeads, kHeight, kWidth, kTable, kParameters };

constexpr Parameter kParameterTable[kParameters] = {
    Parameter::integer("heads", 1, 4096, {"头数", "number of heads"}).required(),
    Parameter::integer("height", 1, 4096, {"窗口的行数", "rows of a window"}).required(),
    Parameter::integer("width", 1, 4096, {"窗口的列数", "columns of a window"}).required(),
    Parameter::tensor("table",
                      {"每个相对位置、每个头的偏置，形状（(2·height − 1)·(2·width − 1)，heads）",
                       "bias of every relative position and head, shape ((2·height − "
                       "1)·(2·width − 1), heads)"})
        .required(),
};

constexpr Hook kHooks[] = {Hook::bias};

WindowCells cells_of(std::span<const double> values) {
  return {static_cast<std::int64_t>(values[kHeight]), static_cast<std::int64_t>(values[kWidth])};
}

class Swin final : public WindowBias {
 public:
  explicit Swin(std::span<const double> values)
      : WindowBias(static_cast<int>(values[kHeads]), cells_of(values)),
        table_(numbers<float>(values[kTable]).data()) {}

 private:
  float at(int head, std::int64_t cell) const override { return table_[cell * heads() + head]; }
  void at_grad(int head, std::int64_t cell, double d,
               std::span<float* const> grads) const override {
    add_to(grads[0], cell * heads() + head, d);
  }

  const float* table_;  // (cells, heads)
};

Fault derive(std::span<double> values) {
  const auto cells = static_cast<double>(cells_of(values).count());
  return check_counts(
      values, {{kTable, cells * values[kHeads], "(2·height − 1) · (2·width − 1) · heads numbers"}});
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  return std::make_unique<Swin>(values);
}

}  // namespace

extern const Description swin = {
    .name = "swin",
    .title = {.zh = "Swin 窗口相对位置偏置", .en = "Swin relative position bias"},
    .year = 2021,
    .paper = "Liu et al., Swin Transformer: Hierarchical Vision Transformer using Shifted Windows",
    .url = "https://arxiv.org/abs/2103.14030",
    .users = "Swin Transformer, BEiT",
    .hooks = kHooks,
    .parameters = kParameterTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
