// Every parameter that DiskSim 4.0 declares for a disk, its model, mechanics and layouts, and for
// what stands between it and the host: set to another value it changes the model, or a note names
// it. Nothing is dropped without a word. docs/disksim.md has the same list, with reasons.

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"
#include "emit/disksim/export.h"
#include "emit/disksim/import.h"
#include "folder.h"
#include "model/error.h"
#include "model/file.h"
#include "model/json.h"
#include "source_folder.h"
#include "virtual_drive/open.h"

namespace platter::emit_disksim {
namespace {

struct Row {
  const char* block;
  const char* name;
  std::string usual;  // "" : not there
  std::string other;  // "" : a block or list of its own, whose content is looked at by itself
};

// As DiskSim's own declarations have them.
const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"disksim_disk", "Model", "", ""},
      {"disksim_disk", "Scheduler", "", ""},
      {"disksim_disk", "Max queue length", "0", "8"},
      {"disksim_disk", "Bulk sector transfer time", "0.1", "0.2"},
      {"disksim_disk", "Segment size (in blks)", "100", "200"},
      {"disksim_disk", "Number of buffer segments", "4", "5"},
      {"disksim_disk", "Print stats", "0", "1"},
      {"disksim_disk", "Per-request overhead time", "0.0", "0.5"},
      {"disksim_disk", "Time scale for overheads", "1.0", "2.0"},
      {"disksim_disk", "Hold bus entire read xfer", "0", "1"},
      {"disksim_disk", "Hold bus entire write xfer", "0", "1"},
      {"disksim_disk", "Allow almost read hits", "0", "1"},
      {"disksim_disk", "Allow sneaky full read hits", "0", "1"},
      {"disksim_disk", "Allow sneaky partial read hits", "0", "1"},
      {"disksim_disk", "Allow sneaky intermediate read hits", "0", "1"},
      {"disksim_disk", "Allow read hits on write data", "0", "1"},
      {"disksim_disk", "Allow write prebuffering", "0", "1"},
      {"disksim_disk", "Preseeking level", "0", "2"},
      {"disksim_disk", "Never disconnect", "0", "1"},
      {"disksim_disk", "Avg sectors per cylinder", "20", "30"},
      {"disksim_disk", "Maximum number of write segments", "1", "2"},
      {"disksim_disk", "Use separate write segment", "0", "1"},
      {"disksim_disk", "Low (write) water mark", "0.0", "0.5"},
      {"disksim_disk", "High (read) water mark", "0.0", "0.5"},
      {"disksim_disk", "Set watermark by reqsize", "0", "1"},
      {"disksim_disk", "Calc sector by sector", "1", "0"},
      {"disksim_disk", "Enable caching in buffer", "1", "2"},
      {"disksim_disk", "Buffer continuous read", "0", "4"},
      {"disksim_disk", "Minimum read-ahead (blks)", "0", "10"},
      {"disksim_disk", "Maximum read-ahead (blks)", "0", "50"},
      {"disksim_disk", "Read-ahead over requested", "0", "-1"},
      {"disksim_disk", "Read-ahead on idle hit", "0", "1"},
      {"disksim_disk", "Read any free blocks", "0", "1"},
      {"disksim_disk", "Fast write level", "0", "2"},
      {"disksim_disk", "Immediate buffer read", "0", "1"},
      {"disksim_disk", "Immediate buffer write", "0", "1"},
      {"disksim_disk", "Combine seq writes", "0", "1"},
      {"disksim_disk", "Stop prefetch in sector", "0", "1"},
      {"disksim_disk", "Disconnect write if seek", "0", "1"},
      {"disksim_disk", "Write hit stop prefetch", "0", "1"},
      {"disksim_disk", "Read directly to buffer", "1", "0"},
      {"disksim_disk", "Immed transfer partial hit", "0", "1"},
      {"disksim_disk", "Read hit over. after read", "0.1", "0.3"},
      {"disksim_disk", "Read hit over. after write", "0.1", "0.3"},
      {"disksim_disk", "Read miss over. after read", "0.1", "0.3"},
      {"disksim_disk", "Read miss over. after write", "0.1", "0.3"},
      {"disksim_disk", "Write hit over. after read", "0.1", "0.3"},
      {"disksim_disk", "Write hit over. after write", "0.1", "0.3"},
      {"disksim_disk", "Write miss over. after read", "0.1", "0.3"},
      {"disksim_disk", "Write miss over. after write", "0.1", "0.3"},
      {"disksim_disk", "Read completion overhead", "0.0", "0.3"},
      {"disksim_disk", "Write completion overhead", "0.0", "0.3"},
      {"disksim_disk", "Data preparation overhead", "0.0", "0.3"},
      {"disksim_disk", "First reselect overhead", "0.0", "0.3"},
      {"disksim_disk", "Other reselect overhead", "0.0", "0.3"},
      {"disksim_disk", "Read disconnect afterread", "0.0", "0.3"},
      {"disksim_disk", "Read disconnect afterwrite", "0.0", "0.3"},
      {"disksim_disk", "Write disconnect overhead", "0.0", "0.3"},
      {"disksim_disk", "Extra write disconnect", "0", "1"},
      {"disksim_disk", "Extradisc command overhead", "0.0", "0.3"},
      {"disksim_disk", "Extradisc disconnect overhead", "0.0", "0.3"},
      {"disksim_disk", "Extradisc inter-disconnect delay", "0.0", "0.3"},
      {"disksim_disk", "Extradisc 2nd disconnect overhead", "0.0", "0.3"},
      {"disksim_disk", "Extradisc seek delta", "0.0", "0.3"},
      {"disksim_disk", "Minimum seek delay", "0.0", "0.3"},
      {"disksim_ioqueue", "Scheduling policy", "1", "4"},
      {"disksim_ioqueue", "Cylinder mapping strategy", "0", "1"},
      {"disksim_ioqueue", "Write initiation delay", "0.0", "0.1"},
      {"disksim_ioqueue", "Read initiation delay", "0.0", "0.1"},
      {"disksim_ioqueue", "Sequential stream scheme", "0", "1"},
      {"disksim_ioqueue", "Maximum concat size", "0", "128"},
      {"disksim_ioqueue", "Overlapping request scheme", "0", "1"},
      {"disksim_ioqueue", "Sequential stream diff maximum", "0", "1"},
      {"disksim_ioqueue", "Scheduling timeout scheme", "0", "1"},
      {"disksim_ioqueue", "Timeout time/weight", "0", "6"},
      {"disksim_ioqueue", "Timeout scheduling", "0", "4"},
      {"disksim_ioqueue", "Scheduling priority scheme", "0", "1"},
      {"disksim_ioqueue", "Priority scheduling", "0", "4"},
      {"dm_disk", "Block count", "0", "77"},
      {"dm_disk", "Number of data surfaces", "2", "3"},
      {"dm_disk", "Number of cylinders", "4", "5"},
      {"dm_disk", "Mechanical Model", "", ""},
      {"dm_disk", "Layout Model", "", ""},
      {"dm_mech_g1", "Access time type", "trackSwitchPlusRotation", "constant"},
      {"dm_mech_g1", "Constant access time", "", "3.0"},
      {"dm_mech_g1", "Seek type", "constant", "linear"},
      {"dm_mech_g1", "Average seek time", "5.0", "6.0"},
      {"dm_mech_g1", "Constant seek time", "1.5", "2.5"},
      {"dm_mech_g1", "Single cylinder seek time", "1.0", "2.0"},
      {"dm_mech_g1", "Full strobe seek time", "9.0", "10.0"},
      {"dm_mech_g1", "Full seek curve", "", "other.seek"},
      {"dm_mech_g1", "Add. write settling delay", "0.1", "0.2"},
      {"dm_mech_g1", "Head switch time", "0.7", "0.8"},
      {"dm_mech_g1", "Rotation speed (in rpms)", "6000", "7200"},
      {"dm_mech_g1", "Percent error in rpms", "0.0", "1.0"},
      {"dm_mech_g1", "First ten seek times", "",
       "[ 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0 ]"},
      {"dm_mech_g1", "HPL seek equation values", "", "[ 10, 1.0, 0.1, 1.0, 0.1, -1.0 ]"},
      {"dm_layout_g1", "LBN-to-PBN mapping scheme", "0", "1"},
      {"dm_layout_g1", "Sparing scheme used", "8", "9"},
      {"dm_layout_g1", "Rangesize for sparing", "2", "1"},
      {"dm_layout_g1", "Skew units", "sectors", "revolutions"},
      {"dm_layout_g1", "Zones", "", ""},
      {"dm_layout_g1_zone", "First cylinder number", "0", "1"},
      {"dm_layout_g1_zone", "Last cylinder number", "3", "2"},
      {"dm_layout_g1_zone", "Blocks per track", "10", "12"},
      {"dm_layout_g1_zone", "Offset of first block", "1.0", "2.0"},
      {"dm_layout_g1_zone", "Skew units", "", "revolutions"},
      {"dm_layout_g1_zone", "Empty space at zone front", "0", "3"},
      {"dm_layout_g1_zone", "Skew for track switch", "2.0", "3.0"},
      {"dm_layout_g1_zone", "Skew for cylinder switch", "3.0", "4.0"},
      {"dm_layout_g1_zone", "Number of spares", "5", "6"},
      {"dm_layout_g1_zone", "slips", "[ 4 ]", "[ 4, 7 ]"},
      {"dm_layout_g1_zone", "defects", "[]", "[ 2, 36 ]"},
      {"dm_layout_g2", "Layout Map File", "a.map", "b.map"},
      {"dm_layout_g2", "Zones", "", ""},
      {"dm_layout_g2_zone", "First cylinder number", "0", "1"},
      {"dm_layout_g2_zone", "Last cylinder number", "1", "2"},
      {"dm_layout_g2_zone", "First LBN", "0", "1"},
      {"dm_layout_g2_zone", "Last LBN", "29", "28"},
      {"dm_layout_g2_zone", "Blocks per track", "10", "12"},
      {"dm_layout_g2_zone", "Zone Skew", "0.0", "1.0"},
      {"dm_layout_g2_zone", "Skew units", "sectors", "revolutions"},
      {"dm_layout_g2_zone", "Skew for track switch", "2.5", "3.0"},
      {"dm_layout_g2_zone", "Skew for cylinder switch", "2.5", "4.0"},
      {"dm_layout_g4", "TP", "[ 0, 9, 10 ]", "[ 0, 9, 12 ]"},
      {"dm_layout_g4", "IDX", "[ [ 0, 0, 0.0, 10, 1, 0.25, 40, 4, TRACK, 0, 0 ] ]",
       "[ [ 0, 0, 0.0, 10, 1, 0.35, 40, 4, TRACK, 0, 0 ] ]"},
      {"dm_layout_g4", "Slips", "[]", "[ 3, 1 ]"},
      {"dm_layout_g4", "Remaps", "[]", "[ 5, 1, 4, 0, 0, 10 ]"},
      {"disksim_bus", "type", "1", "2"},
      {"disksim_bus", "Arbitration type", "1", "2"},
      {"disksim_bus", "Arbitration time", "0.0", "0.1"},
      {"disksim_bus", "Read block transfer time", "0.0", "0.3"},
      {"disksim_bus", "Write block transfer time", "0.0", "0.3"},
      {"disksim_bus", "Print stats", "0", "1"},
      {"disksim_ctlr", "type", "1", "2"},
      {"disksim_ctlr", "Scale for delays", "0.0", "0.1"},
      {"disksim_ctlr", "Bulk sector transfer time", "0.0", "0.1"},
      {"disksim_ctlr", "Maximum queue length", "0", "3"},
      {"disksim_ctlr", "Print stats", "0", "1"},
      {"disksim_ctlr", "Scheduler", "", "disksim_ioqueue { Scheduling policy = 1 }"},
      {"disksim_ctlr", "Cache", "", "disksim_cachemem { Cache size = 1 }"},
      {"disksim_ctlr", "Max per-disk pending count", "", "1"},
      {"disksim_iodriver", "type", "1", "2"},
      {"disksim_iodriver", "Constant access time", "0.0", "3.0"},
      {"disksim_iodriver", "Scheduler", "", "disksim_ioqueue { Scheduling policy = 1 }"},
      {"disksim_iodriver", "Use queueing in subsystem", "1", "0"},
  };
  return all;
}

