#include "cli/several.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/subcommands.h"
#include "model/as_error.h"
#include "model/error.h"
#include "model/json_text.h"
#include "model/printable.h"
#include "model/say.h"

namespace platter::cli {
namespace {

using Json = nlohmann::ordered_json;

class Each {
 public:
  Each(bool json, Heading heading) : json_(json), heading_(heading) {}

  void print(const std::string& name, std::string_view text) {
    if (json_) {
      begun_ = true;
      documents_.push_back(Json::parse(text));
      return;
    }
    if (heading_ == Heading::name && !std::exchange(begun_, true))
      fmt::print("{}==> {} <==\n", first_ ? "" : "\n", model::printable(name));
    first_ = false;
    fmt::print("{}", text);
  }

  void failed(const std::string& name, const Error& error) {
    std::fflush(stdout);
    model::say("platter: {}\n", model::printable(error.what()));
    failures_.push_back(fmt::format("{} (status {})", name, static_cast<int>(error.status())));
    if (!json_ || begun_) return;
    documents_.push_back(error_document(error.status(), model::printable(error.what())));
  }

  void next() { begun_ = false; }

  void end(std::size_t count) {
    if (json_) fmt::print("{}", model::pretty(documents_));
    if (failures_.empty()) return;
    throw Error(ExitStatus::some_failed,
                fmt::format("{} of {} failed, each with the sentence above: {}", failures_.size(),
                            count, fmt::join(failures_, ", ")));
  }

 private:
  bool json_;
  Heading heading_;
  bool begun_ = false, first_ = true;  // something was printed of this one, nothing of any
  Json documents_ = Json::array();
  std::vector<std::string> failures_{};
};

}  // namespace

void for_each_of(const std::vector<std::string>& names, bool json, Heading heading,
                 const std::function<void(const std::string& name, const Print& print)>& one) {
  if (names.size() == 1) return one(names.front(), print_text);
  Each each(json, heading);
  for (const std::string& name : names) {
    each.next();
    try {
      one(name, [&](std::string_view text) { each.print(name, text); });
    } catch (const std::exception& thrown) {
      const Error error = model::as_error(thrown);
      if (error.status() == ExitStatus::interrupted) throw;
      each.failed(name, error);
    }
  }
  each.end(names.size());
}

}  // namespace platter::cli
