#include "registry/publish.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/folder.h"
#include "model/json.h"
#include "model/leftovers.h"
#include "model/text_file.h"
#include "registry/annotations.h"
#include "registry/canonical_json.h"
#include "registry/enter.h"
#include "registry/naming.h"
#include "registry/privacy.h"
#include "registry/reference.h"

namespace platter::registry {
namespace {

using Json = nlohmann::json;

constexpr const char* kForcedKey = "vnd.platter.forced";

void require_known_rules(const std::vector<std::string>& rules) {
  const std::vector<std::string>& known = refusing_rules();
  for (const std::string& rule : rules) {
    if (std::ranges::find(known, rule) != known.end()) continue;
    throw Error(ExitStatus::usage,
                fmt::format("--force {}: there is no such rule; the rules are {}", rule,
                            fmt::join(known, ", ")));
  }
}

std::optional<double> stated_rpm(const Json& document) {
  const Json& rotation = document.at("rotation");
  const auto rpm = rotation.find("rpm");
  if (rpm == rotation.end() || !rpm->is_number()) return {};
  return rpm->get<double>();
}

// The broken rules, all of which were forced.
std::vector<std::string> broken_rules(const model::DriveModel& model, const Evidence& evidence,
                                      const std::string& path,
                                      const std::vector<std::string>& forced) {
  std::vector<std::string> rules;
  for (const Objection& objection : objections_to(model, evidence)) {
    if (std::ranges::find(forced, objection.rule) == forced.end()) {
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: {}, or publish it in spite of that with --force {}", path,
                              objection.what, objection.rule));
    }
    rules.push_back(objection.rule);
  }
  return rules;
}

// Whoever's drive a number is of, it stays at home.
void require_nobody_elses(const Attachment& file, const std::string& own,
                          const PublishOptions& options) {
  if (options.hide_serial) require_not_compressed(file.content, file.path);
  require_no_others_told(file.content, own, file.path);
  for (const std::string& serial : options.other_serials)
    if (serial != own) require_without_serial(file.content, serial, file.path, Whose::others);
}

Descriptor put(const Store& store, const std::string& drive, const Attachment& file) {
  Descriptor layer = store.put_blob(drive, file.media_type, file.content);
  layer.annotations[kTitleKey] = file.title;
  return layer;
}

// DRIVE:vN of the drive as it was published with its number; "" where it was not.
std::string plain_reference(const Store& store, const model::Identity& plain) {
  const Layout layout = store.layout(name_in(store, plain));
  if (!model::is_there(layout.index_path())) return "";
  for (const Descriptor& descriptor : layout.index().manifests) {
    const std::string tag = descriptor.annotation(kTagKey);
    if (tag != kLatest && identity_in(layout, descriptor) == drive_identity(plain))
      return layout.drive() + ":" + tag;
  }
  return "";
}

Annotations manifest_annotations(const model::DriveModel& model, const std::string& canonical,
                                 const std::vector<Attachment>& files) {
  model::DriveModel stated = model;
  if (stated.validity.demerits.empty()) {
    for (const Attachment& file : files) {
      for (model::Demerit& demerit : demerits_in(file, model))
        stated.validity.demerits.push_back(std::move(demerit));
    }
  }
  return annotations_of(stated, model::tool_version_in(canonical));
}

}  // namespace

Publication publish(const Store& store, const std::string& model_path,
                    const PublishOptions& options) {
  require_known_rules(options.forced);
  const std::string text = model::read_text(model_path);
  model::DriveModel model = model::from_json_text(text, model_path);
  model::say_passed_over(model.passed_over);  // and is published with the rest
  Json document = parse_i_json(text, model_path);
  std::string canonical = canonical_form(document, model_path);
  const std::vector<std::string> broken = broken_rules(model, {stated_rpm(document), options.delay},
                                                       model_path, options.forced);
  std::vector<Attachment> files = read_attachments(options.files);
  for (const Attachment& file : files) {
    require_of_drive(file, model, options.tables);
    require_nobody_elses(file, model.identity.serial, options);
  }

  const Lock lock(store);
  std::string plain_before;
  const model::Identity plain = model.identity;
  if (const std::string stand_in = options.hide_serial ? stand_in_for(plain, store) : plain.serial;
      stand_in != plain.serial) {
    plain_before = plain_reference(store, plain);
    hide_serial(document, plain.serial, stand_in);
    canonical = canonical_form(document, model_path);
    model = model::from_json_text(canonical, model_path);
    for (Attachment& file : files) hide_serial(file, plain, model, options.tables);
  }
  const std::string drive = name_in(store, model.identity, run_without_number(model));
  const bool is_first = !model::is_there(store.layout(drive).index_path());
  const model::SignalsHeld held;  // all of it or nothing
  store.create_layout(drive);

  Manifest manifest;
  manifest.artifact_type = kArtifactType;
  manifest.config = store.put_blob(drive, kConfigType, kConfig);
  manifest.layers.push_back(put(store, drive, {"", kModelTitle, kModelType, canonical}));
  for (const Attachment& file : files) manifest.layers.push_back(put(store, drive, file));
  manifest.annotations = manifest_annotations(model, canonical, files);
  manifest.annotations.insert(options.annotations.begin(), options.annotations.end());
  if (!broken.empty()) manifest.annotations[kForcedKey] = fmt::format("{}", fmt::join(broken, ","));
  const Descriptor descriptor = store.put_blob(drive, kManifestType, manifest_text(manifest));
  const auto [tag, added] = enter_version(store, lock, drive, descriptor);
  return {drive + ":" + tag, descriptor.digest,           manifest.layers.front().digest, added,
          remarks_on(model), is_first ? plain_before : ""};
}

}  // namespace platter::registry