// A parameter set in which one value may be another, or one unknown parameter stand.
class ParameterSet {
 public:
  ParameterSet(const char* layout, const Row* changed, const char* strange_in = nullptr)
      : layout_(layout), changed_(changed), strange_in_(strange_in) {}

  std::string text() const {
    return "disksim_iodriver HOST { " + values("disksim_iodriver") + " }\ndisksim_ctlr CTLR { " +
           values("disksim_ctlr") + " }\ndisksim_bus BUS { " + values("disksim_bus") +
           " }\ndisksim_disk TEST { " + values("disksim_disk") +
           ",\nScheduler = disksim_ioqueue { " + values("disksim_ioqueue") +
           " },\nModel = dm_disk M { " + values("dm_disk") + ",\nLayout Model = " + layout() +
           ",\nMechanical Model = dm_mech_g1 { " + values("dm_mech_g1") +
           " } } }\ninstantiate [ h ] as HOST\ninstantiate [ c ] as CTLR\n"
           "instantiate [ b ] as BUS\ninstantiate [ d ] as TEST\n"
           "topology disksim_iodriver h [ disksim_ctlr c [ disksim_bus b [ disksim_disk d [] ] ] "
           "]\n";
  }

 private:
  std::string layout() const {
    const std::string type = layout_;
    if (type == "dm_layout_g4") return type + " { " + values(layout_) + " }";
    const std::string zone = type + "_zone";
    return type + " { " + values(layout_) + ",\nZones = [ " + zone + " { " + values(zone.c_str()) +
           " } ] }";
  }
  std::string values(const std::string& block) const {
    std::string text;
    const auto add = [&](const std::string& name, const std::string& value) {
      text += (text.empty() ? "" : ", ") + name + " = " + value;
    };
    for (const Row& row : rows()) {
      if (row.block != block) continue;
      const std::string& value = &row == changed_ ? row.other : row.usual;
      if (!value.empty()) add(row.name, value);
    }
    if (strange_in_ != nullptr && block == strange_in_) add("Colour", "blue");
    return text;
  }

