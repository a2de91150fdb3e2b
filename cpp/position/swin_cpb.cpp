// Swin V2's log-spaced continuous position bias (Liu 2021, "Swin Transformer V2", section 3.3): a
// perceptron of the relative position (Δy, Δx), Δ = query − key, so that windows may change their
// size after training. As in the authors' code each Δ is divided by the largest of the window (of
// the window of pre-training, when given), multiplied by 8 and made sign(Δ)·log2(|Δ| + 1)/3; the
// bias is 16 · sigmoid of the perceptron's output, which has no offset.
//
// Shapes as in cpb_mlp of checkpoints: w1 (hidden, 2), b1 (hidden), w2 (heads, hidden).
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/buffer.hpp"
#include "position/array_counts.hpp"
#include "position/registry.hpp"
#include "position/relu_perceptron.hpp"
#include "position/window_bias.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t {
  kHeads,
  kHeight,
  kWidth,
  kPretrainedHeight,
  kPretrainedWidth,
  kHidden,
  kW1,
  kB1,
  kW2,
  kParameters
};

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("heads", 1, 4096, {"头数", "number of heads"}).required(),
    Parameter::integer("height", 1, 256, {"窗口的行数", "rows of a window"}).required(),
    Parameter::integer("width", 1, 256, {"窗口的列数", "columns of a window"}).required(),
    Parameter::integer("pretrainedHeight", 0, 256,
                       {"预训练时窗口的行数；0 表示与 height 相同",
                        "rows of a window in pre-training; 0: as many as height"})
        .or_else(0),
    Parameter::integer("pretrainedWidth", 0, 256,
                       {"预训练时窗口的列数；0 表示与 width 相同",
                        "columns of a window in pre-training; 0: as many as width"})
        .or_else(0),
    Parameter::integer("hidden", 1, 65536,
                       {"隐藏层的宽度", "width of the perceptron's hidden layer"})
        .or_else(512),
    Parameter::tensor("w1", {"第一层权重，形状（hidden，2）", "first layer, shape (hidden, 2)"})
        .required(),
    Parameter::tensor("b1", {"第一层偏移，形状（hidden）", "its offsets, shape (hidden)"})
        .required(),
    Parameter::tensor("w2",
                      {"第二层权重，形状（heads，hidden）", "second layer, shape (heads, hidden)"})
        .required(),
};

constexpr Hook kHooks[] = {Hook::bias};

constexpr double kLargestBias = 16.0;

/// A difference of coordinates as the perceptron gets it; windows of one token have only 0.
double coordinate(std::int64_t difference, double pretrained_size) {
  if (difference == 0) return 0.0;
  const double x = 8.0 * static_cast<double>(difference) / std::max(pretrained_size - 1, 1.0);
  return std::copysign(std::log2(std::abs(x) + 1) / 3, x);
}

double or_else(double size, double otherwise) { return size > 0 ? size : otherwise; }

class SwinCpb final : public WindowBias {
 public:
  SwinCpb(std::span<const double> values, WindowCells cells, Buffer<float> table)
      : WindowBias(static_cast<int>(values[kHeads]), cells),
        perceptron_(static_cast<std::int64_t>(values[kHidden]), numbers<float>(values[kW1]).data(),
                    numbers<float>(values[kB1]).data(), numbers<float>(values[kW2]).data(),
                    nullptr),
        sizes_{or_else(values[kPretrainedHeight], values[kHeight]),
               or_else(values[kPretrainedWidth], values[kWidth])},
        table_(std::move(table)) {
    for (std::int64_t cell = 0; cell < cells.count(); ++cell) {
      for (int head = 0; head < heads(); ++head) {
        table_[cell * heads() + head] = static_cast<float>(kLargestBias * activation(head, cell));
      }
    }
  }

 private:
  float at(int head, std::int64_t cell) const override { return table_[cell * heads() + head]; }
  void at_grad(int head, std::int64_t cell, double d,
               std::span<float* const> grads) const override {
    const double s = activation(head, cell);
    double d_input[2];
    perceptron_.backward(head, {y(cell), x(cell)}, d * kLargestBias * s * (1 - s),
                         {grads[0], grads[1], grads[2], nullptr}, d_input);
  }

  double activation(int head, std::int64_t cell) const {
    return 1 / (1 + std::exp(-perceptron_.output(head, {y(cell), x(cell)})));
  }
  double y(std::int64_t cell) const { return coordinate(cells().dy(cell), sizes_[0]); }
  double x(std::int64_t cell) const { return coordinate(cells().dx(cell), sizes_[1]); }

  ReluPerceptron<2> perceptron_;
  double sizes_[2];      // of the window of pre-training
  Buffer<float> table_;  // (cells, heads)
};

Fault derive(std::span<double> values) {
  return check_counts(values, {
                                  {kW1, 2 * values[kHidden], "2 · hidden numbers"},
                                  {kB1, values[kHidden], "hidden numbers"},
                                  {kW2, values[kHeads] * values[kHidden], "heads · hidden numbers"},
                              });
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  const WindowCells cells{static_cast<std::int64_t>(values[kHeight]),
                          static_cast<std::int64_t>(values[kWidth])};
  Buffer<float> table(cells.count() * static_cast<std::int64_t>(values[kHeads]));
  if (!table.ok()) return nullptr;
  return std::make_unique<SwinCpb>(values, cells, std::move(table));
}

}  // namespace

extern const Description swin_cpb = {
    .name = "swin_cpb",
    .title = {.zh = "Swin V2 对数连续位置偏置",
              .en = "Swin V2 log-spaced continuous position bias"},
    .year = 2021,
    .paper = "Liu et al., Swin Transformer V2: Scaling Up Capacity and Resolution",
    .url = "https://arxiv.org/abs/2111.09883",
    .users = "Swin Transformer V2",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
