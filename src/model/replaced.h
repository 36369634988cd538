#pragma once

#include <string>
#include <string_view>

namespace platter::model {

// Each `what` of a text, which is not empty, from its begin on; `with` is not looked at again.
std::string replaced(std::string_view text, std::string_view what, std::string_view with);

}  // namespace platter::model