  const char* layout_;
  const Row* changed_;
  const char* strange_in_;
};

struct Result {
  std::string model;  // as JSON, without notes
  std::string words;  // the notes, or the sentence of the error
};

Result import_text(const Folder& folder, const std::string& text) {
  try {
    model::DriveModel model = import_disksim(folder.write("x.parv", text)).model;
    Result result;
    for (const std::string& note : model.provenance.notes) result.words += note + "\n";
    model.provenance.notes.clear();
    result.model = model::to_json_text(model);
    return result;
  } catch (const Error& error) {
    return {"", error.what()};
  }
}

const char* layout_of(const Row& row) {
  const std::string block = row.block;
  for (const char* layout : {"dm_layout_g2", "dm_layout_g4"}) {
    if (block.starts_with(layout)) return layout;
  }
  return "dm_layout_g1";
}

const char* kMapHead =
    "Info extracted from it\nmaxlbn 29, blocksize 512\n2 cylinders, 100 rot, 2 heads\n";

void write_files(const Folder& folder) {
  folder.write("a.map", std::string(kMapHead) +
                            "lbn 0 --> cyl 0, head 0, sect 0, count 10\n"
                            "lbn 10 --> cyl 0, head 1, sect 0, count 10\n"
                            "lbn 20 --> cyl 1, head 0, sect 0, count 10\n");
  folder.write("b.map", std::string(kMapHead) + "lbn 0 --> cyl 0, head 0, sect 0, count 10\n");
}

