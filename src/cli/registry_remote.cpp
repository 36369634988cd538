#include <fmt/chrono.h>
#include <fmt/core.h>

#include <ctime>
#include <memory>
#include <string>

#include "cli/subcommands.h"
#include "jobs/registry_pull.h"
#include "model/file.h"
#include "model/printable.h"
#include "registry/remote/curate.h"

namespace platter::cli {
namespace {

struct RemoteOptions {
  jobs::RegistryFolder folder;
  std::string name, url, reference, key, sign;
  std::uint64_t above = 0;
  bool all = false, require_signature = false, plain_http = false, json = false;

  registry::Store store() const { return folder.store(); }
};

void add_remote(const RemoteOptions& options) {
  registry_remote::Remote added{.name = options.name,
                                .place = registry_remote::place_of(options.url),
                                .key_pem = {},
                                .require_signature = options.require_signature,
                                .plain_http = options.plain_http};
  if (!options.key.empty()) {
    added.key_pem = registry_trust::public_key_of(model::read_file(options.key), options.key).pem();
  }
  registry_remote::add_remote(options.store(), added);
}

void list_remotes(const RemoteOptions& options) {
  nlohmann::ordered_json remotes = nlohmann::ordered_json::array();
  for (const auto& one : registry_remote::remotes(options.store())) {
    if (!options.json) {
      fmt::print("{:<20} oci://{}{}{}\n", one.name, one.place,
                 one.key_pem.empty() ? "  without a key" : "",
                 one.require_signature ? "  signatures required" : "");
    }
    remotes.push_back({{"name", one.name},
                       {"place", "oci://" + one.place},
                       {"key", one.key_pem},
                       {"require_signature", one.require_signature},
                       {"plain_http", one.plain_http}});
  }
  if (options.json) print_json("platter-registry-remotes", {{"remotes", remotes}});
}

void push(const RemoteOptions& options) {
  const auto pushed = jobs::push({.store = options.store(),
                                  .reference = options.reference,
                                  .remote = options.name,
                                  .sign = options.sign,
                                  .all = options.all});
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  for (const auto& each : pushed) {
    entries.push_back({{"reference", each.reference},
                       {"digest", each.digest},
                       {"sent", each.sent},
                       {"signatures_sent", each.signatures_sent}});
    if (options.json) continue;
    fmt::print("{}  {}{}\n", each.reference, each.sent ? "sent" : "was there",
               each.signatures_sent ? ", signatures sent" : "");
  }
  if (options.json) print_json("platter-registry-push", {{"entries", entries}});
}

void refresh(const RemoteOptions& options) {
  const registry::Store store = options.store();
  const auto remote = registry_remote::remote(store, options.name);
  const auto done = registry_remote::refresh(store, remote, jobs::say);
  for (const std::string& problem : done.problems) jobs::say(problem);
  if (!done.verified)
    jobs::say(fmt::format("{} was added without a key: nobody vouches for what {}", remote.name,
                          done.number == 0
                              ? "its tags say, and it has no index (platter registry index)"
                              : "its index says"));
  if (options.json) {
    return print_json("platter-registry-refresh", {{"remote", remote.name},
                                                   {"number", done.number},
                                                   {"date", done.date},
                                                   {"entries", done.entries},
                                                   {"changed_parts", done.changed_parts},
                                                   {"fetched_bytes", done.fetched_bytes},
                                                   {"verified", done.verified},
                                                   {"problems", done.problems}});
  }
  fmt::print("{}: {} models", remote.name, done.entries);
  if (done.number > 0)
    fmt::print(", index {} of {}, {} of 16 parts were new", done.number,
               model::printable(done.date), done.changed_parts);
  fmt::print("\n");
}

// In RFC 3339, as annotations of OCI have it.
std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

void write_index(const RemoteOptions& options) {
  const registry::Store store = options.store();
  const auto remote = registry_remote::remote(store, options.name);
  const auto done = registry_remote::write_index(
      store, remote, registry_trust::open_private_key(options.key, jobs::say), now(), options.above,
      jobs::say);
  for (const std::string& problem : done.problems) jobs::say(problem);
  if (options.json) {
    return print_json("platter-registry-remote-index", {{"remote", remote.name},
                                                        {"number", done.number},
                                                        {"digest", done.digest},
                                                        {"entries", done.entries},
                                                        {"added", done.added},
                                                        {"gone", done.gone},
                                                        {"problems", done.problems}});
  }
  fmt::print("{}: index {} of {} models, {} new, {} gone\n{}\n", remote.name, done.number,
             done.entries, done.added, done.gone, done.digest);
}

}  // namespace

void add_registry_remote(CLI::App& registry) {
  auto options = std::make_shared<RemoteOptions>();
  const auto verb = [&](CLI::App& under, const char* name, const char* what,
                        void (*run)(const RemoteOptions&)) {
    CLI::App* added = under.add_subcommand(name, what);
    add_registry_option(*added, options->folder);
    added->callback([options, run] { run(*options); });
    return added;
  };
  CLI::App* remote = registry.add_subcommand("remote", "the registries that models come from");
  remote->require_subcommand(1);
  CLI::App* add = verb(*remote, "add", "names a repository of an OCI registry", add_remote);
  add->add_option("NAME", options->name, "how it is called here")->required();
  add->add_option("URL", options->url, "oci://HOST[:PORT]/repository")->required();
  add->add_option("--key", options->key, "its curator's public key in PEM");
  add->add_flag("--require-signature", options->require_signature,
                "pull nothing from it that no trusted key has signed");
  add->add_flag("--plain-http", options->plain_http, "without TLS");
  CLI::App* list = verb(*remote, "list", "every remote", list_remotes);
  add_json(*list, options->json, kAsJson);
  CLI::App* remove = verb(*remote, "remove", "forgets a remote and what was fetched of its index",
                          [](const RemoteOptions& chosen) {
                            registry_remote::remove_remote(chosen.store(), chosen.name);
                          });
  remove->add_option("NAME", options->name, "as it was added")->required();

  CLI::App* refreshing = verb(registry, "refresh", "fetches what changed of a remote's index",
                              refresh);
  refreshing->add_option("REMOTE", options->name, "as it was added")->required();
  add_json(*refreshing, options->json, kAsJson);
  CLI::App* indexing = verb(registry, "index", "its curator's: writes and signs a remote's index",
                            write_index);
  indexing->add_option("REMOTE", options->name, "as it was added")->required();
  indexing->add_option("--key", options->key, "the private key (see sign)")->required();
  indexing
      ->add_option("--above", options->above,
                   "a number that was seen elsewhere: the new one is higher")
      ->check(CLI::Range(std::uint64_t{0}, registry_remote::kLargestNumber - 1));
  add_json(*indexing, options->json, kAsJson);

  CLI::App* pushing = verb(registry, "push", "copies models and signatures to a remote", push);
  pushing->add_option("REF", options->reference, "DRIVE or DRIVE:vN; with --all the remote")
      ->required();
  pushing->add_option("REMOTE", options->name, "as it was added");
  pushing->add_flag("--all", options->all, "every version of every drive");
  pushing->add_option("--sign", options->sign, "first sign it by this private key (see sign)");
  add_json(*pushing, options->json, kAsJson);
}

}  // namespace platter::cli
