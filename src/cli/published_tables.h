// Lookup tables as the registry needs them: which format one has, and made again of its model.
#pragma once

#include "registry/attachments.h"
#include "registry/pull.h"

namespace platter::cli {

registry::Tables published_tables();

// Tables of another format than this platter writes, made again of the model; says so on standard
// error.
registry::MadeAgain tables_made_again(const registry::Contents& contents);

}  // namespace platter::cli
