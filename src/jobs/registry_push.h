// Models and signatures copied to a remote.
#pragma once

#include <string>
#include <vector>

#include "registry/remote/transfer.h"
#include "registry/store.h"

namespace platter::jobs {

struct PushRun {
  registry::Store store;
  std::string reference, remote;  // with `all` the reference names the remote
  std::string sign;               // a private key that signs the model first; "": none
  bool all = false;               // every version of every drive
};

std::vector<registry_remote::Pushed> push(const PushRun& run);

}  // namespace platter::jobs
