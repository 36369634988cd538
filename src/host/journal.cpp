#include "host/journal.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "model/checked_line.h"
#include "model/error.h"
#include "model/file.h"
#include "model/json_text.h"
#include "model/strict_json.h"
#include "transport/sysfs.h"

namespace platter::host {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "platter-host-journal";
constexpr std::size_t kMostPolicies = 8192;  // what Linux has of processors

}  // namespace

std::string this_boot(const std::string& root) {
  return transport::attribute(root + "/proc/sys/kernel/random/boot_id");
}

bool is_host_journal(const std::string& path) {
  constexpr std::size_t kHead = 120;
  return model::is_file(path) &&
         model::beginning_of(path, kHead).find(kSchema) != std::string::npos;
}

Journal read_host_journal(const std::string& path) {
  try {
    const auto object = model::object_of_checked_file(model::read_file(path));
    if (!object) throw std::invalid_argument(path);
    const Json json = model::parse_or_null<Json>(*object, {.members = kMostPolicies});
    if (!model::is_known(json, kSchema)) throw std::invalid_argument(path);
    Journal journal{json.at("boot").get<std::string>(), {}};
    for (const auto& [policy, name] : json.at("governors").items()) {
      journal.found.push_back({policy, name.get<std::string>()});
      if (!is_well_formed(journal.found.back())) throw std::invalid_argument(path);
    }
    return journal;
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {
    throw Error(ExitStatus::bad_input,
                path +
                    " is no journal of what --quiet-host changed, or is damaged; set the governors "
                    "by hand (cpupower frequency-set -g GOVERNOR) and remove it");
  }
}

void write_host_journal(const Journal& journal, const std::string& path) {
  Json json = model::json_head(kSchema);
  json["boot"] = journal.boot;
  json["governors"] = Json::object();
  for (const Governor& governor : journal.found) json["governors"][governor.policy] = governor.name;
  model::write_file(path, model::checked_file(model::json_text(json)));
}

}  // namespace platter::host
