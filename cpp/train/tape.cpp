#include "train/tape.hpp"

namespace posenc {

LayerTape::LayerTape(const StackShape& stack, std::int64_t width, std::int64_t batch,
                     std::int64_t tokens)
    : input(batch * tokens * width),
      normed(batch * tokens * width),
      raw_query(batch * tokens * stack.heads * stack.head_dim),
      raw_key(batch * tokens * stack.kv_heads * stack.head_dim),
      query(batch * tokens * stack.heads * stack.head_dim),
      key(batch * tokens * stack.kv_heads * stack.head_dim),
      value(batch * tokens * stack.kv_heads * stack.head_dim),
      found(batch * tokens * stack.heads * stack.head_dim),
      merged(batch * tokens * stack.heads * stack.head_dim),
      statistics(batch * tokens * stack.heads),
      middle(batch * tokens * width),
      mlp_normed(batch * tokens * width),
      up(batch * tokens * stack.hidden),
      gate(stack.gated ? batch * tokens * stack.hidden : 0),
      mixed(batch * tokens * stack.hidden) {}

bool LayerTape::ok() const {
  for (const auto* buffer : {&input, &normed, &raw_query, &raw_key, &query, &key, &value, &found,
                             &merged, &middle, &mlp_normed, &up, &gate, &mixed}) {
    if (!buffer->ok()) return false;
  }
  return statistics.ok();
}

}  // namespace posenc
