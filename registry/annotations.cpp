#include "registry/annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "identity/drive_mark.h"
#include "model/completeness.h"
#include "model/json_text.h"
#include "model/quality.h"
#include "registry/canonical_json.h"
#include "registry/digest.h"
#include "registry/plausibility.h"
#include "registry/privacy.h"

namespace platter::registry {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestName = 100;

std::string demerits_text(const std::vector<model::Demerit>& demerits) {
  Json list = Json::array();
  for (const model::Demerit& demerit : demerits) {
    list.push_back({{"workload", demerit.workload},
                    {"requests", demerit.requests},
                    {"demerit_ms", demerit.demerit_ms},
                    {"demerit_percent", demerit.demerit_percent},
                    {"folded_phase_share", demerit.folded_phase_share}});
  }
  return canonical_json(model::json_text(list), "validity.demerits");
}

std::string title_of(const model::Identity& identity) {
  if (!identity.name.empty()) return identity.name;
  return identity.vendor.empty() ? identity.product : identity.vendor + " " + identity.product;
}

}  // namespace

Annotations annotations_of(const model::DriveModel& model, const std::string& tool_version) {
  Annotations annotations;
  const auto say = [&](const char* key, const std::string& value) {
    if (!value.empty()) annotations[key] = value;
  };
  const model::Identity& identity = model.identity;
  say(kTitleKey, title_of(identity));
  say("org.opencontainers.image.created", model.provenance.date);
  say("org.opencontainers.image.licenses", model.provenance.licence);
  say("vnd.platter.source", model.provenance.source);
  say(kDriveKey, drive_identity(identity, run_without_number(model)));
  say("vnd.platter.vendor", identity.vendor);
  say("vnd.platter.product", identity.product);
  say("vnd.platter.revision", identity.revision);
  say("vnd.platter.serial", identity.serial);
  say("vnd.platter.blocks", std::to_string(identity.blocks));
  say("vnd.platter.block_bytes", std::to_string(identity.block_bytes));
  if (model.rotation.numerator_ns > 0) {
    const double rpm = 60e9 * static_cast<double>(model.rotation.denominator) /
                       static_cast<double>(model.rotation.numerator_ns);
    say("vnd.platter.rpm", fmt::format("{:.1f}", rpm));
  }
  say("vnd.platter.method", model.provenance.method);
  say("vnd.platter.standing", model::standing_of(model.provenance, model.validity));
  say(kQualityKey, std::string(model::name_of(model::qualities_of(model).all)));
  say("vnd.platter.tool_version", tool_version);
  if (!model.validity.demerits.empty()) {
    say("vnd.platter.demerits", demerits_text(model.validity.demerits));
  }
  say("vnd.platter.remarks", fmt::format("{}", fmt::join(remarks_on(model), ",")));
  return annotations;
}

std::string run_without_number(const model::DriveModel& model) {
  const model::Provenance& run = model.provenance;
  if (run.method != "characterized" || identity::can_be_told(model.identity) ||
      is_stand_in(model.identity.serial))
    return "";
  return fmt::format("{} {} {} {} {}", run.date, run.source, run.seed, run.commands,
                     run.drive_seconds);
}

std::string drive_identity(const model::Identity& identity, const std::string& run) {
  Json parts = {identity.vendor, identity.product, identity.serial,
                identity.serial.empty() ? identity.name : ""};
  if (!run.empty()) parts.push_back(run);
  return digest_of(canonical_json(model::json_text(parts), "identity"));
}

std::string drive_name(const model::Identity& identity) {
  std::string words = identity.vendor + " " + identity.product + " " + identity.serial;
  if (words == "  ") words = identity.name;
  std::string name;
  for (const char c : words) {
    const auto letter = static_cast<unsigned char>(c);
    if (letter < 0x80 && std::isalnum(letter)) {
      name += static_cast<char>(std::tolower(letter));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
    if (name.size() == kLongestName) break;
  }
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? "unnamed" : name;
}

std::string longer_drive_name(const model::Identity& identity, const std::string& run) {
  return fmt::format("{}-{}", drive_name(identity),
                     hex_of(drive_identity(identity, run)).substr(0, 8));
}

bool is_drive_name(const std::string& text) {
  return !text.empty() && text.size() <= 255 && std::isalnum(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
                  c == '.';
         });
}

}  // namespace platter::registry
