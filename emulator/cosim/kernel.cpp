#include "emulator/cosim/kernel.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "emulator/vhost_user/message.h"
#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "model/printable.h"
#include "model/user_folder.h"

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

namespace fs = std::filesystem;

constexpr const char* kPrefix = "cosim-kernel-";
constexpr const char* kUnfinished = "build-";  // before its name: build-kernel's folder
constexpr int kCompiledFiles = 990;            // about

std::string digest(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), hash.data(), &length, EVP_sha256(), nullptr) != 1)
    throw Error(ExitStatus::internal, "SHA-256 failed");
  constexpr int kShown = 6;
  return fmt::format("{:02x}", fmt::join(hash.begin(), hash.begin() + kShown, ""));
}

fs::path cache_folder() {
  const auto cache = model::user_folder("XDG_CACHE_HOME", ".cache");
  if (!cache)
    throw Error(
        ExitStatus::output,
        "neither XDG_CACHE_HOME nor HOME says where the guest's kernel is kept; set one of them");
  const fs::path folder = fs::path(*cache) / "platter";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw Error(ExitStatus::output,
                fmt::format("{} cannot be made, and the guest's kernel is kept there: {}; set "
                            "XDG_CACHE_HOME to another folder",
                            folder.string(), error.message()));
  return folder;
}

// What it is made by, and of: nothing where the source is not installed.
struct Key {
  std::string recipe;
  std::optional<std::string> source;
};

Key key_of(const KernelRecipe& recipe) {
  Key key{digest(model::read_file(recipe.config) + model::read_file(recipe.builder)), {}};
  struct stat status {};
  if (stat(recipe.source.c_str(), &status) == 0)  // a package's file has the package's date
    key.source = digest(fmt::format("{} {}", status.st_size, status.st_mtime));
  return key;
}

std::optional<std::string> built_before(const fs::path& cache, const Key& key) {
  const std::string beginning = kPrefix + key.recipe + "-";
  if (key.source) {
    const fs::path kernel = cache / (beginning + *key.source);
    return model::is_there(kernel) ? std::optional(kernel.string()) : std::nullopt;
  }
  std::optional<fs::path> last;
  std::error_code gone;
  for (const fs::path& path : model::paths_in(cache))
    if (path.filename().string().starts_with(beginning) &&
        (!last || fs::last_write_time(*last, gone) < fs::last_write_time(path, gone)))
      last = path;
  return last ? std::optional(last->string()) : std::nullopt;
}

bool is_in_path(std::string_view program) {
  const char* const path = std::getenv("PATH");
  const std::string folders = path == nullptr ? "" : path;
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    if (access(fmt::format("{}/{}", folders.substr(begin, end - begin), program).c_str(), X_OK) ==
        0)
      return true;
    begin = end + 1;
  }
  return false;
}

void require_what_builds(const KernelRecipe& recipe, const Key& key) {
  std::vector<std::string> packages;
  if (!key.source) packages.push_back("linux-source-6.1");
  const std::pair<const char*, const char*> programs[] = {
      {"gcc", "gcc"}, {"make", "make"},   {"flex", "flex"}, {"bison", "bison"},
      {"bc", "bc"},   {"xz", "xz-utils"}, {"tar", "tar"},   {"strip", "binutils"}};
  for (const auto& [program, package] : programs)
    if (!is_in_path(program)) packages.push_back(package);
  if (!model::is_there("/usr/include/stdio.h")) packages.push_back("libc6-dev");
  if (packages.empty()) return;
  const std::string why = key.source ? "" : fmt::format(" ({} is not there)", recipe.source);
  throw Error(ExitStatus::missing_program,
              fmt::format("the guest's kernel has to be built once, and that needs what is not "
                          "installed{}: apt-get "
                          "install {}",
                          why, fmt::join(packages, " ")));
}

// One process at a time. The builder holds it too, until it has cleaned up.
model::Descriptor lock(const fs::path& cache, const KernelProgress& progress) {
  const std::string path = (cache / "cosim-kernel.lock").string();
  model::Descriptor file(open(path.c_str(), O_RDWR | O_CREAT, 0600));
  if (file.get() < 0)
    throw Error(ExitStatus::output,
                fmt::format("{} cannot be written: {}; set XDG_CACHE_HOME to another folder", path,
                            std::strerror(errno)));
  if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
  if (progress.notice)
    progress.notice("another platter builds the guest's kernel, which is waited for");
  while (flock(file.get(), LOCK_EX) != 0)
    if (errno != EINTR) throw Error(ExitStatus::internal, path + " cannot be locked");
  return file;
}