TEST_CASE("no parameter is dropped without a word") {
  const Folder folder;
  write_files(folder);
  std::map<std::string, Result> usual;
  for (const char* layout : {"dm_layout_g1", "dm_layout_g2", "dm_layout_g4"}) {
    usual[layout] = import_text(folder, ParameterSet(layout, nullptr).text());
    INFO(usual[layout].words);
    REQUIRE(!usual[layout].model.empty());
  }
  for (const Row& row : rows()) {
    if (row.other.empty()) continue;
    INFO(row.block << ": " << row.name << " = " << row.other);
    const Result& before = usual.at(layout_of(row));
    const Result after = import_text(folder, ParameterSet(layout_of(row), &row).text());
    INFO(after.words);
    const bool in_model = !after.model.empty() && after.model != before.model;
    const bool named = after.words.find(row.name) != std::string::npos &&
                       after.words != before.words;
    const bool refused = after.model.empty() && !after.words.empty();
    CHECK((in_model || named || refused));
  }
}

TEST_CASE("unknown parameters are named, in every block") {
  const Folder folder;
  write_files(folder);
  std::string last;
  for (const Row& row : rows()) {
    if (row.block == last) continue;
    last = row.block;
    INFO(row.block);
    const Result result = import_text(folder,
                                      ParameterSet(layout_of(row), nullptr, row.block).text());
    CHECK(!result.model.empty());
    CHECK(result.words.find("Colour = blue (x.parv:") != std::string::npos);
    CHECK(result.words.find(std::string("no parameter of ") + row.block + " that is known") !=
          std::string::npos);
  }
}

