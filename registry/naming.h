// Under which name a registry keeps a drive.
#pragma once

#include <string>

#include "model/drive_model.h"
#include "registry/store.h"

namespace platter::registry {

// The name of this very drive's layout, whether it is there yet or not. Two drives may get the same
// name in letters: the second gets a few digits of its identity. `run`: run_without_number(). For a
// writer, who holds the lock.
std::string name_in(const Store& store, const model::Identity& identity,
                    const std::string& run = "");

// What a manifest says of its drive (drive_identity()); nothing where the manifest is damaged,
// which publishing it again is about to mend.
std::string identity_in(const Layout& layout, const Descriptor& descriptor);

}  // namespace platter::registry
