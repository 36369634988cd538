#include "report/member_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>

#include "model/error.h"
#include "model/limits.h"
#include "model/validate.h"

namespace platter::report {
namespace {

struct Member {
  std::string_view path, words;
  std::optional<Bounds> bounds = {};
};

constexpr double kNoEnd = std::numeric_limits<double>::infinity();
constexpr Bounds kFromZero{0, kNoEnd}, kShare{0, 1};
constexpr Bounds kTime_ms{0, 1e6}, kAngle_rev{-1e6, 1e6};
constexpr Bounds kBlockBytes{1, 1 << 20};
constexpr Bounds kTerm{1, static_cast<double>(std::uint64_t{1} << 60), true};

constexpr auto kMembers = std::to_array<Member>({
    {"identity", "which drive it is"},
    {"identity.name", "short name for people"},
    {"identity.vendor", "as INQUIRY tells it; ATA: of a disk that IDENTIFY DEVICE names"},
    {"identity.product", "as INQUIRY tells it, or the model number of IDENTIFY DEVICE"},
    {"identity.revision", "as INQUIRY tells it, or firmware revision of IDENTIFY DEVICE"},
    {"identity.serial", "serial number; empty: none that tells this drive from others"},
    {"identity.serial_by", "witness of the serial number: IDENTIFY DEVICE, VPD page 80h"},
    {"identity.bridge", "what stands in front of the disk and named itself"},
    {"identity.blocks", "capacity in logical blocks", Bounds{0, model::kMostSlots}},
    {"identity.stated_blocks", "by READ CAPACITY, where that is another number",
     Bounds{0, model::kMostSlots}},
    {"identity.block_bytes", "length of a logical block", kBlockBytes},
    {"identity.physical_block_bytes", "length of a physical block", kBlockBytes},
    {"identity.heads", "0: not known", Bounds{0, model::kMostHeads}},
    {"identity.cylinders", "0: not known", Bounds{0, model::kMostCylinders}},
    {"identity.zones", "host-aware, device-managed or host-managed; left out: it speaks of none"},
    {"identity.trims", "the drive rotates and takes TRIM"},
    {"identity.positioning_ranges", "blocks that one actuator reaches (VPD page B9h)"},
    {"identity.positioning_ranges.first", "LBN"},
    {"identity.positioning_ranges.blocks", "logical blocks"},
    {"identity.logical_units", "of its target, where there are several (REPORT LUNS)"},
    {"identity.power_timers", "power conditions that it takes when left alone (mode page 1Ah)"},
    {"identity.power_timers.condition", "idle_a, idle_b, idle_c, standby_y or standby_z"},
    {"identity.power_timers.after_ms", "of rest", kFromZero},
    {"identity.depopulated_elements", "surfaces out of use (GET PHYSICAL ELEMENT STATUS)"},
    {"identity.failure_predicted", "the drive's words, where it warns of itself"},
    {"provenance", "where the model comes from, and what that took"},
    {"provenance.method", "characterized, imported, catalogue or derived"},
    {"provenance.source", "a device's name, a file's or a publication"},
    {"provenance.date", "ISO 8601, UTC"},
    {"provenance.licence", "under which its figures may be passed on; left out: nobody said"},
    {"provenance.drive_seconds", "time on the drive's clock", kFromZero},
    {"provenance.wall_seconds", "time of the run", kFromZero},
    {"provenance.commands", "commands sent"},
    {"provenance.translations", "addresses that it was asked to translate"},
    {"provenance.bytes_written", "all of it rewritten with what was there"},
    {"provenance.seed", "of the run's random numbers"},
    {"provenance.stages", "what each stage took, in the order of the run"},
    {"provenance.stages.name", "of the stage"},
    {"provenance.stages.drive_seconds", "time on the drive's clock", kFromZero},
    {"provenance.stages.commands", "commands sent"},
    {"provenance.complete", "false: what was announced could not all be measured"},
    {"provenance.missing", "stages that were announced and not done, in the order of the run"},
    {"provenance.missing.name", "of the stage"},
    {"provenance.missing.reason", "why it was not done"},
    {"provenance.findings", "what makes part of the model doubtful, in the order found"},
    {"provenance.findings.code", "of docs/findings.md"},
    {"provenance.findings.weight", "doubt, or fault"},
    {"provenance.findings.touches", "members of the model; none: all of it"},
    {"provenance.findings.by", "the stage that found it"},
    {"provenance.findings.text", "for people"},
    {"provenance.notes", "for a reader: what was assumed, what was ignored"},
    {"rotation", "the spindle: one revolution takes numerator_ns / denominator, exactly"},
    {"rotation.numerator_ns", "0: not known", Bounds{0, kTerm.high, true}},
    {"rotation.denominator", "divides numerator_ns", kTerm},
    {"rotation.rpm", "revolutions per minute, for people; ignored when read"},
    {"layout", "where the blocks lie"},
    {"layout.method", "address translation, timing or imported"},
    {"layout.reason", "why there is no layout"},
    {"layout.angle", "how well angles between zones are known, in revolutions: its error"},
    {"layout.heads", "how well it is known that the drive has as many heads as the layout"},
    {"layout.cylinders", "the same of its cylinders"},
    {"layout.zones", "nested repeats of tracks in the order of the LBNs, angles absolute"},
    {"layout.skips", "slots that hold no LBN: spares, slipped defects, management areas"},
    {"layout.skips.first_slot", "of the first run"},
    {"layout.skips.length", "slots of a run", Bounds{1, kNoEnd}},
    {"layout.skips.count", "runs", Bounds{1, kNoEnd}},
    {"layout.skips.stride", "slots from one run to the next"},
    {"layout.remaps", "LBNs that live in a spare slot instead"},
    {"layout.remaps.lbn", "the block"},
    {"layout.remaps.slot", "the slot where it lives"},
    {"layout.not_understood", "stretches of blocks that the map claims nothing about"},
    {"layout.not_understood.first_lbn", "first block"},
    {"layout.not_understood.last_lbn", "last block, inclusive"},
    {"layout.not_understood.reason", "what was not understood"},
    {"layout.spares", "the spare scheme in words"},
    {"layout.checks", "blocks drawn at random that lay where the finished map says"},
    {"layout.timed", "what a map that was found by timing alone knows of itself"},
    {"layout.timed.blocks", "blocks drawn at random, of which the shares are shares"},
    {"layout.timed.shares", "how many of them lay so near to where the map has them"},
    {"layout.timed.shares.within_rev", "how near, in revolutions", Bounds{0, 0.5}},
    {"layout.timed.shares.share", "of the blocks", kShare},
    {"layout.timed.shares.low", "low end of its 95 % interval", kShare},
    {"layout.timed.shares.high", "top end of its 95 % interval", kShare},
    {"layout.timed.stretches", "blocks that were not looked at themselves"},
    {"layout.timed.stretches.first_lbn", "first block"},
    {"layout.timed.stretches.last_lbn", "last block, inclusive"},
    {"layout.timed.stretches.standing", "interpolated between some that were seen, or guessed"},
    {"layout.timed.unlocated_sectors", "sectors without a block, of which only the band is known"},
    {"node.count", "how often it is played", Bounds{1, 4294967295.0}},
    {"node.cylinder", "relative to the parent's instance; of a zone absolute"},
    {"node.cylinder_step", "cylinders from one instance to the next"},
    {"node.head", "relative to the parent's instance; of a zone absolute"},
    {"node.head_step", "heads from one instance to the next"},
    {"node.angle_rev", "where the first slot begins, in revolutions", kAngle_rev},
    {"node.angle_step_rev", "revolutions from one instance to the next", kAngle_rev},
    {"node.angle_error_rev", "one standard error of a zone's first track to other zones"},
    {"node.angle_step_error_rev", "one standard error of angle_step_rev"},
    {"node.sectors", "of a track: its physical sectors", Bounds{0, model::kMostSectors}},
    {"node.children", "else what each instance plays, in order"},
    {"seek", "curve of reads; where outward_seek is there, to higher cylinders"},
    {"outward_seek", "curve of reads to lower cylinders; not there: as seek"},
    {"write_seek", "of writes until they may begin, settling included; not there: seek and settle"},
    {"seek.method", "how the curve was found"},
    {"seek.reason", "why there is none"},
    {"seek.points", "ascending distances; linear between them"},
    {"seek.points.cylinders", "distance", Bounds{1, model::kMostCylinders, true}},
    {"seek.points.time_ms", "time of the move", kTime_ms},
    {"seek.points.error_ms", "one standard error of it", kFromZero},
    {"seek.points.samples", "timed seeks"},
    {"cache", "how the buffer is used; numbers of policies are DiskSim's"},
    {"cache.freedoms", "fields of the Caching mode page (SBC-3, clause 6.4.5)"},
    {"cache.freedoms.field", "the standard's abbreviation"},
    {"cache.freedoms.changeable", "what the drive says"},
    {"cache.freedoms.effect", "of changing it"},
    {"cache.freedoms.because", "what was seen, or why it could not be"},
    {"overheads", "times of commands beside those of the media, in ms"},
    {"delay_spread", "what host and bus add to a request beside their median"},
    {"delay_spread.method", "how it was found"},
    {"delay_spread.samples", "timed requests"},
    {"delay_spread.quantiles", "from share 0 to share 1, linear between"},
    {"delay_spread.quantiles.share", "of the requests that are not delayed longer", kShare},
    {"delay_spread.quantiles.ms", "negative: sooner than the median", Bounds{-1e6, 1e6}},
    {"kernel_share", "where the time of commands that need no media went"},
    {"kernel_share.above_median_ms", "above the kernel's dispatch, the median", kTime_ms},
    {"kernel_share.above_p99_ms", "above the kernel's dispatch, of 99 %", kTime_ms},
    {"kernel_share.behind_median_ms", "behind it until the completion, the median", kTime_ms},
    {"kernel_share.behind_p99_ms", "behind it until the completion, of 99 %", kTime_ms},
    {"kernel_share.samples", "commands"},
    {"bus", "the way to the host"},
    {"queue", "several commands outstanding"},
    {"disksim", "parameters of an imported DiskSim file that only DiskSim has a use for"},
    {"disksim.name", "DiskSim's"},
    {"disksim.value", "as it stood in the file"},
    {"validity", "the ranges in which the model was checked, and the demerits found there"},
    {"validity.first_lbn", "lowest block"},
    {"validity.last_lbn", "highest block, inclusive"},
    {"validity.min_blocks", "of a request"},
    {"validity.max_blocks", "of a request"},
    {"validity.max_depth", "requests outstanding"},
    {"validity.reads", "reads were checked"},
    {"validity.writes", "writes were checked"},
    {"validity.demerits", "one for each workload"},
    {"validity.demerits.workload", "its name"},
    {"validity.demerits.requests", "that were compared"},
    {"validity.demerits.drive_mean_ms", "the drive's mean response time"},
    {"validity.demerits.demerit_ms", "RMS distance between the distributions of response times"},
    {"validity.demerits.demerit_percent", "of the drive's mean"},
    {"validity.demerits.error_ms", "one standard error of demerit_ms", kFromZero},
    {"validity.demerits.floor_ms", "what a model that is right would show", kFromZero},
    {"validity.demerits.folded_phase_share", "media accesses that keep their phase", kShare},
    {"validity.demerits.phase_requests", "which it is a share of"},
    {"validity.demerits.hits_agreed_share", "hits and misses that were predicted as such", kShare},
    {"validity.note", "for people"},
    {"imperfections", "virtual drives only: what makes the drive harder than its model"},
    {"imperfections.seed", "of its chance; 0: open"},
    {"imperfections.positioning_sigma_us", "standard deviation of positioning times"},
    {"imperfections.slow_access_share", "of the media accesses"},
    {"imperfections.slow_access_mean_ms", "what those take more, exponential"},
    {"imperfections.host_delay_median_us", "what the host adds to a command, log-normal"},
    {"imperfections.host_delay_p99_us", "what it adds to one of a hundred, at least"},
    {"imperfections.host_stall_share", "of the commands"},
    {"imperfections.host_stall_mean_us", "what the host adds to those, exponential"},
    {"imperfections.wobble_ppm", "how far the speed of rotation swings"},
    {"imperfections.wobble_period_s", "of a swing"},
    {"imperfections.random_phase", "the platters begin at an angle of chance"},
    {"imperfections.unit_attention_at_start", "the first command is answered so"},
    {"imperfections.recalibration_period_s", "from one recalibration to the next"},
    {"imperfections.recalibration_ms", "what one takes"},
    {"imperfections.slow_after_idle_s", "after so long an idle time"},
    {"imperfections.slow_after_idle_ms", "the first command takes so much more"},
    {"imperfections.background_scan_idle_ms", "after so long an idle time a scan goes on"},
    {"imperfections.background_scan_step_ms", "for which a command waits at most so long"},
    {"imperfections.idle_condition_s", "the idle_a timer of mode page 1Ah"},
    {"imperfections.idle_condition_ms", "what waking up takes"},
    {"imperfections.mode_page_lies", "accepts a setting of the cache and ignores it"},
    {"imperfections.retry_share", "media accesses that lose one more revolution"},
    {"imperfections.busy_share", "commands answered with BUSY", Bounds{0, 1, true}},
    {"imperfections.unit_attention_share", "commands answered with UNIT ATTENTION",
     Bounds{0, 1, true}},
    {"imperfections.medium_errors", "LBNs that cannot be read"},
    {"imperfections.adaptive_cache_min_segments",
     "above 0: the number of segments follows the load, from here up"},
    {"imperfections.warm_up_ppm", "how far the speed of rotation is off at power-on"},
    {"imperfections.warm_up_s", "of that a part e is left after so long"},
    {"imperfections.host_sleep_every_s", "about: the host sleeps, its clock stands still"},
    {"imperfections.host_sleep_s", "about: for how long"},
    {"imperfections.clock_step_every_s", "about: the host's clock steps"},
    {"imperfections.clock_step_ms", "by so much, forwards"},
    {"imperfections.host_stop_every_s", "about: the host does nothing, its clock goes on"},
    {"imperfections.host_stop_s", "about: for how long"},
    {"firmware", "virtual drives only: the SCSI facts that the drive answers with"},
    {"firmware.scsi_level", "SCSI-2, SPC-3"},
    {"firmware.address_translation", "it has page 40h of RECEIVE DIAGNOSTIC RESULTS"},
    {"firmware.address_formats", "that page 40h takes"},
    {"firmware.translates_back", "also from places to blocks"},
    {"firmware.translates_truly", "false: page 40h tells of a geometry that is not the drive's"},
    {"firmware.sector_numbers", "what page 40h counts sectors from"},
    {"firmware.defect_list", "it has READ DEFECT DATA"},
    {"firmware.defect_formats", "that READ DEFECT DATA takes"},
    {"firmware.primary_defects", "slots that the primary list names; not there: as the layout has"},
    {"firmware.seek_command", "it has SEEK(10)"},
    {"firmware.force_reads", "it obeys FUA of READ"},
    {"firmware.force_writes", "it obeys FUA of WRITE"},
    {"firmware.nominal_rpm", "as it tells it; 0: the true speed, rounded", Bounds{0, 65534}},
    {"firmware.cache_page_changeable", "RCD, WCE and DRA of mode page 08h can be changed"},
    {"firmware.task_set", "commands that it holds; 0: 64"},
    {"firmware.fixed_cache_fields", "of the Caching mode page, those that cannot be changed"},
    {"firmware.ignored_cache_fields", "of the Caching mode page, those that have no effect"},
    {"firmware.most_transfer_blocks", "of one command; 0: no limit"},
    {"firmware.ata", "an ATA drive behind a SCSI / ATA translation"},
    {"firmware.unwritten", "blocks that are answered with zeros until they are written"},
    {"firmware.unwritten.first", "first block"},
    {"firmware.unwritten.last", "last block, inclusive"},
});

const Member* member_at(std::string_view path) {
  const auto found = std::ranges::find(kMembers, path, &Member::path);
  return found == kMembers.end() ? nullptr : &*found;
}

}  // namespace

std::string_view member_words(std::string_view path) {
  const Member* const member = member_at(path);
  if (member == nullptr)
    throw Error(ExitStatus::internal,
                fmt::format("{}: nobody says what this member of a model is", path));
  return member->words;
}

std::optional<Bounds> bounds_of(std::string_view path) {
  if (const Member* const member = member_at(path); member != nullptr && member->bounds)
    return member->bounds;
  constexpr std::string_view kImperfections = "imperfections.";
  if (!path.starts_with(kImperfections)) return std::nullopt;
  const auto limits = model::limits_of_imperfection(path.substr(kImperfections.size()));
  if (!limits) return std::nullopt;
  return Bounds{limits->low, limits->high};
}

}  // namespace platter::report
