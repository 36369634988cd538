// What a user asked for and cannot have, in one sentence.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "model/error.h"

namespace platter::trace {

template <class... Values>
[[noreturn]] void refuse(fmt::format_string<Values...> sentence, Values&&... values) {
  throw Error(ExitStatus::usage, fmt::format(sentence, std::forward<Values>(values)...));
}

}  // namespace platter::trace
