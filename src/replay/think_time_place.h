// Where a measured trace's think times belong, told by a model that knows where the platter stands:
// taken wrongly, accesses are out of step with it.
#pragma once

#include <memory>

#include "replay/replay_model.h"
#include "trace/stream.h"

namespace platter::replay {

struct PlacedThinkTimes {
  std::unique_ptr<trace::Reader> trace;  // as it is to be replayed
  bool think_in_front = false;           // (trace/think_times.h)
  // Of the accesses at the trace's beginning, those in step with the model's platter (the folded
  // phase, anew at each completion), for each of both ways; 0 where it was not asked.
  double share_in_front = 0, share_behind = 0;
};

// In front only if the model then keeps step with more than half of the accesses, and with less
// than half as many otherwise; so a model without the angles between its zones leaves a trace as it
// is. Looks at the first 10,000 requests; traces without think or service times are left as they
// are.
PlacedThinkTimes place_think_times(const Subject& subject, std::unique_ptr<trace::Reader> trace);

}  // namespace platter::replay
