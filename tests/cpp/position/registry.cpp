// What the registry says of itself, and how it checks values.
#include "position/registry.hpp"

#include <doctest/doctest.h>

#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

bool is_chinese(const char* text) {
  // Every Chinese character takes bytes above 127.
  for (; *text != 0; ++text) {
    if (static_cast<unsigned char>(*text) > 127) return true;
  }
  return false;
}

void check_text(const Text& text) {
  CHECK(std::strlen(text.zh) > 0);
  CHECK(std::strlen(text.en) > 0);
  CHECK(is_chinese(text.zh));
}

TEST_CASE("every encoding describes itself in both languages") {
  std::set<std::string> names;
  for (const Description* d : registry()) {
    CAPTURE(d->name);
    CHECK(names.insert(d->name).second);
    check_text(d->title);
    CHECK(d->year >= 2017);
    CHECK(d->year <= 2030);
    CHECK(std::strlen(d->paper) > 10);
    CHECK(std::string(d->url).starts_with("https://"));
  }
}

TEST_CASE("every parameter has a name, a meaning and a range that holds its default") {
  for (const Description* d : registry()) {
    std::set<std::string> names;
    for (const Parameter& p : d->parameters) {
      CAPTURE(d->name);
      CAPTURE(p.name);
      CHECK(names.insert(p.name).second);
      CHECK(std::string(p.name).find_first_of(" _-") == std::string::npos);
      CHECK(std::islower(static_cast<unsigned char>(p.name[0])));
      check_text(p.meaning);
      CHECK(p.low <= p.high);
      CHECK(std::isfinite(p.low));
      CHECK(std::isfinite(p.high));
      if (p.missing == Parameter::Missing::initial) {
        CHECK(p.initial >= p.low);
        CHECK(p.initial <= p.high);
      }
      if (p.missing == Parameter::Missing::derived) CHECK(d->derive != nullptr);
      const bool is_choice = p.kind == Parameter::Kind::choice;
      CHECK(is_choice == !p.choices.empty());
      if (is_choice) {
        CHECK(p.low == 0);
        CHECK(p.high == static_cast<double>(p.choices.size()) - 1);
      }
      std::set<std::string> choices(p.choices.begin(), p.choices.end());
      CHECK(choices.size() == p.choices.size());
    }
  }
}

TEST_CASE("the hooks that are announced are the hooks that are filled") {
  for (const Sample& sample : samples(16, 4)) {
    CAPTURE(sample.label);
    const auto encoding = sample.make();
    CHECK((encoding->embed() != nullptr) == fills(*sample.description, Hook::embed));
    CHECK((encoding->rotate() != nullptr) == fills(*sample.description, Hook::rotate));
    CHECK((encoding->content() != nullptr || encoding->head_mix() != nullptr) ==
          fills(*sample.description, Hook::content));
    CHECK((encoding->bias() != nullptr) == fills(*sample.description, Hook::bias));
    CHECK((encoding->scale() != nullptr) == fills(*sample.description, Hook::scale));
    CHECK((encoding->mask() != nullptr) == fills(*sample.description, Hook::mask));
  }
  CHECK(std::size(kHookNames) == 6);
  CHECK(std::string(kHookNames[static_cast<int>(Hook::embed)]) == "embed");
  CHECK(std::string(kHookNames[static_cast<int>(Hook::bias)]) == "bias");
  CHECK(std::string(kHookNames[static_cast<int>(Hook::mask)]) == "mask");
}

TEST_CASE("every encoding has a sample, whose reference fills the same hooks") {
  std::set<std::string> sampled;
  for (const Sample& sample : samples(16, 4)) {
    CAPTURE(sample.label);
    sampled.insert(sample.description->name);
    CHECK(!!sample.reference.embed == fills(*sample.description, Hook::embed));
    CHECK(sample.reference.turns() == fills(*sample.description, Hook::rotate));
    CHECK((sample.reference.content || sample.reference.row || sample.reference.mix) ==
          fills(*sample.description, Hook::content));
    CHECK(!!sample.reference.bias == fills(*sample.description, Hook::bias));
    CHECK(!!sample.reference.scale == fills(*sample.description, Hook::scale));
    CHECK(!!sample.reference.visible == fills(*sample.description, Hook::mask));
  }
  for (const Description* d : registry()) CHECK(sampled.contains(d->name));
}

