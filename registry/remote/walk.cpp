#include "registry/remote/walk.h"

#include <fmt/core.h>

#include <map>
#include <set>

#include "model/error.h"
#include "model/interruption.h"
#include "registry/digest.h"
#include "registry/remote/index_lines.h"
#include "registry/remote/signed_first.h"

namespace platter::registry_remote {
namespace {

using registry::Entry;

constexpr double kSecondsATag = 0.1;  // skopeo's, on a near registry
constexpr std::size_t kMostInSilence = 50;

Entry entry_at(const Skopeo& skopeo, const Remote& remote, const EntryTag& tag) {
  const std::string origin = remote.name + "/" + tag.text();
  const auto raw = skopeo.manifest(tag.text());
  if (!raw) throw Error(ExitStatus::bad_input, origin + ": is listed and not there");
  const registry::Manifest manifest = registry::parse_manifest(*raw, origin);
  Entry entry{.drive = tag.drive,
              .tag = tag.version,
              .digest = registry::digest_of(*raw),
              .latest = false,
              .annotations = manifest.annotations,
              .remote = remote.name};
  if (!manifest.is_model() || !registry::is_digest(entry.annotation(registry::kDriveKey)))
    throw Error(ExitStatus::bad_input, origin + ": is no model of a drive");
  for (const registry::Descriptor& layer : manifest.layers)
    entry.files.push_back(layer.annotation(registry::kTitleKey));
  return entry;
}

}  // namespace

Walk walk(const Skopeo& skopeo, const Remote& remote, std::vector<Entry> known,
          const Announce& announce) {
  std::map<std::string, Entry> before;
  for (Entry& entry : known) before.emplace(entry.drive + "." + entry.tag, std::move(entry));
  const std::vector<std::string> listed = skopeo.tags();
  const std::set<std::string> tags(listed.begin(), listed.end());
  std::vector<EntryTag> unknown;
  Walk found;
  for (const std::string& text : tags) {
    const auto tag = entry_tag(text);
    if (!tag) continue;
    if (const auto there = before.find(text); there != before.end())
      found.entries.push_back(std::move(there->second));
    else
      unknown.push_back(*tag);
  }
  found.gone = before.size() - found.entries.size();
  if (unknown.size() > kMostInSilence)
    announce(fmt::format("{}: {} tags are asked for one by one, which takes about {:.0f} s",
                         remote.name, unknown.size(),
                         kSecondsATag * static_cast<double>(unknown.size())));
  const auto attempt = [&](auto work) {
    stop_if_asked();
    try {
      work();
    } catch (const Error& error) {
      let_interruptions_pass(error);
      if (error.status() != ExitStatus::bad_input) throw;
      found.problems.push_back(error.what());
    }
  };
  for (const EntryTag& tag : unknown) {
    attempt([&] {
      Entry entry = entry_at(skopeo, remote, tag);
      require_indexable(entry);
      found.entries.push_back(std::move(entry));
      ++found.added;
    });
  }
  for (Entry& entry : found.entries) {
    const std::string tag = registry::signatures_tag(entry.digest);
    if (!entry.signatures.empty() || !tags.contains(tag)) continue;
    attempt([&] {
      const WorkingLayout work(entry.drive);
      Entry with_them = entry;
      with_them.signatures = fetch_signatures(skopeo, work, entry.digest);
      require_indexable(with_them);
      entry = std::move(with_them);
    });
  }
  return found;
}

}  // namespace platter::registry_remote
