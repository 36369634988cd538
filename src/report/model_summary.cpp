#include "report/model_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/layout_map.h"
#include "model/completeness.h"
#include "model/json_text.h"
#include "model/parameters.h"
#include "model/printable_model.h"
#include "model/quality.h"
#include "model/seek_curve.h"
#include "model/seek_fit.h"
#include "model/stand_ins.h"
#include "replay/share_text.h"
#include "report/drive_says.h"
#include "report/explanations.h"
#include "report/track_list.h"
#include "report/wrapped.h"

namespace platter::report {
namespace {

using Json = nlohmann::ordered_json;

// ---------------------------------------------------------------- words

constexpr std::size_t kMostZoneRows = 64;

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

void append_line(std::string& text, const char* name, const std::string& value) {
  text += wrapped(fmt::format("  {:<13} {}", name, value), 16);
}

std::string value_or_reason(const char* path, const model::Parameter& p) {
  if (p) return value_in_words(path, p);
  const std::string instead = model::known_instead(p);
  return joined({instead.empty() ? "not known" : instead, p.reason}, ": ");
}

std::string arms_in_words(const model::DriveModel& model) {
  std::vector<std::string> ranges;
  for (const model::ArmRange& range : model.arms->ranges)
    ranges.push_back(
        fmt::format("arm {}: LBN {} to {}", range.arm, range.first_lbn, range.last_lbn));
  return fmt::format("{} on one spindle ({})", arm_count(model), joined(ranges, ", "));
}

std::uint64_t blocks_of(const std::vector<LbnRange>& ranges) {
  std::uint64_t blocks = 0;
  for (const LbnRange& range : ranges) blocks += range.last + 1 - range.first;
  return blocks;
}

std::string shingling_in_words(const model::DriveModel& model) {
  const model::Shingling& shingling = *model.shingling;
  std::string text = shingling.kind;
  if (!shingling.method.empty()) text += fmt::format(" ({})", shingling.method);
  const auto blocks = static_cast<double>(model.identity.blocks);
  const double bytes = static_cast<double>(shingling.displaced_from_blocks) *
                       model.identity.block_bytes;
  if (shingling.displaced_from_blocks > 0)
    text += fmt::format(
        "; {} extents were away from home: all from {:.1f} MB on, but where it is "
        "not told, of {:.2g} % of the blocks",
        shingling.displaced.size(), bytes / 1e6,
        100 * static_cast<double>(blocks_of(shingling.displaced_untold)) / blocks);
  else if (!shingling.displaced.empty())
    text += fmt::format("; {} extents were away from home", shingling.displaced.size());
  else
    text += "; nobody looked for blocks that were away from home";
  return text + "; a map of blocks that were rewritten since is not known";
}

void append_head(std::string& text, const model::DriveModel& model) {
  const model::Identity& id = model.identity;
  text += joined({id.name,
                  joined({id.vendor, id.product}, " ") == id.name
                      ? std::string()
                      : joined({id.vendor, id.product}, " "),
                  id.revision.empty() ? "" : "revision " + id.revision,
                  id.serial.empty() ? "" : "serial " + id.serial},
                 ", ") +
          "\n";
  const std::string standing = model::standing_of(model.provenance, model.validity);
  append_line(text, "model",
              joined({standing.empty() ? model.provenance.method : standing,
                      model.provenance.source, model.provenance.date},
                     ", "));
  if (!model.provenance.licence.empty()) append_line(text, "licence", model.provenance.licence);
  if (!model.provenance.complete) {
    const std::string missing = model::what_is_missing(model.provenance);
    append_line(text, "incomplete",
                "it lacks " + (missing.empty() ? "what is named below" : missing));
  }
  append_line(text, "quality", model::in_words(model::qualities_of(model)));
  if (const std::string noise = model::noise_of_host(model.provenance); !noise.empty())
    append_line(text, "noise", noise);
  append_line(
      text, "capacity",
      joined({fmt::format("{:.2f} GB: {} blocks of {} bytes",
                          static_cast<double>(id.blocks) * id.block_bytes / 1e9, id.blocks,
                          id.block_bytes),
              id.heads > 0 ? fmt::format("{} heads, {} cylinders", id.heads, id.cylinders) : ""},
             ", "));
  if (known(model.layout.heads) != model::Known::measured && !model.layout.heads.reason.empty())
    append_line(text, "heads", value_or_reason("layout.heads", model.layout.heads));
  if (model.arms) append_line(text, "arms", arms_in_words(model));
  if (model.shingling) append_line(text, "shingled", shingling_in_words(model));
  for (const SaidByDrive& said : drive_says(id)) append_line(text, said.what, said.says);
  if (model.rotation.numerator_ns > 0) {
    append_line(text, "rotation", fmt::format("{:.3f} rpm", rpm_of(model.rotation)));
  } else {
    append_line(text, "rotation", value_or_reason("rotation.period", model.rotation.period));
  }
  const auto seek = summarize_seek(model);
  append_line(
      text, "seek",
      seek ? fmt::format(
                 "{:.3f} ms one cylinder, {:.3f} ms average, {:.3f} ms full stroke ({} distances)",
                 seek->single_ms, seek->average_ms, seek->full_ms, model.seek.points.size())
           : joined({"not known", model.seek.reason}, ": "));
  if (const auto fit = model::fit_seek(model.seek))
    append_line(text, "seek formula", formula_of(*fit));
  for (const OtherSeek& other : other_seeks(model))
    append_line(
        text, other.name,
        fmt::format(
            "{:.3f} ms one cylinder, {:.3f} ms average, {:.3f} ms full stroke ({} distances)",
            other.summary.single_ms, other.summary.average_ms, other.summary.full_ms,
            other.seek.points.size()));
  append_line(text, "head switch", value_or_reason("head_switch", model.head_switch));
  append_line(text, "write settle", value_or_reason("write_settle", model.write_settle));
  append_line(text, "cache", cache_in_words(model.cache));
  if (const auto& share = model.kernel_share)
    append_line(text, "host",
                fmt::format("of a command without media {:.3f} ms above the kernel's dispatch (p99 "
                            "{:.3f} ms), {:.3f} ms behind it (p99 {:.3f} ms)",
                            share->above_median_ms, share->above_p99_ms, share->behind_median_ms,
                            share->behind_p99_ms));
}

void append_checked(std::string& text, const model::Validity& validity) {
  std::vector<std::string> checks;
  for (const model::Demerit& d : validity.demerits)
    checks.push_back(fmt::format("{} {:.1f} %", d.workload, d.demerit_percent));
  append_line(text, "demerit",
              checks.empty() ? "not checked against the drive" : joined(checks, "; "));
}

void append_zones(std::string& text, const model::DriveModel& model) {
  const model::Layout& layout = model.layout;
  if (layout.zones.empty()) {
    text += fmt::format("\nNo layout: {}\n", layout.reason.empty() ? "not known" : layout.reason);
    return;
  }
  const std::vector<ZoneSummary> zones = summarize_zones(layout);
  text += fmt::format("\nLayout ({}): {} zones, {} skip entries, {} remapped blocks\n",
                      layout.method.empty() ? "of unstated origin" : layout.method, zones.size(),
                      layout.skips.size(), layout.remaps.size());
  for (const std::string& sentence : layout_standing(layout)) text += wrapped("  " + sentence, 4);
  text += fmt::format("  {:>4} {:>12} {:>12} {:>17} {:>13} {:>8}\n", "zone", "first LBN", "blocks",
                      "cylinders", "sectors/track", "tracks");
  for (std::size_t i = 0; i < std::min(zones.size(), kMostZoneRows); ++i) {
    const ZoneSummary& zone = zones[i];
    const std::string sectors = zone.fewest_sectors == zone.most_sectors
                                    ? fmt::format("{}", zone.most_sectors)
                                    : fmt::format("{}-{}", zone.fewest_sectors, zone.most_sectors);
    text += fmt::format("  {:>4} {:>12} {:>12} {:>17} {:>13} {:>8}\n", i, zone.first_lbn,
                        zone.blocks, fmt::format("{}-{}", zone.first_cylinder, zone.last_cylinder),
                        sectors, zone.tracks);
  }
  if (zones.size() > kMostZoneRows) {
    text += fmt::format("  ... and {} more (all with --json)\n", zones.size() - kMostZoneRows);
  }
}

// Those of one room of the model: "cache.segments" of "cache".
void append_parameters(std::string& text, const char* title, const char* room,
                       const std::vector<model::NamedParameter>& parameters) {
  bool head = false;
  for (const auto& [path, parameter] : parameters) {
    const std::size_t dot = path.find('.');
    const std::string in = dot == std::string::npos || path.starts_with("rotation.")
                               ? "mechanics"
                               : path.substr(0, dot);
    if (known(parameter) == model::Known::unknown || in != room) continue;
    if (!head) text += fmt::format("\n{}\n", title);
    head = true;
    std::string line = fmt::format(
        "  {:<39} {}", path,
        parameter ? value_in_words(path, parameter) : model::known_instead(parameter));
    if (parameter.samples > 0) line += fmt::format(", {} samples", parameter.samples);
    text += wrapped(line, 42);
  }
}

void append_seeks(std::string& text, const model::Seek& seek) {
  if (seek.points.empty()) return;
  text += fmt::format("\nSeeks ({})\n", seek.method.empty() ? "of unstated origin" : seek.method);
  text += fmt::format("  {:>9} {:>10} {:>10} {:>8}\n", "cylinders", "ms", "error", "samples");
  for (const model::SeekPoint& point : seek.points)
    text += fmt::format("  {:>9} {:>10.4f} {:>10} {:>8}\n", point.cylinders, point.time_ms,
                        point.error_ms ? fmt::format("{:.4f}", *point.error_ms) : "",
                        point.samples);
}

void append_missing(std::string& text, const Missing& missing) {
  if (missing.empty()) return;
  text += "\nNot measured\n";
  for (const auto& [reason, paths] : missing)
    text += wrapped(fmt::format("  {}: {}", joined(paths, ", "), reason), 4);
}

void append_freedoms(std::string& text, const std::vector<model::CacheFreedom>& freedoms) {
  if (freedoms.empty()) return;
  text += "\nMode page 08h: what the drive says of a field, and what a change of it did\n";
  for (const model::CacheFreedom& freedom : freedoms)
    text += wrapped(
        fmt::format("  {:<34} {:<11} {:<9} {}", freedom.field,
                    freedom.changeable ? "changeable" : "fixed", freedom.effect, freedom.because),
        36);
}

void append_validity(std::string& text, const model::Validity& validity) {
  text += "\nValidity\n";
  if (!validity.reads && !validity.writes) {
    text += "  not checked against the drive\n";
  } else {
    text += fmt::format("  {} of {} to {} blocks in LBN {} to {}, up to {} outstanding\n",
                        validity.reads && validity.writes ? "reads and writes"
                        : validity.reads                  ? "reads"
                                                          : "writes",
                        validity.min_blocks, validity.max_blocks, validity.first_lbn,
                        validity.last_lbn, validity.max_depth);
  }
  for (const model::Demerit& d : validity.demerits) {
    const double percent = d.drive_mean_ms > 0 ? 100 / d.drive_mean_ms : 0;
    std::string line = fmt::format("  {}: demerit {:.3f} ms ({:.1f} % of {:.3f} ms", d.workload,
                                   d.demerit_ms, d.demerit_percent, d.drive_mean_ms);
    if (d.error_ms) line += fmt::format("; error {:.1f} %", *d.error_ms * percent);
    if (d.floor_ms) line += fmt::format(", floor {:.1f} %", *d.floor_ms * percent);
    line += fmt::format(") over {} requests", d.requests);
    if (const std::string phase = replay::phase_text(d); !phase.empty())
      line += fmt::format(", {} in phase", phase);
    if (d.hits_agreed_share > 0)
      line += fmt::format(", {} of hits and misses agree",
                          replay::share_text(d.hits_agreed_share, d.requests));
    text += wrapped(line, 4);
  }
  if (!validity.note.empty()) text += wrapped("  " + validity.note, 4);
}

void append_findings(std::string& text, const std::vector<model::Finding>& findings) {
  if (findings.empty()) return;
  text += "\nFindings\n";
  for (const model::Finding& finding : findings)
    text += wrapped(fmt::format("  {} ({}): {}", finding.code, finding.weight, finding.text), 4);
}

// What predictions are computed with that was not measured.
void append_stand_ins(std::string& text, const std::vector<model::StandIn>& stand_ins) {
  if (stand_ins.empty()) return;
  text += "\nNot measured, and what acts instead\n";
  std::string unknown;
  for (const model::StandIn& one : stand_ins) {
    if (one.known == model::Known::unknown)
      unknown += fmt::format("{}{} ({})", unknown.empty() ? "" : ", ", one.path, one.acts);
    else
      text += wrapped(fmt::format("  {}: {}, acts as {}: {}", one.path, word_of(one.known),
                                  one.acts, joined({one.why, one.reason}, ": ")),
                      4);
  }
  if (!unknown.empty())
    text += wrapped("  unknown, by default (docs/stand-ins.md has why): " + unknown, 4);
}

// ---------------------------------------------------------------- JSON

Json quality_json(const model::Qualities& q) {
  return {{"all", model::name_of(q.all)},
          {"random", model::name_of(q.random)},
          {"mixed", model::name_of(q.mixed)},
          {"places", model::name_of(q.places)},
          {"writes", model::name_of(q.writes)},
          {"queues", model::name_of(q.queues)},
          {"because", q.because}};
}

Json to_json(const std::vector<model::StandIn>& stand_ins) {
  Json list = Json::array();
  for (const model::StandIn& one : stand_ins)
    list.push_back({{"path", one.path},
                    {"known", word_of(one.known)},
                    {"acts", one.acts},
                    {"why", one.why},
                    {"reason", one.reason}});
  return list;
}

Json to_json(const ZoneSummary& zone) {
  return {{"first_lbn", zone.first_lbn},
          {"blocks", zone.blocks},
          {"tracks", zone.tracks},
          {"first_cylinder", zone.first_cylinder},
          {"last_cylinder", zone.last_cylinder},
          {"fewest_sectors", zone.fewest_sectors},
          {"most_sectors", zone.most_sectors}};
}

std::optional<SeekSummary> summarize(const model::Seek& seek, std::uint32_t cylinders) {
  if (seek.points.empty() || cylinders < 2) return std::nullopt;
  return SeekSummary{model::seek_time_ms(seek, 1), model::average_seek_ms(seek, cylinders),
                     model::seek_time_ms(seek, cylinders - 1)};
}

Json to_json(const SeekSummary& seek) {
  return {
      {"single_ms", seek.single_ms}, {"average_ms", seek.average_ms}, {"full_ms", seek.full_ms}};
}

Json to_json(const model::NamedParameter& named) {
  const model::Parameter& p = named.parameter;
  Json json = {{"path", named.path}, {"value", p.value ? Json(*p.value) : Json()}};
  if (!p) {
    json["reason"] = p.reason;
    if (const std::string instead = model::known_instead(p); !instead.empty()) {
      json["known"] = word_of(known(p));
      json["instead"] = instead;
    }
    return json;
  }
  json["unit"] = p.unit;
  json["error"] = p.error ? Json(*p.error) : Json();
  json["method"] = p.method;
  json["samples"] = p.samples;
  return json;
}

std::string standing_of(const model::TimedMap& timed) {
  std::string text = "found by timing alone";
  for (std::size_t i = 0; i < timed.shares.size(); ++i) {
    const model::MapShare& share = timed.shares[i];
    text += fmt::format("{} 1/{:.0f} of a revolution {:.2f} % ({:.2f} to {:.2f})",
                        i == 0
                            ? fmt::format("; of {} blocks drawn at random lay within", timed.blocks)
                            : std::string(","),
                        1 / share.within_rev, 100 * share.share, 100 * share.low, 100 * share.high);
  }
  std::uint64_t interpolated = 0, guessed = 0;
  for (const model::MapStretch& stretch : timed.stretches)
    (stretch.standing == "guessed" ? guessed : interpolated) += stretch.last_lbn -
                                                                stretch.first_lbn + 1;
  if (interpolated > 0) text += fmt::format("; {} blocks are interpolated", interpolated);
  if (guessed > 0) text += fmt::format("; {} blocks are guessed", guessed);
  if (timed.unlocated_sectors > 0)
    text += fmt::format("; of {} sectors without a block only the band is known",
                        timed.unlocated_sectors);
  return text;
}

}  // namespace

std::vector<std::string> layout_standing(const model::Layout& layout) {
  std::vector<std::string> sentences;
  if (!layout.spares.empty()) sentences.push_back("spares: " + layout.spares);
  if (layout.checks > 0) {
    constexpr double kBound = 3;  // -ln 0.05
    sentences.push_back(fmt::format(
        "{} blocks drawn at random lie where the map says, by the drive's own numbers: fewer than "
        "{:.2g} % lie elsewhere, with 95 % confidence",
        layout.checks, 100 * std::min(1.0, kBound / static_cast<double>(layout.checks))));
    if (!layout.angle && !layout.angle.reason.empty())
      sentences.push_back("rotational positions are not told: " + layout.angle.reason);
  }
  if (layout.timed) sentences.push_back(standing_of(*layout.timed));
  constexpr std::size_t kMostRanges = 8;
  std::uint64_t blocks = 0;
  for (const model::NotUnderstood& range : layout.not_understood)
    blocks += range.last_lbn - range.first_lbn + 1;
  for (std::size_t i = 0; i < std::min(layout.not_understood.size(), kMostRanges); ++i) {
    const model::NotUnderstood& range = layout.not_understood[i];
    sentences.push_back(fmt::format("blocks {} to {} are not understood: {}", range.first_lbn,
                                    range.last_lbn, range.reason));
  }
  if (layout.not_understood.size() > kMostRanges)
    sentences.push_back(fmt::format("{} blocks in {} stretches are not understood", blocks,
                                    layout.not_understood.size()));
  return sentences;
}

double media_rate_mb_s(const model::DriveModel& model, double sectors) {
  return sectors * model.identity.block_bytes / model::revolution_ns(model.rotation) * 1e3;
}

std::vector<ZoneSummary> summarize_zones(const model::Layout& layout) {
  std::vector<ZoneSummary> zones(layout.zones.size());
  const engine::LayoutMap map(layout);
  for (TrackCursor cursor(map); cursor.next();) {
    if (cursor.blocks() == 0) continue;
    const engine::Track& track = cursor.track();
    ZoneSummary& zone = zones[track.zone];
    if (zone.tracks == 0) {
      zone = {cursor.first_lbn(), 0, 0, track.cylinder, track.cylinder, track.sectors,
              track.sectors};
    }
    zone.blocks += cursor.blocks();
    ++zone.tracks;
    zone.first_cylinder = std::min(zone.first_cylinder, track.cylinder);
    zone.last_cylinder = std::max(zone.last_cylinder, track.cylinder);
    zone.fewest_sectors = std::min(zone.fewest_sectors, track.sectors);
    zone.most_sectors = std::max(zone.most_sectors, track.sectors);
  }
  return zones;
}

std::string formula_of(const model::SeekFit& fit) {
  return fmt::format(
      "{:.3f} + {:.4f} sqrt(d) ms up to {} cylinders, {:.3f} + {:.6f} d ms beyond (RMS {:.3f} ms)",
      fit.a_ms, fit.b_ms, fit.knee, fit.c_ms, fit.e_ms, fit.rms_ms);
}

std::optional<SeekSummary> summarize_seek(const model::DriveModel& model) {
  return summarize(model.seek, model.identity.cylinders);
}

std::vector<OtherSeek> other_seeks(const model::DriveModel& model) {
  std::vector<OtherSeek> others;
  const auto add = [&](const char* name, const char* path, const std::optional<model::Seek>& seek) {
    if (!seek) return;
    if (const auto summary = summarize(*seek, model.identity.cylinders))
      others.push_back({name, path, *seek, *summary});
  };
  add("outward seek", "outward_seek", model.outward_seek);
  add("write seek", "write_seek", model.write_seek);
  return others;
}

double rpm_of(const model::Rotation& rotation) {
  return 60e9 * static_cast<double>(rotation.denominator) /
         static_cast<double>(rotation.numerator_ns);
}

std::string read_ahead_in_words(double kind) {
  if (kind == 0) return "no read-ahead";
  const std::string words = choice_in_words("cache.read_ahead", kind);
  return words.empty() ? "" : "read-ahead " + words;
}

std::string counted_segments(double segments) {
  return fmt::format("{} segment{}", segments, segments == 1 ? "" : "s");
}

std::string segments_in_words(const model::Cache& cache) {
  std::string text = cache.segments ? counted_segments(*cache.segments.value)
                                    : model::known_instead(cache.segments);
  if (text.empty()) return text;
  if (!cache.segments) text += " segments";
  if (cache.segment_blocks) return text + fmt::format(" of {} blocks", *cache.segment_blocks.value);
  const std::string size = model::known_instead(cache.segment_blocks);
  return size.empty() ? text : text + " of " + size;
}

std::string cache_in_words(const model::Cache& cache) {
  std::vector<std::string> parts;
  if (const std::string segments = segments_in_words(cache); !segments.empty())
    parts.push_back(segments);
  if (parts.empty() && !cache.read_enabled) return "not known";
  if (!parts.empty()) {
    if (cache.buffer_blocks)
      parts.back() += fmt::format(", {} blocks together", *cache.buffer_blocks.value);
    if (cache.adaptive_min_segments.value > 0) {
      parts.back() = fmt::format("{} to ", *cache.adaptive_min_segments.value) + parts.back();
      if (cache.adaptive_window_requests)
        parts.back() += fmt::format(" (looked at every {} requests)",
                                    *cache.adaptive_window_requests.value);
    }
  }
  if (cache.read_enabled)
    parts.push_back(*cache.read_enabled.value > 0 ? "read caching" : "no read caching");
  if (cache.read_ahead)
    parts.push_back(
        read_ahead_in_words(*cache.read_ahead.value) +
        (cache.read_ahead_after_sequential.value > 0 ? " (behind sequential reads only)" : ""));
  if (cache.write_back_level)
    parts.push_back(*cache.write_back_level.value > 0 ? "write-back" : "write-through");
  if (cache.destage_behind.value > 0) parts.back() += ", destaged later";
  if (cache.zero_latency_read && *cache.zero_latency_read.value > 0)
    parts.push_back("zero-latency reads");
  if (cache.zero_latency_write && *cache.zero_latency_write.value > 0)
    parts.push_back("zero-latency writes");
  return joined(parts, ", ");
}

Missing missing_by_reason(const model::DriveModel& model,
                          const std::vector<model::NamedParameter>& parameters) {
  Missing by_reason;
  for (const auto& [path, parameter] : parameters)
    if (!parameter && !parameter.reason.empty()) by_reason[parameter.reason].push_back(path);
  if (!model.layout.angle && !model.layout.angle.reason.empty())
    by_reason[model.layout.angle.reason].push_back("layout.angle");
  if (!model.seek.reason.empty()) by_reason[model.seek.reason].push_back("seek");
  if (!model.layout.reason.empty()) by_reason[model.layout.reason].push_back("layout");
  return by_reason;
}

std::string model_as_text(const model::DriveModel& given, std::span<const Section> sections) {
  const model::DriveModel model = model::printable_model(given);
  const std::vector<model::NamedParameter> parameters = model::parameters_of(model);
  std::string text;
  for (const Section section : sections) switch (section) {
      case Section::head:
        append_head(text, model);
        break;
      case Section::checked:
        append_checked(text, model.validity);
        break;
      case Section::layout:
        append_zones(text, model);
        break;
      case Section::seeks:
        append_seeks(text, model.seek);
        for (const OtherSeek& other : other_seeks(model)) append_seeks(text, other.seek);
        break;
      case Section::mechanics:
        append_parameters(text, "Mechanics", "mechanics", parameters);
        break;
      case Section::cache:
        append_parameters(text, "Cache", "cache", parameters);
        append_freedoms(text, model.cache.freedoms);
        break;
      case Section::overheads:
        append_parameters(text, "Overheads", "overheads", parameters);
        break;
      case Section::bus:
        append_parameters(text, "Bus", "bus", parameters);
        break;
      case Section::queue:
        append_parameters(text, "Queue", "queue", parameters);
        append_parameters(text, "Arms", "arms", parameters);
        append_parameters(text, "Waking up", "power", parameters);
        append_parameters(text, "Shingling", "shingling", parameters);
        break;
      case Section::missing:
        append_missing(text, missing_by_reason(model, parameters));
        break;
      case Section::validity:
        append_validity(text, model.validity);
        append_stand_ins(text, model::stand_ins(model));
        break;
      case Section::notes:
        append_findings(text, model.provenance.findings);
        if (!model.provenance.notes.empty()) text += "\nNotes\n";
        for (const std::string& note : model.provenance.notes) text += wrapped("  " + note, 4);
        break;
    }
  return text.starts_with('\n') ? text.substr(1) : text;
}

std::string model_as_text(const model::DriveModel& model) {
  constexpr Section kAll[] = {
      Section::head,      Section::validity, Section::layout, Section::mechanics, Section::cache,
      Section::overheads, Section::bus,      Section::queue,  Section::missing,   Section::notes};
  return model_as_text(model, kAll);
}

std::string model_in_brief(const model::DriveModel& model) {
  constexpr Section kBrief[] = {Section::head, Section::checked};
  return model_as_text(model, kBrief);
}

std::string explained(const model::DriveModel& given, const Explanation& explanation) {
  const model::DriveModel model = model::printable_model(given);
  const std::vector<model::NamedParameter> parameters = model::parameters_of(model);
  const auto found = std::ranges::find(parameters, std::string(explanation.path),
                                       &model::NamedParameter::path);
  const model::Parameter without = model::absent(explanation.path.starts_with("arms.")
                                                     ? "the model has one arm"
                                                     : "the model has no such power condition");
  const model::Parameter& p = found == parameters.end() ? without : found->parameter;
  std::string text = fmt::format("{}\n", explanation.path);
  append_line(text, "called", std::string(explanation.name));
  append_line(text, "is", std::string(explanation.what));
  append_line(text, "here", p ? value_in_words(explanation.path, p) : value_or_reason("", p));
  if (explanation.words) {
    std::string words;
    for (const auto& [value, word] : *explanation.words)
      words += fmt::format("{}{}: {}", words.empty() ? "" : "; ", value, word);
    append_line(text, "may be", words);
  }
  if (p && !p.method.empty()) append_line(text, "measured", "by " + p.method);
  if (p && p.samples > 0) append_line(text, "samples", std::to_string(p.samples));
  if (p && p.error)
    append_line(text, "error",
                explanation.words
                    ? fmt::format("wrong with a probability of {:.2g}", *p.error)
                    : fmt::format("{:.2g} {} (one standard error)", *p.error, p.unit));
  append_line(text, "known from", std::string(explanation.paper));
  append_line(text, "told in", page_of(explanation.path));
  return text;
}

std::string model_as_json(const model::DriveModel& model) {
  Json json = model::json_head("platter-show");
  const model::Identity& id = model.identity;
  json["identity"] = {{"name", id.name},
                      {"vendor", id.vendor},
                      {"product", id.product},
                      {"revision", id.revision},
                      {"serial", id.serial},
                      {"blocks", id.blocks},
                      {"block_bytes", id.block_bytes},
                      {"heads", id.heads},
                      {"cylinders", id.cylinders}};
  json["provenance"] = {{"method", model.provenance.method},
                        {"source", model.provenance.source},
                        {"date", model.provenance.date},
                        {"notes", model.provenance.notes}};
  json["quality"] = quality_json(model::qualities_of(model));
  json["findings"] = Json::array();
  for (const model::Finding& finding : model.provenance.findings)
    json["findings"].push_back({{"code", finding.code},
                                {"weight", finding.weight},
                                {"touches", finding.touches},
                                {"by", finding.by},
                                {"text", finding.text}});
  if (const std::string standing = model::standing_of(model.provenance, model.validity);
      !standing.empty())
    json["standing"] = standing;
  Json says = Json::object();
  for (const SaidByDrive& said : drive_says(id)) says[said.what] = said.says;
  json["drive_says"] = says;
  json["capacity_bytes"] = id.blocks * id.block_bytes;
  json["rpm"] = model.rotation.numerator_ns > 0 ? Json(rpm_of(model.rotation)) : Json();
  const auto seek = summarize_seek(model);
  json["seek"] = seek ? to_json(*seek) : Json{{"reason", model.seek.reason}};
  if (const auto fit = model::fit_seek(model.seek))
    json["seek"]["fit"] = {{"a_ms", fit->a_ms},           {"b_ms", fit->b_ms},
                           {"c_ms", fit->c_ms},           {"e_ms", fit->e_ms},
                           {"knee_cylinders", fit->knee}, {"rms_ms", fit->rms_ms}};
  for (const OtherSeek& other : other_seeks(model)) json[other.path] = to_json(other.summary);
  if (const auto& share = model.kernel_share)
    json["kernel_share"] = {{"above_median_ms", share->above_median_ms},
                            {"above_p99_ms", share->above_p99_ms},
                            {"behind_median_ms", share->behind_median_ms},
                            {"behind_p99_ms", share->behind_p99_ms},
                            {"samples", share->samples}};
  if (model.arms) {
    json["arms"] = Json::array();
    for (const model::ArmRange& range : model.arms->ranges)
      json["arms"].push_back(
          {{"first_lbn", range.first_lbn}, {"last_lbn", range.last_lbn}, {"arm", range.arm}});
  }
  if (model.shingling) {
    json["shingling"] = {{"kind", model.shingling->kind}, {"displaced", Json::array()}};
    for (const LbnRange& range : model.shingling->displaced)
      json["shingling"]["displaced"].push_back({{"first", range.first}, {"last", range.last}});
    json["shingling"]["displaced_from_blocks"] = model.shingling->displaced_from_blocks;
    json["shingling"]["displaced_untold_blocks"] = blocks_of(model.shingling->displaced_untold);
  }
  json["zones"] = Json::array();
  if (!model.layout.zones.empty()) {
    for (const ZoneSummary& zone : summarize_zones(model.layout))
      json["zones"].push_back(to_json(zone));
  }
  json["parameters"] = Json::array();
  for (const model::NamedParameter& named : model::parameters_of(model)) {
    if (known(named.parameter) != model::Known::unknown || !named.parameter.reason.empty())
      json["parameters"].push_back(to_json(named));
  }
  json["validity"] = {{"reads", model.validity.reads},
                      {"writes", model.validity.writes},
                      {"first_lbn", model.validity.first_lbn},
                      {"last_lbn", model.validity.last_lbn},
                      {"max_blocks", model.validity.max_blocks},
                      {"max_depth", model.validity.max_depth},
                      {"demerits", model.validity.demerits.size()},
                      {"stand_ins", to_json(model::stand_ins(model))}};
  return model::pretty(json);
}

}  // namespace platter::report
