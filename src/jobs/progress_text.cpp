#include "jobs/progress_text.h"

#include <fmt/core.h>

#include <cmath>

namespace platter::jobs {
namespace {

using Json = nlohmann::ordered_json;

std::string left_of(const Standing& standing) {
  return standing.left_s ? ", " + minutes(*standing.left_s) + " left" : "";
}

}  // namespace

std::string minutes(double seconds) {
  const auto whole = std::lround(seconds);
  return whole < 60 ? fmt::format("{} s", whole)
                    : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

std::string shortened(const std::string& name) {
  constexpr std::size_t kMost = 36, kEnd = 14;
  if (name.size() <= kMost) return name;
  return name.substr(0, kMost - kEnd - 3) + "..." + name.substr(name.size() - kEnd);
}

std::string as_bar(const Standing& standing) {
  constexpr std::size_t kCells = 24;
  const auto full = static_cast<std::size_t>(standing.share * kCells);
  return fmt::format("[{}{}] {:3.0f} %  {}{}", std::string(full, '#'),
                     std::string(kCells - full, '.'), standing.share * 100, standing.stage,
                     left_of(standing));
}

std::string as_line(const Standing& standing) {
  return fmt::format("[{:3.0f} %] {}{}", standing.share * 100, standing.stage, left_of(standing));
}

Json as_json(const Standing& standing) {
  return {{"stage", standing.stage},
          {"share", std::round(standing.share * 1000) / 1000},
          {"seconds_left", standing.left_s ? Json(std::lround(*standing.left_s)) : Json()}};
}

std::optional<Standing> standing_in(const std::string& line) {
  if (!line.starts_with("{\"stage\"")) return std::nullopt;
  const Json told = Json::parse(line, nullptr, false);
  if (!told.is_object() || !told.contains("share") || !told["share"].is_number() ||
      !told["stage"].is_string())
    return std::nullopt;
  Standing standing{told["stage"], told["share"], {}};
  if (told.contains("seconds_left") && told["seconds_left"].is_number())
    standing.left_s = told["seconds_left"].get<double>();
  return standing;
}

}  // namespace platter::jobs
