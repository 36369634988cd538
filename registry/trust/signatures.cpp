#include "registry/trust/signatures.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "model/error.h"
#include "model/json_text.h"
#include "model/leftovers.h"
#include "model/strict_json.h"
#include "registry/canonical_json.h"
#include "registry/digest.h"
#include "registry/enter.h"
#include "registry/reference.h"

namespace platter::registry_trust {
namespace {

using Json = nlohmann::json;

constexpr const char* kPayloadType = "cosign container image signature";
constexpr std::size_t kLargestPayload = std::size_t{64} << 10;  // cosign's have 250 bytes
constexpr std::size_t kMostSignatures = 64;                     // of one manifest

// What a payload says that it signs; nothing where it is none of cosign's.
std::optional<std::string> signed_digest(const std::string& payload) {
  if (payload.size() > kLargestPayload) return std::nullopt;
  try {
    const Json json = model::parse_strictly<Json>(payload, "payload");
    const Json& critical = json.at("critical");
    if (critical.at("type") != kPayloadType) return std::nullopt;
    return critical.at("image").at("docker-manifest-digest").get<std::string>();
  } catch (const Error&) {
    return std::nullopt;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

const registry::Descriptor* tagged(const registry::ImageIndex& index, const std::string& tag) {
  for (const registry::Descriptor& descriptor : index.manifests)
    if (descriptor.annotation(registry::kTagKey) == tag) return &descriptor;
  return nullptr;
}

// An image's config, as tools that know images only want one: no system, the layers are the
// payloads.
std::string config_text(const std::vector<registry::Descriptor>& layers) {
  Json digests = Json::array();
  for (const registry::Descriptor& layer : layers) digests.push_back(layer.digest);
  return registry::canonical_json(
      model::json_text(Json{{"architecture", ""},
                            {"os", ""},
                            {"config", Json::object()},
                            {"rootfs", {{"type", "layers"}, {"diff_ids", digests}}}}),
      "config");
}

}  // namespace

registry::Signature signature_of(const std::string& digest, const std::string& place,
                                 const PrivateKey& key) {
  const std::string payload = registry::canonical_json(
      model::json_text(Json{{"critical",
                             {{"identity", {{"docker-reference", place}}},
                              {"image", {{"docker-manifest-digest", digest}}},
                              {"type", kPayloadType}}},
                            {"optional", {{"creator", "platter"}}}}),
      "payload");
  return {payload, key.sign(payload)};
}

std::string place_in(const registry::Signature& signature) {
  const Json json = model::parse_or_null<Json>(signature.payload);
  const Json place = json.is_object()
                         ? json.value("/critical/identity/docker-reference"_json_pointer, Json())
                         : Json();
  return place.is_string() ? place.get<std::string>() : "";
}

std::string SignedBy::sentence() const {
  if (known()) {
    std::string text = "signed by " + names.front();
    for (std::size_t i = 1; i < names.size(); ++i)
      text += (i + 1 == names.size() ? " and " : ", ") + names[i];
    return text;
  }
  if (unknown > 0) return "signed by an unknown key";
  if (misplaced > 0) return "unsigned: what is there is a signature of another digest";
  return "unsigned";
}

void SignedBy::require_known(const std::string& reference) const {
  if (known()) return;
  throw Error(ExitStatus::refused,
              fmt::format("{}: is {}, and a signature by a trusted key is required; platter "
                          "registry trust add names a key",
                          reference, sentence()));
}

SignedBy signed_by(const std::string& digest, const std::vector<registry::Signature>& signatures,
                   const std::vector<NamedKey>& keys) {
  SignedBy by;
  for (const registry::Signature& signature : signatures) {
    if (signed_digest(signature.payload) != digest) {
      ++by.misplaced;
      continue;
    }
    bool known = false;
    for (const NamedKey& one : keys) {
      if (!one.key.verifies(signature.payload, signature.base64)) continue;
      known = true;
      if (std::find(by.names.begin(), by.names.end(), one.name) == by.names.end())
        by.names.push_back(one.name);
    }
    if (!known) ++by.unknown;
  }
  return by;
}

std::vector<registry::Signature> signatures_in(const registry::Layout& layout,
                                               const std::string& digest) {
  const registry::ImageIndex index = layout.index();
  const registry::Descriptor* const found = tagged(index, registry::signatures_tag(digest));
  if (found == nullptr) return {};
  std::vector<registry::Signature> signatures;
  for (const registry::Descriptor& layer : layout.manifest(*found).layers) {
    const std::string base64 = layer.annotation(registry::kSignatureKey);
    if (layer.media_type != registry::kSimpleSigningType || base64.empty() ||
        layer.size > kLargestPayload)
      continue;
    if (signatures.size() == kMostSignatures) break;
    signatures.push_back({layout.blob(layer), base64});
  }
  return signatures;
}

bool add_signatures(const registry::Store& store, const registry::Lock& lock,
                    const std::string& drive, const std::string& digest,
                    const std::vector<registry::Signature>& more) {
  std::vector<registry::Signature> all = signatures_in(store.layout(drive), digest);
  const std::size_t before = all.size();
  for (const registry::Signature& one : more)
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  if (all.size() == before) return false;
  if (all.size() > kMostSignatures)
    throw Error(ExitStatus::refused,
                fmt::format("{}: {} has {} signatures, and more than {} are not kept",
                            store.layout(drive).folder(), digest, all.size(), kMostSignatures));
  const model::SignalsHeld held;
  registry::Manifest manifest;
  for (const registry::Signature& one : all) {
    registry::Descriptor layer = store.put_blob(drive, registry::kSimpleSigningType, one.payload);
    layer.annotations[registry::kSignatureKey] = one.base64;
    manifest.layers.push_back(layer);
  }
  manifest.config = store.put_blob(drive, kImageConfigType, config_text(manifest.layers));
  const registry::Descriptor descriptor = store.put_blob(drive, registry::kManifestType,
                                                         registry::manifest_text(manifest));
  registry::enter_signatures(store, lock, drive, descriptor, registry::signatures_tag(digest));
  return true;
}

Signing sign(const registry::Store& store, const std::string& reference, const std::string& place,
             const PrivateKey& key) {
  const registry::Lock lock(store);
  const registry::Published published = registry::find(store, reference);
  const std::string& digest = published.descriptor.digest;
  const auto there = signatures_in(published.layout, digest);
  if (signed_by(digest, there, {{"own", key.public_key()}}).known())
    return {published.reference(), digest, false};
  const std::string& drive = published.layout.drive();
  add_signatures(store, lock, drive, digest,
                 {signature_of(digest, place.empty() ? drive : place, key)});
  return {published.reference(), digest, true};
}

}  // namespace platter::registry_trust
