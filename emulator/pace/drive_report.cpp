#include "emulator/pace/drive_report.h"

#include <fmt/format.h>

#include "model/json_text.h"
#include "model/printable.h"

namespace platter::emulator {
namespace {

std::string json_of(const GeneratedReport& report) {
  std::vector<std::string> names;
  for (const std::string& name : report.file_systems) names.push_back(quoted(name));
  return fmt::format(R"({{"dropped_bytes":{},"dropped_unclaimed_bytes":{},"waiting_bytes":{},)"
                     R"("file_systems":[{}]}})",
                     report.dropped_bytes, report.dropped_unclaimed_bytes, report.waiting_bytes,
                     fmt::join(names, ","));
}

std::string text_of(const GeneratedReport& report) {
  std::string text = fmt::format(
      "  data dropped: {} bytes ({} of them unclaimed); kept until it is known what they are: {}\n",
      report.dropped_bytes, report.dropped_unclaimed_bytes, report.waiting_bytes);
  for (const std::string& name : report.file_systems) text += fmt::format("  {}\n", name);
  return text;
}

std::string text_of(const std::vector<EpisodeReport>& episodes) {
  std::vector<std::string> each;
  for (const EpisodeReport& episode : episodes)
    each.push_back(fmt::format("{} {} ({})", each.size() + 1, episode.what, episode.requests));
  return fmt::format("  episodes, and the requests of each: {}\n",
                     each.empty() ? "none" : fmt::format("{}", fmt::join(each, ", ")));
}

std::string json_of(const DriveReport& report) {
  return fmt::format(R"({{"name":{},"model_against_drive":{},"delivery_against_model":{},)"
                     R"("outside_validity":{},"late_arrivals":{},"stored_bytes":{},)"
                     R"("power_cuts":{}{}{}}})",
                     quoted(report.name), quoted(report.model_against_drive),
                     report.delivery_against_model.json(), report.outside_validity,
                     report.late_arrivals, report.stored_bytes, report.power_cuts,
                     report.generated ? ",\"generated\":" + json_of(*report.generated) : "",
                     report.episodes ? ",\"episodes\":" + json_of(*report.episodes) : "");
}

}  // namespace

std::string text_of(const std::vector<DriveReport>& drives, const TransportReport& transport) {
  std::string text;
  for (const DriveReport& drive : drives)
    model::append_printable_lines(
        text,
        fmt::format(
            "{}\n  model against drive: {}\n  delivery against model: {}\n"
            "  outside what the model was checked for: {}; told too late to be served in time: {}\n"
            "  contents: {} bytes stored; power cuts: {}\n{}{}",
            drive.name, drive.model_against_drive, drive.delivery_against_model.text(),
            drive.outside_validity, drive.late_arrivals, drive.stored_bytes, drive.power_cuts,
            drive.generated ? text_of(*drive.generated) : "",
            drive.episodes ? text_of(*drive.episodes) : ""));
  return text + (transport.delay.is_known()
                     ? fmt::format("as a client sees it, by commands that do nothing: {}\n",
                                   transport.at_client.text())
                     : std::string(
                           "NOT CORRECTED for the way to clients and back, which was not measured: "
                           "they see answers later than this says\n"));
}

std::string json_of(const std::vector<DriveReport>& drives, int speed,
                    const TransportReport& transport) {
  std::vector<std::string> reports;
  for (const DriveReport& drive : drives) reports.push_back(json_of(drive));
  std::string head = model::json_text(model::json_head("platter-emulation"));
  head.pop_back();
  const bool known = transport.delay.is_known();
  const auto in_us = [&](Nanoseconds way_ns) {
    return known ? fmt::format("{:.3f}", to_us(way_ns)) : "null";
  };
  return head + fmt::format(
                    R"(,"speed":{},"inbound_us":{},"outbound_us":{},"at_client":{},"drives":[{}]}})"
                    "\n",
                    speed, in_us(transport.delay.inbound_ns()),
                    in_us(transport.delay.outbound_ns()),
                    known ? transport.at_client.json() : "null", fmt::join(reports, ","));
}

std::string json_of(const std::vector<EpisodeReport>& episodes) {
  std::vector<std::string> each;
  for (const EpisodeReport& episode : episodes)
    each.push_back(fmt::format(R"({{"what":"{}","requests":{}}})", episode.what, episode.requests));
  return fmt::format("[{}]", fmt::join(each, ","));
}

std::string ready_notice(const TransportDelay& delay, const std::string& trouble) {
  if (!trouble.empty())
    return fmt::format(
        "ready; NOT CORRECTED for the way here and back, which could not be measured: {}; clients "
        "see "
        "answers later than the drive gives them",
        model::printable(trouble));
  return fmt::format("ready; the way here takes {:.1f} us, and back {:.1f} us",
                     to_us(delay.inbound_ns()), to_us(delay.outbound_ns()));
}

std::string of_hypothetical_drive() { return "a hypothetical drive, which nobody measured"; }

std::string of_model_not_compared() { return "the model was not compared with its drive"; }

std::string of_demerit(double ms, double percent, std::uint64_t requests,
                       std::string_view workload) {
  return fmt::format("demerit figure {:.3f} ms, {:.2f} % of the mean, over {} requests ({})", ms,
                     percent, requests, workload);
}

std::string quoted(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20)
      json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      json += c;
  }
  return json + '"';
}

}  // namespace platter::emulator
