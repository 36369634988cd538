// Where a job tells how far it is. What it says beside that goes through model/say.h.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace platter::jobs {

class Progress {
 public:
  virtual ~Progress() = default;
  // `share` of the whole work that is done, 0 to 1; what is left of the drive's time, or else what
  // follows from the host's time so far.
  virtual void show(const std::string& stage, double share,
                    std::optional<double> left_s = std::nullopt) = 0;
  // Nothing more is to be seen of it.
  virtual void clear() = 0;
};

// Where the result of a job goes that has more to do behind it, in text or as JSON.
using Print = std::function<void(std::string_view text)>;

}  // namespace platter::jobs
