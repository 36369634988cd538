#include "emit/disksim_run/execution_trace.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "model/interruption.h"

namespace platter::emit_disksim_run {
namespace {

constexpr std::size_t kLongestLine = 4096;
constexpr double kLatest_ms = 1e12;  // 30 years; a double tells nanoseconds of less

struct Completion {
  double time_ms = 0;
  std::uint64_t lbn = 0;
};

template <class Number>
bool take(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool pass(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

constexpr std::string_view kCompletion = "Request completion:";

std::optional<Completion> carnegie_mellons(std::string_view line) {
  Completion completion;
  std::uint64_t device = 0;
  if (pass(line, kCompletion) && pass(line, " simtime ") && take(line, completion.time_ms) &&
      pass(line, ", devno ") && take(line, device) && pass(line, ", blkno ") &&
      take(line, completion.lbn) && line.starts_with(','))
    return completion;
  return std::nullopt;
}

std::optional<Completion> western_digitals(std::string_view line) {
  Completion completion;
  std::uint64_t ignored = 0;
  if (take(line, completion.time_ms) && pass(line, ",") && take(line, ignored) && pass(line, ",") &&
      take(line, ignored) && pass(line, ",") && take(line, completion.lbn) && line.starts_with(','))
    return completion;
  return std::nullopt;
}

// False at the end.
bool next_line(std::istream& trace, std::string& line, std::uint64_t number) {
  line.clear();
  std::streambuf& bytes = *trace.rdbuf();
  constexpr int kEnd = std::char_traits<char>::eof();
  for (int letter = bytes.sbumpc(); letter != kEnd; letter = bytes.sbumpc()) {
    if (letter == '\n') return true;
    if (line.size() == kLongestLine)
      throw Nonsense(
          fmt::format("wrote a line of more than {} letters into its execution trace "
                      "(line {})",
                      kLongestLine, number));
    line += static_cast<char>(letter);
  }
  return !line.empty();
}

}  // namespace

std::vector<Nanoseconds> completions(std::istream& trace, std::span<const Asked> asked,
                                     std::size_t unanswered) {
  std::unordered_map<std::uint64_t, std::deque<std::size_t>> waiting;
  for (std::size_t i = 0; i < asked.size(); ++i) waiting[asked[i].lbn].push_back(i);
  constexpr Nanoseconds kNone = -1;
  std::vector<Nanoseconds> times(asked.size(), kNone);
  std::string line;
  for (std::uint64_t number = 1; next_line(trace, line, number); ++number) {
    if (number % 4096 == 0) stop_if_asked();
    std::optional<Completion> done = carnegie_mellons(line);
    if (!done && line.starts_with(kCompletion))
      throw Nonsense(
          fmt::format("wrote a completion that cannot be read (line {} of its execution "
                      "trace)",
                      number));
    if (!done && !(done = western_digitals(line))) continue;
    const auto refuse = [&](const char* what) {
      throw Nonsense(fmt::format("completed block {} {} (line {} of its execution trace)",
                                 done->lbn, what, number));
    };
    if (!(done->time_ms >= 0 && done->time_ms <= kLatest_ms)) refuse("at no time that there is");
    const auto found = waiting.find(done->lbn);
    if (found == waiting.end() || found->second.empty()) refuse("more often than it was asked for");
    const std::size_t request = found->second.front();
    found->second.pop_front();
    times[request] = std::llround(done->time_ms * 1e6);
    if (times[request] < asked[request].arrival_ns) refuse("before its request arrived");
  }
  times.resize(asked.size() - std::min(asked.size(), unanswered));
  const auto missing = std::ranges::count(times, kNone);
  if (missing > 0)
    throw Nonsense(fmt::format("answered {} of {} requests",
                               static_cast<std::ptrdiff_t>(times.size()) - missing, times.size()));
  return times;
}

}  // namespace platter::emit_disksim_run
