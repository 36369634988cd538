#include <numeric>

#include "../engine/small_drive.h"
#include "catch.h"
#include "emit/summary/drive_summary.h"
#include "emit/summary/simulators.h"
#include "engine/layout_map.h"
#include "model/seek_curve.h"

using namespace platter;
using emit_summary::DriveSummary;

TEST_CASE("the average seek is that of all pairs of blocks") {
  const model::DriveModel drive = engine::testing::small_drive();
  const engine::LayoutMap map(drive.layout);
  std::vector<std::uint64_t> blocks(map.cylinders());
  for (std::uint64_t lbn = 0; lbn < map.blocks(); ++lbn) ++blocks[map.pbn_of_lbn(lbn).cylinder];
  const model::Seek seek = model::mean_seek(drive);
  double sum = 0, pairs = 0;
  for (std::size_t a = 0; a < blocks.size(); ++a)
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const double many = static_cast<double>(blocks[a]) * static_cast<double>(blocks[b]);
      const double apart = a > b ? static_cast<double>(a - b) : static_cast<double>(b - a);
      pairs += many;
      sum += apart == 0 ? 0 : many * model::seek_time_ms(seek, apart);
    }
  CHECK(emit_summary::summary_of(drive).average_seek_ms == Approx(sum / pairs).epsilon(1e-12));
}

TEST_CASE("of many cylinders the average is nearly that of all pairs") {
  model::Seek seek;
  seek.points = {{1, 1, std::nullopt, 0}, {100'000, 11, std::nullopt, 0}};
  emit_summary::BlocksOfCylinders even(60'000);
  for (std::size_t cylinder = 0; cylinder < 60'000; ++cylinder) even.add(cylinder, 3);
  CHECK(emit_summary::BlocksOfCylinders(std::size_t{1} << 30).bins().size() <= 2048);
  // Two places of a line of length 1 are 1/3 apart on average.
  CHECK(emit_summary::average_seek_ms(seek, even) == Approx(1 + 10 * 0.2).epsilon(1e-3));
}

TEST_CASE("rates are blocks over turns") {
  model::DriveModel drive = engine::testing::small_drive();
  // Two zones of tracks without skew, of 100 and of 50 sectors: 1 turn a track.
  model::LayoutNode outer;
  outer.count = 40;
  outer.cylinder_step = 1;
  outer.sectors = 100;
  model::LayoutNode inner = outer;
  inner.cylinder = 40;
  inner.sectors = 50;
  inner.angle_step_rev = 0.25;
  drive.layout = {};
  drive.layout.zones = {outer, inner};
  drive.rotation.numerator_ns = 10'000'000;
  drive.rotation.denominator = 1;
  drive.identity.blocks = 6000;
  drive.identity.block_bytes = 512;
  const DriveSummary summary = emit_summary::summary_of(drive);
  REQUIRE(summary.zones.size() == 2);
  CHECK(summary.rpm == Approx(6000));
  CHECK(summary.rotational_latency_ms == Approx(5));
  CHECK(summary.zones[0].media_bytes_s == Approx(100 * 512 / 0.01));
  CHECK(summary.zones[0].sustained_bytes_s == Approx(100 * 512 / 0.01));
  CHECK(summary.zones[1].first_lbn == 4000);
  CHECK(summary.zones[1].media_bytes_s == Approx(50 * 512 / 0.01));
  CHECK(summary.zones[1].sustained_bytes_s == Approx(40 * 50 * 512 / (0.01 * (39 * 1.25 + 1))));
}

TEST_CASE("simulators get their own units") {
  DriveSummary drive;
  drive.name = "ACME \"9\" LP";
  drive.blocks = 2'000'000;
  drive.block_bytes = 512;
  drive.tracks = 10'000;
  drive.heads = 4;
  drive.rpm = 7200;
  drive.rotational_latency_ms = 4.1666667;
  drive.average_seek_ms = 8;
  drive.third_stroke_ms = 9.5;
  drive.full_stroke_ms = 20;
  drive.track_to_track_ms = 2;
  drive.read_overhead_ms = 0.5;
  drive.write_overhead_ms = 0.5;
  drive.write_settle_ms = 1;
  drive.zones = {{0, 2'000'000, 21.9e6, 20e6}};
  drive.sustained_bytes_s = 4.096e6;
  drive.random_read_ms = 13.6666667;
  drive.random_write_ms = 14.6666667;
  drive.segments = 32;
  drive.segment_blocks = 128;
  const auto texts = emit_summary::simulators(drive);
  REQUIRE(texts.size() == 5);
  CHECK(texts[0].text == "IdeDisk(delay='13667us')\n");
  CHECK(texts[1].text.find("(\"ACME_9_LP\", 1024)") != std::string::npos);
  CHECK(texts[1].text.find("setLatency(0.004167)") != std::string::npos);
  CHECK(texts[1].text.find("setAvgSeekTime(0.008000)") != std::string::npos);
  CHECK(texts[1].text.find("setMaxTransferRate(21)") != std::string::npos);
  CHECK(texts[2].text.find("read_bw=\"4.096MBps\" write_bw=\"4.096MBps\"") != std::string::npos);
  CHECK(texts[3].text == "0 2000000 delay /dev/DEVICE 0 14 /dev/DEVICE 0 15\n");
  CHECK(texts[4].text == "set_seek_timing(2000, 9500, 20000, 7200, 1);\n");
  const std::string preset = emit_summary::preset_86box(drive);
  CHECK(preset.find("{ .name = \"[SCSI] ACME 9 LP\", .internal_name = \"ACME_9_LP\", .zones = 1, "
                    ".avg_spt = 200, .heads = 4, .rpm = 7200, .full_stroke_ms = 18.000, "
                    ".track_seek_ms = 2.000, .rcache_num_seg = 16, .rcache_seg_size = 128, "
                    ".max_multiple = 16 },") != std::string::npos);
}
