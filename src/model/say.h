// What a person is told on standard error. Nothing depends on its being read: where it cannot be
// written (a full disk, a pipe that nobody reads), it is dropped, and the run goes on. fmt::print()
// and streams with exceptions would end it.
#pragma once

#include <fmt/core.h>

#include <string_view>
#include <utility>

namespace platter::model {

void say_text(std::string_view text) noexcept;

template <typename... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  say_text(fmt::format(format, std::forward<Values>(values)...));
}

}  // namespace platter::model
