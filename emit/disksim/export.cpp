#include "emit/disksim/export.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "emit/disksim/drive_text.h"
#include "emit/disksim/import.h"
#include "emit/disksim/layout_choice.h"
#include "emit/disksim/simulation_text.h"
#include "model/completeness.h"
#include "model/error.h"
#include "model/file.h"
#include "model/leftovers.h"
#include "model/printable.h"
#include "model/seek_curve.h"
#include "model/version.h"

namespace platter::emit_disksim {
namespace {

namespace fs = std::filesystem;

// Letters, digits, '.', '-' and '_', the first one a letter: one word to DiskSim's lexer.
std::string word(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.';
    name += plain ? c : '_';
  }
  constexpr std::size_t kLongest = 100;  // with an ending it is a file's name
  if (name.size() > kLongest) name.resize(kLongest);
  const bool letter = !name.empty() &&
                      ((name[0] >= 'a' && name[0] <= 'z') || (name[0] >= 'A' && name[0] <= 'Z'));
  constexpr const char* kKeywords[] = {"as", "instantiate", "source", "topology"};
  return letter && std::ranges::find(kKeywords, name) == std::end(kKeywords) ? name
                                                                             : "DRIVE_" + name;
}

std::string name_of(const model::Identity& identity) {
  if (!identity.name.empty()) return word(identity.name);
  return word(identity.vendor + (identity.vendor.empty() ? "" : "_") + identity.product);
}

void need_parts(const model::DriveModel& model) {
  const char* missing = model.rotation.numerator_ns == 0 ? "rotation"
                        : model.layout.zones.empty()     ? "layout"
                        : model.seek.points.empty()      ? "seek curve"
                                                         : nullptr;
  if (missing != nullptr) {
    throw Error(ExitStatus::bad_input,
                fmt::format("the model of {} has no {}, without which DiskSim cannot run",
                            model.identity.name, missing));
  }
}

// Before anything is laid out: a large drive's map costs time and memory.
void require_counted(const model::Identity& identity, Program program) {
  if (identity.blocks < static_cast<std::uint64_t>(most_counted(program))) return;
  throw Error(ExitStatus::unsupported,
              fmt::format("{} has {} blocks, 2^31 or more, which only Western Digital's 64-bit "
                          "DiskSim counts: write for that with --dialect wd64",
                          identity.name.empty() ? "the drive" : identity.name, identity.blocks));
}

// Comments: what the files are, of what, and what of it is not known.
std::string heading(const model::DriveModel& model, const std::string& name, const DriveText& drive,
                    const std::vector<std::string>& warnings) {
  const auto line = [](const std::string& text) { return "# " + model::printable(text) + "\n"; };
  std::string text = line(fmt::format("{}: {} blocks of {} bytes, written by platter {}", name,
                                      model.identity.blocks, model.identity.block_bytes,
                                      model::kToolVersion));
  const model::Provenance& from = model.provenance;
  const std::string standing = model::standing_of(from, model.validity);
  text += line(fmt::format("Model: {}{}{}{}{}", standing.empty() ? from.method : standing,
                           from.source.empty() ? "" : ", ", from.source,
                           from.date.empty() ? "" : ", ", from.date));
  for (const std::string& note : from.notes) text += line("  " + note);
  for (const std::string& warning : warnings) text += line("Differs from the model: " + warning);
  if (!drive.unmeasured.empty())
    text += line("Not known of this drive, set to what platter's engine takes:");
  for (const std::string& parameter : drive.unmeasured) text += line("  " + parameter);
  return text + "\n";
}

using Files = std::vector<std::pair<std::string, std::string>>;  // name, content

// For the reading back only: whether they reach the disk does not matter.
void write_trial(const Files& files, model::TemporaryFolder& folder) {
  for (const auto& [name, content] : files) {
    const std::string& path = folder.file(name);
    std::ofstream file(path, std::ios::binary);
    if (!(file << content).flush())
      throw Error(ExitStatus::output, fmt::format("{}: cannot be written", path));
  }
}

// .seek has no room for a comment, and DiskSim passes over blanks at the end of its lines.
constexpr std::string_view kSeekMark = " \t \t ";

std::string with_mark(std::string seek) {
  const std::size_t end = seek.find('\n');
  return end == std::string::npos ? seek : seek.insert(end, kSeekMark);
}

// A value beyond what DiskSim's files may hold.
Imported read_back(const std::string& path) {
  try {
    return import_disksim(path);
  } catch (const Error& error) {
    const std::string sentence = error.what();
    const std::size_t place = sentence.find(": ");
    throw Error(ExitStatus::unsupported,
                "DiskSim's files cannot hold this drive: " +
                    (place == std::string::npos ? sentence : sentence.substr(place + 2)));
  }
}

// All of them or none.
void write_all(const Files& files, const fs::path& folder) {
  const model::SignalsHeld held;
  for (const auto& [name, content] : files) model::write_file((folder / name).string(), content);
}

}  // namespace

Exported export_disksim(const model::DriveModel& model, const std::string& folder,
                        const ExportOptions& options, const BeforeWriting& before_writing) {
  need_parts(model);
  require_counted(model.identity, options.program);
  Exported result;
  result.name = options.name.empty() ? name_of(model.identity) : word(options.name);
  const WrittenLayout layout = write_layout(model, options.layout, options.program);
  DriveText drive = drive_text(model, layout, result.name, options.program);
  result.layout = layout.type;
  result.warnings = layout.warnings;
  result.warnings.insert(result.warnings.end(), drive.warnings.begin(), drive.warnings.end());
  if (model.identity.block_bytes != 512) {
    result.warnings.push_back(fmt::format("blocks are of {} bytes; DiskSim's reports speak of 512",
                                          model.identity.block_bytes));
  }
  const Simulation simulation{result.name, layout.blocks, drive.bus_read_block_ms,
                              drive.bus_write_block_ms};
  const std::string head = heading(model, result.name, drive, result.warnings);
  const Files files{{result.name + ".parv", head + parv_text(simulation)},
                    {result.name + ".diskspecs", head + drive.diskspecs},
                    {result.name + ".model", head + drive.model},
                    {result.name + ".seek", with_mark(drive.seek)},
                    {result.name + ".statdefs", statdefs_text()}};
  {
    const std::string pattern = model::temporary_name("platter-emit");
    model::TemporaryFolder trial(pattern);
    if (trial.path().empty())
      throw Error(ExitStatus::output,
                  fmt::format("{}: cannot make a temporary folder there", pattern));
    write_trial(files, trial);
    const Imported back = read_back(trial.path() + "/" + files[0].first);
    require_same_places(layout.layout, back.model.layout, angle_tolerance(model.layout));
    require_same_seeks(model::mean_seek(model), back.model.seek);
  }
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw Error(ExitStatus::output,
                fmt::format("{}: cannot be made: {}", folder, failed.message()));
  for (const auto& [name, content] : files)
    if (before_writing) before_writing((fs::path(folder) / name).string(), content);
  write_all(files, folder);
  for (const auto& [name, content] : files)
    result.files.push_back((fs::path(folder) / name).string());
  return result;
}

bool begins_emitted(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find('\n'));
  const bool headed = line.starts_with("# ") && line.find(", written by platter ") != line.npos;
  return headed || line.ends_with(kSeekMark) || bytes == statdefs_text();
}

}  // namespace platter::emit_disksim
