// The stages that hold the model against the drive: what was measured must predict what was not.
#pragma once

namespace platter::extract {

struct Rig;
struct Seen;
struct Findings;

// With the caches as the drive has them; judged once the model has been corrected.
void send_mixed_requests(Rig& rig);
// The caches play no part in it.
void send_random_requests(Rig& rig);
void validate_itself(const Seen& seen, Findings& found);

void send_batches(Rig& rig);
void estimate_queue(const Seen& seen, Findings& found);

}  // namespace platter::extract
