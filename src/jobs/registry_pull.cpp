#include "jobs/registry_pull.h"

#include <fmt/core.h>

#include "jobs/registry_signers.h"
#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "model/say.h"
#include "registry/pull.h"
#include "registry/remote/curate.h"
#include "registry/remote/transfer.h"

namespace platter::jobs {
namespace {

// `pull REMOTE/NAME.vN`: fetched from the remote and entered into the folder, where it has the
// returned reference. Says so, and whose signatures it bears.
std::string fetch_from_remote(const registry::Store& store, const std::string& reference,
                              bool require_signature) {
  const std::size_t slash = reference.find('/');
  const registry_remote::Remote remote = registry_remote::remote(store, reference.substr(0, slash));
  const auto tag = registry_remote::entry_tag(reference.substr(slash + 1));
  if (!tag)
    throw Error(ExitStatus::usage,
                fmt::format("{}: names no model of a remote; REMOTE/NAME.vN does", reference));
  const auto pulled = registry_remote::pull(
      store, remote, *tag, Signers(store).keys_of(remote.name),
      {.require_signature = require_signature || remote.require_signature,
       .expected_digest = registry_remote::indexed_digest(store, remote, *tag)});
  model::say("platter: {} is {}; here it is {}\n", reference, pulled.signed_by.sentence(),
             pulled.published.reference());
  for (const std::string& objection : pulled.objections)
    say(fmt::format("{}: publish would refuse it: {}", reference, objection));
  return pulled.published.reference();
}

}  // namespace

std::string pull(const PullRun& options) {
  const bool remote = options.reference.find('/') != std::string::npos;
  const registry::Store store = options.folder.store();
  const std::string reference = remote ? fetch_from_remote(store, options.reference,
                                                           options.require_signature)
                                       : options.reference;
  const registry::Published published = registry::find(store, reference);
  // Of what a remote has, its pull has said it.
  const registry_trust::SignedBy by = remote ? registry_trust::SignedBy{}
                                             : Signers(store).of(published);
  if (!remote && options.require_signature) by.require_known(published.reference());
  const registry::Contents contents = registry::open(published);
  if (!options.output.empty()) options.outputs.writes(options.output, content_of(contents.model));
  if (!options.files_folder.empty())
    registry::pull_files(published, options.files_folder,
                         [&](const std::string& path, const std::string& content) {
                           options.outputs.writes_bytes(path, content);
                         });
  if (!options.output.empty()) model::write_file(options.output, contents.model_text);
  if (!remote) say(published.reference() + " is " + by.sentence());
  return contents.model_text;
}

registry::Found models_in(const RegistryFolder& folder, const registry::Query& query,
                          const std::function<void(const registry::Entry&)>& visit) {
  const registry::Store store = folder.store();
  const bool there = folder.named.empty() || model::is_there(folder.named);
  if (!there || !store.is_new()) return registry::search(store, query, visit);
  return {.problems = {store.folder() + " holds no models yet; platter publish puts one there"}};
}

}  // namespace platter::jobs
