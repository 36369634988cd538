// Lines of what may be longer than memory, of which no line may.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>

namespace platter::model {

enum class LineRead : std::uint8_t {
  whole,
  cut,       // without a line's end: what was written last before a loss of power
  none,      // the end
  too_long,  // than `most` bytes; the rest is not read
  failed,    // the stream cannot be read on
};

LineRead read_line(std::istream& in, std::string& line, std::size_t most);

}  // namespace platter::model
