#include "jobs/finding_table.h"

#include <fmt/format.h>

#include "model/finding_kinds.h"

namespace platter::jobs {
namespace {

std::string words_of(std::uint8_t uses) {
  if (uses == model::kAllUses) return "all";
  std::string text;
  for (const model::Use use : model::uses_in(uses))
    text.append(text.empty() ? "" : ", ").append(model::name_of(use));
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

}  // namespace platter::jobs
