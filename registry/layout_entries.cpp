#include "registry/layout_entries.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "registry/digest.h"
#include "registry/reference.h"

namespace platter::registry {
namespace {

constexpr std::uint64_t kLargestPayload = std::uint64_t{64} << 10;  // cosign's have 250 bytes
constexpr std::size_t kMostSignatures = 64;                         // of one manifest

class LayoutReader {
 public:
  explicit LayoutReader(const Layout& layout) : layout_(layout) {}

  void read() {
    ImageIndex index;
    const auto index_path = [&] { return layout_.index_path(); };
    const auto read_index = [&] {
      if (model::is_there(layout_.index_path())) index = layout_.index();
    };
    if (!remembered(index_path, read_index)) return;
    std::set<std::string> seen, latest;
    std::map<std::string, const Descriptor*> signatures;
    for (const Descriptor& descriptor : index.manifests) {
      const std::string tag = descriptor.annotation(kTagKey);
      if (tag == kLatest) latest.insert(descriptor.digest);
      if (tag.ends_with(".sig")) signatures[tag] = &descriptor;
    }
    for (const Descriptor& descriptor : index.manifests) {
      if (descriptor.media_type != kManifestType || !seen.insert(descriptor.digest).second)
        continue;
      if (descriptor.annotation(kTagKey).ends_with(".sig")) continue;
      read_entry(index, descriptor, latest.contains(descriptor.digest));
    }
    for (Entry& entry : out.entries) {
      const auto found = signatures.find(signatures_tag(entry.digest));
      if (found != signatures.end()) read_signatures(*found->second, entry);
    }
  }

  LayoutEntries out;

 private:
  template <typename Path, typename Work>
  bool remembered(Path where, Work work) {
    try {
      work();
      return true;
    } catch (const Error& error) {
      const std::string path = where();
      out.damages.push_back({layout_.drive(), path, state_of_file(path), error.what()});
      return false;
    }
  }

  // Asked for only where something is wrong: it takes a look at the folder.
  auto path_of(const Descriptor& descriptor) const {
    return [this, &descriptor] { return layout_.blob_path(descriptor.digest); };
  }

  // Whatever else shares the layout is no entry.
  void read_entry(const ImageIndex& index, const Descriptor& descriptor, bool latest) {
    remembered(path_of(descriptor), [&] {
      Manifest manifest = layout_.manifest(descriptor);
      if (!manifest.is_model()) return;
      Entry entry{.drive = layout_.drive(),
                  .tag = tag_of(index, descriptor.digest),
                  .digest = descriptor.digest,
                  .latest = latest,
                  .annotations = std::move(manifest.annotations)};
      for (const Descriptor& layer : manifest.layers)
        entry.files.push_back(layer.annotation(kTitleKey));
      out.entries.push_back(std::move(entry));
    });
  }

  void read_signatures(const Descriptor& descriptor, Entry& entry) {
    Manifest manifest;
    remembered(path_of(descriptor), [&] { manifest = layout_.manifest(descriptor); });
    for (const Descriptor& layer : manifest.layers) {
      const std::string base64 = layer.annotation(kSignatureKey);
      if (layer.media_type != kSimpleSigningType || base64.empty()) continue;
      if (layer.size > kLargestPayload || base64.size() > kLargestPayload) continue;
      if (entry.signatures.size() == kMostSignatures) break;
      remembered(path_of(layer), [&] {
        entry.signatures.push_back({layout_.blob(layer), base64});
      });
    }
  }

  const Layout& layout_;
};

}  // namespace

LayoutEntries entries_of(const Layout& layout) {
  LayoutReader reader(layout);
  reader.read();
  return std::move(reader.out);
}

std::string state_of_file(const std::string& path) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (status.type() == std::filesystem::file_type::not_found) return "absent";
  if (status.type() != std::filesystem::file_type::regular) return "no file";
  const std::uintmax_t size = std::filesystem::file_size(path, failed);
  if (failed) return "unreadable";
  if (size > kLargestDocument) return fmt::format("{} bytes", size);
  try {
    return digest_of_file(path);
  } catch (const Error&) {
    return "unreadable";
  }
}

}  // namespace platter::registry
