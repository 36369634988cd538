// What the ending of a file's name promises to other programs.
#pragma once

#include <string>
#include <string_view>

namespace platter::model {

struct Promise {
  std::string ending{};     // in small letters: ".json"
  std::string_view form{};  // "JSON", "gzip"; empty: it promises nothing
};
Promise promise_of(const std::string& path);

}  // namespace platter::model
