#include "model/passed_over.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/printable.h"
#include "model/say.h"

namespace platter::model {
namespace {

using Json = nlohmann::ordered_json;

// "of model format 1.7, newer than this platter's 1.0"
std::string age_of(const PassedOver& what) {
  std::string_view name = what.format;
  name.remove_prefix(std::string_view("platter-").size());
  return fmt::format("of {} format {}, newer than this platter's {}", name, text_of(what.version),
                     text_of(version_of(what.format)));
}

std::string list_of(const std::set<std::string>& members) {
  constexpr std::size_t kMost = 8;
  std::string list;
  std::size_t told = 0;
  for (const std::string& member : members) {
    if (told == kMost) return list + fmt::format(" and {} others", members.size() - told);
    list += (told++ > 0 ? ", " : "") + member;
  }
  return list;
}

class MemberSearch {
 public:
  MemberSearch(std::span<const std::string_view> known,
               const std::function<void(const std::string& path)>& found)
      : known_(known), found_(found) {}

  void look_into(const Json& json, const std::string& path) const {
    for (const auto& [name, value] : json.items()) {
      const std::string member = path.empty() ? name : path + "." + name;
      if (is_known(member)) {
        if (value.is_object()) look_into(value, member);
      } else if (path.empty() || !is_known(path + ".*")) {
        found_(member);
      }
    }
  }

 private:
  bool is_known(std::string_view path) const {
    return std::ranges::find(known_, path) != known_.end();
  }

  std::span<const std::string_view> known_;
  const std::function<void(const std::string& path)>& found_;
};

}  // namespace

void PassedOver::add(const std::string& path) {
  constexpr std::size_t kMost = 1000;
  if (members.size() < kMost) members.insert(path);
}

void say_passed_over(const PassedOver& what) {
  if (what.empty()) return;
  static std::mutex one_at_a_time;
  static std::set<std::string> said;
  const std::string notice = printable(fmt::format(
      "{} is {}: members {} were passed over", what.origin, age_of(what), list_of(what.members)));
  const std::lock_guard lock(one_at_a_time);
  if (said.insert(notice).second) say("platter: {}\n", notice);
}

void require_nothing_passed_over(const PassedOver& what) {
  if (what.empty()) return;
  throw Error(ExitStatus::bad_input,
              fmt::format("{} is {}, and its members {} would be lost in what is written of it; "
                          "take a platter of its time",
                          what.origin, age_of(what), list_of(what.members)));
}

void find_unknown_members(const Json& json, std::span<const std::string_view> known,
                          const std::function<void(const std::string& path)>& found) {
  MemberSearch(known, found).look_into(json, {});
}

}  // namespace platter::model
