// The kept inputs, corpus/TARGET/*, through their targets; each also cut short in many places.
// Usage: fuzz_corpus FOLDER
#include <cstdio>
#include <filesystem>

#include "fuzz/targets.h"
#include "model/file.h"

namespace {

using namespace platter::fuzz;

std::size_t run(const Target& target, const std::filesystem::path& folder) {
  std::size_t inputs = 0;
  if (!std::filesystem::is_directory(folder)) return 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string bytes = platter::model::read_file(entry.path());
    std::printf("%s %s\n", target.name.c_str(), entry.path().filename().c_str());
    std::fflush(stdout);
    target.run(bytes);
    const std::size_t cuts = target.name == "exec" ? 4 : 16;  // a process each
    for (std::size_t cut = 0; cut < cuts; ++cut)
      target.run(bytes.substr(0, bytes.size() * cut / cuts));
    ++inputs;
  }
  return inputs;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  bool all = true;
  for (const auto& list : {document_targets(), scsi_targets(), trace_targets(), result_targets(),
                           run_targets(), guest_targets(), file_system_targets(), study_targets()})
    for (const Target& target : list) {
      const std::size_t inputs = run(target, std::filesystem::path(words[1]) / target.name);
      const bool seeded = inputs > 0 || target.name.starts_with("trace-");  // those have seeds of
                                                                            // their own
      if (!seeded) std::fprintf(stderr, "no input for %s\n", target.name.c_str());
      all = all && seeded;
    }
  return all ? 0 : 1;
}
