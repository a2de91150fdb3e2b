// Fuzzes `KvCache`: a sequence of operations, each compared with a list of what should be there.
#include <cstdint>

#include "cache_session.hpp"
#include "problem.hpp"
#include "samples.hpp"

namespace posenc::fuzz {
namespace {

void use(Bytes bytes) {
  const std::int64_t widths[] = {8, 4, 1, 3, 17};
  test::AttentionCase pool;
  pool.kv_heads = 1 + bytes.below(2);
  pool.heads = pool.kv_heads * (1 + bytes.below(2));
  pool.head_dim = bytes.pick(widths);
  pool.value_dim = bytes.flag() ? 3 : pool.head_dim;
  pool.queries = pool.keys = 16;
  pool.fill(bytes.byte());
  pool.causal = !bytes.once_in(4);
  if (bytes.once_in(4)) pool.softcap = 5.0F;
  if (bytes.once_in(4)) pool.sink_logits.assign(static_cast<std::size_t>(pool.heads), 0.5F);
  if (bytes.once_in(8)) pool.chunk = 5;
  Encodings encodings(bytes, pool.head_dim, pool.heads, pool.value_dim);
  if (encodings.make() != Status::ok) return;
  pool.encodings = encodings.list();
  pool.axes = test::axes_read(encodings.terms().domain);

  const CacheShape shape = {.layers = 1 + bytes.below(2),
                            .batch = 1 + bytes.below(2),
                            .kv_heads = pool.kv_heads,
                            .head_dim = pool.head_dim,
                            .value_dim = pool.value_dim,
                            .capacity = 1 + bytes.below(bytes.once_in(8) ? 80 : 12),
                            .axes = pool.axes};
  const CachePolicy policy = {.turned = bytes.flag(),
                              .window = bytes.flag() ? bytes.below(shape.capacity + 2) : 0,
                              .sinks = bytes.once_in(4) ? bytes.below(4) : 0,
                              .renumber = bytes.once_in(4)};
  if (KvCache(shape, policy).allocate() != Status::ok) return;
  Session session(pool, shape, policy);
  for (int i = 0; i < 40 && !bytes.empty(); ++i) session.step(bytes);
}

}  // namespace
}  // namespace posenc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  posenc::fuzz::use({data, size});
  return 0;
}
