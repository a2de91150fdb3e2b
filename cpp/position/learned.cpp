// Learned absolute positions (Gehring 2017, section 3.1; BERT, GPT-2): row position + offset of a
// trained table is added to the input.
//
// `offset` is what real checkpoints put before the first token: 2 in OPT and BART; padding_idx + 1
// in RoBERTa, whose padding then stands at position −1, in row padding_idx. A table of 514 rows
// with offset 2 has room for 512 tokens. A position without a row is refused, never wrapped.
//
// The same table serves whatever gives tokens their positions: digits of numbers (Abacus), random
// or shifted positions (Ruoss 2023, SHAPE).
#include <algorithm>

#include "position/registry.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t { kWidth, kTableData, kOffset, kParameters };

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("width", 1, 65536, {"每行的维数", "width of a row"}).required(),
    Parameter::tensor("table", {"训练得到的表 (rows, width)", "the trained table, (rows, width)"})
        .required(),
    Parameter::integer("offset", 0, 1e6,
                       {"位置 0 的行号（OPT、BART 为 2；RoBERTa 为 padding_idx + 1）",
                        "row of position 0 (OPT and BART: 2; RoBERTa: padding_idx + 1)"})
        .or_else(0),
};

constexpr Hook kHooks[] = {Hook::embed};

class Learned final : public Encoding, public Embed {
 public:
  Learned(std::int64_t width, std::span<const float> table, std::int32_t offset)
      : width_(width), table_(table), offset_(offset) {}

  const Embed* embed() const override { return this; }
  PositionDomain domain() const override {
    const auto rows = static_cast<std::int64_t>(table_.size()) / width_;
    return {-offset_,
            static_cast<std::int32_t>(std::min<std::int64_t>(rows - 1 - offset_, kMaxPosition))};
  }

  std::int64_t width() const override { return width_; }
  void rows(Positions positions, float* out) const override {
    for (std::int64_t t = 0; t < positions.count; ++t) {
      std::copy_n(table_.data() + row(positions.at(t)), width_, out + t * width_);
    }
  }
  Status rows_grad(Positions positions, const float* d_out,
                   std::span<float* const> grads) const override {
    if (grads[0] == nullptr) return Status::ok;
    for (std::int64_t t = 0; t < positions.count; ++t) {
      float* d_row = grads[0] + row(positions.at(t));
      for (std::int64_t c = 0; c < width_; ++c) d_row[c] += d_out[t * width_ + c];
    }
    return Status::ok;
  }

 private:
  std::int64_t row(std::int32_t position) const {
    return (std::int64_t{position} + offset_) * width_;
  }

  std::int64_t width_;
  std::span<const float> table_;
  std::int32_t offset_;
};

Fault derive(std::span<double> values) {
  const std::size_t size = numbers<float>(values[kTableData]).size();
  const auto width = static_cast<std::size_t>(values[kWidth]);
  const std::size_t rows = size / width;
  if (size == 0 || size % width != 0) {
    return {Status::parameter, kTableData, "a whole number of rows of width numbers"};
  }
  if (values[kOffset] >= static_cast<double>(rows)) {
    return {Status::parameter, kOffset, "less than the rows of the table"};
  }
  return {};
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  return std::make_unique<Learned>(static_cast<std::int64_t>(values[kWidth]),
                                   numbers<float>(values[kTableData]),
                                   static_cast<std::int32_t>(values[kOffset]));
}

}  // namespace

extern const Description learned = {
    .name = "learned",
    .title = {.zh = "可学习的绝对位置", .en = "Learned absolute positions"},
    .year = 2017,
    .paper = "Gehring et al., Convolutional Sequence to Sequence Learning",
    .url = "https://arxiv.org/abs/1705.03122",
    .users = "BERT, GPT-2, RoBERTa, OPT, CLIP, ViT",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
