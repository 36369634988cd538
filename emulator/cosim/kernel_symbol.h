// Where a function of the guest's kernel lies, which is a program of the host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace platter::emulator {

// The address of that function in an ELF file for x86-64 that is loaded where it says; nullopt: it
// is none, or keeps no such symbol. (System V ABI, AMD64 supplement; generic ABI, "Symbol Table".)
std::optional<std::uint64_t> function_address(std::string_view elf, std::string_view name);

// The guest's kernel lets time pass by this one, given nanoseconds.
inline constexpr const char* kDelayFunction = "time_travel_ndelay";

}  // namespace platter::emulator
