// Objects whose number is known at run time, in memory that reports exhaustion instead of aborting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace posenc {

/// Room for `capacity` objects, which `add` makes one after another and which stay where they are.
/// `ok()` is false when the memory was not to be had.
template <class T>
class Objects {
 public:
  explicit Objects(std::int64_t capacity) {
    if (static_cast<std::uint64_t>(capacity) > SIZE_MAX / sizeof(T)) return;
    data_ = static_cast<T*>(std::malloc(static_cast<std::size_t>(capacity) * sizeof(T)));
  }
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
  ~Objects() {
    while (count_ > 0) data_[--count_].~T();
    std::free(data_);
  }

  bool ok() const { return data_ != nullptr; }
  template <class... Arguments>
  T& add(Arguments&&... arguments) {
    return *new (data_ + count_++) T(std::forward<Arguments>(arguments)...);
  }

  T& operator[](std::int64_t i) { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + count_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + count_; }

 private:
  T* data_ = nullptr;
  std::int64_t count_ = 0;
};

}  // namespace posenc
