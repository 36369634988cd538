#include "report/caveats.h"

#include <algorithm>
#include <string_view>

namespace platter::report {
namespace {

std::string kind_of(const std::string& workload) { return workload.substr(0, workload.find(',')); }

// As src/extract/self_validation.cpp words it.
bool is_of(std::string_view sentence, const std::string& workload) {
  const std::string kind = kind_of(workload);
  return sentence.starts_with("the " + kind + " workload ") ||
         sentence.starts_with("of " + kind + " requests ");
}

void append(std::string& text, std::string_view sentence) {
  text.append(text.empty() ? "" : "; ").append(sentence);
}

}  // namespace

Caveats caveats(const model::Validity& validity, const std::string& workload) {
  Caveats found;
  constexpr std::string_view kBetween = "; ";
  bool here = false, elsewhere = false;
  for (std::string_view left = validity.note; !left.empty();) {
    const std::size_t end = std::min(left.find(kBetween), left.size());
    const std::string_view sentence = left.substr(0, end);
    left.remove_prefix(std::min(end + kBetween.size(), left.size()));
    if (!sentence.starts_with("suspect: ")) {  // which carries on from the one before
      here = is_of(sentence, workload);
      elsewhere = std::ranges::any_of(validity.demerits, [&](const model::Demerit& demerit) {
        return is_of(sentence, demerit.workload);
      });
    }
    if (here)
      append(found.of_workload, sentence);
    else if (!elsewhere)
      append(found.of_all, sentence);
  }
  return found;
}

}  // namespace platter::report
