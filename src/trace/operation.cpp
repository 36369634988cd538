#include "trace/operation.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace platter::trace {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

// Behind READ or RD: nothing, the length of a command's block, or the way of a message (_IN).
bool is_ending(std::string_view text) {
  if (text.empty() || text == "_IN") return true;
  constexpr std::string_view kAround = "_-() ";
  const bool digits = text.find_first_of("0123456789") != text.npos;
  return digits && std::ranges::all_of(text, [&](char c) {
           return (c >= '0' && c <= '9') || kAround.find(c) != kAround.npos;
         });
}

}  // namespace

char operation_of(std::string_view text) {
  std::string word(text);
  for (char& c : word)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  for (const std::string_view name : {"READ", "WRITE", "RD", "WR"})
    if (word.starts_with(name) && is_ending(std::string_view(word).substr(name.size())))
      return word.front();
  if (word.empty() || kLetters.find(word.front()) == kLetters.npos) return 0;
  if (word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-()/ ") != word.npos) return 0;
  const bool flags = (word.front() == 'R' || word.front() == 'W') &&
                     word.find_first_not_of("SMAFN", 1) == word.npos;
  return flags ? word.front() : 'X';
}

char operation_of_opcode(unsigned opcode) {
  switch (opcode) {
    case 0x08:
    case 0x28:
    case 0xa8:
    case 0x88:
      return 'R';
    case 0x0a:
    case 0x2a:
    case 0xaa:
    case 0x8a:
      return 'W';
    default:
      return 'X';
  }
}

char operation_of_hex_opcode(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  unsigned opcode = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, opcode, 16);
  return error != std::errc() || rest != end ? char{0} : operation_of_opcode(opcode);
}

}  // namespace platter::trace
