// The fields of every struct of a DriveModel, each named once: the JSON writer and reader, the
// validity check and the comparison of two models all walk these lists.
//
// A visitor has four members, each called as (name, member[, default]):
//   required     always written; reading without it is an error
//   usual        always written; its default if it is not there
//   compact      left out when it equals the given default
//   informative  written for people and other programs, ignored by the reader
// A Parameter or std::optional that holds nothing is left out under any of them.
#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

#include "model/drive_model.h"

namespace platter::model {

template <typename S, typename T>
concept Fields = std::same_as<std::remove_const_t<S>, T>;

template <typename V>
void visit_fields(Fields<Identity> auto& s, V&& visit) {
  visit.usual("name", s.name);
  visit.usual("vendor", s.vendor);
  visit.usual("product", s.product);
  visit.usual("revision", s.revision);
  visit.usual("serial", s.serial);
  visit.compact("serial_by", s.serial_by, std::string());
  visit.compact("bridge", s.bridge, std::string());
  visit.required("blocks", s.blocks);
  visit.usual("stated_blocks", s.stated_blocks);
  visit.required("block_bytes", s.block_bytes);
  visit.usual("physical_block_bytes", s.physical_block_bytes);
  visit.usual("heads", s.heads);
  visit.usual("cylinders", s.cylinders);
  visit.compact("zones", s.zones, std::string());
  visit.compact("zone_runs", s.zone_runs, std::vector<ZoneRun>());
  visit.usual("most_open_zones", s.most_open_zones);
  visit.compact("reads_past_pointers", s.reads_past_pointers, false);
  visit.compact("trims", s.trims, false);
  visit.compact("positioning_ranges", s.positioning_ranges, std::vector<PositioningRange>());
  visit.usual("logical_units", s.logical_units);
  visit.compact("power_timers", s.power_timers, std::vector<PowerTimer>());
  visit.usual("depopulated_elements", s.depopulated_elements);
  visit.compact("failure_predicted", s.failure_predicted, std::string());
}

template <typename V>
void visit_fields(Fields<Guess> auto& s, V&& visit) {
  visit.required("value", s.value);
  visit.usual("probability", s.probability);
  visit.required("witness", s.witness);
}

template <typename V>
void visit_fields(Fields<PositioningRange> auto& s, V&& visit) {
  visit.required("first", s.first);
  visit.required("blocks", s.blocks);
}

template <typename V>
void visit_fields(Fields<ZoneRun> auto& s, V&& visit) {
  visit.required("first_lbn", s.first_lbn);
  visit.required("zones", s.zones);
  visit.required("blocks", s.blocks);
  visit.required("type", s.type);
  visit.required("condition", s.condition);
  visit.compact("written", s.written, std::uint64_t{0});
}

template <typename V>
void visit_fields(Fields<PowerTimer> auto& s, V&& visit) {
  visit.required("condition", s.condition);
  visit.required("after_ms", s.after_ms);
}

template <typename V>
void visit_fields(Fields<StageTime> auto& s, V&& visit) {
  visit.required("name", s.name);
  visit.required("drive_seconds", s.drive_seconds);
  visit.usual("commands", s.commands);
}

template <typename V>
void visit_fields(Fields<MissingStage> auto& s, V&& visit) {
  visit.required("name", s.name);
  visit.usual("reason", s.reason);
}

template <typename V>
void visit_fields(Fields<Finding> auto& s, V&& visit) {
  visit.required("code", s.code);
  visit.required("weight", s.weight);
  visit.compact("touches", s.touches, std::vector<std::string>());
  visit.compact("by", s.by, std::string());
  visit.required("text", s.text);
}

template <typename V>
void visit_fields(Fields<Provenance> auto& s, V&& visit) {
  visit.required("method", s.method);
  visit.usual("source", s.source);
  visit.usual("date", s.date);
  visit.compact("licence", s.licence, std::string());
  visit.usual("drive_seconds", s.drive_seconds);
  visit.usual("wall_seconds", s.wall_seconds);
  visit.usual("commands", s.commands);
  visit.usual("translations", s.translations);
  visit.usual("bytes_written", s.bytes_written);
  visit.usual("seed", s.seed);
  visit.compact("stages", s.stages, std::vector<StageTime>());
  visit.usual("complete", s.complete);
  visit.compact("missing", s.missing, std::vector<MissingStage>());
  visit.compact("findings", s.findings, std::vector<Finding>());
  visit.usual("notes", s.notes);
}

template <typename V>
void visit_fields(Fields<Rotation> auto& s, V&& visit) {
  visit.usual("numerator_ns", s.numerator_ns);
  visit.usual("denominator", s.denominator);
  visit.usual("period", s.period);
  const double rpm = s.numerator_ns == 0 ? 0
                                         : 60e9 * static_cast<double>(s.denominator) /
                                               static_cast<double>(s.numerator_ns);
  visit.informative("rpm", rpm);
}

template <typename V>
void visit_fields(Fields<LayoutNode> auto& s, V&& visit) {
  visit.compact("count", s.count, 1U);
  visit.compact("cylinder", s.cylinder, 0);
  visit.compact("cylinder_step", s.cylinder_step, 0);
  visit.compact("head", s.head, 0);
  visit.compact("head_step", s.head_step, 0);
  visit.compact("angle_rev", s.angle_rev, 0.0);
  visit.compact("angle_step_rev", s.angle_step_rev, 0.0);
  visit.usual("angle_error_rev", s.angle_error_rev);
  visit.usual("angle_step_error_rev", s.angle_step_error_rev);
  visit.compact("sectors", s.sectors, 0U);
  visit.compact("children", s.children, std::vector<LayoutNode>());
}

template <typename V>
void visit_fields(Fields<Skip> auto& s, V&& visit) {
  visit.required("first_slot", s.first_slot);
  visit.compact("length", s.length, std::uint64_t{1});
  visit.compact("count", s.count, std::uint64_t{1});
  visit.compact("stride", s.stride, std::uint64_t{0});
}

template <typename V>
void visit_fields(Fields<Remap> auto& s, V&& visit) {
  visit.required("lbn", s.lbn);
  visit.required("slot", s.slot);
}

template <typename V>
void visit_fields(Fields<NotUnderstood> auto& s, V&& visit) {
  visit.required("first_lbn", s.first_lbn);
  visit.required("last_lbn", s.last_lbn);
  visit.required("reason", s.reason);
}

template <typename V>
void visit_fields(Fields<MapShare> auto& s, V&& visit) {
  visit.required("within_rev", s.within_rev);
  visit.required("share", s.share);
  visit.required("low", s.low);
  visit.required("high", s.high);
}

template <typename V>
void visit_fields(Fields<MapStretch> auto& s, V&& visit) {
  visit.required("first_lbn", s.first_lbn);
  visit.required("last_lbn", s.last_lbn);
  visit.required("standing", s.standing);
}

template <typename V>
void visit_fields(Fields<TimedMap> auto& s, V&& visit) {
  visit.required("blocks", s.blocks);
  visit.required("shares", s.shares);
  visit.compact("stretches", s.stretches, std::vector<MapStretch>());
  visit.compact("unlocated_sectors", s.unlocated_sectors, std::uint64_t{0});
}

template <typename V>
void visit_fields(Fields<Layout> auto& s, V&& visit) {
  visit.usual("method", s.method);
  visit.compact("reason", s.reason, std::string());
  visit.usual("angle", s.angle);
  visit.usual("heads", s.heads);
  visit.usual("cylinders", s.cylinders);
  visit.required("zones", s.zones);
  visit.usual("skips", s.skips);
  visit.usual("remaps", s.remaps);
  visit.compact("not_understood", s.not_understood, std::vector<NotUnderstood>());
  visit.compact("spares", s.spares, std::string());
  visit.compact("checks", s.checks, std::uint64_t{0});
  visit.usual("timed", s.timed);
}

template <typename V>
void visit_fields(Fields<SeekPoint> auto& s, V&& visit) {
  visit.required("cylinders", s.cylinders);
  visit.required("time_ms", s.time_ms);
  visit.usual("error_ms", s.error_ms);
  visit.compact("samples", s.samples, std::uint64_t{0});
}

template <typename V>
void visit_fields(Fields<Seek> auto& s, V&& visit) {
  visit.usual("method", s.method);
  visit.compact("reason", s.reason, std::string());
  visit.required("points", s.points);
}

template <typename V>
void visit_fields(Fields<DelayQuantile> auto& s, V&& visit) {
  visit.required("share", s.share);
  visit.required("ms", s.ms);
}

template <typename V>
void visit_fields(Fields<DelaySpread> auto& s, V&& visit) {
  visit.usual("method", s.method);
  visit.usual("samples", s.samples);
  visit.required("quantiles", s.quantiles);
}

template <typename V>
void visit_fields(Fields<KernelShare> auto& s, V&& visit) {
  visit.required("above_median_ms", s.above_median_ms);
  visit.required("above_p99_ms", s.above_p99_ms);
  visit.required("behind_median_ms", s.behind_median_ms);
  visit.required("behind_p99_ms", s.behind_p99_ms);
  visit.usual("samples", s.samples);
}

template <typename V>
void visit_fields(Fields<CacheFreedom> auto& s, V&& visit) {
  visit.required("field", s.field);
  visit.required("changeable", s.changeable);
  visit.required("effect", s.effect);
  visit.compact("because", s.because, std::string());
}

template <typename V>
void visit_fields(Fields<Cache> auto& s, V&& visit) {
  visit.usual("read_enabled", s.read_enabled);
  visit.usual("write_back_level", s.write_back_level);
  visit.usual("segments", s.segments);
  visit.usual("segment_blocks", s.segment_blocks);
  visit.usual("write_segments", s.write_segments);
  visit.usual("separate_write_segment", s.separate_write_segment);
  visit.usual("read_ahead", s.read_ahead);
  visit.usual("read_ahead_min_blocks", s.read_ahead_min_blocks);
  visit.usual("read_ahead_max_blocks", s.read_ahead_max_blocks);
  visit.usual("read_ahead_over_requested", s.read_ahead_over_requested);
  visit.usual("read_ahead_on_hit", s.read_ahead_on_hit);
  visit.usual("read_free_blocks", s.read_free_blocks);
  visit.usual("zero_latency_read", s.zero_latency_read);
  visit.usual("zero_latency_write", s.zero_latency_write);
  visit.usual("read_hit_on_written", s.read_hit_on_written);
  visit.usual("combine_sequential_writes", s.combine_sequential_writes);
  visit.usual("stop_read_ahead_in_sector", s.stop_read_ahead_in_sector);
  visit.usual("write_hit_stops_read_ahead", s.write_hit_stops_read_ahead);
  visit.usual("almost_read_hits", s.almost_read_hits);
  visit.usual("discards_after_transfer", s.discards_after_transfer);
  visit.usual("replacement", s.replacement);
  visit.usual("buffer_blocks", s.buffer_blocks);
  visit.usual("adaptive_min_segments", s.adaptive_min_segments);
  visit.usual("adaptive_window_requests", s.adaptive_window_requests);
  visit.usual("read_ahead_ceiling_blocks", s.read_ahead_ceiling_blocks);
  visit.usual("read_ahead_by_request", s.read_ahead_by_request);
  visit.usual("read_ahead_longest_request_blocks", s.read_ahead_longest_request_blocks);
  visit.usual("read_ahead_after_sequential", s.read_ahead_after_sequential);
  visit.usual("read_ahead_abort", s.read_ahead_abort);
  visit.usual("read_ahead_resumes", s.read_ahead_resumes);
  visit.usual("read_ahead_streams", s.read_ahead_streams);
  visit.usual("read_ahead_fixed_end", s.read_ahead_fixed_end);
  visit.usual("segments_grow", s.segments_grow);
  visit.usual("write_updates_segments", s.write_updates_segments);
  visit.usual("destage_behind", s.destage_behind);
  visit.usual("destage_idle", s.destage_idle);
  visit.usual("destage_order", s.destage_order);
  visit.usual("destage_in_passing", s.destage_in_passing);
  visit.usual("written_blocks", s.written_blocks);
  visit.usual("written_persist", s.written_persist);
  visit.usual("synchronize", s.synchronize);
  visit.usual("unexplained_share", s.unexplained_share);
  visit.compact("freedoms", s.freedoms, std::vector<CacheFreedom>());
}

template <typename V>
void visit_fields(Fields<Overheads> auto& s, V&& visit) {
  visit.usual("read_hit_after_read", s.read_hit_after_read);
  visit.usual("read_hit_after_write", s.read_hit_after_write);
  visit.usual("read_miss_after_read", s.read_miss_after_read);
  visit.usual("read_miss_after_write", s.read_miss_after_write);
  visit.usual("write_hit_after_read", s.write_hit_after_read);
  visit.usual("write_hit_after_write", s.write_hit_after_write);
  visit.usual("write_miss_after_read", s.write_miss_after_read);
  visit.usual("write_miss_after_write", s.write_miss_after_write);
  visit.usual("per_request", s.per_request);
  visit.usual("read_completion", s.read_completion);
  visit.usual("write_completion", s.write_completion);
  visit.usual("data_preparation", s.data_preparation);
  visit.usual("first_reselect", s.first_reselect);
  visit.usual("other_reselect", s.other_reselect);
  visit.usual("read_disconnect_after_read", s.read_disconnect_after_read);
  visit.usual("read_disconnect_after_write", s.read_disconnect_after_write);
  visit.usual("write_disconnect", s.write_disconnect);
  visit.usual("extra_write_disconnect", s.extra_write_disconnect);
  visit.usual("extra_disconnect_command", s.extra_disconnect_command);
  visit.usual("extra_disconnect_first", s.extra_disconnect_first);
  visit.usual("extra_disconnect_inter", s.extra_disconnect_inter);
  visit.usual("extra_disconnect_second", s.extra_disconnect_second);
  visit.usual("extra_disconnect_seek_delta", s.extra_disconnect_seek_delta);
  visit.usual("minimum_seek_delay", s.minimum_seek_delay);
  visit.usual("minimum_read_seek_delay", s.minimum_read_seek_delay);
  visit.usual("sequential_read_hit_delta", s.sequential_read_hit_delta);
  visit.usual("sequential_write_hit_delta", s.sequential_write_hit_delta);
  visit.usual("sequential_read_hit_within", s.sequential_read_hit_within);
  visit.usual("address_translation", s.address_translation);
}

template <typename V>
void visit_fields(Fields<Bus> auto& s, V&& visit) {
  visit.usual("block_transfer", s.block_transfer);
  visit.usual("write_block_transfer", s.write_block_transfer);
  visit.usual("high_read_watermark", s.high_read_watermark);
  visit.usual("watermark_by_request_size", s.watermark_by_request_size);
}

template <typename V>
void visit_fields(Fields<Queue> auto& s, V&& visit) {
  visit.usual("depth", s.depth);
  visit.usual("policy", s.policy);
  visit.usual("preseeking", s.preseeking);
  visit.usual("hits_overtake", s.hits_overtake);
}

template <typename V>
void visit_fields(Fields<ArmRange> auto& s, V&& visit) {
  visit.required("first_lbn", s.first_lbn);
  visit.required("last_lbn", s.last_lbn);
  visit.required("arm", s.arm);
}

template <typename V>
void visit_fields(Fields<Arms> auto& s, V&& visit) {
  visit.usual("method", s.method);
  visit.required("ranges", s.ranges);
  visit.usual("overlap", s.overlap);
  visit.usual("interference", s.interference);
}

template <typename V>
void visit_fields(Fields<Power> auto& s, V&& visit) {
  visit.usual("idle_a", s.idle_a);
  visit.usual("idle_b", s.idle_b);
  visit.usual("idle_c", s.idle_c);
  visit.usual("standby_y", s.standby_y);
  visit.usual("standby_z", s.standby_z);
}

template <typename V>
void visit_fields(Fields<Shingling> auto& s, V&& visit) {
  visit.required("kind", s.kind);
  visit.usual("method", s.method);
  visit.usual("band_blocks", s.band_blocks);
  visit.usual("media_cache_blocks", s.media_cache_blocks);
  visit.usual("map_entries", s.map_entries);
  visit.usual("cleans_when_idle", s.cleans_when_idle);
  visit.usual("idle_threshold", s.idle_threshold);
  visit.usual("band_cleaning", s.band_cleaning);
  visit.compact("displaced", s.displaced, std::vector<LbnRange>());
  visit.compact("displaced_from_blocks", s.displaced_from_blocks, std::uint64_t{0});
  visit.compact("displaced_untold", s.displaced_untold, std::vector<LbnRange>());
}

template <typename V>
void visit_fields(Fields<DisksimParameter> auto& s, V&& visit) {
  visit.required("name", s.name);
  visit.required("value", s.value);
}

template <typename V>
void visit_fields(Fields<Demerit> auto& s, V&& visit) {
  visit.required("workload", s.workload);
  visit.usual("requests", s.requests);
  visit.usual("drive_mean_ms", s.drive_mean_ms);
  visit.usual("demerit_ms", s.demerit_ms);
  visit.usual("demerit_percent", s.demerit_percent);
  visit.usual("error_ms", s.error_ms);
  visit.usual("floor_ms", s.floor_ms);
  visit.usual("folded_phase_share", s.folded_phase_share);
  visit.compact("phase_requests", s.phase_requests, std::uint64_t{0});
  visit.compact("hits_agreed_share", s.hits_agreed_share, 0.0);
}

template <typename V>
void visit_fields(Fields<Validity> auto& s, V&& visit) {
  visit.usual("first_lbn", s.first_lbn);
  visit.usual("last_lbn", s.last_lbn);
  visit.usual("min_blocks", s.min_blocks);
  visit.usual("max_blocks", s.max_blocks);
  visit.usual("max_depth", s.max_depth);
  visit.usual("reads", s.reads);
  visit.usual("writes", s.writes);
  visit.usual("demerits", s.demerits);
  visit.usual("note", s.note);
}

template <typename V>
void visit_fields(Fields<Imperfections> auto& s, V&& visit) {
  visit.usual("seed", s.seed);
  visit.usual("positioning_sigma_us", s.positioning_sigma_us);
  visit.usual("slow_access_share", s.slow_access_share);
  visit.usual("slow_access_mean_ms", s.slow_access_mean_ms);
  visit.usual("host_delay_median_us", s.host_delay_median_us);
  visit.usual("host_delay_p99_us", s.host_delay_p99_us);
  visit.compact("host_stall_share", s.host_stall_share, 0.0);
  visit.compact("host_stall_mean_us", s.host_stall_mean_us, 0.0);
  visit.usual("wobble_ppm", s.wobble_ppm);
  visit.usual("wobble_period_s", s.wobble_period_s);
  visit.usual("random_phase", s.random_phase);
  visit.usual("unit_attention_at_start", s.unit_attention_at_start);
  visit.usual("recalibration_period_s", s.recalibration_period_s);
  visit.usual("recalibration_ms", s.recalibration_ms);
  visit.usual("slow_after_idle_s", s.slow_after_idle_s);
  visit.usual("slow_after_idle_ms", s.slow_after_idle_ms);
  visit.compact("background_scan_idle_ms", s.background_scan_idle_ms, 0.0);
  visit.compact("background_scan_step_ms", s.background_scan_step_ms, 0.0);
  visit.compact("idle_condition_s", s.idle_condition_s, 0.0);
  visit.compact("idle_condition_ms", s.idle_condition_ms, 0.0);
  visit.usual("mode_page_lies", s.mode_page_lies);
  visit.usual("retry_share", s.retry_share);
  visit.compact("busy_share", s.busy_share, 0.0);
  visit.compact("unit_attention_share", s.unit_attention_share, 0.0);
  visit.usual("medium_errors", s.medium_errors);
  visit.usual("adaptive_cache_min_segments", s.adaptive_cache_min_segments);
  visit.compact("warm_up_ppm", s.warm_up_ppm, 0.0);
  visit.compact("warm_up_s", s.warm_up_s, 0.0);
  visit.compact("host_sleep_every_s", s.host_sleep_every_s, 0.0);
  visit.compact("host_sleep_s", s.host_sleep_s, 0.0);
  visit.compact("clock_step_every_s", s.clock_step_every_s, 0.0);
  visit.compact("clock_step_ms", s.clock_step_ms, 0.0);
  visit.compact("host_stop_every_s", s.host_stop_every_s, 0.0);
  visit.compact("host_stop_s", s.host_stop_s, 0.0);
}

template <typename V>
void visit_fields(Fields<LbnRange> auto& s, V&& visit) {
  visit.required("first", s.first);
  visit.required("last", s.last);
}

template <typename V>
void visit_fields(Fields<Firmware> auto& s, V&& visit) {
  const Firmware usual;
  visit.usual("scsi_level", s.scsi_level);
  visit.usual("address_translation", s.address_translation);
  visit.compact("address_formats", s.address_formats, usual.address_formats);
  visit.compact("translates_back", s.translates_back, true);
  visit.compact("translates_truly", s.translates_truly, true);
  visit.compact("sector_numbers", s.sector_numbers, usual.sector_numbers);
  visit.usual("defect_list", s.defect_list);
  visit.compact("defect_formats", s.defect_formats, usual.defect_formats);
  visit.usual("primary_defects", s.primary_defects);
  visit.usual("seek_command", s.seek_command);
  visit.compact("force_reads", s.force_reads, true);
  visit.compact("force_writes", s.force_writes, true);
  visit.compact("nominal_rpm", s.nominal_rpm, 0.0);
  visit.usual("cache_page_changeable", s.cache_page_changeable);
  visit.compact("task_set", s.task_set, std::uint32_t{0});
  visit.compact("fixed_cache_fields", s.fixed_cache_fields, std::vector<std::string>());
  visit.compact("ignored_cache_fields", s.ignored_cache_fields, std::vector<std::string>());
  visit.compact("most_transfer_blocks", s.most_transfer_blocks, std::uint32_t{0});
  visit.compact("ata", s.ata, false);
  visit.compact("zoned", s.zoned, std::uint32_t{0});
  visit.compact("trims", s.trims, false);
  visit.compact("unwritten", s.unwritten, std::vector<LbnRange>());
  visit.compact("power_page_changeable", s.power_page_changeable, true);
  visit.compact("told_wake_share", s.told_wake_share, 1.0);
}

template <typename V>
void visit_fields(Fields<DriveModel> auto& s, V&& visit) {
  visit.required("identity", s.identity);
  visit.required("provenance", s.provenance);
  visit.required("rotation", s.rotation);
  visit.required("layout", s.layout);
  visit.required("seek", s.seek);
  visit.usual("outward_seek", s.outward_seek);
  visit.usual("write_seek", s.write_seek);
  visit.usual("head_switch", s.head_switch);
  visit.usual("inward_seek_delta", s.inward_seek_delta);
  visit.usual("write_settle", s.write_settle);
  visit.usual("cache", s.cache);
  visit.usual("overheads", s.overheads);
  visit.usual("delay_spread", s.delay_spread);
  visit.usual("kernel_share", s.kernel_share);
  visit.usual("bus", s.bus);
  visit.usual("queue", s.queue);
  visit.usual("arms", s.arms);
  visit.usual("power", s.power);
  visit.usual("shingling", s.shingling);
  visit.compact("disksim", s.disksim, std::vector<DisksimParameter>());
  visit.usual("validity", s.validity);
  visit.usual("imperfections", s.imperfections);
  visit.usual("firmware", s.firmware);
}

}  // namespace platter::model
