#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "emit/disksim_check/findings.h"
#include "model/file.h"
#include "model/text_file.h"

namespace platter::emit_disksim_check {
namespace {

constexpr const char *kReadCurve = "mech_g1_load.c, dm_mech_g1_read_extracted_seek_curve",
                     *kExtracted = "mech_g1_seektime.c, dm_mech_g1_seek_extracted",
                     *kLoaders = "dm_mech_g1.modspec";

struct SeekLine {
  int number = 0;
  long distance = 0;
  double time_ms = 0;
};

// The lines that sscanf's "%d, %lf" takes; the others are found.
std::vector<SeekLine> seek_lines(const std::string& path, const Where& where, Findings& findings) {
  std::vector<SeekLine> points;
  std::istringstream lines(model::read_text(path));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    SeekLine point{.number = ++number};
    int header = 0;
    if (number == 1 && std::sscanf(line.c_str(), "Seek distances measured: %d", &header) == 1)
      continue;
    if (std::sscanf(line.c_str(), "%ld, %lf", &point.distance, &point.time_ms) == 2)
      points.push_back(point);
    else
      findings.add(Effect::otherwise, where,
                   fmt::format("line {} of the seek file is no \"DISTANCE, TIME\", and DiskSim "
                               "leaves it out",
                               number),
                   kReadCurve);
  }
  return points;
}

void check_curve(const Values& mechanics, const std::string& folder, Findings& findings) {
  const Where& where = mechanics.where("Full seek curve");
  const std::string name = mechanics.text("Full seek curve");
  const std::string path = file_named(name, where, folder);
  if (path.empty())
    return findings.add(Effect::stops, where, fmt::format("there is no seek file {}", name),
                        kReadCurve);
  const std::vector<SeekLine> points = seek_lines(path, where, findings);
  const auto otherwise = [&](const std::string& what) {
    findings.add(Effect::otherwise, where, what, kExtracted);
  };
  if (points.empty()) return otherwise("the seek file has no point: seeks take no time");
  if (points.size() == 1)
    return findings.add(Effect::never_answers, where,
                        "the seek file has one point: every other distance takes a time from "
                        "outside of DiskSim's tables",
                        kExtracted);
  if (points.front().distance > 1)
    otherwise(
        fmt::format("the seek file begins with {} cylinders: shorter seeks take a time from "
                    "outside of DiskSim's tables",
                    points.front().distance));
  const auto descends = std::ranges::adjacent_find(
      points, [](const SeekLine& a, const SeekLine& b) { return b.distance < a.distance; });
  if (descends != points.end())
    otherwise(
        fmt::format("line {} of the seek file is of a shorter distance than the one in front "
                    "of it: DiskSim looks through it from the front",
                    std::next(descends)->number));
  const auto negative = std::ranges::find_if(
      points, [](const SeekLine& point) { return point.time_ms < 0; });
  if (negative != points.end())
    otherwise(
        fmt::format("line {} of the seek file has a negative time: DiskSim's times have no "
                    "sign",
                    negative->number));
}

void check_seeks(const Values& mechanics, const std::string& folder, Findings& findings) {
  const std::string type = mechanics.text("Seek type");
  const Where& where = mechanics.where("Seek type");
  constexpr std::array kTypes = {"constant", "linear", "curve", "hpl", "hplplus10", "extracted"};
  if (std::ranges::find(kTypes, type) == kTypes.end())
    findings.add(Effect::stops, where,
                 type.empty() ? "dm_mech_g1 has no \"Seek type\""
                              : fmt::format("there is no \"Seek type\" {}", type),
                 kLoaders);
  if (type == "constant")
    findings.add(Effect::stops, where, "seeks of \"Seek type\" constant are never of that type",
                 "mech_g1_seektime.c, dm_mech_g1_seek_const");
  if (type == "linear" || type == "curve") {
    findings.add(
        Effect::otherwise, where,
        fmt::format("the times of \"Seek type\" {} are taken as they stand, not as ms", type),
        kLoaders);
    for (const char* name :
         {"Average seek time", "Single cylinder seek time", "Full strobe seek time"})
      if (!mechanics.find(name))
        findings.add(
            Effect::never_answers, where,
            fmt::format("\"Seek type\" {} without \"{}\": seeks take whatever time", type, name),
            kLoaders);
  }
  if (mechanics.find("Full seek curve"))
    check_curve(mechanics, folder, findings);
  else if (type == "extracted")
    findings.add(Effect::otherwise, where,
                 "there is no \"Full seek curve\": seeks take whatever time", kExtracted);
}

}  // namespace

std::string file_named(const std::string& name, const Where& where, const std::string& folder) {
  namespace fs = std::filesystem;
  const fs::path near = where.file ? fs::path(*where.file).parent_path() / name : fs::path(name);
  for (const fs::path& path : {near, fs::path(folder) / name})
    if (!name.empty() && model::is_file(path.string())) return path.string();
  return "";
}

void check_mechanics(const Block& block, const std::string& folder, Findings& findings) {
  const Values mechanics(block);
  if (mechanics.integer("Rotation speed (in rpms)") < 1)
    findings.add(Effect::never_answers, mechanics.where("Rotation speed (in rpms)"),
                 fmt::format("\"Rotation speed (in rpms)\" = {}: the platter does not turn",
                             mechanics.integer("Rotation speed (in rpms)")),
                 "mech_g1_load.c, dm_mech_g1_loadparams");
  const std::string access = mechanics.text("Access time type");
  constexpr std::array kTypes = {"", "constant", "averageRotation", "trackSwitchPlusRotation"};
  if (std::ranges::find(kTypes, access) == kTypes.end())
    findings.add(Effect::stops, mechanics.where("Access time type"),
                 fmt::format("there is no \"Access time type\" {}", access), kLoaders);
  if (mechanics.real("Add. write settling delay") < 0)
    findings.add(Effect::otherwise, mechanics.where("Add. write settling delay"),
                 "\"Add. write settling delay\" is negative: DiskSim's times have no sign",
                 "mech_g1.h");
  check_seeks(mechanics, folder, findings);
}

}  // namespace platter::emit_disksim_check
