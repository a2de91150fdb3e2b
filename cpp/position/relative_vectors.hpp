// What encodings with trained vectors share.
#pragma once

#include <cstdint>
#include <span>

#include "core/buffer.hpp"
#include "core/dot.hpp"
#include "position/position.hpp"

namespace posenc {

/// A table of trained vectors: (rows, width) for each head, or one that all heads share. A table of
/// a single row has it in the place of every row.
class VectorTable {
 public:
  VectorTable() = default;
  VectorTable(std::span<const float> numbers, std::int64_t rows, std::int64_t width, bool per_head)
      : numbers_(numbers.empty() ? nullptr : numbers.data()),
        rows_(rows),
        width_(width),
        stride_(per_head ? rows * width : 0) {}

  /// The vectors of a head; null when the table was not given.
  const float* of_head(int head) const {
    return numbers_ == nullptr ? nullptr : numbers_ + head * stride_;
  }
  const float* vector(int head, std::int64_t row) const { return numbers_ + start(head, row); }

  /// Adds the gradient by the vectors of a head, (rows, width), to the gradient of the table.
  /// Either may be null.
  void add_grad(int head, const float* effective, float* grad) const {
    if (effective == nullptr || grad == nullptr) return;
    add_times(1.0F, effective, rows_ * width_, grad + head * stride_);
  }
  /// The same for what products c[row] = this[row]·other[row] say: adds d_c[row]·other[row].
  void add_product_grad(int head, const float* d_c, std::int64_t rows, const VectorTable& other,
                        float* grad) const {
    if (d_c == nullptr || grad == nullptr) return;
    for (std::int64_t row = 0; row < rows; ++row) {
      add_times(d_c[row], other.vector(head, row), width_, grad + start(head, row));
    }
  }

  /// Products of the rows of two tables, (heads, rows); check `ok`.
  static Buffer<float> products(const VectorTable& a, const VectorTable& b, int heads,
                                std::int64_t rows) {
    Buffer<float> out(heads * rows);
    for (std::int64_t i = 0; out.ok() && i < heads * rows; ++i) {
      const auto head = static_cast<int>(i / rows);
      out[i] = dot(a.vector(head, i % rows), b.vector(head, i % rows), a.width_);
    }
    return out;
  }

 private:
  std::int64_t start(int head, std::int64_t row) const {
    return head * stride_ + (rows_ == 1 ? 0 : row * width_);
  }

  const float* numbers_ = nullptr;
  std::int64_t rows_ = 0, width_ = 0, stride_ = 0;
};

/// An encoding whose one hook is `content`.
class ContentEncoding : public Encoding, public Content {
 public:
  /// `heads` = 0: all heads share the tables.
  ContentEncoding(double heads, double head_dim)
      : heads_(static_cast<int>(heads)), head_dim_(static_cast<std::int64_t>(head_dim)) {}
  const Content* content() const final { return this; }
  int heads() const final { return heads_; }
  std::int64_t head_dim() const final { return head_dim_; }

 private:
  int heads_;
  std::int64_t head_dim_;
};

/// True when an array was not given or has `rows` · `columns` numbers. Products are formed in
/// floating point: they may pass 2^31.
inline bool fits(std::span<const float> numbers, double rows, double columns) {
  return numbers.empty() || static_cast<double>(numbers.size()) == rows * columns;
}

}  // namespace posenc
