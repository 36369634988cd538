// The folder in which the runs that keep this host quiet agree: a lock while one begins or ends, a
// lock that each holds for its life, a processor for each, and the journal of what they changed. In
// /run, which a new start of the machine empties, as that sets all of it anew. The kernel takes a
// run's locks away when it ends, however it does.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "model/descriptor.h"

namespace platter::host {

class RunsFolder {
 public:
  // `root` is prefixed to its path. Made with the first change, as far as this user may.
  explicit RunsFolder(const std::string& root);

  std::filesystem::path journal() const { return path_ / "host.journal"; }
  const std::filesystem::path& path() const { return path_; }

  // Held while the host is changed or put back: waits for others, which take milliseconds. No
  // descriptor: this folder cannot be used.
  model::Descriptor begin_change() const;
  // As long as it is held, this run counts.
  model::Descriptor join() const;
  // Whether no other run counts now; to be asked inside of a change.
  bool nobody_measures() const;
  // Of these the first that no other run has. It goes with the descriptor.
  struct Processor {
    int number = 0;
    model::Descriptor held;
  };
  std::optional<Processor> take_processor() const;

 private:
  model::Descriptor locked(const std::string& name, int how) const;

  std::filesystem::path path_;
};

}  // namespace platter::host
