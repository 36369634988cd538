#include "cell_run.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "extract/characterize.h"
#include "extract/prospects.h"
#include "model/json.h"
#include "model/parameters.h"
#include "quirk_device.h"
#include "scsi/inspection.h"
#include "small_drives.h"
#include "virtual_drive/virtual_device.h"

namespace quirks {
namespace {

namespace extract = platter::extract;
namespace model = platter::model;
namespace scsi = platter::scsi;

constexpr unsigned kPatience_s = 120;  // of the processor, of which a cell takes some
constexpr platter::LbnRange kWritable{1003, 10001};

// Commands come at other times in two runs of the same drive. Of some fifty figures in some hundred
// cells chance tells some apart by more than three errors; a few have no error.
constexpr double kSameWithin = 6, kSameWithoutError = 0.01;

struct Folder {
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               fmt::format("quirk-cell-{}", ::getpid());
};

QuirkDevice device_of(const Subject& subject, const Json& table, std::ostream& log) {
  return QuirkDevice(
      std::make_unique<platter::virtual_drive::VirtualDevice>(trust::model_of(subject.drive, 0)),
      Table(table), &log);
}

// Lines of the log of commands that a rule answered.
std::uint64_t met_in(const std::string& log) {
  std::istringstream lines(log);
  std::uint64_t met = 0;
  for (std::string line; std::getline(lines, line);)
    met += !line.starts_with("->") && !line.ends_with(" -1");
  return met;
}

void inspect(scsi::Device& device) {
  scsi::Guard guard(device, {.settings = false, .writes = {}});
  scsi::Drive drive(guard, device.name());
  scsi::inspect(drive);
  extract::reads_reach(drive);
  extract::expected_time(drive);
}

template <class Work>
std::string trouble_of(const char* what, const Work& work) {
  try {
    return work();
  } catch (const platter::Error& error) {
    return fmt::format("{}: status {}, {}", what, static_cast<int>(error.status()), error.what());
  } catch (const std::exception& error) {
    return fmt::format("{}: {}", what, error.what());
  }
}

Json run(const Subject& subject, const Json& table, std::uint64_t seed) {
  const Folder folder;
  std::ostringstream log;
  Json told = {{"doubt", ""}};
  std::string trouble = trouble_of("inspect", [&] {
    QuirkDevice device = device_of(subject, table, log);
    inspect(device);
    return std::string();
  });
  const std::string of_run = trouble_of("characterize", [&] {
    QuirkDevice device = device_of(subject, table, log);
    extract::Options options;
    options.device_name = subject.name;
    options.journal_folder = folder.path.string();
    options.seed = seed;
    if (subject.writes) options.writable = {kWritable};
    const extract::Run run = extract::characterize(device, options);
    told["doubt"] = run.not_verified.value_or("");
    told["model"] = model::to_json_text(run.model);
    if (run.ended_by)
      return fmt::format("characterize: ended by status {}, {}",
                         static_cast<int>(run.ended_by->status()), run.ended_by->what());
    return run.not_restored ? "characterize: not restored, " + *run.not_restored : std::string();
  });
  if (!trouble.empty() && !of_run.empty()) trouble += "; ";
  told["trouble"] = trouble + of_run;
  told["met"] = met_in(log.str());
  return told;
}

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(file, text.data() + done, text.size() - done);
    if (wrote <= 0) return;
    done += static_cast<std::size_t>(wrote);
  }
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 65536> part{};
  for (ssize_t got; (got = ::read(file, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(got));
  return text;
}

std::string of_layout(const model::DriveModel& drive) {
  model::DriveModel alone;
  alone.layout = drive.layout;
  const auto zone = [](const auto& self, const model::LayoutNode& node) -> std::string {
    std::string text = fmt::format("({}x {},{} {},{} {}", node.count, node.cylinder,
                                   node.cylinder_step, node.head, node.head_step, node.sectors);
    for (const auto& child : node.children) text += self(self, child);
    return text + ")";
  };
  std::string text = drive.layout.method;
  for (const auto& node : drive.layout.zones) text += zone(zone, node);
  return text;
}

}  // namespace

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = {{"scsi", "small", false},
                                           {"scsi-writes", "small-512e", true},
                                           {"ata", "small-ata", false},
                                           {"ata-writes", "small-ata", true}};
  return all;
}

CellRun::CellRun(const Subject& subject, const Json& table, std::uint64_t seed) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) throw std::runtime_error("no pipe");
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("no process");
  if (process_ > 0) {
    ::close(pipe[1]);
    from_ = pipe[0];
    return;
  }
  ::close(pipe[0]);
  const rlimit patience{kPatience_s, RLIM_INFINITY};
  ::setrlimit(RLIMIT_CPU, &patience);
  write_all(pipe[1], run(subject, table, seed).dump());
  ::_exit(0);
}

CellRun::~CellRun() {
  if (process_ > 0) outcome();
}

Outcome CellRun::outcome() {
  const std::string text = read_all(from_);
  ::close(from_);
  int status = 0;
  ::waitpid(process_, &status, 0);
  process_ = -1;
  Outcome outcome;
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    outcome.trouble = signal == SIGXCPU
                          ? fmt::format("takes more than {} s of the processor", kPatience_s)
                          : fmt::format("ends by signal {}", signal);
    return outcome;
  }
  const Json told = Json::parse(text);
  outcome.trouble = told.at("trouble");
  outcome.doubt = told.at("doubt");
  outcome.met = told.at("met");
  if (told.contains("model"))
    outcome.model = model::from_json_text(told.at("model").get<std::string>(), "the cell's model");
  return outcome;
}

std::vector<model::Difference> told_apart(const model::DriveModel& reference,
                                          const model::DriveModel& drive) {
  std::vector<model::Difference> apart;
  for (const model::Difference& figure : model::diff_parameters(reference, drive)) {
    const bool in_one = figure.a.has_value() != figure.b.has_value();
    const bool far = figure.within_error == false &&
                     (figure.in_errors
                          ? *figure.in_errors > kSameWithin
                          : std::fabs(figure.relative.value_or(1)) > kSameWithoutError);
    if (in_one || far) apart.push_back(figure);
  }
  if (of_layout(reference) != of_layout(drive)) apart.emplace_back().path = "the layout";
  return apart;
}

bool is_open(const model::DriveModel& drive, const std::string& path) {
  const auto figures = model::parameters_of(drive);
  const auto found = std::ranges::find(figures, path, &model::NamedParameter::path);
  return found != figures.end() && !found->parameter && !found->parameter.reason.empty();
}

}  // namespace quirks
