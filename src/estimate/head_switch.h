// The head switch: MTBRC(read, read on another head of the cylinder) less MTBRC(read, read on the
// track) (DIXtrac, section 4.2). An effective time: what is not hidden behind other work.
#pragma once

#include "estimate/evidence.h"
#include "estimate/read_times.h"
#include "model/finding_kinds.h"

namespace platter::estimate {

struct HeadSwitch {
  model::Parameter time;  // ms; all pairs of heads together
  bool uniform = true;    // no pair of heads differs from the rest by more than noise explains
  double spread_ms = 0;   // standard deviation between pairs, noise taken off
  model::Notes notes;
};

HeadSwitch estimate_head_switch(const Evidence& evidence, const ReadTimes& reads);

}  // namespace platter::estimate
