#include "registry/remote/fetch_index.h"

#include <fmt/core.h>

#include <filesystem>
#include <set>

#include "model/error.h"
#include "model/folder.h"
#include "model/leftovers.h"
#include "registry/digest.h"
#include "registry/remote/signed_first.h"
#include "registry/take_in.h"

namespace platter::registry_remote {
namespace {

namespace fs = std::filesystem;
using registry::Descriptor;
using registry::Store;

// An index a minute for two months.
constexpr std::uint64_t kUsualStep = 100'000;

std::vector<registry::Signature> signatures_for(const Remote& remote, const std::string& digest,
                                                const Skopeo& skopeo, const WorkingLayout& work) {
  std::vector<registry::Signature> signatures;
  try {
    signatures = fetch_signatures(skopeo, work, digest);
  } catch (const Error& error) {
    if (error.status() != ExitStatus::bad_input) throw;  // damaged ones are none
  }
  std::erase_if(signatures, [&](const registry::Signature& one) {
    return registry_trust::place_in(one) != remote.place;  // the same curator's, of another remote
  });
  return signatures;
}

void require_signed(const Remote& remote, const std::string& digest, const Skopeo& skopeo,
                    const WorkingLayout& work) {
  const auto by = registry_trust::signed_by(digest, signatures_for(remote, digest, skopeo, work),
                                            remote.key());
  if (by.known()) return;
  throw Error(ExitStatus::refused, fmt::format("{}: is not signed by the key of {} but {}; ask its "
                                               "curator, or add the remote again with "
                                               "the key that is right",
                                               index_name(remote), remote.name, by.sentence()));
}

void require_newer(const Remote& remote, const Index& fetched, const Seen& seen) {
  if (fetched.number < seen.number)
    throw Error(
        ExitStatus::refused,
        fmt::format(
            "{}: has the number {}, and {} was seen before: an old index is passed off as the "
            "newest; ask its curator",
            index_name(remote), fetched.number, seen.number));
  if (seen.number > 0 && fetched.number == seen.number && fetched.descriptor.digest != seen.digest)
    throw Error(ExitStatus::refused,
                fmt::format("{}: has the number {} that another index had before; ask its curator",
                            index_name(remote), fetched.number));
}

}  // namespace

Store kept_store(const Store& store, const Remote& remote) {
  return Store(remote_folder(store, remote.name) + "/index");
}

std::optional<Index> kept_index(const Store& kept, const Remote& remote) {
  if (!model::is_there(kept.layout(kIndexTag).index_path())) return std::nullopt;
  return read_index(kept.layout(kIndexTag), index_name(remote));
}

void keep_index(const Store& kept, const Index& index, const WorkingLayout& work) {
  const model::SignalsHeld held;
  kept.create_layout(kIndexTag);
  registry::keep_manifest(kept, kIndexTag, work.layout(), index.descriptor);
  tag_index(kept, index.descriptor);
  std::set<std::string> needed{std::string(registry::hex_of(index.descriptor.digest)),
                               std::string(registry::hex_of(index.manifest.config.digest))};
  for (const Descriptor& layer : index.manifest.layers)
    needed.insert(std::string(registry::hex_of(layer.digest)));
  std::error_code ignored;
  for (const fs::path& blob : model::paths_in(kept.blobs_folder()))
    if (!needed.contains(blob.filename().string())) fs::remove(blob, ignored);
}

void offer_kept_blobs(const Store& kept, const std::optional<Index>& index,
                      const WorkingLayout& work) {
  if (!index) return;
  std::vector<Descriptor> blobs = index->manifest.layers;
  blobs.push_back(index->manifest.config);
  for (const Descriptor& one : blobs) {
    const std::string from = kept.layout(kIndexTag).blob_path(one.digest);
    std::error_code ignored;
    if (model::is_there(from) && registry::digest_of_file(from) == one.digest)
      fs::copy_file(from, work.layout().blob_path(one.digest), fs::copy_options::skip_existing,
                    ignored);
  }
}

std::optional<Index> fetch_index(const Skopeo& skopeo, const Remote& remote, const Seen& seen,
                                 const WorkingLayout& work) {
  const auto digest = digest_under(skopeo, kIndexTag);
  if (!digest) return std::nullopt;
  const bool has_key = !remote.key_pem.empty();
  if (has_key) require_signed(remote, *digest, skopeo, work);
  fetch_content(skopeo, kIndexTag, work, kIndexTag, *digest);
  Index index = read_index(work.layout(), index_name(remote));
  if (has_key) require_newer(remote, index, seen);
  return index;
}

std::string unusual_step(const Remote& remote, std::uint64_t seen, std::uint64_t number) {
  if (number <= seen || number - seen <= kUsualStep) return "";
  const std::string before = seen > 0 ? fmt::format("after {}", seen) : "and is the first seen";
  return fmt::format(
      "{}: has the number {} {}, a step that no curator takes by writing indexes, and beyond {} "
      "there is none; ask its curator",
      index_name(remote), number, before, kLargestNumber);
}

}  // namespace platter::registry_remote
