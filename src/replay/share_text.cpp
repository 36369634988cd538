#include "replay/share_text.h"

#include <fmt/format.h>

#include "statistics/share.h"

namespace platter::replay {

std::string share_text(double share, std::size_t trials) {
  const statistics::ShareInterval interval = statistics::share_interval(share, trials);
  return fmt::format("{:.1f} % ({:.1f} to {:.1f})", 100 * share, 100 * interval.low,
                     100 * interval.high);
}

std::string phase_text(const model::Demerit& demerit) {
  return demerit.phase_requests == 0
             ? ""
             : share_text(demerit.folded_phase_share, demerit.phase_requests);
}

}  // namespace platter::replay
