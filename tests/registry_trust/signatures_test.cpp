#include "registry/trust/signatures.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "catch.h"
#include "model/error.h"
#include "registry/oci.h"
#include "registry/reference.h"
#include "tests/registry/registry_folder.h"
#include "tests/registry_trust/keys_on_disk.h"

namespace platter::registry_trust {
namespace {

using registry::RegistryFolder;

NamedKey named(const KeysOnDisk& keys, const std::string& name) {
  const std::string path = keys.folder() + "/" + name + ".pub";
  return {name, public_key_of(model::read_file(path), path)};
}

void none(const std::string& /*sentence*/) {}

std::string digest(char digit) { return "sha256:" + std::string(64, digit); }

}  // namespace

// holds: registry.md: a signature is of one digest
TEST_CASE("a signature is of one digest and one key") {
  const KeysOnDisk keys;
  const PrivateKey mine = open_private_key(keys.make("mine"), none);
  keys.make("other");
  const NamedKey known = named(keys, "mine"), stranger = named(keys, "other");
  const registry::Signature good = signature_of(digest('a'), "example.org/drives", mine);

  CHECK(signed_by(digest('a'), {good}, {stranger, known}).sentence() == "signed by mine");
  CHECK(signed_by(digest('a'), {good}, {stranger}).sentence() == "signed by an unknown key");
  CHECK(signed_by(digest('a'), {}, {known}).sentence() == "unsigned");
  CHECK(signed_by(digest('b'), {good}, {known}).sentence() ==
        "unsigned: what is there is a signature of another digest");

  registry::Signature changed = good;
  changed.payload.replace(changed.payload.find("example"), 7, "elsewhr");
  CHECK_FALSE(signed_by(digest('a'), {changed}, {known}).known());
  changed = good;
  changed.base64[20] = changed.base64[20] == 'A' ? 'B' : 'A';
  CHECK_FALSE(signed_by(digest('a'), {changed}, {known}).known());
  changed.base64 = "AAAA";
  CHECK_FALSE(signed_by(digest('a'), {changed}, {known}).known());

  // signed by the right key, but no statement about a manifest
  const std::string type = R"({"critical":{"image":{"docker-manifest-digest":")" + digest('a') +
                           R"("},"type":"other"}})";
  for (const std::string& payload : {type, std::string("no JSON"), std::string("{}")})
    CHECK_FALSE(signed_by(digest('a'), {{payload, mine.sign(payload)}}, {known}).known());
}

TEST_CASE("a key is ECDSA over P-256 in PEM, and an encrypted one needs its passphrase") {
  const KeysOnDisk keys;
  const std::string other_curve = keys.make("other", "P-384");
  CHECK_THROWS_WITH(open_private_key(other_curve, none),
                    Catch::Contains("not of ECDSA over P-256"));
  CHECK_THROWS_WITH(named(keys, "other"), Catch::Contains("not of ECDSA over P-256"));
  model::write_file(keys.folder() + "/cosign.key",
                    "-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED "
                    "SIGSTORE PRIVATE KEY-----\n");
  CHECK_THROWS_WITH(open_private_key(keys.folder() + "/cosign.key", none),
                    Catch::Contains("cosign's own form"));
  CHECK_THROWS_WITH(public_key_of("nothing", "k"), Catch::Contains("k: is no public key in PEM"));

  const std::string encrypted = keys.make("secret", "P-256", "open sesame");
  ::setenv("PLATTER_KEY_PASSPHRASE", "open sesame", 1);
  CHECK(open_private_key(encrypted, none).public_key() == named(keys, "secret").key);
  ::setenv("PLATTER_KEY_PASSPHRASE", "wrong", 1);
  CHECK_THROWS_WITH(open_private_key(encrypted, none),
                    Catch::Contains("its passphrase is another"));
  ::unsetenv("PLATTER_KEY_PASSPHRASE");
}

TEST_CASE("two people sign one entry, each once, and its digest stays") {
  const KeysOnDisk keys;
  const PrivateKey one = open_private_key(keys.make("one"), none),
                   two = open_private_key(keys.make("two"), none);
  const RegistryFolder folder;
  const auto published = folder.publish(registry::small_model("S1"));
  CHECK(sign(folder.store(), published.reference, "", one).added);
  CHECK_FALSE(sign(folder.store(), published.reference, "", one).added);
  CHECK(sign(folder.store(), published.reference, "", two).added);

  const auto found = registry::find(folder.store(), published.reference);
  CHECK(found.descriptor.digest == published.digest);
  const auto signatures = signatures_in(found.layout, published.digest);
  CHECK(signatures.size() == 2);
  CHECK(signed_by(published.digest, signatures, {named(keys, "one"), named(keys, "two")})
            .sentence() == "signed by one and two");
}