TEST_CASE("the documentation has every parameter") {
  const std::string text = model::read_file(source_folder() + "/docs/disksim.md");
  for (const Row& row : rows()) {
    INFO(row.block << ": " << row.name);
    CHECK(text.find(std::string("`") + row.name + "`") != std::string::npos);
  }
}

// The names in front of " = " in lines that begin with two blanks, of the first block of that type.
std::vector<std::string> names_in(const std::string& text, const std::string& type) {
  std::vector<std::string> names;
  std::istringstream lines(text.substr(text.find(type)));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line != "}") {
    const bool own = line.size() > 2 && line.starts_with("  ") && line[2] != ' ' && line[2] != '}';
    if (own) names.push_back(line.substr(2, line.find(" = ") - 2));
  }
  std::ranges::sort(names);
  return names;
}

TEST_CASE(
    "the files have all 65 parameters of a disk, once, and the documentation says what each is") {
  std::vector<std::string> declared;
  for (const Row& row : rows())
    if (row.block == std::string("disksim_disk")) declared.emplace_back(row.name);
  std::ranges::sort(declared);
  REQUIRE(declared.size() == 65);
  const Folder folder;
  model::DriveModel unknown = virtual_drive::virtual_model("virtual:quantum-atlas10k");
  unknown.cache = {};
  unknown.overheads = {};
  unknown.bus = {};
  unknown.queue = {};
  for (const model::DriveModel& model :
       {virtual_drive::virtual_model("virtual:quantum-atlas10k"), unknown}) {
    export_disksim(model, folder / "out", {"d"});
    CHECK(names_in(model::read_file(folder / "out/d.diskspecs"), "disksim_disk d") == declared);
  }
  const std::string text = model::read_file(source_folder() + "/docs/disksim.md");
  const std::size_t first = text.find("## The 65 parameters"), end = text.find("\n## ", first);
  REQUIRE(first < end);
  std::vector<std::string> told;
  std::istringstream lines(text.substr(first, end - first));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    std::istringstream names(line.substr(0, line.find(" |", 2)));  // of the first cell
    std::string between, name;
    while (std::getline(names, between, '`') && std::getline(names, name, '`'))
      told.push_back(name);
  }
  std::ranges::sort(told);
  CHECK(told == declared);
}

}  // namespace
}  // namespace platter::emit_disksim
