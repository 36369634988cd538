// What of a remote skopeo is asked for. Credentials, TLS, proxies and retries are skopeo's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/remote/remotes.h"

namespace platter::registry_remote {

// All throw Error(missing_program) where there is no skopeo, Error(output) with what skopeo says
// where it fails. It works in layouts that nobody else knows.
class Skopeo {
 public:
  explicit Skopeo(Remote remote);

  // None for a repository that is not there yet.
  std::vector<std::string> tags() const;
  // The manifest under a tag, byte for byte; nothing where there is no such tag.
  std::optional<std::string> manifest(const std::string& tag) const;
  // Into the image layout in `folder`, under `as`; what lies there already is not fetched again.
  // False where there is no such tag.
  bool fetch(const std::string& tag, const std::string& folder, const std::string& as) const;
  // What sentences call it: REMOTE/TAG.
  std::string reference(const std::string& tag) const { return remote_.name + "/" + tag; }
  void send(const std::string& folder, const std::string& as, const std::string& tag) const;

 private:
  struct Said {
    std::optional<std::string> trouble;  // a sentence
    bool absent = false;
    std::string output;
  };
  Said run(std::vector<std::string> words, const std::string& folder) const;
  [[noreturn]] void fail(const std::string& tag, const std::string& trouble) const;
  std::string at(const std::string& tag) const;

  Remote remote_;
  std::string program_;
};

// The message of skopeo's last complaint, in one line.
std::string complaint_in(const std::string& standard_error);

}  // namespace platter::registry_remote
