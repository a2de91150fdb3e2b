#include "splits.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "attention/share_copies.hpp"
#include "core/ranges.hpp"
#include "core/share.hpp"

namespace posenc {

namespace test {

namespace {

std::optional<Split> current;

class List final : public Share {
 public:
  std::vector<std::int64_t> units;
  int number = 0;
  int thread() const override { return number; }
  std::int64_t next() override {
    if (units.empty()) return -1;
    const std::int64_t unit = units.back();
    units.pop_back();
    return unit;
  }
};

std::vector<Status> run_in_turn(const SharedWork& work, std::int64_t units, const Split& split) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(units));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(split.seed);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<List> lists(static_cast<std::size_t>(split.shares));
  for (std::size_t i = 0; i < order.size(); ++i) lists[i % lists.size()].units.push_back(order[i]);
  for (std::size_t i = 0; i < lists.size(); ++i) lists[i].number = static_cast<int>(i);
  std::vector<Status> statuses;
  for (List& list : lists) statuses.push_back(work.run(list));
  return statuses;
}

std::vector<Status> run_at_once(const SharedWork& work, std::int64_t units, const Split& split) {
  Ranges ranges;
  ranges.deal(units, split.shares);
  std::vector<Status> statuses(static_cast<std::size_t>(split.shares));
  std::vector<std::thread> threads;
  for (int i = 0; i < split.shares; ++i) {
    threads.emplace_back([&, i] {
      RangesShare share(ranges, i);
      statuses[static_cast<std::size_t>(i)] = work.run(share);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return statuses;
}

}  // namespace

Divided::Divided(Split split) { current = split; }
Divided::~Divided() { current.reset(); }

}  // namespace test

Status run_shared(const SharedWork& work, std::int64_t units, double operations) {
  if (!test::current.has_value() || operations == 0.0) {
    Everything share(units);
    return work.run(share);
  }
  const auto run = test::current->at_once ? test::run_at_once : test::run_in_turn;
  for (const Status status : run(work, units, *test::current)) {
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

Status share_problem(const AttentionProblem& problem, std::int64_t units, RunProblem run) {
  return share_copies(problem, units, run);
}

}  // namespace posenc
