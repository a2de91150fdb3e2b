// Objects in memory that can be short.
#include "core/objects.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

namespace posenc::test {
namespace {

TEST_CASE("objects are made one by one, stay where they are, and are unmade") {
  struct Noted {
    Noted(std::vector<int>& to, int what) : log(to), number(what) { log.push_back(number); }
    ~Noted() { log.push_back(-number); }
    std::vector<int>& log;
    int number;
  };
  std::vector<int> log;
  {
    Objects<Noted> objects(3);
    REQUIRE(objects.ok());
    const Noted* first = &objects.add(log, 1);
    objects.add(log, 2);
    CHECK(&objects[0] == first);
    int sum = 0;
    for (const Noted& object : objects) sum += object.number;
    CHECK(sum == 3);
  }
  CHECK(log == std::vector<int>{1, 2, -2, -1});
}

TEST_CASE("objects that memory is short of") {
  CHECK_FALSE(Objects<double>(std::int64_t{1} << 58).ok());
  CHECK_FALSE(Objects<double>(std::numeric_limits<std::int64_t>::max()).ok());
}

}  // namespace
}  // namespace posenc::test
