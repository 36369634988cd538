#include "jobs/registry_pull.h"

#include <fmt/core.h>

#include <optional>

#include "extract/prospects.h"
#include "jobs/open_device.h"
#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "model/interruption.h"
#include "model/printable.h"
#include "model/say.h"
#include "registry/annotations.h"
#include "registry/pull.h"
#include "registry/remote/curate.h"
#include "registry/remote/remotes.h"
#include "scsi/guard.h"

namespace platter::jobs {
namespace {

registry::AttachedDrive ask(const std::string& name) {
  const auto device = open_device(name, {.changes = false});
  scsi::Guard guard(*device, {.settings = false, .writes = {}});
  scsi::Drive drive(guard, device->name());
  const model::Identity identity = drive.identify();
  return {identity, extract::nominal_speed(drive).rpm};
}

std::optional<registry::Range> range(registry::Figure figure, const std::string& text,
                                     const char* option) {
  if (text.empty()) return std::nullopt;
  return registry::parse_range(figure, text, option);
}

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

Signers::Signers(const registry::Store& store) : trusted_(registry_trust::trusted_keys(say)) {
  for (const std::string& name : registry_remote::remote_names(store)) {
    auto& keys = of_remotes_[name] = trusted_;
    try {
      for (const registry_trust::NamedKey& own : registry_remote::remote(store, name).key()) {
        keys.push_back(own);
        here_.push_back(own);
      }
    } catch (const Error& error) {
      let_interruptions_pass(error);
      say(fmt::format("{}; until then its key counts for nothing", error.what()));
    }
  }
  here_.insert(here_.end(), trusted_.begin(), trusted_.end());
}

const std::vector<registry_trust::NamedKey>& Signers::keys_of(const std::string& remote) const {
  const auto found = of_remotes_.find(remote);
  return found == of_remotes_.end() ? trusted_ : found->second;
}

registry_trust::SignedBy Signers::of(const registry::Entry& entry) const {
  const auto remote = of_remotes_.find(entry.remote);
  return registry_trust::signed_by(entry.digest, entry.signatures,
                                   remote == of_remotes_.end() ? here_ : remote->second);
}

registry_trust::SignedBy Signers::of(const registry::Published& published) const {
  const std::string& digest = published.descriptor.digest;
  return registry_trust::signed_by(digest, registry_trust::signatures_in(published.layout, digest),
                                   here_);
}

Matched match_drive(const MatchRun& run, const std::string& device) {
  const registry::AttachedDrive drive = ask(device);
  const registry::Store store = run.folder.store();
  std::vector<registry::Match> matches = registry::match(store, drive, run.most);
  if (run.this_drive) {
    registry::require_recognizable(store, drive.identity, matches);
    std::erase_if(matches, [](const registry::Match& found) {
      return found.closeness != registry::Closeness::same_drive;
    });
  }
  return {model::printable(drive.identity.vendor + " " + drive.identity.product),
          std::move(matches)};
}

void require_match(const MatchRun& run, const std::string& device, const Matched& matched) {
  if (matched.matches.empty() && run.this_drive) {
    throw Error(ExitStatus::incomplete,
                fmt::format("{}: no published model is of this very drive ({}); platter "
                            "characterize makes one",
                            device, matched.who));
  }
  if (matched.matches.empty()) {
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: no published model is of {} or has its block size; platter "
                            "characterize makes one",
                            device, matched.who));
  }
  if (matched.matches.front().closeness != registry::Closeness::same_drive) {
    model::say(
        "platter: no model is of this very drive ({}); another drive of one product has "
        "other zones and defects\n",
        matched.who);
  }
}

std::vector<registry_remote::Pushed> push(const PushRun& run) {
  // push REF REMOTE; push --all REMOTE
  const bool one = !run.all;
  if (one != !run.remote.empty())
    throw Error(ExitStatus::usage, one ? "push needs a model and a remote, or --all and a remote"
                                       : "push --all takes a remote alone; leave the model out");
  const registry_remote::Remote remote = registry_remote::remote(run.store,
                                                                 one ? run.remote : run.reference);
  if (!one && !run.sign.empty())
    throw Error(
        ExitStatus::usage,
        "--sign signs one model, and --all pushes many; sign them by platter registry sign");
  std::vector<registry_remote::Pushed> pushed;
  if (one) {
    const std::string& reference = run.reference;
    if (!run.sign.empty())
      registry_trust::sign(run.store, reference, remote.place,
                           registry_trust::open_private_key(run.sign, say));
    pushed.push_back(registry_remote::push(run.store, reference, remote));
  } else {
    pushed = registry_remote::push_all(run.store, remote);
  }
  return pushed;
}

registry::Query RegistrySearch::query() const {
  using registry::Figure;
  registry::Query query{.words = words,
                        .vendor = vendor,
                        .product = product,
                        .revision = revision,
                        .form_factor = form_factor,
                        .method = method};
  query.capacity = range(Figure::capacity, capacity, "--capacity");
  query.rpm = range(Figure::rpm, rpm, "--rpm");
  query.block_size = range(Figure::block_size, block_size, "--block-size");
  if (!date.empty()) query.date = registry::parse_dates(date, "--date");
  for (const std::string& text : demerits)
    query.demerits.push_back(registry::parse_demerit(text, "--demerit"));
  for (const std::string& text : annotations)
    query.annotations.push_back(registry::parse_annotation(text, "--annotation"));
  if (!quality.empty()) query.annotations.emplace_back(registry::kQualityKey, quality);
  query.limit = limit;
  query.only_local = only_local;
  return query;
}

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