// holds: registry.md: a name of a key
TEST_CASE("trusted keys are kept by name, and a name keeps its key") {
  const KeysOnDisk keys;
  keys.make("one");
  keys.make("two");
  const std::string folder = keys.folder() + "/trust";
  trust_key("me", keys.folder() + "/one.pub", folder);
  trust_key("me", keys.folder() + "/one.pub", folder);
  CHECK_THROWS_WITH(trust_key("me", keys.folder() + "/two.pub", folder),
                    Catch::Contains("another key"));
  CHECK_THROWS_WITH(trust_key("you", keys.folder() + "/one.pem", folder),
                    Catch::Contains("no public key"));
  CHECK_THROWS_WITH(trust_key("../you", keys.folder() + "/one.pub", folder),
                    Catch::Contains("no name"));
  REQUIRE(trusted_keys(none, folder).size() == 1);
  CHECK(trusted_keys(none, folder).front().key == named(keys, "one").key);
  forget_key("me", folder);
  CHECK(trusted_keys(none, folder).empty());
  CHECK_THROWS_WITH(forget_key("me", folder), Catch::Contains("is no trusted key"));
}

// holds: registry.md: a stray file
TEST_CASE("what is no key in the trust folder is passed over, and told") {
  const KeysOnDisk keys;
  keys.make("one");
  const std::string folder = keys.folder() + "/trust";
  trust_key("me", keys.folder() + "/one.pub", folder);
  model::write_file(folder + "/stray.pub", "no key");
  model::write_file(folder + "/notes.txt", "");
  std::filesystem::create_directory(folder + "/folder.pub");
  std::filesystem::create_symlink("nowhere", folder + "/gone.pub");
  std::vector<std::string> told;
  const auto found = trusted_keys([&](const std::string& one) { told.push_back(one); }, folder);
  REQUIRE(found.size() == 1);
  CHECK(found.front().name == "me");
  REQUIRE(told.size() == 4);
  for (const std::string& one : told) CHECK(one.ends_with("; it is passed over"));
  CHECK(told.back().find("/stray.pub: is no public key") != std::string::npos);
  CHECK_THROWS_AS(trust_key("stray", keys.folder() + "/one.pub", folder), Error);
  forget_key("stray", folder);
}

// holds: registry.md: keys and folders of keys
TEST_CASE("a trust folder or key that others may write is refused, and what platter makes is not") {
  const KeysOnDisk keys;
  keys.make("one");
  const std::string folder = keys.folder() + "/trust";
  const mode_t before = ::umask(0);
  trust_key("me", keys.folder() + "/one.pub", folder);
  ::umask(before);
  CHECK(trusted_keys(none, folder).size() == 1);
  // Where this user is not root his group may be his alone (own_alone_test.cpp).
  constexpr gid_t kNobodys = 54321;
  const bool has_group = ::chown(folder.c_str(), ::geteuid(), kNobodys) == 0;
  for (const mode_t mode : {0777U, 0770U, 01777U}) {
    if (mode == 0770U && !has_group) continue;
    ::chmod(folder.c_str(), mode);
    CHECK_THROWS_WITH(trusted_keys(none, folder), Catch::Contains(folder + ": may be written"));
    CHECK_THROWS_WITH(trust_key("you", keys.folder() + "/one.pub", folder),
                      Catch::Contains("chmod go-w"));
    CHECK_THROWS_WITH(forget_key("me", folder), Catch::Contains("chmod go-w"));
  }
  ::chmod(folder.c_str(), 0700);
  ::chmod((folder + "/me.pub").c_str(), 0666);
  CHECK_THROWS_WITH(trusted_keys(none, folder), Catch::Contains("me.pub: may be written"));
}

// holds: registry.md: keys and folders of keys
TEST_CASE("a private key that others may write is refused, and one that they may read is told") {
  const KeysOnDisk keys;
  const std::string mine = keys.make("mine");
  std::vector<std::string> told;
  const Notice notice = [&](const std::string& one) { told.push_back(one); };
  ::chmod(mine.c_str(), 0600);
  CHECK_NOTHROW(open_private_key(mine, notice));
  CHECK(told.empty());
  ::chmod(mine.c_str(), 0644);
  CHECK_NOTHROW(open_private_key(mine, notice));
  REQUIRE(told.size() == 1);
  CHECK(told.front().find("may be read by everybody") != std::string::npos);
  ::chmod(mine.c_str(), 0602);
  for (const std::string& name : {mine, "file:" + mine, "FILE://localhost" + mine})
    CHECK_THROWS_WITH(open_private_key(name, notice), Catch::Contains("may be written"));
}

}  // namespace platter::registry_trust
