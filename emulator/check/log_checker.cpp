#include "emulator/check/log_checker.h"

#include <fmt/format.h>

#include <utility>

namespace platter::emulator {

EpisodeChecks::EpisodeChecks(const std::vector<LoggedDrive>& drives) {
  for (const LoggedDrive& drive : drives) drives_.push_back({drive.episodes.get()});
}

// As the log has it behind the letter.
std::string EpisodeChecks::Expected::text() const {
  const auto number = [](auto value) { return fmt::format("{}", value); };
  return fmt::format("{} {} {} {}", tag ? number(*tag) : "-", action.episode + 1,
                     episodes::word_of(action.what),
                     action.due_ns == episodes::kNever ? "-" : number(action.due_ns));
}

void EpisodeChecks::came(std::size_t drive, std::uint32_t tag, episodes::Kind kind,
                         std::uint64_t lbn, std::uint64_t blocks, Nanoseconds arrival_ns) {
  Drive& its = drives_[drive];
  if (its.schedule == nullptr) return;
  its.asked[tag] = {
      static_cast<std::uint32_t>(drive), ++its.ordinal, kind, lbn, blocks, arrival_ns, arrival_ns};
}

void EpisodeChecks::answered(std::size_t drive, std::uint32_t tag, Nanoseconds completion_ns) {
  Drive& its = drives_[drive];
  const auto found = its.asked.find(tag);
  if (found == its.asked.end()) return;
  episodes::Request request = found->second;
  its.asked.erase(found);
  request.completion_ns = completion_ns;
  expect(its, tag, request);
}

void EpisodeChecks::flushed(std::size_t drive, Nanoseconds now_ns, Nanoseconds done_ns) {
  Drive& its = drives_[drive];
  if (its.schedule == nullptr) return;
  expect(its, std::nullopt,
         {static_cast<std::uint32_t>(drive), ++its.ordinal, episodes::Kind::flush, 0, 0, now_ns,
          done_ns});
}

void EpisodeChecks::expect(Drive& drive, std::optional<std::uint32_t> tag,
                           const episodes::Request& request) {
  episodes::outcome_of(*drive.schedule, request, [&](const episodes::Action& action) {
    drive.expected.push_back({tag, action});
  });
}

std::string EpisodeChecks::before_line(std::size_t drive, char kind) {
  Drive& its = drives_[drive];
  if (kind == 'e' || its.expected.empty()) return "";
  const auto expected = std::exchange(its.expected, {});
  return fmt::format("nothing tells of the episode: {}", expected.front().text());
}

std::string EpisodeChecks::line(std::size_t drive, LogReader& log) {
  ++acted_;
  std::string told{log.word()};
  for (int i = 0; i < 3; ++i) told.append(" ").append(log.word());
  Drive& its = drives_[drive];
  if (its.expected.empty())
    return fmt::format("an episode acts, {}, and the file of episodes says none", told);
  const std::string expected = its.expected.front().text();
  its.expected.pop_front();
  if (told == expected) return "";
  return fmt::format("an episode acts, {}, and the file of episodes says {}", told, expected);
}

}  // namespace platter::emulator
