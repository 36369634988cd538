// Gives a kernel's writes (write_log.h) to contents, and says what became of them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>

#include "emulator/contents/generated_contents.h"
#include "emulator_contents/write_log.h"

using namespace platter;

namespace {

struct Options {
  std::string log{}, image{}, until{};
  std::uint64_t bytes = 0, entries = ~std::uint64_t{0}, waiting = 256 << 20;
  bool plain = false;
  std::vector<std::string> keep{};
};

std::unique_ptr<emulator::Contents> contents_of(const Options& options) {
  if (options.plain) return std::make_unique<emulator::ContentsFile>(options.bytes);
  emulator::GeneratedSettings settings;
  settings.bytes = options.bytes;
  settings.waiting_bytes = options.waiting;
  settings.kept_names = options.keep;
  return std::make_unique<emulator::GeneratedContents>(settings);
}

void write_image(const emulator::Contents& contents, const std::string& path) {
  emulator::ContentsFile image(path, contents.bytes());
  std::vector<std::uint8_t> buffer(1 << 20);
  for (std::uint64_t at = 0; at < contents.bytes(); at += buffer.size()) {
    const std::span part(buffer.data(),
                         std::min<std::uint64_t>(buffer.size(), contents.bytes() - at));
    if (contents.read(at, part) != 0 || image.write(at, part) != 0)
      throw std::runtime_error(path + " cannot be written");
  }
}

void replay(const Options& options) {
  using Clock = std::chrono::steady_clock;
  testing::WriteLog log(options.log);
  const auto contents = contents_of(options);
  std::uint64_t entries = 0, written = 0;
  Clock::duration spent{}, longest{};
  std::uint64_t longest_entry = 0;
  while (entries < options.entries) {
    const auto write = log.next();
    if (!write) break;
    ++entries;
    if (write->is(testing::LoggedWrite::kMark)) {
      fmt::print("{}: mark {}\n", entries, write->mark);
      if (write->mark == options.until) break;
      continue;
    }
    const auto begin = Clock::now();
    int error = 0;
    if (write->is(testing::LoggedWrite::kDiscard))
      error = contents->discard(write->offset, write->bytes);
    else
      error = contents->write(write->offset, write->data);
    const auto took = Clock::now() - begin;
    spent += took;
    if (took > longest) {
      longest = took;
      longest_entry = entries;
    }
    written += write->data.size();
    if (error != 0) throw std::runtime_error(fmt::format("entry {}: error {}", entries, error));
  }
  fmt::print(
      "{} entries, {} bytes written in {:.3f} s, the longest (entry {}) in {:.1f} us; {} kept\n",
      entries, written, std::chrono::duration<double>(spent).count(), longest_entry,
      std::chrono::duration<double, std::micro>(longest).count(), contents->stored_bytes());
  if (const auto* generated = dynamic_cast<emulator::GeneratedContents*>(contents.get())) {
    const auto state = generated->state();
    fmt::print("{} dropped, {} waiting, {} dropped unclaimed\n", state.dropped_bytes,
               state.waiting_bytes, state.dropped_unclaimed);
    for (const std::string& name : state.file_systems) fmt::print("{}\n", name);
  }
  if (!options.image.empty()) write_image(*contents, options.image);
}

}  // namespace

int main(int count, char** words) {
  Options options;
  CLI::App app("gives a kernel's writes to contents");
  app.add_option("LOG", options.log)->required();
  app.add_option("--bytes", options.bytes, "of the drive")->required();
  app.add_option("--image", options.image, "what the contents read as");
  app.add_option("--entries", options.entries, "so many of the log");
  app.add_option("--until", options.until, "that mark");
  app.add_option("--waiting", options.waiting);
  app.add_option("--keep", options.keep, "names of files");
  app.add_flag("--plain", options.plain, "contents that keep all");
  CLI11_PARSE(app, count, words);
  try {
    replay(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "replay_writes: {}\n", error.what());
    return 1;
  }
  return 0;
}
