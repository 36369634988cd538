// How far work is, in the three forms that standard error shows.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace platter::jobs {

struct Standing {
  std::string stage{};
  double share = 0;  // of the whole work, 0 to 1
  std::optional<double> left_s{};
};

// "[###.....................]  12 %  seeks, 3 min 20 s left"
std::string as_bar(const Standing& standing);
// "[ 12 %] seeks, 3 min 20 s left"
std::string as_line(const Standing& standing);
// {"stage", "share", "seconds_left"}, and the way back: nullopt for what is none.
nlohmann::ordered_json as_json(const Standing& standing);
std::optional<Standing> standing_in(const std::string& line);

// Of a name that is too long for a table or a bar, what stands at its two ends.
std::string shortened(const std::string& name);

// "45 s", "3 min 20 s"
std::string minutes(double seconds);

// Where the runs on several drives tell how far they are.
// `drive`: its place in the order in which they were named.
class DrivesProgress {
 public:
  virtual ~DrivesProgress() = default;
  virtual void began(std::size_t drive) = 0;
  virtual void stands(std::size_t drive, const Standing& standing) = 0;
  // `status`, as DriveOutcome has it; `sentence`: empty where all is well.
  virtual void ended(std::size_t drive, int status, double seconds,
                     const std::string& sentence) = 0;
  // A line of its own.
  virtual void say(std::size_t drive, const std::string& line) = 0;
  // What is due now.
  virtual void show() = 0;
  virtual void clear() = 0;
};

}  // namespace platter::jobs
