// No encoding: no hook, no parameter.
#include <doctest/doctest.h>

#include <memory>

#include "position/registry.hpp"

namespace posenc::test {
namespace {

TEST_CASE("nope fills no hook and has no frequencies") {
  const Description& nope = *registry()[static_cast<std::size_t>(find_encoding("nope"))];
  CHECK(nope.hooks.empty());
  CHECK(nope.parameters.empty());
  const std::unique_ptr<Encoding> encoding = nope.make({});
  REQUIRE(encoding != nullptr);
  CHECK(encoding->frequencies().empty());
  CHECK(encoding->attention_factor() == 1.0);
}

}  // namespace
}  // namespace posenc::test
