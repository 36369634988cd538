#include "registry/remote/curate.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "model/json_text.h"
#include "model/strict_json.h"
#include "registry/digest.h"
#include "registry/remote/walk.h"
#include "registry/trust/signatures.h"

namespace platter::registry_remote {
namespace {

constexpr const char* kSchema = "platter-written-index";

std::string folder_of(const registry::Store& store) { return store.folder() + "/curated"; }

std::string path_of(const registry::Store& store, const std::string& place) {
  return written_store(store, place).folder() + ".json";
}

WrittenIndex read_record(const nlohmann::ordered_json& json, const std::string& place) {
  const WrittenIndex written{
      json.at("given").get<std::uint64_t>(),
      {json.at("sent").get<std::uint64_t>(), json.at("digest").get<std::string>()}};
  const bool sound = model::is_known(json, kSchema) && json.at("place") == place &&
                     written.sent.number <= written.given && written.given <= kLargestNumber &&
                     registry::is_digest(written.sent.digest) == (written.sent.number > 0);
  if (!sound) throw Error(ExitStatus::bad_input, "");
  return written;
}

using registry::Entry;
using registry::Store;

// The remote as its curator sees it: what he did not sign counts for nothing, also where the remote
// was added without a key.
Remote signed_by_key(const Remote& remote, const registry_trust::PrivateKey& key) {
  for (const auto& own : remote.key()) {
    if (!(own.key == key.public_key()))
      throw Error(ExitStatus::refused,
                  fmt::format("{}: the key is not that of the remote, and nobody who has the "
                              "remote's would take the "
                              "index; add the remote again with the public key that belongs to it",
                              index_name(remote)));
  }
  Remote own = remote;
  own.key_pem = key.public_key().pem();
  return own;
}

// By refreshes of this folder; where the remote has no key they saw what anybody may have written.
std::optional<Index> refreshed_index(const Store& kept, const Remote& remote) {
  return remote.key_pem.empty() ? std::nullopt : kept_index(kept, remote);
}

Seen last_seen(const std::optional<Index>& refreshed, const Seen& sent) {
  if (!refreshed || refreshed->number <= sent.number) return sent;
  return {refreshed->number, refreshed->descriptor.digest};
}

// Whatever is refused is replaced by the next one.
std::optional<Index> last_index(const Skopeo& skopeo, const Remote& own, const Seen& seen,
                                const WorkingLayout& work, const Announce& announce) {
  try {
    auto index = fetch_index(skopeo, own, seen, work);
    if (!index && seen.number > 0)
      announce(fmt::format("{}: is gone, and had the number {}; a new index takes its place",
                           index_name(own), seen.number));
    return index;
  } catch (const Error& error) {
    if (error.status() != ExitStatus::refused && error.status() != ExitStatus::bad_input) throw;
    announce(fmt::format("{}; a new index takes its place", error.what()));
    return std::nullopt;
  }
}

std::uint64_t next_number(const Remote& remote, std::uint64_t written, std::uint64_t signed_there,
                          std::uint64_t least, const Announce& announce) {
  const std::uint64_t next = 1 + std::max({written, signed_there, least});
  if (next > kLargestNumber)
    throw Error(ExitStatus::refused,
                fmt::format("{}: its numbers are used up, {} is the largest; make a new key, and "
                            "have everybody remove the remote and add it again with that",
                            index_name(remote), kLargestNumber));
  const std::string told = unusual_step(remote, written, next);
  if (!told.empty()) announce(told);
  return next;
}

// First the number is taken, so that no other index ever gets it, then the index goes.
void send_index(const Store& store, const Skopeo& skopeo, const Remote& remote,
                const WorkingLayout& work, const Index& index, WrittenIndex written,
                const registry_trust::PrivateKey& key) {
  const std::string& digest = index.descriptor.digest;
  registry_trust::add_signatures(work.store(), registry::Lock(work.store()), kIndexTag, digest,
                                 {registry_trust::signature_of(digest, remote.place, key)});
  const std::string signatures = registry::signatures_tag(digest);
  written.given = index.number;
  keep_written_index(store, remote.place, written);
  skopeo.send(work.folder(), signatures, signatures);  // first: an index without it is refused
  skopeo.send(work.folder(), kIndexTag, kIndexTag);
  keep_index(written_store(store, remote.place), index, work);
  written.sent = {index.number, digest};
  keep_written_index(store, remote.place, written);
}

// Tags never move, also for who hides the index and would have them asked anew: where it is not
// there, the one that this curator wrote counts, or that a refresh has seen.
std::vector<Entry> entries_here(const Store& kept, const std::optional<Index>& refreshed,
                                const Store& own, const Seen& sent, const Remote& remote) {
  const auto written = kept_index(own, remote);
  if (written && written->descriptor.digest == sent.digest &&
      (!refreshed || refreshed->number <= written->number))
    return entries_of_all(own.layout(kIndexTag), *written, remote);
  if (refreshed) return entries_of_all(kept.layout(kIndexTag), *refreshed, remote);
  return {};
}

}  // namespace

registry::Store written_store(const registry::Store& store, const std::string& place) {
  return registry::Store(
      fmt::format("{}/{}", folder_of(store), registry::hex_of(registry::digest_of(place))));
}

WrittenIndex written_index(const registry::Store& store, const std::string& place) {
  const std::string path = path_of(store, place);
  if (!model::is_there(path)) return {};
  const std::string text = model::read_file(path);
  try {
    return read_record(model::parse_strictly<nlohmann::ordered_json>(text, path), place);
  } catch (const std::exception&) {
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: does not say which index was written last; put back a copy, or "
                            "delete it and give the highest number that users have seen by --above",
                            path));
  }
}

