#include "emulator/blocks/request_episodes.h"

#include <array>

#include "model/error.h"

namespace platter::emulator {
namespace {

platter_episodes* opened_episodes(const std::string& path) {
  platter_episodes* episodes = nullptr;
  if (platter_episodes_open(path.c_str(), &episodes) != PLATTER_OK)
    throw Error(ExitStatus::bad_input, platter_last_error());
  return episodes;
}

}  // namespace

const char* word_of_episode(std::uint32_t what) {
  constexpr std::array<const char*, 5> kWords = {"stall", "throttle", "slow", "fail", "stuck"};
  return kWords.at(what);
}

RequestEpisodes::RequestEpisodes(const std::string& path, std::uint32_t drive)
    : episodes_(opened_episodes(path)), drive_(drive), acted_(about().episodes, 0) {}

platter_episodes_info RequestEpisodes::about() const {
  platter_episodes_info info{};
  info.struct_size = sizeof info;
  platter_episodes_about(episodes_.get(), &info);
  return info;
}

platter_asked RequestEpisodes::came(std::uint64_t lbn, std::uint64_t blocks, std::uint32_t flags,
                                    Nanoseconds arrival_ns) {
  return {++ordinal_, lbn, blocks, flags, drive_, arrival_ns, arrival_ns, 0};
}

bool RequestEpisodes::fails(const platter_asked& asked) const {
  platter_outcome outcome{};
  platter_episodes_outcome(episodes_.get(), &asked, &outcome, nullptr, 0);
  return (outcome.flags & PLATTER_FAILS) != 0;
}

platter_outcome RequestEpisodes::outcome(platter_asked asked, Nanoseconds completion_ns) {
  asked.completion_ns = completion_ns;
  platter_outcome outcome{};
  outcome.due_ns = completion_ns;
  actions_.resize(acted_.size());
  platter_episodes_outcome(episodes_.get(), &asked, &outcome, actions_.data(), actions_.size());
  actions_.resize(outcome.actions);
  for (const platter_action& action : actions_) ++acted_[action.episode];
  return outcome;
}

std::string RequestEpisodes::sha256() const { return about().sha256; }

std::vector<EpisodeReport> RequestEpisodes::reports() const {
  std::vector<EpisodeReport> reports;
  for (std::uint32_t i = 0; i < acted_.size(); ++i) {
    std::uint32_t what = 0;
    platter_episodes_what(episodes_.get(), i, &what);
    reports.push_back({word_of_episode(what), acted_[i]});
  }
  return reports;
}

}  // namespace platter::emulator
