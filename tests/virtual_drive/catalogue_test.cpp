// The drives that platter brings along, and the names of virtual drives.
#include "virtual_drive/catalogue.h"

#include <filesystem>
#include <fstream>
#include <set>

#include "catch.h"
#include "engine/tables.h"
#include "model/error.h"
#include "model/json.h"
#include "model/validate.h"
#include "source_folder.h"
#include "virtual_drive/catalogue_recipes.h"
#include "virtual_drive/defects.h"
#include "virtual_drive/imperfections.h"
#include "virtual_drive/open.h"
#include "virtual_drive/test_drive.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;

namespace {

ExitStatus status_of(const std::string& name) {
  try {
    virtual_model(name);
  } catch (const Error& error) {
    INFO(error.what());
    return error.status();
  }
  return ExitStatus::ok;
}

}  // namespace

TEST_CASE("each entry has a file or a recipe, and each file an entry") {
  std::set<std::string> files, entries, names;
  for (const auto& file :
       std::filesystem::directory_iterator(source_folder() + "/src/virtual_drive/catalogue"))
    files.insert(file.path().stem().string());
  for (const auto& entry : catalogue()) {
    CHECK(names.insert(std::string(entry.name)).second);
    CHECK(find_in_catalogue(entry.name) == &entry);
    if (!entry.alias.empty()) CHECK(find_in_catalogue(entry.alias) == &entry);
    if (!catalogue_text(entry).empty()) entries.insert(std::string(entry.name));
  }
  CHECK(files == entries);
  CHECK(catalogue().size() == files.size() + invented_drives().size() + modern_drives().size());
}

