// The guest's kernel: built from Debian's source when it is first wanted, and kept in the user's
// cache.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace platter::emulator {

struct KernelRecipe {
  std::string config{}, builder{};  // files of ours
  std::string source = "/usr/src/linux-source-6.1.tar.xz";
};

// What is told while it is built; each may be empty.
struct KernelProgress {
  std::function<void(const std::string& sentence)> notice{};
  std::function<void(double share)> built{};  // from 0 to 1, often
};

// Where the function lies by which that kernel is given its time (kernel_symbol.h). Throws
// Error(bad_input) where the file is no kernel of the recipe's kind.
std::uint64_t delay_function_of(const std::string& path);

// The path of the kernel of that recipe and that source, built if there is none. Where the source
// is not installed any more, the last that was built by that recipe. Another process that builds it
// is waited for. Throws Error(missing_program): a package that building needs is not installed;
// Error(output): there is no cache, or no room in it; Error(interrupted); Error(internal) where the
// build fails.
std::string guest_kernel(const KernelRecipe& recipe, const KernelProgress& progress);

// Where a function of the guest's kernel lies, which is a program of the host.
// The address of that function in an ELF file for x86-64 that is loaded where it says; nullopt: it
// is none, or keeps no such symbol. (System V ABI, AMD64 supplement; generic ABI, "Symbol Table".)
std::optional<std::uint64_t> function_address(std::string_view elf, std::string_view name);

// The guest's kernel lets time pass by this one, given nanoseconds.
inline constexpr const char* kDelayFunction = "time_travel_ndelay";

}  // namespace platter::emulator
