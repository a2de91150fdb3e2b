// Samples of temperatures by position.
#include <algorithm>
#include <cmath>

#include "made.hpp"
#include "samples/families.hpp"
#include "table.hpp"

namespace posenc::test {

void add_scales(std::vector<Sample>& all, int heads) {
  const auto add = [&](const char* name, const Options& options, auto scale) {
    Reference r;
    r.relative = false;
    r.scale = scale;
    const auto index = static_cast<std::size_t>(find_encoding(name));
    all.push_back({name, registry()[index], values_of(name, options), r});
  };
  add("log_n", {{"trainedLength", 16}}, [](int, std::int64_t position) {
    return position < 16 ? 1.0 : std::log(static_cast<double>(position) + 1) / std::log(16.0);
  });
  const std::vector<float> strengths = random_floats(heads, 30);
  add("ssmax", {{"heads", heads}, {"strengths", kept(strengths)}},
      [=](int head, std::int64_t position) {
        const double keys = std::max(static_cast<double>(position) + 1, 1.0);
        return static_cast<double>(strengths[static_cast<std::size_t>(head)]) * std::log(keys);
      });
  add("llama4_temperature", {{"floorScale", 3}}, [](int, std::int64_t position) {
    const std::int64_t steps = std::max<std::int64_t>(position + 1, 0) / 3;
    return 1 + 0.1 * std::log(1 + static_cast<double>(steps));
  });
}

}  // namespace posenc::test
