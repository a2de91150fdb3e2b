// No position encoding at all (Haviv 2022; Kazemnejad 2023): a causal mask is then the only trace
// of order.
#include "position/registry.hpp"

namespace posenc::encodings {

namespace {

class Nope final : public Encoding {};

std::unique_ptr<Encoding> make(std::span<const double> /*values*/) {
  return std::make_unique<Nope>();
}

}  // namespace

extern const Description nope = {
    .name = "nope",
    .title = {.zh = "无位置编码", .en = "No position encoding"},
    .year = 2022,
    .paper =
        "Haviv et al., Transformer Language Models without Positional Encodings Still Learn "
        "Positional Information",
    .url = "https://arxiv.org/abs/2203.16634",
    .users = "Llama 4, SmolLM3, Command A (some layers)",
    .hooks = {},
    .parameters = {},
    .derive = nullptr,
    .make = make,
};

}  // namespace posenc::encodings
