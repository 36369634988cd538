#include "registry/oci.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "model/error.h"
#include "model/json_text.h"
#include "model/printable.h"
#include "model/read_budget.h"
#include "model/strict_json.h"
#include "registry/canonical_json.h"
#include "registry/digest.h"

namespace platter::registry {
namespace {

using Json = nlohmann::json;

[[noreturn]] void fail(const std::string& origin, const std::string& what) {
  throw Error(ExitStatus::bad_input, fmt::format("{}: {}", origin, what));
}

Json parse_object(const std::string& text, const std::string& origin) {
  if (text.size() > kLargestDocument)
    fail(origin,
         fmt::format("is larger than the {} MiB of any manifest or index", kLargestDocument >> 20));
  Json json = model::parse_strictly<Json>(text, origin, {.members = kMostMembers});
  if (!json.is_object()) fail(origin, "is JSON, but not an object");
  return json;
}

std::string text_member(const Json& json, const char* name, const std::string& origin) {
  const auto found = json.find(name);
  if (found == json.end()) return "";
  if (!found->is_string()) fail(origin, fmt::format("its member {} must be a text", name));
  return found->get<std::string>();
}

Annotations read_annotations(const Json& json, const std::string& origin) {
  Annotations annotations;
  const auto found = json.find("annotations");
  if (found == json.end() || found->is_null()) return annotations;
  if (!found->is_object()) fail(origin, "its annotations must be an object");
  for (const auto& [key, value] : found->items()) {
    if (!value.is_string()) fail(origin, fmt::format("its annotation {} must be a text", key));
    annotations[key] = value.get<std::string>();
  }
  return annotations;
}

Descriptor read_descriptor(const Json& json, const std::string& origin) {
  if (!json.is_object()) fail(origin, "has a descriptor that is no object");
  Descriptor descriptor;
  descriptor.media_type = text_member(json, "mediaType", origin);
  descriptor.digest = text_member(json, "digest", origin);
  if (!is_digest(descriptor.digest)) {
    fail(origin, fmt::format("has a descriptor whose digest is no SHA-256 digest: \"{}\"",
                             descriptor.digest));
  }
  const auto size = json.find("size");
  if (size == json.end() || !size->is_number_unsigned()) {
    fail(origin, fmt::format("has no valid size for {}", descriptor.digest));
  }
  descriptor.size = size->get<std::uint64_t>();
  descriptor.annotations = read_annotations(json, origin);
  return descriptor;
}

std::vector<Descriptor> read_descriptors(const Json& json, const char* name,
                                         const std::string& origin) {
  const auto list = json.find(name);
  if (list == json.end() || !list->is_array()) fail(origin, fmt::format("has no list {}", name));
  std::vector<Descriptor> descriptors;
  for (const Json& element : *list) descriptors.push_back(read_descriptor(element, origin));
  return descriptors;
}

// What is named again is read again.
void count_repeats(const std::vector<Descriptor>& descriptors, const std::string& origin) {
  constexpr std::uint64_t kMostRepeated = std::uint64_t{32} << 20;
  std::set<std::string_view> seen;
  model::ReadBudget budget(origin);
  budget.allow(model::Cost::bytes, kMostRepeated);
  for (const Descriptor& descriptor : descriptors)
    if (!seen.insert(descriptor.digest).second) budget.take(model::Cost::bytes, descriptor.size);
}

std::string tag_in(const Json& entry) {
  return entry.value("/annotations/org.opencontainers.image.ref.name"_json_pointer, "");
}

bool is_among(const std::vector<std::string>& tags, const std::string& tag) {
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

Json write_descriptor(const Descriptor& descriptor) {
  Json json = {{"mediaType", descriptor.media_type},
               {"digest", descriptor.digest},
               {"size", descriptor.size}};
  if (!descriptor.annotations.empty()) json["annotations"] = descriptor.annotations;
  return json;
}

void require_version_2(const Json& json, const std::string& origin) {
  if (json.value("schemaVersion", Json()) != 2) fail(origin, "its schemaVersion is not 2");
}

}  // namespace

std::string Descriptor::annotation(const std::string& key) const {
  const auto found = annotations.find(key);
  return found == annotations.end() ? "" : found->second;
}

std::string manifest_text(const Manifest& manifest) {
  Json json = {{"schemaVersion", 2},
               {"mediaType", kManifestType},
               {"config", write_descriptor(manifest.config)},
               {"layers", Json::array()},
               {"annotations", manifest.annotations}};
  if (!manifest.artifact_type.empty()) json["artifactType"] = manifest.artifact_type;
  for (const Descriptor& layer : manifest.layers) json["layers"].push_back(write_descriptor(layer));
  return canonical_json(model::json_text(json), "manifest");
}

Manifest parse_manifest(const std::string& text, const std::string& origin) {
  const Json json = parse_object(text, origin);
  require_version_2(json, origin);
  Manifest manifest;
  manifest.artifact_type = text_member(json, "artifactType", origin);
  if (!json.contains("config")) fail(origin, "has no config");
  manifest.config = read_descriptor(json["config"], origin);
  manifest.layers = read_descriptors(json, "layers", origin);
  count_repeats(manifest.layers, origin);
  manifest.annotations = read_annotations(json, origin);
  return manifest;
}

ImageIndex parse_index(const std::string& text, const std::string& origin) {
  const Json json = parse_object(text, origin);
  require_version_2(json, origin);
  return {read_descriptors(json, "manifests", origin), read_annotations(json, origin)};
}

std::string index_with(const std::string& text, const Descriptor& manifest,
                       const Tagging& tagging) {
  Json json =
      text.empty()
          ? Json{{"schemaVersion", 2}, {"mediaType", kIndexType}, {"manifests", Json::array()}}
          : parse_object(text, "index.json");
  std::vector<std::string> tags = {tagging.tag};
  if (tagging.latest) tags.push_back(kLatest);
  Json kept = Json::array();
  for (Json& entry : json["manifests"]) {
    if (!is_among(tags, tag_in(entry))) kept.push_back(std::move(entry));
  }
  for (const std::string& tag : tags) {
    Json entry = write_descriptor(manifest);
    if (!tagging.moves) entry["artifactType"] = kArtifactType;
    entry["annotations"] = {{kTagKey, tag}};
    kept.push_back(std::move(entry));
  }
  json["manifests"] = std::move(kept);
  if (!tagging.moves) {
    json["annotations"][tag_record_key(tagging.tag)] = manifest.digest;
    json["annotations"].erase(pruned_record_key(tagging.tag));
  }
  return canonical_json(model::json_text(json), "index.json");
}

std::string index_without(const std::string& text, const std::vector<std::string>& tags,
                          const std::string& latest) {
  Json json = parse_object(text, "index.json");
  Json kept = Json::array();
  Json newest;
  for (Json& entry : json["manifests"]) {
    const std::string tag = tag_in(entry);
    if (is_among(tags, tag)) {
      if (json["annotations"].contains(tag_record_key(tag)))
        json["annotations"][pruned_record_key(tag)] = entry["digest"];
      continue;
    }
    if (tag == kLatest) continue;
    if (tag == latest) newest = entry;
    kept.push_back(std::move(entry));
  }
  if (newest.is_object()) {
    newest["annotations"][kTagKey] = kLatest;
    kept.push_back(std::move(newest));
  }
  json["manifests"] = std::move(kept);
  return canonical_json(model::json_text(json), "index.json");
}

void require_plain_title(const std::string& title, const std::string& origin) {
  constexpr std::size_t kLongest = 200;
  const bool plain = !title.empty() && title.size() <= kLongest && title.front() != '.' &&
                     title.find('/') == std::string::npos && model::printable(title) == title;
  if (!plain)
    fail(origin,
         fmt::format("a title of \"{}\" is no plain name of a file", model::printable(title)));
}

std::string signatures_tag(const std::string& digest) {
  return "sha256-" + std::string(hex_of(digest)) + ".sig";
}

std::string tag_record_key(const std::string& tag) { return "vnd.platter.tag." + tag; }

std::string pruned_record_key(const std::string& tag) { return "vnd.platter.pruned." + tag; }

std::string layout_marker_text() { return R"({"imageLayoutVersion":"1.0.0"})"; }

void check_layout_marker(const std::string& text, const std::string& origin) {
  const std::string version = text_member(parse_object(text, origin), "imageLayoutVersion", origin);
  if (!version.starts_with("1.")) {
    fail(origin, fmt::format("is of image layout version \"{}\", this program knows 1.x", version));
  }
}

}  // namespace platter::registry
