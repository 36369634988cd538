// Parameters of a disksim_disk that only DiskSim has a use for: import keeps them, export writes
// them as they were.
#pragma once

namespace platter::emit_disksim {

struct ForDisksimAlone {
  const char* name;
  bool flag;        // 0 or 1; else a share
  double fallback;  // where the model does not know it
};

inline constexpr ForDisksimAlone kHoldForRead{"Hold bus entire read xfer", true, 0};
inline constexpr ForDisksimAlone kHoldForWrite{"Hold bus entire write xfer", true, 0};
inline constexpr ForDisksimAlone kNeverDisconnect{"Never disconnect", true, 0};
inline constexpr ForDisksimAlone kLowWatermark{"Low (write) water mark", false, 0};
inline constexpr ForDisksimAlone kSendPartialHits{"Immed transfer partial hit", true, 1};

inline constexpr ForDisksimAlone kForDisksimAlone[] = {
    kHoldForRead, kHoldForWrite, kNeverDisconnect, kLowWatermark, kSendPartialHits};

}  // namespace platter::emit_disksim
