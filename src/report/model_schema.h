// The JSON Schema of a model file, derived from the fields that the model's writer and reader walk.
#pragma once

#include <string>

namespace platter::report {

// A document of JSON Schema's draft 2020-12, for models as platter writes them.
std::string model_schema();

}  // namespace platter::report
