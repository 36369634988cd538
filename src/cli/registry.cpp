#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/streams.h"
#include "cli/subcommands.h"
#include "jobs/registry_pull.h"
#include "model/error.h"
#include "model/json_text.h"
#include "model/printable.h"
#include "registry/annotations.h"
#include "registry/pull.h"
#include "registry/search_index.h"
#include "registry/verify.h"
#include "report/model_summary.h"

namespace platter::cli {
namespace {

using Json = nlohmann::ordered_json;

struct RegistryOptions {
  jobs::PullRun pull;  // folder and reference are of all verbs
  jobs::RegistrySearch search;
  bool json = false;

  registry::Store store() const { return pull.folder.store(); }
};

void notice(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) jobs::say(sentence);
}

Json as_json(const registry::Entry& entry, const jobs::Signers& signers) {
  const registry_trust::SignedBy by = signers.of(entry);
  return {{"reference", entry.reference()},
          {"drive", entry.drive},
          {"tag", entry.tag},
          {"latest", entry.latest},
          {"digest", entry.digest},
          {"annotations", entry.annotations},
          {"files", entry.files},
          {"signature", by.sentence()},
          {"signed_by", by.names}};
}

double gigabytes(const registry::Entry& entry) {
  const std::string blocks = entry.annotation("vnd.platter.blocks");
  const std::string bytes = entry.annotation("vnd.platter.block_bytes");
  return std::strtod(blocks.c_str(), nullptr) * std::strtod(bytes.c_str(), nullptr) / 1e9;
}

// Indented as nlohmann's dump() does a member's members.
std::string indented(const Json& json, const std::string& by) {
  std::string text;
  for (const char c : model::json_text(json, model::JsonForm::indented)) {
    text += c;
    if (c == '\n') text += by;
  }
  return text;
}

// One after the other: a registry may have more of them than one would hold in memory.
void list_as_json(const RegistryOptions& options) {
  const jobs::Signers signers(options.store());
  bool first = true;
  const auto begin = [&] {
    Json head = model::json_head("platter-registry-list");
    const std::string text = model::json_text(head, model::JsonForm::indented);
    fmt::print("{},\n  \"models\": [", text.substr(0, text.size() - 2));
  };
  const registry::Found found = jobs::models_in(
      options.pull.folder, options.search.query(), [&](const registry::Entry& entry) {
        if (first) begin();
        fmt::print("{}\n    {}", first ? "" : ",", indented(as_json(entry, signers), "    "));
        first = false;
      });
  notice(found.problems);
  if (first) begin();
  fmt::print("{}],\n  \"problems\": {},\n  \"more\": {}\n}}\n", first ? "" : "\n  ",
             indented(found.problems, "  "), found.more);
}

void list(const RegistryOptions& options) {
  if (options.json) return list_as_json(options);
  const jobs::Signers signers(options.store());
  const registry::Found found = jobs::models_in(
      options.pull.folder, options.search.query(), [&](const registry::Entry& entry) {
        const auto said = [&](const char* key) { return model::printable(entry.annotation(key)); };
        const std::string standing = said("vnd.platter.standing");
        fmt::print("{:<48} {:>9.3f} GB {:>8} rpm  {:<13} {:<9} {:<20}  {}{}\n",
                   model::printable(entry.reference()), gigabytes(entry), said("vnd.platter.rpm"),
                   standing.empty() ? said("vnd.platter.method") : standing,
                   said(registry::kQualityKey), said("org.opencontainers.image.created"),
                   signers.of(entry).sentence(), entry.latest ? ", latest" : "");
        for (const char* key : {"vnd.platter.remarks", "vnd.platter.forced"}) {
          const std::string remark = said(key);
          if (!remark.empty()) fmt::print("    {}\n", remark);
        }
      });
  notice(found.problems);
  if (found.more)
    notice({fmt::format("more models match; --limit {} shows that many", options.search.limit)});
}

void search(const RegistryOptions& options) {
  if (options.search.query().is_empty()) {
    throw Error(
        ExitStatus::usage,
        "registry search: nothing says what is looked for; give words, or an option such as "
        "--rpm 7200 (platter registry list shows all)");
  }
  list(options);
}

void show(const RegistryOptions& options) {
  const registry::Published published = registry::find(options.store(), options.pull.reference);
  const registry::Contents contents = registry::open(published);
  const registry_trust::SignedBy by = jobs::Signers(options.store()).of(published);
  if (options.json) {
    Json layers = Json::array();
    for (const registry::Descriptor& layer : contents.manifest.layers) {
      layers.push_back({{"title", layer.annotation(registry::kTitleKey)},
                        {"media_type", layer.media_type},
                        {"digest", layer.digest},
                        {"size", layer.size}});
    }
    return print_json("platter-registry-show", {{"reference", published.reference()},
                                                {"digest", published.descriptor.digest},
                                                {"layout", published.layout.folder()},
                                                {"signature", by.sentence()},
                                                {"signed_by", by.names},
                                                {"annotations", contents.manifest.annotations},
                                                {"layers", layers}});
  }
  fmt::print("{}\n{}\n{}\n\n", published.reference(), published.descriptor.digest,
             model::printable(by.sentence()));
  for (const auto& [key, value] : contents.manifest.annotations)
    fmt::print("  {:<36} {}\n", model::printable(key), model::printable(value));
  fmt::print("\n");
  for (const registry::Descriptor& layer : contents.manifest.layers) {
    fmt::print("  {:<24} {:>10} bytes  {}\n",
               model::printable(layer.annotation(registry::kTitleKey)), layer.size,
               model::printable(layer.media_type));
  }
  fmt::print("\n{}", report::model_as_text(contents.model));
}

void pull(const RegistryOptions& options) {
  const std::string model = jobs::pull(options.pull);
  if (!options.pull.output.empty()) return;
  print_as_it_is();
  fmt::print("{}\n", model);
}

void verify(const RegistryOptions& options) {
  const registry::Store store = options.store();
  const registry::Verification found = options.pull.reference.empty()
                                           ? registry::verify(store)
                                           : registry::verify(store, options.pull.reference);
  if (options.json) {
    print_json("platter-registry-verification", {{"drives", found.drives},
                                                 {"models", found.models},
                                                 {"blobs", found.blobs},
                                                 {"findings", found.findings},
                                                 {"notices", found.notices}});
  } else {
    for (const std::string& finding : found.findings) fmt::print("{}\n", model::printable(finding));
    notice(found.notices);
  }
  if (!found.findings.empty()) {
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{}: has {} faults; publish the damaged models again, or delete what is "
                    "damaged and copy it back from a registry that has it",
                    store.folder(), found.findings.size()));
  }
  if (!options.json) {
    fmt::print("{} drives, {} models, {} blobs: all is well\n", found.drives, found.models,
               found.blobs);
  }
}

