#include "trace/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "trace/columns.h"
#include "trace/line.h"
#include "trace/number_text.h"
#include "trace/operation.h"

namespace platter::trace {
namespace {

constexpr std::size_t kGuessedFrom = 16 * 1024, kMostGuesses = 8;

enum class Guess : std::uint8_t { time, response, operation, offset, size, device, none };

struct Hint {
  std::string_view word;
  Guess guess;
};
// The first that a header's word holds counts, so what is longer stands first.
constexpr Hint kHints[] = {
    {"response", Guess::response}, {"latency", Guess::response},  {"elapsed", Guess::response},
    {"duration", Guess::response}, {"service", Guess::response},  {"lat", Guess::response},
    {"timestamp", Guess::time},    {"time", Guess::time},         {"arrival", Guess::time},
    {"start", Guess::time},        {"opcode", Guess::operation},  {"oper", Guess::operation},
    {"type", Guess::operation},    {"command", Guess::operation}, {"cmd", Guess::operation},
    {"action", Guess::operation},  {"rw", Guess::operation},      {"r/w", Guess::operation},
    {"op", Guess::operation},      {"kind", Guess::operation},    {"direction", Guess::operation},
    {"size", Guess::size},         {"length", Guess::size},       {"len", Guess::size},
    {"nblk", Guess::size},         {"count", Guess::size},        {"nsect", Guess::size},
    {"offset", Guess::offset},     {"lba", Guess::offset},        {"lbn", Guess::offset},
    {"sector", Guess::offset},     {"address", Guess::offset},    {"block", Guess::offset},
    {"bytes", Guess::size},        {"device", Guess::device},     {"disk", Guess::device},
    {"lun", Guess::device},        {"volume", Guess::device},     {"dev", Guess::device},
};

std::string lower(std::string_view text) {
  std::string word(text);
  std::ranges::transform(word, word.begin(), [](char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return word;
}

Guess guess_of(const std::string& word) {
  for (const Hint& hint : kHints)
    if (word.find(hint.word) != word.npos) return hint.guess;
  return Guess::none;
}

// Numbers of the sample below the header: as many digits as clocks of a unit have.
const char* unit_of_time(const std::string& word, std::string_view sample) {
  for (const auto& [mark, unit] :
       {std::pair{"filetime", "filetime"}, std::pair{"nano", "ns"}, std::pair{"_ns", "ns"},
        std::pair{"(ns", "ns"}, std::pair{"micro", "us"}, std::pair{"usec", "us"},
        std::pair{"_us", "us"}, std::pair{"(us", "us"}, std::pair{"\xb5s", "us"},
        std::pair{"milli", "ms"}, std::pair{"msec", "ms"}, std::pair{"_ms", "ms"},
        std::pair{"(ms", "ms"}, std::pair{"(s)", "s"}, std::pair{"sec", "s"}})
    if (word.find(mark) != word.npos) return unit;
  if (sample.find_first_of(".,") != sample.npos) return "s";
  switch (sample.size()) {
    case 19:
      return "ns";
    case 18:
      return "filetime";
    case 16:
      return "us";
    case 13:
      return "ms";
    default:
      return sample.size() <= 10 && sample.size() > 9 ? "s" : "us";
  }
}

const char* unit_of_place(const std::string& word) {
  for (const std::string_view sectors : {"lba", "lbn", "sector", "block", "blk"})
    if (word.find(sectors) != word.npos) return "sectors";
  return word.find("kb") != word.npos ? "kb" : "bytes";
}

// The columns' text by a header and the line below it; nullopt: the header does not name enough.
std::optional<std::string> by_header(const Line& header, const Line& sample) {
  std::string text;
  bool seen[static_cast<std::size_t>(Guess::none)] = {};
  for (std::size_t i = 0; i < header.count(); ++i) {
    const std::string word = lower(header[i]);
    const Guess guess = guess_of(word);
    text += i > 0 ? "," : "";
    if (guess == Guess::none || seen[static_cast<std::size_t>(guess)]) {
      text += '-';
      continue;
    }
    seen[static_cast<std::size_t>(guess)] = true;
    switch (guess) {
      case Guess::time:
        text += fmt::format("time:{}", unit_of_time(word, sample[i]));
        break;
      case Guess::response:
        text += fmt::format("response:{}", unit_of_time(word, sample[i]));
        break;
      case Guess::operation:
        text += sample[i] == "0" || sample[i] == "1" ? "op:0r1w" : "op";
        break;
      case Guess::offset:
        text += fmt::format("offset:{}", unit_of_place(word));
        break;
      case Guess::size:
        text += fmt::format("size:{}", unit_of_place(word));
        break;
      default:
        text += "device";
    }
  }
  for (const Guess needed : {Guess::time, Guess::operation, Guess::offset, Guess::size})
    if (!seen[static_cast<std::size_t>(needed)]) return std::nullopt;
  return text;
}

// Tables whose lines have no header, as another program may have written them anew: with other
// separators, in quotes, with a field more behind.
constexpr std::array kKnownTables = {
    "-,time:s,response:s,-,op,offset:sectors,size:sectors",                 // Sysinternals' DiskMon
    "time:s,offset:sectors,size:sectors,op,-,-",                            // blkreplay
    "time:filetime,-,device,op,offset:bytes,size:bytes,response:filetime",  // Microsoft's
    "device,offset:sectors,size:bytes,op,time:s",                           // SPC
    "time:s,response:s,op,device,offset:bytes,size:bytes",                  // SYSTOR '17
    "device,op,offset:bytes,size:bytes,time:us",                            // Alibaba
    "device,time:s,op,offset:bytes,size:bytes",                             // K5
    "time:us,offset:sectors,op,size:bytes",                                 // CloudPhysics
    "time:ns,-,-,offset:sectors,size:sectors,op,device,device,-",           // FIU
    "time:ns,-,...,offset:sectors,size:sectors,op,device,device,-",         // and names with blanks
    "time:s,offset:sectors,size:sectors,op:0r1w,device",                    // Tencent
    "time:ms,response:ns,op:0r1w,size:bytes,offset:bytes,-",                // fio's latencies
    "time:ms,response:ns,op:0r1w,size:bytes,offset:bytes",
};

std::vector<std::string_view> lines_of(std::string_view head) {
  constexpr std::size_t kMost = 64;
  std::vector<std::string_view> lines;
  while (!head.empty() && lines.size() < kMost) {
    const std::string_view line = head.substr(0, head.find('\n'));
    if (line.find_first_not_of(" \t\r") != line.npos) lines.push_back(line);
    head.remove_prefix(std::min(line.size() + 1, head.size()));
  }
  return lines;
}

std::vector<std::string> guesses(std::string_view head, const Input& input) {
  std::vector<std::string> all;
  const std::vector<std::string_view> lines = lines_of(head);
  Line header(input), sample(input);
  for (std::size_t i = 0; i + 1 < lines.size(); ++i)
    for (const char separator : kTriedSeparators) {
      header.cut_quoted(separator, lines[i]);
      sample.cut_quoted(separator, lines[i + 1]);
      if (header.count() < 4 || header.count() + 1 >= Line::kMost ||
          header.count() != sample.count())
        continue;
      const auto text = by_header(header, sample);
      if (text && all.size() < kMostGuesses) all.push_back(*text);
    }
  all.insert(all.end(), kKnownTables.begin(), kKnownTables.end());
  return all;
}

}  // namespace

std::string in_shell(std::string_view text) {
  const bool plain = !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:,=+%@").find(c) != std::string_view::npos;
  });
  if (plain) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string suggestion(Input& input) {
  const std::string_view head = input.peek(kGuessedFrom);
  for (const std::string& guess : guesses(head, input))
    for (const char* const style :
         {"", ",decimal=comma", ",decimal=comma,thousands", ",thousands", ",..."}) {
      if (std::string_view(style) == ",..." && guess.find("...") != guess.npos) continue;
      const std::string columns = guess + style;
      const FittingLines fit = lines_that_fit(head, input, columns_of(columns));
      if (fit.fit > 0 && fit.others == 0)
        return fmt::format("; perhaps these are right: platter trace lint {} --csv-columns {}",
                           in_shell(input.name()), columns);
    }
  return {};
}

}  // namespace platter::trace
