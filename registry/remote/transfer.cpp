#include "registry/remote/transfer.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/error.h"
#include "model/interruption.h"
#include "model/leftovers.h"
#include "registry/annotations.h"
#include "registry/digest.h"
#include "registry/enter.h"
#include "registry/pull.h"
#include "registry/remote/signed_first.h"
#include "registry/take_in.h"
#include "registry/verify.h"

namespace platter::registry_remote {
namespace {

using registry::Descriptor;
using registry::Published;
using registry::Store;
using Signatures = std::vector<registry::Signature>;

bool holds(const Signatures& all, const registry::Signature& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// Those there stay in front; those here that are not there come behind.
bool send_signatures(const Skopeo& skopeo, const Published& published) {
  const std::string& digest = published.descriptor.digest;
  const Signatures here = registry_trust::signatures_in(published.layout, digest);
  if (here.empty()) return false;
  const WorkingLayout work(published.layout.drive());
  const Signatures there = fetch_signatures(skopeo, work, digest);
  if (std::all_of(here.begin(), here.end(), [&](const auto& one) { return holds(there, one); }))
    return false;
  const WorkingLayout out(published.layout.drive());
  const registry::Lock lock(out.store());
  Signatures all = there;
  all.insert(all.end(), here.begin(), here.end());
  out.store().replace_index(out.drive(),
                            registry::index_with("", published.descriptor, {.tag = "entry"}));
  registry_trust::add_signatures(out.store(), lock, out.drive(), digest, all);
  const std::string tag = registry::signatures_tag(digest);
  skopeo.send(out.folder(), tag, tag);
  return true;
}

void send_entry(const Skopeo& skopeo, const Published& published, const std::string& tag) {
  const WorkingLayout out(published.layout.drive());
  registry::keep_manifest(out.store(), out.drive(), published.layout, published.descriptor);
  out.store().replace_index(out.drive(),
                            registry::index_with("", published.descriptor, {.tag = published.tag}));
  skopeo.send(out.folder(), published.tag, tag);
}

Pushed push_found(const Skopeo& skopeo, const Published& published, const Remote& remote) {
  const auto tag = entry_tag(published.layout.drive() + "." + published.tag);
  if (!tag)
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: has no version, and a remote's tags are NAME.vN; publish it",
                            published.reference()));
  registry::open(published);  // no damaged or foreign entry leaves
  const std::string& digest = published.descriptor.digest;
  Pushed pushed{remote.name + "/" + tag->text(), digest};
  if (const auto there = skopeo.manifest(tag->text()); !there) {
    send_entry(skopeo, published, tag->text());
    pushed.sent = true;
  } else if (registry::digest_of(*there) != digest) {
    throw Error(ExitStatus::refused,
                fmt::format("{}: names {} there, and tags never move: {} is not pushed; pull that "
                            "one, then publish "
                            "this model again as a further version",
                            pushed.reference, registry::digest_of(*there), published.reference()));
  }
  pushed.signatures_sent = send_signatures(skopeo, published);
  return pushed;
}

void require_sound(const WorkingLayout& work, const Descriptor& manifest,
                   const std::string& reference) {
  const auto found = registry::verify(work.store(), work.drive() + "@" + manifest.digest);
  if (found.findings.empty()) return;
  throw Error(ExitStatus::bad_input, fmt::format("{}: is damaged there, and not pulled: {}",
                                                 reference, found.findings.front()));
}

// A signature is of a digest, and binds no name: the tag must be that of the model's own drive.
void require_named(const WorkingLayout& work, const Descriptor& manifest, const EntryTag& tag,
                   const std::string& reference) {
  const model::DriveModel model = registry::open({work.layout(), manifest, ""}).model;
  const std::string name = registry::drive_name(model.identity);
  const std::string run = registry::run_without_number(model);
  if (tag.drive == name || tag.drive == registry::longer_drive_name(model.identity, run)) return;
  throw Error(
      ExitStatus::refused,
      fmt::format("{}: is a model of another drive, {}; pull it by its own name, or ask the "
                  "remote's curator",
                  reference, name));
}

void require_not_moved(const std::string& reference, const std::string& digest,
                       const PullRules& rules) {
  if (rules.expected_digest.empty() || digest == rules.expected_digest) return;
  throw Error(
      ExitStatus::refused,
      fmt::format(
          "{}: was moved: the remote's index names {}, the tag {}; ask the remote's curator, or "
          "refresh if the index is old",
          reference, rules.expected_digest, digest));
}

// Of a remote with a key: by a signature of the entry, or by the index that the key signed.
void require_vouched(const Remote& remote, const std::string& reference,
                     const registry_trust::SignedBy& by, const PullRules& rules) {
  if (remote.key_pem.empty() || by.known() || !rules.expected_digest.empty()) return;
  throw Error(ExitStatus::refused,
              fmt::format("{}: is {}, and no index that the key of {} signed and that was fetched "
                          "here names it; platter registry refresh {} fetches the newest",
                          reference, by.sentence(), remote.name, remote.name));
}

}  // namespace

Pushed push(const Store& store, const std::string& reference, const Remote& remote) {
  return push_found(Skopeo(remote), registry::find(store, reference), remote);
}

std::vector<Pushed> push_all(const Store& store, const Remote& remote) {
  const Skopeo skopeo(remote);
  std::vector<Pushed> pushed;
  for (const std::string& drive : store.drives()) {
    for (const Descriptor& descriptor : store.layout(drive).index().manifests) {
      stop_if_asked();
      const std::string tag = descriptor.annotation(registry::kTagKey);
      if (registry::version_number(tag) > 0)
        pushed.push_back(push_found(skopeo, registry::find(store, drive + ":" + tag), remote));
    }
  }
  return pushed;
}

Pulled pull(const Store& store, const Remote& remote, const EntryTag& tag,
            const std::vector<registry_trust::NamedKey>& keys, const PullRules& rules) {
  const Skopeo skopeo(remote);
  const std::string reference = remote.name + "/" + tag.text();
  const auto digest = digest_under(skopeo, tag.text());
  if (!digest)
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: is not there; platter registry refresh {} and search show what is",
                            reference, remote.name));
  require_not_moved(reference, *digest, rules);
  const WorkingLayout work(tag.drive);
  const Signatures signatures = fetch_signatures(skopeo, work, *digest);
  const auto by = registry_trust::signed_by(*digest, signatures, keys);
  if (rules.require_signature) by.require_known(reference);
  require_vouched(remote, reference, by, rules);
  const Descriptor manifest = fetch_content(skopeo, tag.text(), work, tag.version, *digest);
  require_sound(work, manifest, reference);
  require_named(work, manifest, tag, reference);

  const registry::Lock lock(store);
  const model::SignalsHeld held;
  const registry::TakenIn taken = registry::take_in(store, lock, work.layout(), manifest);
  registry_trust::add_signatures(store, lock, taken.drive, manifest.digest, signatures);
  return {{store.layout(taken.drive), manifest, taken.version}, by, taken.added, taken.objections};
}

}  // namespace platter::registry_remote
