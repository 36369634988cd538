// Episodes: opened, closed, and what becomes of a request in them.

#include "emit/table/whole_file.h"
#include "episodes/outcome.h"
#include "episodes/read.h"
#include "lib/handles.h"
#include "lib/ranges.h"
#include "model/error.h"

namespace {

using platter::episodes::Kind;
using platter::episodes::Outcome;
using platter::episodes::Request;
using platter::episodes::Schedule;
using platter::episodes::What;
using platter::lib::check_time;
using platter::lib::failed;
using platter::lib::flag;
using platter::lib::null_among;
using platter::lib::with_open;

static_assert(PLATTER_STALL == static_cast<int>(What::stall) &&
              PLATTER_STUCK == static_cast<int>(What::stuck));

constexpr const char* kHandle = "episodes";

platter::lib::ClosedHandles closed_episodes;

template <typename Read>
platter_status opened(const Read& read, platter_episodes** episodes) {
  try {
    *episodes = platter::lib::opened_handle<platter_episodes>(closed_episodes, read());
    return PLATTER_OK;
  } catch (const platter::Error& error) {
    return failed(error.status() == platter::ExitStatus::permission ? PLATTER_NO_ACCESS
                                                                    : PLATTER_BAD_EPISODES,
                  error.what());
  } catch (...) {
    return platter::lib::failed_by_exception();
  }
}

Schedule read_from(std::span<const std::byte> bytes, const std::string& origin) {
  return platter::episodes::read_schedule(
      {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, origin);
}

platter_status check(const platter_asked& asked) {
  if (asked.reserved != 0)
    return failed(PLATTER_BAD_ARGUMENT, "reserved is {}; set it to 0", asked.reserved);
  if (asked.flags != 0 && asked.flags != PLATTER_WRITE && asked.flags != PLATTER_FLUSH)
    return failed(PLATTER_BAD_ARGUMENT, "flags are {}; give 0, PLATTER_WRITE or PLATTER_FLUSH",
                  asked.flags);
  if (asked.ordinal == 0)
    return failed(PLATTER_OUT_OF_RANGE, "ordinal is 0, and a drive's first request is 1");
  if (const platter_status bad = check_time("arrival_ns", asked.arrival_ns)) return bad;
  if (const platter_status bad = check_time("completion_ns", asked.completion_ns)) return bad;
  if (asked.completion_ns < asked.arrival_ns)
    return failed(PLATTER_OUT_OF_RANGE, "completion_ns is {}, before arrival_ns, {}",
                  asked.completion_ns, asked.arrival_ns);
  return PLATTER_OK;
}

Request request_of(const platter_asked& asked) {
  const Kind kind = asked.flags == PLATTER_FLUSH   ? Kind::flush
                    : asked.flags == PLATTER_WRITE ? Kind::write
                                                   : Kind::read;
  return {asked.drive,      asked.ordinal,      kind, asked.lbn, asked.blocks,
          asked.arrival_ns, asked.completion_ns};
}

}  // namespace

platter_status platter_episodes_open(const char* path, platter_episodes** episodes) {
  if (const platter_status bad = null_among("platter_episodes_open",
                                            {{"path", path}, {kHandle, episodes}}))
    return bad;
  const auto read = [=] {
    const platter::emit_table::WholeFile file(path, kHandle, "docs/emulators.md has one");
    return read_from(file.bytes(), path);
  };
  return opened(read, episodes);
}

platter_status platter_episodes_open_memory(const void* text, size_t size,
                                            platter_episodes** episodes) {
  if (const platter_status bad = null_among("platter_episodes_open_memory",
                                            {{"text", text}, {kHandle, episodes}}))
    return bad;
  const std::span bytes(static_cast<const std::byte*>(text), size);
  return opened([=] { return read_from(bytes, "the episodes in memory"); }, episodes);
}

void platter_episodes_close(platter_episodes* episodes) {
  if (episodes != nullptr && platter::lib::begin_to_close(*episodes))
    platter::lib::close_handle(closed_episodes, episodes);
}

platter_status platter_episodes_about(const platter_episodes* episodes,
                                      platter_episodes_info* info) {
  return with_open(
      "platter_episodes_about", kHandle, episodes, {{"info", info}},
      [=](const Schedule& schedule) -> platter_status {
        return platter::lib::fill(
            info, platter_episodes_info{0, static_cast<std::uint32_t>(schedule.episodes.size()),
                                        schedule.seed, schedule.sha256.c_str()});
      });
}

platter_status platter_episodes_what(const platter_episodes* episodes, uint32_t episode,
                                     uint32_t* what) {
  return with_open("platter_episodes_what", kHandle, episodes, {{"what", what}},
                   [=](const Schedule& schedule) -> platter_status {
                     if (episode >= schedule.episodes.size()) return PLATTER_NOTHING;
                     *what = static_cast<std::uint32_t>(schedule.episodes[episode].what);
                     return PLATTER_OK;
                   });
}

platter_status platter_episodes_outcome(const platter_episodes* episodes,
                                        const platter_asked* asked, platter_outcome* outcome,
                                        platter_action* actions, size_t room) {
  constexpr const char* kName = "platter_episodes_outcome";
  const auto tell = [=](const Schedule& schedule) -> platter_status {
    if (room > 0)
      if (const platter_status bad = null_among(kName, {{"actions", actions}})) return bad;
    if (const platter_status bad = check(*asked)) return bad;
    std::size_t at = 0;
    const Outcome found = outcome_of(schedule, request_of(*asked), [&](const auto& action) {
      if (at < room)
        actions[at++] = {action.episode, static_cast<std::uint32_t>(action.what), action.due_ns};
    });
    *outcome = {found.due_ns, found.failed_lbn,
                flag(found.fails, PLATTER_FAILS) | flag(found.is_stuck(), PLATTER_NEVER),
                found.actions, 0};
    return PLATTER_OK;
  };
  return with_open(kName, kHandle, episodes, {{"asked", asked}, {"outcome", outcome}}, tell);
}
