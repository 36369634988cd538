// Text from a file or a drive as it may stand on a terminal, in a picture or in a comment.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace platter::model {

// Control characters (C0, DEL, C1, those that turn the direction of writing or end a line) become
// \u001b and the like, as JSON has them, and bytes that are no UTF-8 become \x9b.
std::string printable(std::string_view text);

// A sentence that is longer than anybody reads without its middle: what it names and what to do
// stand at its ends.
std::string without_middle(std::string sentence);

// The same for text that comes in pieces and has lines: line feeds stay. Appends to `out`; returns
// how many bytes at the end of `text` are the beginning of a character, to come again with the next
// piece.
std::size_t append_printable_lines(std::string& out, std::string_view text);

// Each `what` of a text, which is not empty, from its begin on; `with` is not looked at again.
std::string replaced(std::string_view text, std::string_view what, std::string_view with);

}  // namespace platter::model
