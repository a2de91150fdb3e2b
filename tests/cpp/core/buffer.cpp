// Scratch memory.
#include "core/buffer.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <utility>

namespace posenc::test {
namespace {

TEST_CASE("a buffer holds what is asked for") {
  Buffer<float> buffer(5);
  REQUIRE(buffer.ok());
  for (int i = 0; i < 5; ++i) buffer[i] = static_cast<float>(i);
  CHECK(buffer.data()[4] == 4.0F);
  CHECK(std::as_const(buffer)[3] == 3.0F);
}

TEST_CASE("an empty buffer is no failure") {
  CHECK(Buffer<float>().ok());
  CHECK(Buffer<float>(0).ok());
}

TEST_CASE("a buffer that cannot be had says so") {
  CHECK_FALSE(Buffer<double>(-1).ok());
  CHECK_FALSE(Buffer<double>(std::numeric_limits<std::int64_t>::max()).ok());
  // The product of the size wraps around to 8 bytes.
  CHECK_FALSE(Buffer<double>((std::int64_t{1} << 61) + 1).ok());
  CHECK_FALSE(Buffer<double>(std::int64_t{1} << 59).ok());
}

TEST_CASE("a moved buffer takes its data and its outcome along") {
  Buffer<int> a(3);
  a[0] = 7;
  int* data = a.data();
  Buffer<int> b = std::move(a);
  CHECK(b.data() == data);
  Buffer<int> c(2);
  c = std::move(b);
  CHECK(c.data() == data);
  CHECK(c[0] == 7);
  Buffer<int> failed(-1);
  c = std::move(failed);
  CHECK_FALSE(c.ok());
}

}  // namespace
}  // namespace posenc::test
