// Values from the input of a fuzzer, taken from its front.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace posenc::fuzz {

/// An input that has ended gives zeros, so that every input means something.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : left_(data, size) {}

  bool empty() const { return left_.empty(); }
  std::uint8_t byte() {
    if (empty()) return 0;
    const std::uint8_t first = left_.front();
    left_ = left_.subspan(1);
    return first;
  }
  /// 0 … count − 1; 0 when there is nothing to choose from.
  std::int64_t below(std::int64_t count) { return count < 1 ? 0 : byte() % count; }
  bool flag() { return byte() % 2 != 0; }
  /// True once in `count` times, for what is rare.
  bool once_in(std::int64_t count) { return below(count) == count - 1; }
  std::int32_t word() {
    std::uint32_t bits = 0;
    for (int i = 0; i < 4; ++i) bits = bits << 8 | byte();
    return static_cast<std::int32_t>(bits);
  }
  /// One of these; zeros choose the first.
  template <class T, std::size_t kCount>
  T pick(const T (&choices)[kCount]) {
    return choices[byte() % kCount];
  }

 private:
  std::span<const std::uint8_t> left_;
};

}  // namespace posenc::fuzz
