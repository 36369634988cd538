#include "study/words.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "model/replaced.h"

namespace platter::study {
namespace {

// What a study has no member for, or under another name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOtherwise = {{
    {"--block-bytes or --round", "\"round\": true"},
    {"--device-number N", "\"device\": \"N\", or all with \"split_by\": \"device\""},
    {"name the model of the drive, --for", "give a model that has a layout"},
}};
constexpr std::array<std::string_view, 2> kOfOtherCommands = {"list", "json"};

bool is_of_an_option(char letter) { return (letter >= 'a' && letter <= 'z') || letter == '-'; }

}  // namespace

std::string in_study_words(std::string sentence) {
  for (const auto& [option, member] : kOtherwise)
    sentence = model::replaced(sentence, option, member);
  for (std::size_t at = 0; (at = sentence.find("--", at)) != sentence.npos; ++at) {
    std::size_t end = at + 2;
    while (end < sentence.size() && is_of_an_option(sentence[end])) ++end;
    std::string member = sentence.substr(at + 2, end - at - 2);
    if (member.empty() || std::ranges::count(kOfOtherCommands, member) > 0) continue;
    std::ranges::replace(member, '-', '_');
    sentence.replace(at, end - at, '"' + member + '"');
  }
  return sentence;
}

}  // namespace platter::study
