#include <fmt/core.h>

#include <memory>
#include <string>

#include "cli/subcommands.h"
#include "registry/trust/signatures.h"

namespace platter::cli {
namespace {

struct TrustOptions {
  jobs::RegistryFolder folder;
  std::string reference, key, name;
  bool json = false;
};

void sign_entry(const TrustOptions& options) {
  const auto done = registry_trust::sign(options.folder.store(), options.reference, "",
                                         registry_trust::open_private_key(options.key, jobs::say));
  if (options.json) {
    return print_json(
        "platter-registry-signing",
        {{"reference", done.reference}, {"digest", done.digest}, {"added", done.added}});
  }
  fmt::print("{}\n{}\n", done.reference, done.digest);
  if (!done.added) fmt::print("was signed by this key before\n");
}

void list_keys(const TrustOptions& options) {
  nlohmann::ordered_json keys = nlohmann::ordered_json::array();
  for (const auto& one : registry_trust::trusted_keys(jobs::say)) {
    if (!options.json) fmt::print("{}\n{}", one.name, one.key.pem());
    keys.push_back({{"name", one.name}, {"key", one.key.pem()}});
  }
  if (options.json) print_json("platter-registry-keys", {{"keys", keys}});
}

}  // namespace

void add_registry_trust(CLI::App& registry) {
  auto options = std::make_shared<TrustOptions>();
  CLI::App* sign = registry.add_subcommand("sign", "signs a model that is in the registry");
  sign->add_option("REF", options->reference, "DRIVE, DRIVE:vN, DRIVE@sha256:... or sha256:...")
      ->required();
  sign->add_option("--key", options->key,
                   "the private key: PEM, or a URI that OpenSSL opens (passphrase: asked, or "
                   "$PLATTER_KEY_PASSPHRASE)")
      ->required();
  add_registry_option(*sign, options->folder);
  add_json(*sign, options->json, kAsJson);
  sign->callback([options] { sign_entry(*options); });

  CLI::App* trust = registry.add_subcommand("trust", "the keys whose signatures count");
  trust->require_subcommand(1);
  CLI::App* add = trust->add_subcommand("add", "trusts a public key under a name");
  add->add_option("NAME", options->name, "how it is called when it has signed")->required();
  add->add_option("KEY", options->key, "the public key in PEM")->required();
  add->callback([options] { registry_trust::trust_key(options->name, options->key); });
  CLI::App* list = trust->add_subcommand("list", "every trusted key");
  add_json(*list, options->json, kAsJson);
  list->callback([options] { list_keys(*options); });
  CLI::App* remove = trust->add_subcommand("remove", "trusts a key no longer");
  remove->add_option("NAME", options->name, "as it was added")->required();
  remove->callback([options] { registry_trust::forget_key(options->name); });
}

}  // namespace platter::cli
