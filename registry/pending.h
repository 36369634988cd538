// Which drives' layouts may differ from the index for searching: DIR/pending/NAME is there, on
// stable storage, before a layout changes, and goes when the index says the same as the layout. So
// a writer may be killed, and the power may fail, at any moment: whoever searches reads just those
// layouts again.
#pragma once

#include <string>
#include <vector>

#include "registry/store.h"

namespace platter::registry {

// Throws Error(output): then the layout must stay as it is.
void mark_pending(const Store& store, const Lock& lock, const std::string& drive);
void clear_pending(const Store& store, const Lock& lock, const std::string& drive);

std::vector<std::string> pending_drives(const Store& store);

}  // namespace platter::registry
