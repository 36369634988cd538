#include "transport/words.h"

#include <fmt/core.h>

#include "model/error.h"

namespace platter::transport {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

[[noreturn]] void fail(std::string_view line, std::string_view what) {
  throw Error(ExitStatus::usage, fmt::format("the command '{}' {}", line, what));
}

// The text of the quote that opens at `at`; leaves `at` behind the closing quote.
std::string quoted(std::string_view line, std::size_t& at) {
  const char quote = line[at++];
  std::string text;
  for (; at < line.size() && line[at] != quote; ++at) {
    const bool escapes = quote == '"' && line[at] == '\\' && at + 1 < line.size() &&
                         std::string_view("\\\"$`\n").find(line[at + 1]) != std::string_view::npos;
    if (escapes && line[++at] == '\n') continue;
    text += line[at];
  }
  if (at == line.size()) fail(line, "ends within a quote: close it");
  ++at;
  return text;
}

}  // namespace

std::vector<std::string> split_words(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = line.find_first_not_of(kBlank); at < line.size();
       at = line.find_first_not_of(kBlank, at)) {
    std::string word;
    while (at < line.size() && kBlank.find(line[at]) == std::string_view::npos) {
      if (line[at] == '\'' || line[at] == '"') {
        word += quoted(line, at);
      } else if (line[at] == '\\') {
        if (++at == line.size()) fail(line, "ends with a backslash: say what it quotes");
        if (line[at] != '\n') word += line[at];
        ++at;
      } else {
        word += line[at++];
      }
    }
    words.push_back(std::move(word));
  }
  return words;
}

}  // namespace platter::transport
