#include "virtual_drive/open.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "model/completeness.h"
#include "model/error.h"
#include "model/json.h"
#include "model/nearest.h"
#include "model/number_in.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/imperfections.h"
#include "virtual_drive/modern_drive.h"
#include "virtual_drive/random_drive.h"
#include "virtual_drive/shingled_drive.h"
#include "virtual_drive/split_units.h"

namespace platter::virtual_drive {
namespace {

const std::string kPhase = "power-on phase: ";

std::string phase_note(const VirtualDevice& device, const model::DriveModel& asked) {
  if (!asked.imperfections || !asked.imperfections->random_phase)
    return "0, the platter's angle is 0 at time 0";
  if (asked.imperfections->seed == 0) return "a new one in every run, for no seed is given";
  const double turns = static_cast<double>(device.power_on_phase_ns()) *
                       static_cast<double>(asked.rotation.denominator) /
                       static_cast<double>(asked.rotation.numerator_ns);
  return fmt::format("{:.6f} revolutions ahead, from seed {}", turns, asked.imperfections->seed);
}

constexpr std::string_view kPrefix = "virtual:";
constexpr std::string_view kRandom = "random-", kModernRandom = "modern-random-",
                           kModernSmr = "modern-smr-";

[[noreturn]] void no_such_drive(const std::string& name) {
  throw Error(ExitStatus::no_device,
              "virtual:" + name + " is not in the catalogue; " +
                  model::did_you_mean(name, catalogue_names(), "virtual:") +
                  "platter devices lists the drives; a model file (FILE.json), random-N, "
                  "modern-random-N and modern-smr-N are others");
}

// The N of a drive drawn at random.
std::optional<std::uint64_t> seed_behind(std::string_view prefix, std::string_view name) {
  return name.starts_with(prefix) ? model::number_in<std::uint64_t>(name.substr(prefix.size()))
                                  : std::nullopt;
}

model::DriveModel model_named(const std::string& name) {
  if (const auto seed = seed_behind(kRandom, name)) return random_drive(*seed);
  if (const auto seed = seed_behind(kModernRandom, name)) return modern_random_drive(*seed);
  if (const auto seed = seed_behind(kModernSmr, name)) return random_shingled_drive(*seed);
  if (const auto* entry = find_in_catalogue(name)) return catalogue_model(*entry);
  if (name.find('/') == std::string::npos && !name.ends_with(".json")) no_such_drive(name);
  model::DriveModel model = model::load_model(name);
  model::require_what_predicts(model, name, "be a drive");
  return model;
}

std::uint64_t parse_seed(std::string_view value, const std::string& name) {
  if (const auto seed = model::number_in<std::uint64_t>(value)) return *seed;
  throw Error(ExitStatus::usage, "virtual:" + name +
                                     " has a seed that is no number from 0 to 2^64"
                                     " - 1; write seed=7, for example");
}

// What a drive of today, its bridge or its path may lack. False: no such option.
bool withhold(std::string_view what, bool has, model::DriveModel& model) {
  if (!model.firmware) model.firmware.emplace();
  model::Firmware& firmware = *model.firmware;
  if (what == "page40h") {
    firmware.address_translation = has;
  } else if (what == "fua") {
    firmware.force_reads = firmware.force_writes = has;
  } else if (what == "ncq") {  // ATA's reads are forced by a queued command alone
    firmware.force_reads = has;
    firmware.task_set = has ? 0 : 1;
  } else if (what == "seek") {
    firmware.seek_command = has;
  } else {
    return false;
  }
  return true;
}

void apply_option(std::string_view option, const std::string& name, model::DriveModel& model) {
  const std::size_t equals = option.find('=');
  const std::string_view key = option.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? std::string_view{}
                                                                  : option.substr(equals + 1);
  const std::uint64_t seed = model.imperfections ? model.imperfections->seed : 0;
  if (key == "seed") {
    if (!model.imperfections) model.imperfections.emplace();
    model.imperfections->seed = parse_seed(value, name);
  } else if (key == "imperfections" && value == "none") {
    model.imperfections.emplace();
    model.imperfections->seed = seed;
  } else if (key == "imperfections" && value == "default") {
    model.imperfections = default_imperfections(seed);
  } else if (key == "power" && (value == "yes" || value == "fixed")) {
    draw_power(model, value == "yes");
  } else if (key == "zoned" && !model.arms && make_zoned(model, value)) {
    return;
  } else if ((value != "no" && value != "yes") || !withhold(key, value == "yes", model)) {
    throw Error(ExitStatus::usage,
                "virtual:" + name + " has the option '" + std::string(option) +
                    "'; the options are seed=N, imperfections=none or default, power=yes or fixed, "
                    "zoned=host-managed, host-aware, restricted or empty (of drives of one arm), "
                    "and page40h, fua, ncq and seek, each =no or =yes");
  }
}

}  // namespace

model::DriveModel truth_of(const std::string& device_name) {
  if (!device_name.starts_with("virtual:"))
    throw Error(ExitStatus::usage, device_name +
                                       " is no virtual drive, and nobody knows the truth "
                                       "about others; name virtual:NAME or "
                                       "virtual:FILE.json");
  model::DriveModel truth = virtual_model(device_name);
  const VirtualDevice device(truth, device_name);
  auto& notes = truth.provenance.notes;  // a truth may be played again: the phase is then another
  std::erase_if(notes, [](const std::string& note) { return note.starts_with(kPhase); });
  notes.push_back(kPhase + phase_note(device, truth));
  return truth;
}

model::DriveModel virtual_model(const std::string& given) {
  const std::string name = given.starts_with(kPrefix) ? given.substr(kPrefix.size()) : given;
  const std::size_t mark = name.rfind('?');
  model::DriveModel model = model_named(name.substr(0, mark));
  if (mark == std::string::npos) return model;
  for (std::string_view rest = std::string_view(name).substr(mark + 1); !rest.empty();) {
    const std::size_t end = rest.find('&');
    apply_option(rest.substr(0, end), name, model);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  return model;
}

namespace {

struct OfUnit {
  std::string drive;  // its name without the number
  std::optional<std::size_t> lun;
};

OfUnit unit_in(const std::string& name) {
  constexpr std::string_view kLun = "lun=";
  OfUnit of{name, std::nullopt};
  const std::size_t mark = name.rfind('?');
  const std::size_t at = mark == name.npos ? mark : name.find(kLun, mark);
  if (at == name.npos || (name[at - 1] != '?' && name[at - 1] != '&')) return of;
  const std::size_t end = name.find('&', at);
  const auto number = model::number_in<std::uint64_t>(
      std::string_view(name).substr(at, end - at).substr(kLun.size()));
  if (!number || *number > 1)
    throw Error(ExitStatus::usage,
                name + " names a logical unit that is none; lun=0 and lun=1 are");
  of.lun = *number;
  of.drive = end == name.npos ? name.substr(0, at - 1) : name.substr(0, at) + name.substr(end + 1);
  return of;
}

}  // namespace

std::unique_ptr<scsi::Device> open_unit(const std::string& name) {
  const OfUnit of = unit_in(name);
  if (!of.lun) return open_virtual(name);
  return SplitUnits(virtual_model(of.drive), name).unit(*of.lun, name);
}

std::array<std::unique_ptr<scsi::Device>, 2> open_units(const std::array<std::string, 2>& names) {
  const OfUnit a = unit_in(names[0]), b = unit_in(names[1]);
  if (!names[0].starts_with(kPrefix) || !a.lun || !b.lun || a.drive != b.drive || a.lun == b.lun)
    return {};
  const SplitUnits units(virtual_model(a.drive), a.drive);
  return {units.unit(*a.lun, names[0]), units.unit(*b.lun, names[1])};
}

std::unique_ptr<VirtualDevice> open_virtual(const std::string& name) {
  const std::string full = name.starts_with(kPrefix) ? name : std::string(kPrefix) + name;
  return std::make_unique<VirtualDevice>(virtual_model(name), full);
}

}  // namespace platter::virtual_drive
