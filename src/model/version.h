// The version of platter, for the JSON that it writes.
#pragma once

namespace platter::model {

constexpr const char* kToolVersion = PLATTER_VERSION;

}  // namespace platter::model
