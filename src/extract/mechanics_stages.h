// The stages up to the overheads: each stage's experiments on the drive, and what is made of their
// samples. They leave samples in the context and what is no sample in the facts; what they rest on
// is in the findings.
#pragma once

namespace platter::extract {

struct Rig;
struct Seen;
struct Findings;

void warm_up(Rig& rig);

// Sharp enough for later stages to count revolutions from anchor to anchor: these lie minutes apart
// in the end, and tell the period much better than so many reads in a row could.
void measure_rotation(Rig& rig);
// Without a map there are no anchors.
void measure_rotation_alone(Rig& rig);
void estimate_rotation(const Seen& seen, Findings& found);

void find_map(Rig& rig);
// A map is not believed without the reads that bear it out.
void measure_angles(Rig& rig);
void take_map(const Seen& seen, Findings& found);

void measure_seeks(Rig& rig);
void estimate_seeks(const Seen& seen, Findings& found);

void measure_head_switch(Rig& rig);
void estimate_head_switch(const Seen& seen, Findings& found);
void measure_write_settle(Rig& rig);
void estimate_write_settle(const Seen& seen, Findings& found);
void measure_write_seeks(Rig& rig);

void measure_miss_overheads(Rig& rig);
void measure_watermark(Rig& rig);
// Hits, which come with the caches on, belong to it: so it is made when the cache's stage is done.
void estimate_overheads(const Seen& seen, Findings& found);

// The anchors of the whole run lie minutes apart: the period is known better than at first.
void refine_rotation(const Seen& seen, Findings& found);

}  // namespace platter::extract