// Of another kernel: nobody goes on with it.
void remove_unfinished(const fs::path& cache, const std::string& but) {
  std::error_code ignored;
  for (const fs::path& path : model::paths_in(cache)) {
    const std::string name = path.filename().string();
    if (name.starts_with(kUnfinished) && name != but) fs::remove_all(path, ignored);
  }
}

struct Builder {
  pid_t pid;
  model::Descriptor output, errors;
};

Builder start(const KernelRecipe& recipe, const std::string& kernel) {
  std::array<int, 2> output{}, errors{};
  if (pipe2(output.data(), O_CLOEXEC) != 0 || pipe2(errors.data(), O_CLOEXEC) != 0)
    throw Error(ExitStatus::internal, "no pipe can be made");
  const model::Descriptor output_end(output[1]), errors_end(errors[1]);
  Builder builder{-1, model::Descriptor(output[0]), model::Descriptor(errors[0])};
  const pid_t parent = getpid();
  builder.pid = fork();
  if (builder.pid < 0) throw Error(ExitStatus::internal, "build-kernel cannot be started");
  if (builder.pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() == parent && dup2(output_end.get(), STDOUT_FILENO) >= 0 &&
        dup2(errors_end.get(), STDERR_FILENO) >= 0)
      execl(recipe.builder.c_str(), "build-kernel", recipe.source.c_str(), recipe.config.c_str(),
            kernel.c_str(), nullptr);
    _exit(127);
  }
  return builder;
}

// Takes what both say until they end; returns the errors.
std::string follow(const Builder& builder, const KernelProgress& progress) {
  std::string errors;
  int files = 0;
  std::array<char, 4096> bytes{};
  std::array<pollfd, 2> watched{
      {{builder.output.get(), POLLIN, 0}, {builder.errors.get(), POLLIN, 0}}};
  while (watched[0].fd >= 0 || watched[1].fd >= 0) {
    if (poll(watched.data(), watched.size(), -1) < 0) continue;
    for (pollfd& each : watched) {
      if (each.revents == 0) continue;
      const ssize_t got = read(each.fd, bytes.data(), bytes.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        each.fd = -1;
        continue;
      }
      const std::string_view piece(bytes.data(), static_cast<std::size_t>(got));
      if (&each == &watched[1])
        errors.append(piece);
      else
        files += static_cast<int>(std::ranges::count(piece, '\n'));
    }
    if (progress.built) progress.built(std::min(1.0, static_cast<double>(files) / kCompiledFiles));
  }
  return errors;
}

void build(const KernelRecipe& recipe, const std::string& kernel, const KernelProgress& progress) {
  if (progress.notice)
    progress.notice("building the guest's kernel from " + recipe.source +
                    ", once; that takes some minutes and 600 MB for as long");
  const Builder builder = start(recipe, kernel);
  const std::string errors = follow(builder, progress);
  int status = 0;
  while (waitpid(builder.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 130)
    throw Error(ExitStatus::interrupted,
                "building the guest's kernel was stopped; the next time it goes on from there");
  throw Error(ExitStatus::internal, fmt::format("the guest's kernel cannot be built from {}: {}",
                                                recipe.source, model::printable(errors)));
}

std::optional<std::uint64_t> delay_function_in(const std::string& path) {
  const model::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file.get() < 0 || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size <= 0)
    return std::nullopt;
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* const start = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (start == MAP_FAILED) return std::nullopt;
  const auto address = function_address({static_cast<const char*>(start), bytes}, kDelayFunction);
  munmap(start, bytes);
  return address;
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

std::uint64_t delay_function_of(const std::string& path) {
  if (const auto address = delay_function_in(path)) return *address;
  throw Error(ExitStatus::bad_input,
              path + " is no kernel for a guest; give --kernel one that --build-kernel built");
}

std::string guest_kernel(const KernelRecipe& recipe, const KernelProgress& progress) {
  const fs::path cache = cache_folder();
  const Key key = key_of(recipe);
  if (const auto kernel = built_before(cache, key)) return *kernel;
  require_what_builds(recipe, key);
  const model::Descriptor held = lock(cache, progress);
  if (const auto kernel = built_before(cache, key)) return *kernel;  // meanwhile
  const std::string name = kPrefix + key.recipe + "-" + *key.source;
  remove_unfinished(cache, kUnfinished + name);
  const std::string kernel = (cache / name).string();
  build(recipe, kernel, progress);
  return kernel;
}

}  // namespace platter::emulator