TEST_CASE("encodings are found by their name, in the order of the registry") {
  CHECK(find_encoding("nope") == 0);
  CHECK(find_encoding("sinusoidal") > find_encoding("nope"));
  CHECK(find_encoding("rope") > find_encoding("sinusoidal"));
  CHECK(find_encoding("alibi") > find_encoding("rope"));
  for (const char* name : {"", "Rope", "rope ", "no such encoding"}) {
    CHECK(find_encoding(name) == -1);
  }
  for (std::size_t i = 0; i < registry().size(); ++i) {
    CHECK(find_encoding(registry()[i]->name) == static_cast<int>(i));
  }
}

TEST_CASE("statuses have names") {
  CHECK(std::size(kStatusNames) == static_cast<std::size_t>(Status::capacity) + 1);
  CHECK(std::string(kStatusNames[static_cast<int>(Status::ok)]) == "ok");
  CHECK(std::string(kStatusNames[static_cast<int>(Status::conflict)]) == "conflict");
  CHECK(std::string(kStatusNames[static_cast<int>(Status::memory)]) == "memory");
}

TEST_CASE("resolve refuses what lies outside the table") {
  struct Row {
    const char* encoding;
    std::vector<double> values;
    int parameter;
    const char* rule;
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Row rows[] = {
      {"rope", {kNotGiven, kNotGiven, kNotGiven, kNotGiven}, 0, "required"},
      {"rope", {1, kNotGiven, kNotGiven, kNotGiven}, 0, "within its range"},
      {"rope", {4097, kNotGiven, kNotGiven, kNotGiven}, 0, "within its range"},
      {"rope", {-64, kNotGiven, kNotGiven, kNotGiven}, 0, "within its range"},
      {"rope", {kInfinity, kNotGiven, kNotGiven, kNotGiven}, 0, "within its range"},
      {"rope", {64.5, kNotGiven, kNotGiven, kNotGiven}, 0, "a whole number"},
      {"rope", {64, 33, kNotGiven, kNotGiven}, 1, "an even number"},
      {"rope", {64, 66, kNotGiven, kNotGiven}, 1, "at most headDim"},
      {"rope", {64, 0, kNotGiven, kNotGiven}, 1, "within its range"},
      {"rope", {64, kNotGiven, 0.5, kNotGiven}, 2, "within its range"},
      {"rope", {64, kNotGiven, -kInfinity, kNotGiven}, 2, "within its range"},
      {"rope", {64, kNotGiven, kNotGiven, 2}, 3, "within its range"},
      {"rope", {64, kNotGiven, kNotGiven, 0.5}, 3, "a whole number"},
      {"rope", {64}, -1, "one value per parameter"},
      {"sinusoidal", {0, kNotGiven, kNotGiven, kNotGiven, kNotGiven}, 0, "within its range"},
      {"sinusoidal", {8, kNotGiven, kNotGiven, kNotGiven, -1}, 4, "within its range"},
      {"alibi", {kNotGiven}, 0, "required"},
      {"alibi", {0}, 0, "within its range"},
      {"alibi", {2.5}, 0, "a whole number"},
      {"alibi", {8, 9}, 1, "at most heads"},
      {"nope", {1}, -1, "one value per parameter"},
  };
  for (Row row : rows) {
    CAPTURE(row.encoding);
    CAPTURE(row.rule);
    const bool complete_row = row.parameter >= 0;
    const Description& d = *described(row.encoding);
    if (complete_row) row.values = complete(d, row.values);
    const Fault fault = resolve(d, row.values);
    CHECK(fault.status == Status::parameter);
    CHECK(fault.parameter == row.parameter);
    CHECK(std::string(fault.rule) == row.rule);
  }
}

TEST_CASE("resolve fills in what was not given") {
  struct Row {
    const char* encoding;
    std::vector<double> values, filled;
  };
  const Row rows[] = {
      {"rope", {64, kNotGiven, kNotGiven, kNotGiven}, {64, 64, 10000, 0}},
      {"rope", {7, kNotGiven, 500000, 1}, {7, 6, 500000, 1}},
      {"rope", {2, 2, 1, 1}, {2, 2, 1, 1}},
      {"sinusoidal", {512, kNotGiven, kNotGiven, kNotGiven, kNotGiven}, {512, 10000, 0, 0, 0}},
      {"sinusoidal", {1, 2.5, 1, 1, 1}, {1, 2.5, 1, 1, 1}},
      {"alibi", {4096}, {4096, 4096, 8}},
      {"alibi", {8, 3, 16}, {8, 3, 16}},
      {"nope", {}, {}},
  };
  for (Row row : rows) {
    CAPTURE(row.encoding);
    const Description& d = *described(row.encoding);
    row.values = complete(d, row.values);
    const Fault fault = resolve(d, row.values);
    CHECK(fault.status == Status::ok);
    row.values.resize(row.filled.size());
    CHECK(row.values == row.filled);
  }
}

}  // namespace
}  // namespace posenc::test
