// The form of lines that are believed later: the safety journal, raw samples, the points of a
// study, the host's journal. Each is a JSON object whose last member is its check:
//
//   {"lbn":1000,"bytes":"...","line":[3,1048,"8d1f3b0a"]}
//
// the line's number in its file, from 1; so many bytes of it stand before `,"line"`; and the CRC-32
// of all that stands before `,"8d1f3b0a"`: zlib's, as Python's zlib.crc32 and gzip have it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace platter::model {

// `object`: the text of a JSON object with a member. Without the line's end.
std::string checked_line(std::string_view object, std::uint64_t number);

struct CheckedLine {
  std::uint64_t number = 0;
  std::size_t begin = 0, end = 0;  // where it stands in the text
  std::string object{};            // without the check
};

// The object of a line, whether its check holds or not; the line as it is where it has none.
std::string without_check(std::string_view line);

// All in a text that are whole, whatever stands between them: also where the end of a line was
// damaged, or what stands in front of it.
std::vector<CheckedLine> checked_lines_in(std::string_view text);

// The text is one whole line; nullopt: it was changed, or cut off.
std::optional<CheckedLine> as_checked_line(std::string_view text);

// A file of one such line, and what it holds; nullopt: it is not as it was written.
std::string checked_file(std::string_view object);
std::optional<std::string> object_of_checked_file(std::string_view text);

// Lines of what may be longer than memory, of which no line may.
enum class LineRead : std::uint8_t {
  whole,
  cut,       // without a line's end: what was written last before a loss of power
  none,      // the end
  too_long,  // than `most` bytes; the rest is not read
  failed,    // the stream cannot be read on
};

LineRead read_line(std::istream& in, std::string& line, std::size_t most);

}  // namespace platter::model
