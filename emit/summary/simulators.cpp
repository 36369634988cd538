#include "emit/summary/simulators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace platter::emit_summary {
namespace {

// As an identifier in whatever language.
std::string identifier(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain)
      text += c;
    else if (!text.empty() && text.back() != '_')
      text += '_';
  }
  while (!text.empty() && text.back() == '_') text.pop_back();
  return text.empty() ? "drive" : text;
}

double bytes_of(const DriveSummary& drive) {
  return static_cast<double>(drive.blocks) * drive.block_bytes;
}

double fastest_bytes_s(const DriveSummary& drive) {
  return std::ranges::max_element(drive.zones, {}, &ZoneRate::media_bytes_s)->media_bytes_s;
}

std::string gem5(const DriveSummary& drive) {
  return fmt::format("IdeDisk(delay='{:.0f}us')\n", 1e3 * drive.random_read_ms);
}

std::string cloudsim(const DriveSummary& drive) {
  return fmt::format(
      "HarddriveStorage disk = new HarddriveStorage(\"{}\", {:.0f});\n"
      "disk.setLatency({:.6f});\n"
      "disk.setAvgSeekTime({:.6f});\n"
      "disk.setMaxTransferRate({:.0f});\n",
      identifier(drive.name), bytes_of(drive) / 1e6, drive.rotational_latency_ms / 1e3,
      drive.average_seek_ms / 1e3, std::max(1.0, std::floor(fastest_bytes_s(drive) / 1e6)));
}

std::string simgrid(const DriveSummary& drive) {
  const double rate = drive.sustained_bytes_s / 1e6;
  return fmt::format(
      "<disk id=\"{}\" read_bw=\"{:.3f}MBps\" write_bw=\"{:.3f}MBps\">\n"
      "  <prop id=\"size\" value=\"{:.0f}B\"/>\n"
      "  <prop id=\"average_seek_ms\" value=\"{:.3f}\"/>\n"
      "  <prop id=\"rotational_latency_ms\" value=\"{:.3f}\"/>\n"
      "</disk>\n",
      identifier(drive.name), rate, rate, bytes_of(drive), drive.average_seek_ms,
      drive.rotational_latency_ms);
}

std::string dm_delay(const DriveSummary& drive) {
  return fmt::format("0 {:.0f} delay /dev/DEVICE 0 {:.0f} /dev/DEVICE 0 {:.0f}\n",
                     std::floor(bytes_of(drive) / 512), drive.random_read_ms,
                     drive.random_write_ms);
}

// Its curve goes through these three times at one cylinder, a third of the stroke and all of it.
std::string mame(const DriveSummary& drive) {
  constexpr int kInterleave = 1;  // sectors lie as they are numbered
  return fmt::format("set_seek_timing({:.0f}, {:.0f}, {:.0f}, {:.0f}, {});\n",
                     1e3 * drive.track_to_track_ms, 1e3 * drive.third_stroke_ms,
                     1e3 * drive.full_stroke_ms, drive.rpm, kInterleave);
}

}  // namespace

std::vector<Simulator> simulators(const DriveSummary& drive) {
  return {{"gem5", "one delay for all: the mean of 4 KiB reads anywhere (its SimpleDisk has none)",
           gem5(drive)},
          {"CloudSim", "seconds, MB and whole MB/s; the rate is that of the fastest zone",
           cloudsim(drive)},
          {"SimGrid", "rates from end to end of the drive; its properties are for your program",
           simgrid(drive)},
          {"dm-delay", "a table line: sectors of 512 bytes, whole ms of 4 KiB reads and writes",
           dm_delay(drive)},
          {"MAME",
           "of nscsi_harddisk_device: us at one cylinder, a third and all of the stroke, rpm, "
           "interleave",
           mame(drive)}};
}

std::string preset_86box(const DriveSummary& drive) {
  const auto zones = std::clamp<std::size_t>(drive.zones.size(), 1, 16);
  const double per_track = static_cast<double>(drive.blocks) / static_cast<double>(drive.tracks);
  const double slope_ms = drive.full_stroke_ms - drive.track_to_track_ms;
  std::string name = drive.name.empty() ? "drive" : drive.name;
  std::erase_if(name, [](char c) { return c == '"' || c == '\\'; });
  return fmt::format(
      "/* platter: {} zones on {} cylinders{}; 86Box lays its own curve of densities over .zones.\n"
      "   86Box adds .track_seek_ms to .full_stroke_ms times the share of the stroke: together\n"
      "   they are the full stroke of {:.3f} ms. The average seek over all blocks is {:.3f} ms.\n"
      "   The cache has {} segments of {} blocks; 86Box holds 16 at most. .max_multiple is not in\n"
      "   a model: 16 stands for it. Not said: skews, head switch ({:.3f} ms), write settle\n"
      "   ({:.3f} ms), overheads, policies of the cache. */\n"
      "{{ .name = \"[{}] {}\", .internal_name = \"{}\", .zones = {}, .avg_spt = {:.0f}, .heads = "
      "{}, "
      ".rpm = {:.0f}, .full_stroke_ms = {:.3f}, .track_seek_ms = {:.3f}, .rcache_num_seg = {}, "
      ".rcache_seg_size = {}, .max_multiple = 16 }},\n",
      drive.zones.size(), drive.cylinders, drive.zones.size() > 16 ? ", of which 86Box has 16" : "",
      drive.full_stroke_ms, drive.average_seek_ms, drive.segments, drive.segment_blocks,
      drive.head_switch_ms, drive.write_settle_ms, drive.ata ? "ATA" : "SCSI", name,
      identifier(drive.name), zones, per_track, drive.heads, drive.rpm, slope_ms,
      drive.track_to_track_ms, std::clamp<std::uint32_t>(drive.segments, 1, 16),
      std::max<std::uint32_t>(1, drive.segment_blocks));
}

}  // namespace platter::emit_summary
