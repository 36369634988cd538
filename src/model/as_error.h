// What a library threw, as the sentence and the status that reach a person.
#pragma once

#include <exception>

#include "model/error.h"

namespace platter::model {

// An Error is itself. Of std::filesystem: Error(permission) for what may not be touched,
// Error(output) where there is no room or nothing may be written, else Error(bad_input) with the
// path. Of the JSON library: Error(bad_input). All else is Error(internal).
Error as_error(const std::exception& thrown);

}  // namespace platter::model
