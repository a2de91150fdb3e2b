// Log-n scaling (Su 2021, kexue.fm/archives/8823; `use_logn_attn` of Qwen's first models): a query
// that sees n = position + 1 keys is multiplied by max(1, ln n / ln L), so that the entropy of its
// weights stays that of the trained length L.
#include <algorithm>
#include <cmath>

#include "position/registry.hpp"

namespace posenc::encodings {

namespace {

constexpr Parameter kTable[] = {
    Parameter::integer(
        "trainedLength", 2, 1 << 30,
        {"训练长度 L，此前因子为 1", "trained length L, up to which the factor is 1"})
        .required(),
};

constexpr Hook kHooks[] = {Hook::scale};

class LogN final : public Encoding, public Scale {
 public:
  explicit LogN(double trained_length) : log_(std::log(trained_length)) {}
  const Scale* scale() const override { return this; }
  float factor(int /*head*/, Positions query) const override {
    const double keys = std::max(query.at(0) + 1.0, 1.0);
    return static_cast<float>(std::max(1.0, std::log(keys) / log_));
  }

 private:
  double log_;
};

std::unique_ptr<Encoding> make(std::span<const double> values) {
  return std::make_unique<LogN>(values[0]);
}

}  // namespace

extern const Description log_n = {
    .name = "log_n",
    .title = {.zh = "对数 n 缩放", .en = "Log-n scaling of attention"},
    .year = 2021,
    .paper = "Su, On the Scale Operation of Attention From the Perspective of Entropy Invariance",
    .url = "https://kexue.fm/archives/8823",
    .users = "Qwen (first generation)",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = nullptr,
    .make = make,
};

}  // namespace posenc::encodings
