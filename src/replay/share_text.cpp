#include "replay/share_text.h"

#include <fmt/format.h>

#include "statistics/share.h"

namespace platter::replay {

std::string share_text(double share, std::size_t trials) {
  const statistics::ShareInterval interval = statistics::share_interval(share, trials);
  return fmt::format("{:.1f} % ({:.1f} to {:.1f})", 100 * share, 100 * interval.low,
                     100 * interval.high);
}

}  // namespace platter::replay
