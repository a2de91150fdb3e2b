// Scratch memory that reports exhaustion instead of aborting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <utility>

namespace posenc {

/// An owned, uninitialised array of `count` plain values. `ok()` is false when the memory was not
/// to be had.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::int64_t count) {
    if (count < 0 || static_cast<std::uint64_t>(count) > SIZE_MAX / sizeof(T)) {
      failed_ = true;
    } else if (count > 0) {
      data_ = static_cast<T*>(std::malloc(static_cast<std::size_t>(count) * sizeof(T)));
      failed_ = data_ == nullptr;
    }
  }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), failed_(other.failed_) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(failed_, other.failed_);
    return *this;
  }
  ~Buffer() { std::free(data_); }

  bool ok() const { return !failed_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::int64_t i) { return data_[i]; }
  const T& operator[](std::int64_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  bool failed_ = false;
};

}  // namespace posenc
