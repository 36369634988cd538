// What the words, flags and opcodes of traces say that a request does: 'R', 'W', 'X' for what does
// neither, 0 for what is no operation at all.
#pragma once

#include <string_view>

namespace platter::trace {

// One letter of reading or writing.
inline bool is_direction(std::string_view text) {
  return text.size() == 1 && std::string_view("RrWw").find(text) != std::string_view::npos;
}

// In words (Read, WRITE, RD, WR_IN, Read(10)), or as the flags of Linux' block layer (RA, WS).
char operation_of(std::string_view text);
// Of a SCSI command: READ and WRITE (6), (10), (12), (16) of SBC-4.
char operation_of_opcode(unsigned opcode);
// The same of its opcode in hexadecimal.
char operation_of_hex_opcode(std::string_view text);

}  // namespace platter::trace
