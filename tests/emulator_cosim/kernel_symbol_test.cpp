#include <elf.h>

#include <random>
#include <string>

#include "catch.h"
#include "emulator/cosim/kernel.h"

using namespace platter;
using emulator::function_address;

namespace {

template <typename T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// One function, one variable, by their names.
std::string file_with(const std::string& function, const std::string& variable) {
  std::string names('\0' + function + '\0' + variable + '\0');
  Elf64_Sym first{}, second{};
  first.st_name = static_cast<Elf64_Word>(function.size()) + 2;
  first.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
  first.st_value = 0x2000;
  second.st_name = 1;
  second.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  second.st_value = 0x60001000;
  const std::string symbols = bytes_of(Elf64_Sym{}) + bytes_of(first) + bytes_of(second);
  Elf64_Shdr symbol_section{}, name_section{};
  symbol_section.sh_type = SHT_SYMTAB;
  symbol_section.sh_offset = sizeof(Elf64_Ehdr);
  symbol_section.sh_size = symbols.size();
  symbol_section.sh_link = 2;
  name_section.sh_type = SHT_STRTAB;
  name_section.sh_offset = sizeof(Elf64_Ehdr) + symbols.size();
  name_section.sh_size = names.size();
  Elf64_Ehdr head{};
  std::copy_n(ELFMAG, SELFMAG, head.e_ident);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_type = ET_EXEC;
  head.e_machine = EM_X86_64;
  head.e_shoff = name_section.sh_offset + names.size();
  head.e_shnum = 3;
  return bytes_of(head) + symbols + names + bytes_of(Elf64_Shdr{}) + bytes_of(symbol_section) +
         bytes_of(name_section);
}

}  // namespace

TEST_CASE("A function is found by its name, and nothing else is") {
  const std::string file = file_with("passes", "stays");
  CHECK(function_address(file, "passes") == 0x60001000);
  CHECK_FALSE(function_address(file, "stays"));
  CHECK_FALSE(function_address(file, "pass"));
  CHECK_FALSE(function_address("", "passes"));
  CHECK_FALSE(
      function_address("\x7f"
                       "ELF passes",
                       "passes"));
}

TEST_CASE("A file that may be loaded anywhere tells no address") {
  std::string file = file_with("passes", "stays");
  file[offsetof(Elf64_Ehdr, e_type)] = ET_DYN;
  CHECK_FALSE(function_address(file, "passes"));
}

TEST_CASE("Broken files are read within their bounds") {
  const std::string whole = file_with("passes", "stays");
  std::mt19937 random(7);
  for (int i = 0; i < 5000; ++i) {
    std::string broken = whole.substr(0,
                                      random() % 4 == 0 ? random() % whole.size() : whole.size());
    for (unsigned changes = random() % 4; changes > 0 && !broken.empty(); --changes)
      broken[random() % broken.size()] = static_cast<char>(random());
    function_address(broken, "passes");
  }
}
