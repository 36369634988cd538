#include "report/html_model.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "model/completeness.h"
#include "model/known.h"
#include "model/parameters.h"
#include "model/seek_curve.h"
#include "replay/share_text.h"
#include "report/explanations.h"
#include "report/html.h"
#include "report/model_summary.h"
#include "report/panels.h"
#include "report/seek_plots.h"

namespace platter::report::html {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string join(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (const std::string& part : parts)
    if (!part.empty()) text += (text.empty() ? "" : separator) + part;
  return text;
}

std::string section_of(const std::string& path) {
  const std::size_t dot = path.find('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

// A page has the sign that a terminal may lack.
std::string in_words_here(const std::string& path, const model::Parameter& parameter) {
  std::string text = report::value_in_words(path, parameter);
  if (const std::size_t at = text.find("+-"); at != text.npos) text.replace(at, 2, "\u00b1");
  return text;
}

std::string samples_text(std::uint64_t samples) { return samples > 0 ? grouped(samples) : ""; }

std::string parameter_table(const std::vector<model::NamedParameter>& parameters,
                            const std::string& section) {
  Rows rows;
  for (const auto& [path, parameter] : parameters) {
    if (!parameter || section_of(path) != section) continue;
    rows.push_back({name_of(path), in_words_here(path, parameter), parameter.method,
                    samples_text(parameter.samples)});
  }
  if (rows.empty()) return "";
  return table({{"parameter"}, {"value"}, {"method"}, {"samples", true}}, rows);
}

std::string freedoms_table(const std::vector<model::CacheFreedom>& freedoms) {
  if (freedoms.empty()) return "";
  Rows rows;
  for (const model::CacheFreedom& freedom : freedoms)
    rows.push_back({freedom.field, freedom.changeable ? "changeable" : "fixed", freedom.effect,
                    freedom.because});
  return paragraph("Mode page 08h, what the drive says of a field, and what a change of it did:") +
         table({{"field"}, {"the drive says"}, {"effect"}, {"because"}}, rows);
}

std::vector<std::string> seek_row(const char* name, double distance, double time_ms,
                                  const std::optional<double>& error_ms) {
  return {name, distance > 0 ? grouped(static_cast<std::uint64_t>(distance)) : "",
          with_unit(value_text(time_ms, error_ms), "ms"), error_text(error_ms)};
}

std::string duration(double seconds) {
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  return fmt::format("{:.0f} min {:.0f} s", std::floor(seconds / 60), std::fmod(seconds, 60));
}

// "head switch; cache: segments, segment blocks": each section named once. `paths` in the model's
// order.
std::string listed(const std::vector<std::string>& paths) {
  std::string text, section;
  for (const std::string& path : paths) {
    const std::string here = section_of(path);
    const std::string name = name_of(path);
    if (text.empty() || here != section)
      text += (text.empty() ? "" : "; ") + (here.empty() ? "" : here + ": ") + name;
    else
      text += ", " + name;
    section = here;
  }
  return text;
}

}  // namespace

std::string model_name(const model::DriveModel& model) {
  const model::Identity& id = model.identity;
  std::string name = id.name.empty() ? join({id.vendor, id.product}, " ") : id.name;
  if (name.empty()) name = "A drive without a name";
  return model::with_standing(name, model.provenance, model.validity);
}

std::string facts(const model::DriveModel& model) {
  const model::Identity& id = model.identity;
  std::string text = "<dl class=\"facts\">\n";
  text += fact("Capacity",
               fmt::format("{:.2f} GB", static_cast<double>(id.blocks) * id.block_bytes / 1e9),
               fmt::format("{} blocks of {} bytes", grouped(id.blocks), id.block_bytes));
  text +=
      model.rotation.numerator_ns > 0
          ? fact("Rotation", fmt::format("{:.1f}\u00a0rpm", rpm_of(model.rotation)),
                 fmt::format("{:.4f} ms a revolution", model::revolution_ns(model.rotation) / 1e6))
          : fact("Rotation", "not known", model.rotation.period.reason);
  if (const auto seek = summarize_seek(model))
    text += fact("Average seek", fmt::format("{:.2f} ms", seek->average_ms),
                 fmt::format("{:.2f} ms to {:.2f} ms", seek->single_ms, seek->full_ms));
  else
    text += fact("Average seek", "not known", model.seek.reason);
  text += model.head_switch
              ? fact("Head switch", in_words_here("head_switch", model.head_switch), "")
              : fact("Head switch", "not known", model.head_switch.reason);
  if (id.heads > 0)
    text += fact("Geometry", fmt::format("{} heads", id.heads),
                 id.cylinders > 0 ? grouped(id.cylinders) + " cylinders" : "");
  if (const std::string heads = model::known_instead(model.layout.heads); !heads.empty())
    text += fact("Heads", heads, model.layout.heads.reason);
  const std::string segments = segments_in_words(model.cache);
  text += fact("Cache", segments.empty() ? "not known" : segments, model.cache.segments.reason);
  return text + "</dl>\n";
}

std::string how_measured(const model::DriveModel& model) {
  const model::Provenance& p = model.provenance;
  std::string text = p.method.empty() ? "The origin of this model is not stated"
                                      : "This model was " + p.method;
  if (p.method == "catalogue") text = "This model is from the catalogue";
  if (const std::string standing = model::standing_of(p, model.validity); !standing.empty())
    text = "This is a hypothetical drive: its model is " + standing + ", made";
  if (!p.source.empty())
    text += (p.method == "characterized" ? " on "
             : p.method == "catalogue"   ? "; its source: "
                                         : " from ") +
            p.source;
  if (!p.date.empty()) text += ", " + p.date;
  text += ".";
  if (p.commands > 0)
    text += fmt::format(" It took {} of the drive's time and {} commands; {}.",
                        duration(p.drive_seconds), grouped(p.commands),
                        p.bytes_written > 0
                            ? grouped(p.bytes_written) + " bytes were rewritten with what they held"
                            : "nothing was written");
  return paragraph(text);
}

std::string seek_chapter(const model::DriveModel& model, const std::string& id) {
  std::string text = heading(id, "seek", "Seek curve");
  const model::Seek& seek = model.seek;
  if (seek.points.empty())
    return text + paragraph("The seek curve is not known" +
                            (seek.reason.empty() ? std::string(".") : ": " + seek.reason + "."));
  std::uint64_t samples = 0;
  bool errors = false;
  for (const model::SeekPoint& point : seek.points) {
    samples += point.samples;
    errors = errors || point.error_ms.value_or(0) > 0;
  }
  std::string found = fmt::format("{} distances", grouped(seek.points.size()));
  if (!seek.method.empty()) found += ", " + seek.method;
  if (samples > 0) found += fmt::format(", from {} samples", grouped(samples));
  text += paragraph(found + ".");
  const std::optional<model::SeekFit> fit = model::fit_seek(seek);
  text += figure(
      id + "-seek-figure",
      fmt::format("Time of a seek over its distance{}; the first hundred cylinders, {}.",
                  fit ? "; what is left beside the formula" : "",
                  errors ? "with bars of one standard error" : "the errors are not stated"),
      [&](const std::string& path) { plot_seek_panels(seek_curves_of(model, ""), path); });
  if (const auto odd = odd_places(seek); !odd.empty())
    text += paragraph("What looks odd: " + join(odd, "; ") + ".");
  if (const auto summary = summarize_seek(model)) {
    const double farthest = model.identity.cylinders - 1;
    text += table({{"seek"}, {"cylinders", true}, {"time", true}, {"error", true}},
                  {seek_row("one cylinder", 1, summary->single_ms, model::seek_error_ms(seek, 1)),
                   {"average over all pairs of cylinders", "",
                    fmt::format("{:.3f}\u00a0ms", summary->average_ms), ""},
                   seek_row("full stroke", farthest, summary->full_ms,
                            model::seek_error_ms(seek, farthest))});
  }
  for (const OtherSeek& other : other_seeks(model)) {
    text += paragraph(fmt::format("{} distances of the {}, {}.", grouped(other.seek.points.size()),
                                  other.name, other.seek.method));
    text += table({{other.name}, {"time", true}},
                  {{"one cylinder", fmt::format("{:.3f}\u00a0ms", other.summary.single_ms)},
                   {"average over all pairs of cylinders",
                    fmt::format("{:.3f}\u00a0ms", other.summary.average_ms)},
                   {"full stroke", fmt::format("{:.3f}\u00a0ms", other.summary.full_ms)}});
  }
  if (fit)
    text += paragraph((other_seeks(model).empty()
                           ? "As the literature writes such curves, and dotted in the figure: "
                           : "As the literature writes such curves, of reads: ") +
                      formula_of(*fit) + ".");
  return text;
}

std::string overheads_chapter(const model::DriveModel& model, const std::string& id) {
  const std::string rows = parameter_table(model::parameters_of(model), "overheads");
  return heading(id, "overheads", "Overheads") + request_bars(model) +
         (rows.empty() ? paragraph("None is known.") : rows);
}

std::string cache_chapter(const model::DriveModel& model, const std::string& id) {
  const std::string rows = parameter_table(model::parameters_of(model), "cache");
  return heading(id, "cache", "Cache") + cache_diagram(model) +
         (rows.empty() ? paragraph("Nothing is known of it.")
                       : paragraph("In short: " + cache_in_words(model.cache) + ".") +
                             "<h3>What it rests on</h3>\n" + rows) +
         freedoms_table(model.cache.freedoms);
}

std::string parameters_chapter(const model::DriveModel& model, const std::string& id) {
  const std::vector<model::NamedParameter> parameters = model::parameters_of(model);
  struct Group {
    const char *section, *title;
  };
  static constexpr std::array<Group, 7> kGroups = {{{"rotation", "Rotation"},
                                                    {"", "Head switch and write settle"},
                                                    {"bus", "Bus"},
                                                    {"queue", "Queue"},
                                                    {"arms", "Arms"},
                                                    {"power", "Waking up"},
                                                    {"shingling", "Shingling"}}};
  std::string tables;
  for (const Group& group : kGroups) {
    const std::string rows = parameter_table(parameters, group.section);
    if (!rows.empty()) tables += fmt::format("<h3>{}</h3>\n{}", group.title, rows);
  }
  return heading(id, "parameters", "Other parameters") +
         (tables.empty() ? paragraph("None is known.")
                         : "<p class=\"note\">Errors are one standard error; a value without one "
                           "has none stated.</p>\n" +
                               tables);
}

std::string in_percent(const std::optional<double>& ms, double of_ms) {
  return ms && of_ms > 0 ? fmt::format("{:.2f}", 100 * *ms / of_ms) : "";
}

std::string validity_chapter(const model::DriveModel& model, const std::string& id) {
  const model::Validity& validity = model.validity;
  std::string text = heading(id, "validity", "Validity");
  if (!validity.reads && !validity.writes) {
    text += paragraph(
        "The model file states no range in which the model was checked against the drive.");
  } else {
    text += paragraph(
        fmt::format("Checked with {} of {} to {} blocks in LBN {} to {}, up to {} outstanding.",
                    validity.reads && validity.writes ? "reads and writes"
                    : validity.reads                  ? "reads"
                                                      : "writes",
                    validity.min_blocks, validity.max_blocks, grouped(validity.first_lbn),
                    grouped(validity.last_lbn), validity.max_depth));
  }
  Rows rows;
  for (const model::Demerit& d : validity.demerits)
    rows.push_back(
        {d.workload, grouped(d.requests), fmt::format("{:.3f}", d.drive_mean_ms),
         fmt::format("{:.3f}", d.demerit_ms), fmt::format("{:.2f}", d.demerit_percent),
         in_percent(d.error_ms, d.drive_mean_ms), in_percent(d.floor_ms, d.drive_mean_ms),
         replay::phase_text(d),
         d.hits_agreed_share > 0 ? replay::share_text(d.hits_agreed_share, d.requests) : ""});
  if (!rows.empty())
    text += table({{"workload"},
                   {"requests", true},
                   {"drive's mean (ms)", true},
                   {"demerit (ms)", true},
                   {"demerit (% of mean)", true},
                   {"its error (%)", true},
                   {"its floor (%)", true},
                   {"in phase (95 % interval)", true},
                   {"hits and misses agreed", true}},
                  rows);
  if (!validity.note.empty()) text += paragraph(validity.note);
  return text;
}

std::string provenance_chapter(const model::DriveModel& model, const std::string& id) {
  const model::Provenance& p = model.provenance;
  Rows rows;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) rows.push_back({name, value});
  };
  if (p.commands > 0) {
    add("seed", std::to_string(p.seed));
    add("drive's time", fmt::format("{:.1f} s", p.drive_seconds));
    double of_stages_s = 0;
    for (const model::StageTime& stage : p.stages) {
      add("drive's time for " + stage.name,
          fmt::format("{:.1f} s, {} commands", stage.drive_seconds, grouped(stage.commands)));
      of_stages_s += stage.drive_seconds;
    }
    // Tenths that are shown add up to what is shown of all.
    constexpr double kShown_s = 0.05;
    if (const double rest_s = p.drive_seconds - of_stages_s;
        !p.stages.empty() && rest_s >= kShown_s)
      add("drive's time between the stages",
          fmt::format("{:.1f} s: settings, checks, what was begun anew", rest_s));
    add("time on the host", fmt::format("{:.1f} s", p.wall_seconds));
    add("commands", grouped(p.commands));
    add("address translations", grouped(p.translations));
    add("bytes written", grouped(p.bytes_written));
  }
  std::string text = heading(id, "provenance", "Provenance") +
                     (rows.empty() ? paragraph("It was not measured by platter.")
                                   : table({{"what"}, {"value"}}, rows));
  if (!p.findings.empty()) {
    Rows findings;
    for (const model::Finding& finding : p.findings)
      findings.push_back({finding.code, finding.weight, listed(finding.touches), finding.text});
    text += "<h3>Findings</h3>\n" +
            table({{"finding"}, {"weight"}, {"touches"}, {"what was found"}}, findings);
  }
  if (p.notes.empty()) return text;
  text += "<h3>Notes</h3>\n<ul>\n";
  for (const std::string& note : p.notes) text += "<li>" + escaped(note) + "</li>\n";
  return text + "</ul>\n";
}

std::string missing_chapter(const model::DriveModel& model, const std::string& id) {
  const std::vector<model::NamedParameter> parameters = model::parameters_of(model);
  Rows rows;
  for (const auto& [reason, paths] : missing_by_reason(model, parameters))
    rows.push_back({listed(paths), reason});
  std::vector<std::string> silent;
  for (const auto& [path, parameter] : parameters)
    if (!parameter && parameter.reason.empty()) silent.push_back(path);
  if (!silent.empty())
    rows.push_back({listed(silent), model.provenance.method == "characterized"
                                        ? "no reason is stated"
                                        : "the model's source does not state it"});
  return heading(id, "missing", "What was not measured, and why") +
         (rows.empty() ? paragraph("Nothing: every parameter of the model has a value.")
                       : "<div class=\"reasons\">" + table({{"what"}, {"why"}}, rows) + "</div>\n");
}

}  // namespace platter::report::html
