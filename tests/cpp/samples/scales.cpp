// Samples of temperatures by position.
#include <algorithm>
#include <cmath>

#include "samples/families.hpp"

namespace posenc::test {

void add_scales(std::vector<Sample>& all, int heads) {
  const auto add = [&](const Values& values, auto scale) {
    Reference r;
    r.relative = false;
    r.scale = scale;
    all.push_back({values.description().name, values, r});
  };
  add(Values("log_n").set("trainedLength", 16), [](int, std::int64_t position) {
    return position < 16 ? 1.0 : std::log(static_cast<double>(position) + 1) / std::log(16.0);
  });
  const TensorPointer strengths = random_tensor(heads, 30);
  const TensorPointer biases = random_tensor(heads, 31);
  add(Values("ssmax").set("heads", heads).share("strengths", strengths).share("biases", biases),
      [=](int head, std::int64_t position) {
        const double keys = std::max(static_cast<double>(position) + 1, 1.0);
        return number(strengths, head) * std::log(keys) + number(biases, head);
      });
  add(Values("llama4_temperature").set("floorScale", 3), [](int, std::int64_t position) {
    const std::int64_t steps = std::max<std::int64_t>(position + 1, 0) / 3;
    return 1 + 0.1 * std::log(1 + static_cast<double>(steps));
  });
}

}  // namespace posenc::test
