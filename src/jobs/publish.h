// Models put into a registry, with what belongs to them.
#pragma once

#include <string>
#include <vector>

#include "registry/publish.h"
#include "registry/store.h"

namespace platter::jobs {

struct PublishRun {
  registry::Store store;
  std::vector<std::string> attached{};  // files that go along
  bool beside = false;                  // so does what lies beside each model under its name
  std::string samples{};                // the raw samples of the one model; "": none are named
  registry::PublishOptions publish{};
};

// `run`, with what all models of the call together ask for. Throws Error(usage).
PublishRun prepared_to_publish(PublishRun run, const std::vector<std::string>& models);

// One of them; what is remarked on it is said.
registry::Publication publish_one(const PublishRun& run, const std::string& path);

}  // namespace platter::jobs