void rebuild_index(const RegistryOptions& options) {
  const registry::Store store = options.store();
  const std::size_t models = registry::rebuild_search_index(store);
  if (options.json) {
    return print_json("platter-registry-index",
                      {{"path", registry::search_index_path(store)}, {"models", models}});
  }
  fmt::print("{}: {} models\n", registry::search_index_path(store), models);
}

}  // namespace

void add_registry(CLI::App& app) {
  auto options = std::make_shared<RegistryOptions>();
  CLI::App* command = app.add_subcommand("registry", "what was published: find, fetch, check");
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* what, void (*run)(const RegistryOptions&)) {
    CLI::App* verb = command->add_subcommand(name, what);
    add_registry_option(*verb, options->pull.folder);
    verb->callback([options, run] { run(*options); });
    return verb;
  };
  const auto json = [&](CLI::App* verb) { add_json(*verb, options->json, kAsJson); };
  const char* const reference =
      "DRIVE, DRIVE:vN, DRIVE@sha256:... or sha256:..., or how only one begins";

  CLI::App* listing = add("list", "every model", list);
  listing->add_flag("--local", options->search.only_local, "only this folder, none of its remotes");
  json(listing);
  CLI::App* searching = add(
      "search", "models that hold all of the words and lie in all of the ranges", search);
  jobs::RegistrySearch& wanted = options->search;
  searching->add_option("WORDS", wanted.words,
                        "of names and annotations, in any case; or how a digest begins");
  const auto begins = "how it begins, in any case";
  searching->add_option("--vendor", wanted.vendor, begins);
  searching->add_option("--product", wanted.product, begins);
  searching->add_option("--revision", wanted.revision, begins);
  searching->add_option("--form-factor", wanted.form_factor, begins);
  searching->add_option("--method", wanted.method, "characterized, imported, derived, catalogue");
  searching->add_option("--quality", wanted.quality, "good, fair, unchecked or poor")
      ->check(CLI::IsMember({"good", "fair", "unchecked", "poor"}));
  searching->add_option("--capacity", wanted.capacity,
                        "nominal: 4T, '>=4T', '<500G', 4T..8T (k M G T P, KiB MiB GiB TiB)");
  searching->add_option("--rpm", wanted.rpm, "nominal: 7200, 15k, '>=10000', 5400..7200");
  searching->add_option("--block-size", wanted.block_size, "512, 4096, '>512'");
  searching->add_option("--date", wanted.date,
                        "of the model: 2026, 2026-03..2026-05, '>=2026-03-15'");
  searching
      ->add_option("--demerit", wanted.demerits, "WORKLOAD:RANGE, as 'random:<2%'; all of them")
      ->allow_extra_args(false);
  searching->add_option("--annotation", wanted.annotations, "KEY=VALUE, exactly; all of them")
      ->allow_extra_args(false);
  searching->add_option("--limit", wanted.limit, "show at most so many")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  searching->add_flag("--local", wanted.only_local, "only this folder, none of its remotes");
  json(searching);
  CLI::App* showing = add("show", "what was published, and the model in words", show);
  showing->add_option("REF", options->pull.reference, reference)->required();
  json(showing);
  CLI::App* pulling = add("pull", "fetches a model, its digests checked", pull);
  pulling->add_option("REF", options->pull.reference, "as for show; REMOTE/NAME.vN of a remote")
      ->required();
  pulling->add_flag("--require-signature", options->pull.require_signature,
                    "refuse what no trusted key has signed");
  pulling
      ->add_option("-o,--output", options->pull.output, "the model file to write (else: to stdout)")
      ->check(named_for(Written::json));
  pulling
      ->add_option("--files", options->pull.files_folder,
                   "also write what went along into this folder")
      ->check(named_for(Written::folder));
  add_force(*pulling, options->pull.outputs);
  CLI::App* verifying = add("verify", "checks every digest, size and model", verify);
  verifying->add_option("REF", options->pull.reference, "only this model");
  json(verifying);
  add_registry_match(*command);
  add_registry_keep(*command);
  add_registry_site(*command);
  json(add("rebuild-index", "makes the index for searching anew", rebuild_index));
  add_registry_trust(*command);
  add_registry_remote(*command);
}

}  // namespace platter::cli
