#include "cli/finding_table.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "model/finding_kinds.h"

namespace platter::cli {
namespace {

std::string words_of(std::uint8_t uses) {
  using enum model::Use;
  constexpr std::array<std::pair<model::Use, const char*>, 5> kNames{{{random, "single requests"},
                                                                      {mixed, "mixed load"},
                                                                      {places, "places"},
                                                                      {writes, "writes"},
                                                                      {queues, "queues"}}};
  if (uses == model::kAllUses) return "all";
  std::string text;
  for (const auto& [use, name] : kNames)
    if ((uses & static_cast<std::uint8_t>(use)) != 0)
      text += (text.empty() ? "" : ", ") + std::string(name);
  return text.empty() ? "-" : text;
}

std::string members(std::string_view touches) {
  if (touches.empty()) return "all";
  std::string text = "`";
  for (const char c : touches) text += c == ' ' ? "`, `" : std::string(1, c);
  return text + "`";
}

}  // namespace

std::string finding_table() {
  std::string text = "| code | weight | members | caps | what it is |\n|---|---|---|---|---|\n";
  for (const model::FindingKind& kind : model::finding_kinds())
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", kind.name, model::name_of(kind.weight),
                        members(kind.touches), words_of(kind.uses), kind.meaning);
  return text;
}

}  // namespace platter::cli
