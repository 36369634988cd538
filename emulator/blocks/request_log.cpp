#include "emulator/blocks/request_log.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <array>

#include "emulator/blocks/request_episodes.h"

namespace platter::emulator {

template <typename... Values>
void RequestLog::line(char kind, Values... values) {
  std::array<char, 160> text{};
  char* end = fmt::format_to(text.data(), FMT_COMPILE("{} {}"), drive_, kind);
  ((end = fmt::format_to(end, FMT_COMPILE(" {}"), values)), ...);
  writer_.line({text.data(), static_cast<std::size_t>(end - text.data())});
}

void RequestLog::submitted(const platter_request& request, Nanoseconds arrival_ns) {
  line('s', request.tag, request.lbn, request.blocks, request.flags, arrival_ns);
}

void RequestLog::taken(std::uint32_t tag, Nanoseconds completion_ns) {
  line('t', tag, completion_ns);
}

void RequestLog::acted(std::optional<std::uint32_t> tag, const platter_action& action) {
  const auto number_or_none = [](bool there, auto number) {
    std::array<char, 24> text{'-'};
    if (there) fmt::format_to(text.data(), FMT_COMPILE("{}"), number);
    return text;
  };
  line('e', number_or_none(tag.has_value(), tag.value_or(0)).data(), action.episode + 1,
       word_of_episode(action.what),
       number_or_none(action.what != PLATTER_STUCK, action.due_ns).data());
}

void RequestLog::delivered(std::uint32_t tag, Nanoseconds at_ns) { line('d', tag, at_ns); }

void RequestLog::synchronized(Nanoseconds now_ns, Nanoseconds done_ns) {
  line('f', now_ns, done_ns);
}

void RequestLog::withdrawn(std::uint32_t tag, Nanoseconds now_ns) { line('a', tag, now_ns); }

void RequestLog::power_cut(Nanoseconds now_ns) { line('p', now_ns); }

}  // namespace platter::emulator
