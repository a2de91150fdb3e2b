// Units of work dealt out to threads.
#include "core/ranges.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <thread>
#include <vector>

namespace posenc::test {
namespace {

using Units = std::vector<std::int64_t>;

Units counted(std::int64_t units) {
  Units all(static_cast<std::size_t>(units));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST_CASE("a thread takes its own range first, then helps the next ones") {
  Ranges ranges;
  ranges.deal(7, 3);  // 0 1 | 2 3 | 4 5 6
  Units taken;
  for (const int thread : {1, 1, 1, 0, 1, 1, 2, 0, 1, 2}) taken.push_back(ranges.next(thread));
  CHECK(taken == Units{2, 3, 4, 0, 5, 6, 1, -1, -1, -1});
  ranges.deal(2, 1);  // and anew
  CHECK(ranges.next(0) == 0);
  CHECK(ranges.next(0) == 1);
  CHECK(ranges.next(0) == -1);
}

TEST_CASE("threads at once take every unit, and none twice") {
  for (const std::int64_t units : {0, 1, 2, 15, 16, 17, 10'000}) {
    for (const int threads : {1, 2, 3, kMostThreads}) {
      CAPTURE(units);
      CAPTURE(threads);
      Ranges ranges;
      ranges.deal(units, threads);
      std::vector<Units> taken(static_cast<std::size_t>(threads));
      std::vector<std::thread> running;
      for (int i = 0; i < threads; ++i) {
        running.emplace_back([&, i] {
          for (auto unit = ranges.next(i); unit >= 0; unit = ranges.next(i)) {
            taken[static_cast<std::size_t>(i)].push_back(unit);
          }
        });
      }
      for (std::thread& thread : running) thread.join();
      Units all;
      for (const Units& own : taken) all.insert(all.end(), own.begin(), own.end());
      std::sort(all.begin(), all.end());
      CHECK(all == counted(units));
    }
  }
}

}  // namespace
}  // namespace posenc::test
