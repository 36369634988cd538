// How libplatter's functions fail: a status for the caller's program, a sentence for the thread
// that may ask for it.
#pragma once

#include <fmt/format.h>

#include <array>
#include <initializer_list>

#include "lib/platter.h"

namespace platter::lib {

constexpr std::size_t kLongestSentence = 511;

// Keeps the sentence, cut where the buffer ends, for platter_last_error().
platter_status failed(platter_status status, const char* sentence) noexcept;

// The same with numbers and names in it. Allocates nothing.
template <typename... Arguments>
[[gnu::cold]] platter_status failed(platter_status status,
                                    fmt::format_string<Arguments...> sentence,
                                    Arguments&&... arguments) requires(sizeof...(Arguments) > 0) {
  std::array<char, kLongestSentence + 1> text;
  *fmt::format_to_n(text.data(), kLongestSentence, sentence, std::forward<Arguments>(arguments)...)
       .out = '\0';
  return failed(status, text.data());
}

const char* sentence_of_last_error() noexcept;

// Turns the exception that is being handled into a status.
platter_status failed_by_exception() noexcept;

// PLATTER_BAD_ARGUMENT, with the name of the first argument that is NULL; or PLATTER_OK.
struct Pointer {
  const char* name;
  const void* value;
};
inline platter_status null_among(const char* function, std::initializer_list<Pointer> arguments) {
  for (const Pointer& argument : arguments)
    if (argument.value == nullptr)
      return failed(PLATTER_BAD_ARGUMENT, "{}: {} is NULL", function, argument.name);
  return PLATTER_OK;
}

}  // namespace platter::lib