void keep_written_index(const registry::Store& store, const std::string& place,
                        const WrittenIndex& written) {
  registry::create_folder(folder_of(store));
  nlohmann::ordered_json json = model::json_head(kSchema);
  json["place"] = place;
  json["given"] = written.given;
  json["sent"] = written.sent.number;
  json["digest"] = written.sent.digest;
  model::write_file(path_of(store, place),
                    model::json_text(json, model::JsonForm::indented) + "\n");
}

Indexed write_index(const Store& store, const Remote& remote, const registry_trust::PrivateKey& key,
                    const std::string& date, std::uint64_t least, const Announce& announce) {
  const Remote own = signed_by_key(remote, key);
  const Skopeo skopeo(remote);
  const Store kept = kept_store(store, remote);
  const Store mine = written_store(store, remote.place);
  const registry::Lock lock(kept), of_place(mine);  // two remotes may be one repository
  const auto before = refreshed_index(kept, remote);
  const WrittenIndex written = written_index(store, remote.place);
  const Seen seen = last_seen(before, written.sent);
  const WorkingLayout last(kIndexTag), next(kIndexTag);
  offer_kept_blobs(kept, before, last);
  const auto there = last_index(skopeo, own, seen, last, announce);
  const Walk walked = walk(skopeo, remote,
                           there ? entries_of_all(last.layout(), *there, remote)
                                 : entries_here(kept, before, mine, written.sent, remote),
                           announce);
  Indexed done{0, {}, walked.entries.size(), walked.added, walked.gone, walked.problems};
  Index index = put_parts(next, walked.entries);
  if (there && least == 0 && changed_parts(index, there).empty()) {
    done.number = there->number;
    done.digest = there->descriptor.digest;
    if (there->number > written.sent.number) {  // he wrote it elsewhere
      keep_index(mine, *there, last);
      keep_written_index(store, remote.place,
                         {std::max(written.given, done.number), {done.number, done.digest}});
    }
    return done;
  }
  finish_index(next, index,
               next_number(remote, std::max(written.given, seen.number), there ? there->number : 0,
                           least, announce),
               date);
  send_index(store, skopeo, remote, next, index, written, key);
  done.number = index.number;
  done.digest = index.descriptor.digest;
  return done;
}

}  // namespace platter::registry_remote
