#include "emulator/contents/contents_choice.h"

#include <unistd.h>

#include "emulator/contents/contents_file.h"
#include "emulator/contents/generated_contents.h"

namespace platter::emulator {
namespace {

constexpr const char* kGenerated = "generated";
constexpr const char* kGeneratedInFile = "generated:";

std::uint64_t half_of_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) / 2 *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

ContentsChoice contents_choice(const std::string& text) {
  ContentsChoice choice;
  choice.generated = text == kGenerated || text.starts_with(kGeneratedInFile);
  if (!choice.generated)
    choice.file = text;
  else if (text != kGenerated)
    choice.file = text.substr(std::string_view(kGeneratedInFile).size());
  return choice;
}

std::unique_ptr<Contents> make_contents(const ContentsChoice& choice, std::uint64_t bytes,
                                        std::uint32_t block_bytes, std::uint64_t more_bytes) {
  if (!choice.generated)
    return choice.file ? std::make_unique<ContentsFile>(*choice.file, bytes, more_bytes)
                       : std::make_unique<ContentsFile>(bytes);
  GeneratedSettings settings;
  settings.bytes = bytes;
  settings.block_bytes = block_bytes;
  settings.file = choice.file;
  settings.waiting_bytes = choice.waiting_bytes;
  settings.kept_names = choice.kept_names;
  if (choice.stored_bytes)
    settings.stored_bytes = *choice.stored_bytes;
  else if (!choice.file)
    settings.stored_bytes = half_of_memory();
  return std::make_unique<GeneratedContents>(settings);
}

}  // namespace platter::emulator
