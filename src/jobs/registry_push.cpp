#include "jobs/registry_push.h"

#include "jobs/registry_folder.h"
#include "model/error.h"
#include "registry/trust/signatures.h"

namespace platter::jobs {

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

}  // namespace platter::jobs
