#include "core/share.hpp"

namespace posenc {

Status run_shared(const SharedWork& work, std::int64_t units, double /*operations*/) {
  Everything share(units);
  return work.run(share);
}

}  // namespace posenc
