// Models that a registry has: found, and fetched with their digests checked.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "jobs/outputs.h"
#include "jobs/registry_folder.h"
#include "registry/entry.h"
#include "registry/match.h"
#include "registry/query.h"
#include "registry/reference.h"
#include "registry/remote/transfer.h"
#include "registry/search_index.h"
#include "registry/store.h"
#include "registry/trust/signatures.h"

namespace platter::jobs {

struct PullRun {
  RegistryFolder folder;
  std::string reference;     // also REMOTE/NAME.vN of a remote
  std::string output;        // the model's file; "": none
  std::string files_folder;  // of what went along; "": nothing is written of it
  bool require_signature = false;
  Outputs outputs;
};

// The model as it was published. Says by whom it is signed. Throws Error(refused) where a signature
// is required and no trusted key made one.
std::string pull(const PullRun& run);

// A registry that was named and is not there is an error; one that nobody has put anything into is
// empty.
registry::Found models_in(const RegistryFolder& folder, const registry::Query& query,
                          const std::function<void(const registry::Entry&)>& visit);

// What is looked for in a registry, as people type it.
struct RegistrySearch {
  std::vector<std::string> words, demerits, annotations;
  std::string vendor, product, revision, capacity, rpm, form_factor, block_size, method, date,
      quality;
  std::uint64_t limit = 0;
  bool only_local = false;

  registry::Query query() const;  // throws Error(usage) where a text is no range
};

// Models and signatures copied to a remote.
struct PushRun {
  registry::Store store;
  std::string reference, remote;  // with `all` the reference names the remote
  std::string sign;               // a private key that signs the model first; "": none
  bool all = false;               // every version of every drive
};

std::vector<registry_remote::Pushed> push(const PushRun& run);

// The models of a registry that fit an attached drive.
struct MatchRun {
  RegistryFolder folder;
  std::uint64_t most = 5;
  bool this_drive = false;  // only models of this very drive
};
struct Matched {
  std::string who;  // vendor and product of the drive
  std::vector<registry::Match> matches;
};

// The best first. Asks the drive by INQUIRY, READ CAPACITY and what VPD page B1h or mode page 04h
// says of the speed.
Matched match_drive(const MatchRun& run, const std::string& device);
// Once that is told: says where no model is of this very drive. Throws Error(incomplete, bad_input)
// where there is none at all.
void require_match(const MatchRun& run, const std::string& device, const Matched& matched);

// Who signed an entry, by the keys that the user trusts and those of the remotes.
class Signers {
 public:
  // Says what of the trusted keys is passed over, and which remotes' keys count for nothing.
  explicit Signers(const registry::Store& store);

  // That count for what a remote has: its own and the trusted ones.
  const std::vector<registry_trust::NamedKey>& keys_of(const std::string& remote) const;

  registry_trust::SignedBy of(const registry::Entry& entry) const;
  registry_trust::SignedBy of(const registry::Published& published) const;

 private:
  std::vector<registry_trust::NamedKey> trusted_, here_;  // here_: with those of all remotes
  std::map<std::string, std::vector<registry_trust::NamedKey>> of_remotes_;  // the trusted ones,
                                                                             // too
};

}  // namespace platter::jobs
