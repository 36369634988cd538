// The documents of the OCI image specification 1.1 that a registry is made of: descriptor,
// manifest, image index. docs/registry.md says which form of artifact was chosen, and by what
// trial.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace platter::registry {

inline constexpr const char* kManifestType = "application/vnd.oci.image.manifest.v1+json";
inline constexpr const char* kIndexType = "application/vnd.oci.image.index.v1+json";
inline constexpr const char* kArtifactType = "application/vnd.platter.drive.v1";
inline constexpr const char* kConfigType = "application/vnd.platter.drive.config.v1+json";
inline constexpr const char* kModelType = "application/vnd.platter.model.v1+json";
inline constexpr const char* kTableType = "application/vnd.platter.table.v1";

inline constexpr const char* kTagKey = "org.opencontainers.image.ref.name";
inline constexpr const char* kTitleKey = "org.opencontainers.image.title";
// The identity of the drive (annotations.h); of a part of a remote's index, its first digit.
inline constexpr const char* kDriveKey = "vnd.platter.drive";

// Signatures as cosign lays them out (SIGNATURE_SPEC.md of sigstore/cosign): a manifest under a tag
// of the digest that it signs; each layer a payload, its signature the layer's annotation.
inline constexpr const char* kSimpleSigningType =
    "application/vnd.dev.cosign.simplesigning.v1+json";
inline constexpr const char* kSignatureKey = "dev.cosignproject.cosign/signature";

// "sha256-HEX.sig"
std::string signatures_tag(const std::string& digest);

inline constexpr const char* kLatest = "latest";  // the tag of the newest version

inline constexpr const char* kConfig = "{}";  // all there is to say is in the annotations

inline constexpr std::uint64_t kLargestDocument = std::uint64_t{4} << 20;  // manifest or index

// Throws Error(bad_input) with `origin` unless it is the plain name of a file, which any system
// can write: at most 200 letters, none of them '/' or for a terminal alone, no '.' in front.
void require_plain_title(const std::string& title, const std::string& origin);

using Annotations = std::map<std::string, std::string>;

struct Descriptor {
  std::string media_type, digest;
  std::uint64_t size = 0;
  Annotations annotations;

  std::string annotation(const std::string& key) const;  // "" where there is none
};

struct Manifest {
  std::string artifact_type;
  Descriptor config;
  std::vector<Descriptor> layers;
  Annotations annotations;

  bool is_model() const { return artifact_type == kArtifactType; }
};

struct ImageIndex {
  std::vector<Descriptor> manifests;
  Annotations annotations;
};

// Canonical JSON. The same manifest is always the same bytes.
std::string manifest_text(const Manifest& manifest);

// Throw Error(bad_input) with `origin` unless every member that is used is there and of its type:
// digests that are digests, sizes that are whole numbers. Other members are ignored.
Manifest parse_manifest(const std::string& text, const std::string& origin);
ImageIndex parse_index(const std::string& text, const std::string& origin);

// How a manifest is named in an image index.
struct Tagging {
  std::string tag;
  bool latest = true;  // "latest" then means it too
  bool moves = false;  // a tag of signatures: it is not recorded, and what it named is dropped
};

// The image index with one more manifest; what others wrote into it stays. An empty text is an
// empty index.
std::string index_with(const std::string& text, const Descriptor& manifest, const Tagging& tagging);

// The index annotation in which the digest of a tag is kept, so that a moved tag is found out.
std::string tag_record_key(const std::string& tag);

// The image index without what these tags name, "latest" among them or not; what a version was is
// recorded. `latest` is the version that "latest" then means; empty: none is left.
std::string index_without(const std::string& text, const std::vector<std::string>& tags,
                          const std::string& latest);

// The index annotation in which the digest of a version is kept that was taken away.
std::string pruned_record_key(const std::string& tag);

// oci-layout, the file that marks an image layout.
std::string layout_marker_text();
void check_layout_marker(const std::string& text, const std::string& origin);

}  // namespace platter::registry
