// What a dropped page reads as: lines of text that say so, with the number of the page.
#pragma once

#include <cstdint>
#include <span>

namespace platter::emulator {

// Of a page of 4096 bytes, those from a byte of it on. A function of the number alone.
void generate(std::uint64_t page, std::uint64_t from, std::span<std::uint8_t> to);

}  // namespace platter::emulator
