// Where something stands in a trace: a line and a column, or a record and its first byte.
#pragma once

#include <cstdint>
#include <string>

namespace platter::trace {

struct Place {
  std::uint64_t number = 0;  // both from 1
  std::uint64_t column = 0;  // of a record: the offset of the byte
  bool binary = false;
};
std::string to_text(const Place& place);

}  // namespace platter::trace