TEST_CASE("every drive of the catalogue answers, with the default imperfections") {
  const model::Imperfections expected = default_imperfections();
  for (const auto& entry : catalogue()) {
    if (entry.modern) continue;  // modern_drives_test.cpp
    INFO(entry.name);
    const auto model = catalogue_model(entry);
    auto steady = model;  // the same noise in every run, and no command refused
    steady.imperfections->seed = 1;
    steady.imperfections->busy_share = steady.imperfections->unit_attention_share = 0;
    VirtualDevice device(steady);
    REQUIRE(model.imperfections);
    CHECK(model.imperfections->seed == 0);
    CHECK(model.imperfections->positioning_sigma_us == expected.positioning_sigma_us);
    CHECK(model.imperfections->slow_access_share == expected.slow_access_share);
    CHECK(model.imperfections->slow_access_mean_ms == expected.slow_access_mean_ms);
    CHECK(model.imperfections->host_delay_median_us == expected.host_delay_median_us);
    CHECK(model.imperfections->host_delay_p99_us == expected.host_delay_p99_us);
    CHECK(model.imperfections->wobble_ppm == expected.wobble_ppm);
    CHECK(model.imperfections->wobble_period_s == expected.wobble_period_s);
    CHECK(model.imperfections->random_phase);
    CHECK(model.identity.serial.starts_with("VIRTUAL"));
    CHECK_FALSE(model.provenance.source.empty());

    CHECK(sense_of(run(device, command({0x00, 0, 0, 0, 0, 0}))) == 0x62900);
    const auto capacity = run(device, command({0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 8));
    REQUIRE(capacity.data.size() == 8);
    const std::uint32_t last = scsi::get_be32(&capacity.data[0]);
    CHECK(last + 1 == device.layout().blocks());
    for (std::uint32_t i = 0; i <= 50; ++i) {
      const auto lbn = static_cast<std::uint32_t>(std::uint64_t{last} * i / 50);
      const auto done = run(device, read_10(lbn, 1));
      CHECK(sense_of(done) == 0);
      CHECK(done.response_ns() < 200 * kMillisecond);
    }
  }
}

TEST_CASE("the validated drives name their source, and slipped what it says") {
  CHECK(validated_drives().size() == 5);
  for (const auto& entry : validated_drives()) {
    INFO(entry.name);
    const auto model = catalogue_model(entry);
    CHECK(model.provenance.source.find("DiskSim 4.0") != std::string::npos);
    CHECK(model.provenance.source.find("CMU PDL") != std::string::npos);
    // Known slips are single sectors (on the HP: tracks), far fewer than the spares.
    const auto defects = find_defects(model.layout);
    CHECK(defects.primary.size() >= 10);
    CHECK(defects.primary.size() < 700);
    const engine::LayoutMap map(model.layout);
    for (const auto slot : defects.primary) CHECK_FALSE(map.lbn_of_slot(slot));
  }
}

TEST_CASE("invented drives are what their descriptions say") {
  const auto drive = [](const char* name) { return virtual_model(name); };
  for (const auto& invented : invented_drives()) {
    INFO(invented.name);
    const auto model = drive(std::string(invented.name).c_str());
    REQUIRE_NOTHROW(model::validate(model, "it"));
    const bool large = invented.name == "serpentine-147gb";
    const bool cached = invented.name.starts_with("cache-");
    const bool small = cached && invented.name != "cache-large";
    CHECK(model.identity.blocks > (large ? 286'000'000 : small ? 900'000 : 17'500'000));
    CHECK(model.identity.blocks < (large ? 288'000'000 : small ? 1'100'000 : 23'500'000));
    CHECK(model.layout.remaps.empty() == (cached || invented.name == "spare-none"));
    CHECK(model::to_json_text(model).size() < 1'000'000);
  }
  CHECK(drive("spare-none").layout.spares == "none");
  CHECK(drive("spare-mixed").layout.spares ==
        "sectors of each cylinder and sectors of each group of 10 cylinders");
  CHECK(drive("spare-tracks-of-zone").layout.spares == "tracks of each zone");
  CHECK(drive("many-defects").firmware->primary_defects->size() > 4000);
  CHECK_FALSE(drive("lying-translation").firmware->translates_truly);
  CHECK(drive("few-formats").firmware->address_formats ==
        std::vector<std::string>{"long block", "bytes from index"});
  CHECK(drive("busy").imperfections->busy_share > 0);
  CHECK(drive("busy").imperfections->unit_attention_share > 0);

  const auto serpentine = drive("serpentine-147gb");
  const engine::LayoutMap map(serpentine.layout);
  CHECK(serpentine.layout.zones.size() == 30);
  CHECK(map.heads() == 4);
  CHECK(serpentine.overheads.address_translation.value == 0.5);
  const engine::Track first = map.track_of_slot(0), last = map.track_of_slot(map.slots() - 1);
  CHECK(first.sectors == 1200);
  CHECK(last.sectors == 720);
  const engine::Track turn = map.track_of_slot(std::uint64_t{65} * 1200);
  CHECK(turn.head == 1);
  CHECK(turn.cylinder == 64);
  CHECK(serpentine.firmware->primary_defects->size() > 3000);
  CHECK(serpentine.firmware->primary_defects->size() < 4000);

  const engine::LayoutMap densities(drive("head-density").layout);
  std::set<std::uint32_t> sizes;
  for (std::uint32_t head = 0; head < 8; ++head) sizes.insert(densities.track_at(0, head)->sectors);
  CHECK(sizes.size() >= 6);
}

TEST_CASE("options of a name") {
  CHECK(virtual_model("virtual:atlas10k?seed=7").imperfections->seed == 7);
  CHECK(virtual_model("atlas10k").imperfections->seed == 0);
  const auto calm = virtual_model("atlas10k?seed=7&imperfections=none");
  CHECK(calm.imperfections->seed == 7);
  CHECK(calm.imperfections->positioning_sigma_us == 0);
  CHECK_FALSE(calm.imperfections->random_phase);
  CHECK(virtual_model("c2247?imperfections=none&imperfections=default")
            .imperfections->positioning_sigma_us == 30);
  CHECK(status_of("virtual:no-such-drive") == ExitStatus::no_device);
  CHECK(status_of("virtual:random-") == ExitStatus::no_device);
  CHECK(status_of("virtual:random-1x") == ExitStatus::no_device);
  CHECK(status_of("virtual:") == ExitStatus::no_device);
  CHECK(status_of("/nonexistent/file.json") == ExitStatus::bad_input);
  CHECK(status_of("atlas10k?sead=7") == ExitStatus::usage);
  CHECK(status_of("atlas10k?seed=") == ExitStatus::usage);
  CHECK(status_of("atlas10k?seed=-1") == ExitStatus::usage);
  CHECK(status_of("atlas10k?imperfections=some") == ExitStatus::usage);
}

TEST_CASE("what a drive of today lacks is an option") {
  const auto firmware = [](const std::string& options) {
    return virtual_model("virtual:c2247?" + options).firmware.value();
  };
  CHECK_FALSE(firmware("page40h=no").address_translation);
  CHECK_FALSE(firmware("seek=no").seek_command);
  CHECK_FALSE(firmware("fua=no").force_reads);
  CHECK_FALSE(firmware("fua=no").force_writes);
  CHECK_FALSE(firmware("ncq=no").force_reads);
  CHECK(firmware("ncq=no").force_writes);
  CHECK(firmware("ncq=no").task_set == 1);
  CHECK(firmware("seed=4&page40h=no&fua=no&fua=yes").force_reads);
  CHECK(firmware("ncq=no&ncq=yes").task_set == 0);
  for (const char* wrong : {"fua=maybe", "fua", "page41h=no", "seek="})
    CHECK_THROWS_AS(firmware(wrong), Error);
}

TEST_CASE("any model file is a drive, and its truth is that file") {
  auto model = test_drive();
  model.identity.blocks = 7297;
  const auto path = std::filesystem::temp_directory_path() /
                    ("platter-virtual-" + std::to_string(std::rand()) + ".json");
  model::save_model(model, path.string());
  const std::string name = "virtual:" + path.string();
  const auto device = open_virtual(name);
  CHECK(device->name() == name);
  CHECK(sense_of(run(*device, read_10(7296, 1))) == 0);
  auto truth = truth_of(name);
  CHECK(truth.identity.product == "SMALL");
  CHECK_FALSE(truth.imperfections);
  REQUIRE_FALSE(truth.provenance.notes.empty());
  CHECK(truth.provenance.notes.back().find("power-on phase: 0") == 0);
  model::save_model(truth, path.string());
  CHECK(truth_of(name).provenance.notes == truth.provenance.notes);
  std::filesystem::remove(path);
}

TEST_CASE("the truth tells the power-on phase that a seed gives") {
  const auto device = open_virtual("atlas10k?seed=7");
  const auto note = truth_of("virtual:atlas10k?seed=7").provenance.notes.back();
  const std::string prefix = "power-on phase: ";
  REQUIRE(note.starts_with(prefix));
  const double turns = std::stod(note.substr(prefix.size()));
  CHECK(turns * 60e9 / 10025 == Approx(device->power_on_phase_ns()).margin(10));
  CHECK(truth_of("virtual:atlas10k").provenance.notes.back().find("new one in every run") !=
        std::string::npos);
  CHECK_THROWS_AS(truth_of("/dev/sg0"), Error);
}

TEST_CASE("caches of the catalogue differ from the base drive's in one respect") {
  const auto layout_of = [](const model::DriveModel& model) {
    model::DriveModel alone;
    alone.layout = model.layout;
    return model::to_json_text(alone);
  };
  const model::DriveModel base = virtual_model("cache-base");
  const engine::CacheTable plain = engine::compile_cache(base.cache);
  std::size_t caches = 0, adaptive = 0;
  for (const auto& invented : invented_drives()) {
    if (!invented.name.starts_with("cache-") || invented.name == "cache-base") continue;
    INFO(invented.name);
    const auto model = virtual_model(std::string(invented.name));
    const engine::CacheTable cache = engine::compile_cache(model.cache);
    const auto& firmware = *model.firmware;
    CHECK((cache != plain || model.cache.written_blocks.value ||
           model.cache.written_persist.value || !firmware.ignored_cache_fields.empty() ||
           !firmware.cache_page_changeable));
    if (invented.name != "cache-large") CHECK(layout_of(model) == layout_of(base));
    caches += cache != plain;
    adaptive += cache.fewest_segments > 0;
  }
  CHECK(caches >= 10);
  CHECK(adaptive == 4);
  CHECK(virtual_model("cache-large").cache.segments.value.value_or(0) *
            virtual_model("cache-large").cache.segment_blocks.value.value_or(0) ==
        256 * 2048);
}
