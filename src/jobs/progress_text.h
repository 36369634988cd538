// How far work is, in the three forms that standard error shows.
#pragma once

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

}  // namespace platter::jobs
