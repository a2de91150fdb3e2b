// The allocator of the other builds behind a lock (the linker puts `__wrap_` functions in the place
// of those they are named for), and memory that any thread may grow.
#include "bindings/threads/heap.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

extern "C" {
void* __real_malloc(std::size_t size);
void __real_free(void* pointer);
}

namespace {

/// Held for some hundred instructions.
class Lock {
 public:
  Lock() {
    while (held_.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~Lock() { held_.clear(std::memory_order_release); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  static constinit std::atomic_flag held_;
};

constinit std::atomic_flag Lock::held_;

/// What is set aside and not in use.
void* reserve = nullptr;
/// From the first small object that takes from the reserve to the reserve's end: what is free then
/// is for such objects.
bool reserve_in_use = false;

/// Larger ones are scratch, which is checked.
constexpr std::size_t kSmall = 65536;

constexpr std::size_t kPage = 65536;

bool grow(std::size_t bytes) {
  return __builtin_wasm_memory_grow(0, (bytes + kPage - 1) / kPage) != SIZE_MAX;
}

}  // namespace

namespace posenc {

Reserve::Reserve(std::size_t bytes) {
  const Lock lock;
  reserve = __real_malloc(bytes);
  ok_ = reserve != nullptr;
}

Reserve::~Reserve() {
  const Lock lock;
  __real_free(reserve);
  reserve = nullptr;
  reserve_in_use = false;
}

}  // namespace posenc

extern "C" {

void* __wrap_malloc(std::size_t size) {
  const Lock lock;
  if (reserve_in_use && size > kSmall) return nullptr;
  void* pointer = __real_malloc(size);
  if (pointer != nullptr || size > kSmall || reserve == nullptr) return pointer;
  __real_free(reserve);
  reserve = nullptr;
  reserve_in_use = true;
  return __real_malloc(size);
}

void __wrap_free(void* pointer) {
  const Lock lock;
  __real_free(pointer);
}

/// What the allocator calls when it needs the memory to have `size` bytes. In the other builds this
/// is a function of the glue, which helpers do not have.
int emscripten_resize_heap(std::size_t size) {
  const std::size_t now = __builtin_wasm_memory_size(0) * kPage;
  if (size <= now) return 1;
  // Some more than is asked for, where there is, as growing takes long.
  if (!grow(size - now + now / 8) && !grow(size - now)) return 0;
  emscripten_notify_memory_growth(0);
  return 1;
}

}  // extern "C"
