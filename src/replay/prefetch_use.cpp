#include "replay/prefetch_use.h"

#include <fmt/format.h>

namespace platter::replay {

std::string why_prefetching_did_nothing(const HostQueueUse& use) {
  const std::uint64_t bytes = use.settings.prefetch_bytes;
  if (bytes == 0 || use.from_memory > 0) return {};
  const std::string setting = fmt::format("--host-queue prefetch-kb={}", bytes / 1024);
  if (use.prefetches == 0) return setting + " did nothing: no two reads began where another ended";
  return fmt::format(
      "{} answered no read: none lay whole in the {} windows that were fetched; name "
      "one of at least the size of the reads",
      setting, use.prefetches);
}

}  // namespace platter::replay
