#include "emulator/cosim/kernel_symbol.h"

#include <elf.h>

#include <cstring>

namespace platter::emulator {
namespace {

// Of a file that may hold anything.
template <typename T>
std::optional<T> at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::optional<Elf64_Shdr> section(std::string_view elf, const Elf64_Ehdr& head,
                                  std::uint64_t number) {
  if (number >= head.e_shnum) return std::nullopt;
  return at<Elf64_Shdr>(elf, head.e_shoff + number * sizeof(Elf64_Shdr));
}

std::string_view text_at(std::string_view bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

std::optional<std::uint64_t> address_in(std::string_view elf, const Elf64_Shdr& symbols,
                                        std::uint64_t names, std::string_view name) {
  for (std::uint64_t i = 0; i < symbols.sh_size / sizeof(Elf64_Sym); ++i) {
    const auto symbol = at<Elf64_Sym>(elf, symbols.sh_offset + i * sizeof(Elf64_Sym));
    if (!symbol) return std::nullopt;
    if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_value != 0 &&
        text_at(elf, names + symbol->st_name) == name)
      return symbol->st_value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> function_address(std::string_view elf, std::string_view name) {
  const auto head = at<Elf64_Ehdr>(elf, 0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
      head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != EM_X86_64 ||
      head->e_type != ET_EXEC)
    return std::nullopt;
  for (std::uint64_t i = 0; i < head->e_shnum; ++i) {
    const auto symbols = section(elf, *head, i);
    if (!symbols || symbols->sh_type != SHT_SYMTAB) continue;
    if (const auto names = section(elf, *head, symbols->sh_link))
      return address_in(elf, *symbols, names->sh_offset, name);
  }
  return std::nullopt;
}

}  // namespace platter::emulator
