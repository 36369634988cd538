#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/json_text.h"
#include "model/printable.h"
#include "replay/result_json.h"
#include "replay/summary.h"

namespace platter::replay {
namespace {

using Json = nlohmann::ordered_json;

std::string times_row(const char* name, const ResponseTimes& times) {
  return fmt::format("{:>6} {:>8} {:>8.3f} {:>8.3f} {:>8.3f} {:>8.3f} {:>8.3f} {:>8.3f} {:>8.3f}\n",
                     name, times.n, times.mean_ms, times.p50_ms, times.p90_ms, times.p95_ms,
                     times.p99_ms, times.p999_ms, times.max_ms);
}

std::string delay_line(const char* why, const Delay& delay) {
  return fmt::format("issued late {}: {:.3f} ms (median), {:.3f} ms (99 %), at most {:.3f} ms\n",
                     why, delay.p50_ms, delay.p99_ms, delay.max_ms);
}

std::string array_text(const ArrayHead& array) {
  std::string text;
  if (array.chunk_bytes) text += fmt::format(", stripe {} KiB", array.chunk_bytes / 1024);
  if (!array.read_balance.empty())
    text += fmt::format(", reads {}", model::printable(array.read_balance));
  if (array.stripe_cache) text += fmt::format(", {} stripes kept", array.stripe_cache);
  if (array.missing) text += fmt::format(", member {} missing", *array.missing);
  if (array.rebuild)
    text += fmt::format(", member {} rebuilt, {} blocks of it", *array.rebuild,
                        array.rebuilt_blocks);
  return text + fmt::format(", {} commands of its members", array.commands);
}

std::string how(const ResultHead& head) {
  std::string text = fmt::format("{}, at most {} outstanding",
                                 head.kind == trace::Kind::open ? "open" : "closed", head.depth);
  if (!head.scheduler.empty() && head.depth > 1)
    text += fmt::format(", {}", model::printable(head.scheduler));
  if (head.ageing != 0 && head.depth > 1) text += fmt::format(" with ageing {}", head.ageing);
  if (head.think_in_front) text += ", think times before their requests";
  if (head.speed != 1) text += fmt::format(", {} times as fast", head.speed);
  if (!head.fit.empty()) text += fmt::format("; made to fit, {}", head.fit);
  if (head.array) text += array_text(*head.array);
  if (head.caches == "off") text += ", caches off";
  if (head.caches == "forced") text += ", caches bypassed with FUA";
  return text;
}

std::string stand_ins_text(const std::map<std::string, std::string>& stand_ins) {
  std::string text;
  for (const auto& [path, how] : stand_ins)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", model::printable(path),
                        model::printable(how));
  return "not measured, and what acts instead: " + text + "\n";
}

}  // namespace

std::string summary_json(const ResultHead& head, const Summary& summary) {
  Json json = model::json_head("platter-replay-summary");
  json["target"] = head.target == ResultHead::Target::drive ? "drive" : "model";
  json["name"] = head.name;
  json["trace"] = head.trace;
  json["mode"] = head.kind == trace::Kind::open ? "open" : "closed";
  json["depth"] = head.depth;
  json["asked_depth"] = head.asked_depth ? head.asked_depth : head.depth;
  json["think_in_front"] = head.think_in_front;
  json["speed"] = head.speed;
  json["fit"] = head.fit.empty() ? Json(nullptr) : Json(head.fit);
  json["scheduler"] = head.scheduler.empty() ? Json(nullptr) : Json(head.scheduler);
  json["ageing"] = head.ageing;
  json["caches"] = head.caches;
  json["requests"] = summary.all.n;
  json["seconds"] = summary.seconds;
  json["all"] = times_json(summary.all);
  json["read"] = times_json(summary.read);
  json["write"] = times_json(summary.write);
  json["quantile_error"] = summary.quantile_error;
  json["hits_share"] = summary.hits_share ? Json(*summary.hits_share) : Json(nullptr);
  json["lateness"] = {{"host", delay_json(summary.lateness.host)},
                      {"depth", delay_json(summary.lateness.depth)}};
  if (head.array) json["array"] = array_json(*head.array);
  json["outside_validity"] = head.outside_validity;
  json["outside"] = head.outside ? outside_json(*head.outside) : Json(nullptr);
  json["stand_ins"] = head.stand_ins;
  json["retries"] = head.retries;
  json["recovered"] = head.recovered;
  json["warnings"] = head.warnings;
  json["came_short"] = head.came_short ? came_short_json(*head.came_short) : Json(nullptr);
  json["host_queue"] = head.host_queue ? host_queue_json(*head.host_queue) : Json(nullptr);
  return model::pretty(json);
}

std::string came_short_text(const CameShort& came_short) {
  constexpr std::size_t kNamed = 5;
  std::string text = fmt::format("{} requests came short with GOOD: ", came_short.count);
  for (std::size_t i = 0; i < std::min(kNamed, came_short.first.size()); ++i) {
    const CameShort::Request& request = came_short.first[i];
    text += fmt::format("{}number {} (LBN {}, {} of {} blocks)", i > 0 ? ", " : "",
                        request.number + 1, request.lbn, request.came_blocks, request.blocks);
  }
  return text + (came_short.count > kNamed ? " and more; all are named with --json\n" : "\n");
}

std::string summary_text(const ResultHead& head, const Summary& summary) {
  std::string text = fmt::format("{} on {}: {} requests in {:.3f} s, {}\n",
                                 model::printable(head.trace), model::printable(head.name),
                                 summary.all.n, summary.seconds, how(head));
  text += fmt::format("{:>6} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "in ms", "n",
                      "mean", "p50", "p90", "p95", "p99", "p99.9", "max");
  text += times_row("all", summary.all);
  if (summary.read.n > 0 && summary.write.n > 0)
    text += times_row("read", summary.read) + times_row("write", summary.write);
  if (summary.quantile_error > 0)
    text += fmt::format("quantiles within {:.3f} %\n", 100 * summary.quantile_error);
  if (summary.hits_share)
    text += fmt::format("{:.1f} % did not wait for the media\n", 100 * *summary.hits_share);
  if (head.target == ResultHead::Target::drive || summary.lateness.host.max_ms > 0)
    text += delay_line("by the host", summary.lateness.host);
  if (summary.lateness.depth.max_ms > 0)
    text += delay_line("because as many were outstanding as may be", summary.lateness.depth);
  if (head.host_queue)
    text += fmt::format(
        "host queue {}: the drive got {} commands; {} requests were merged, {} windows read ahead, "
        "{} reads found in memory\n",
        text_of(head.host_queue->settings), head.host_queue->commands, head.host_queue->merged,
        head.host_queue->prefetches, head.host_queue->from_memory);
  text += outside_text(head.outside_validity, head.outside.value_or(Outside{}), summary.all.n);
  if (!head.stand_ins.empty()) text += stand_ins_text(head.stand_ins);
  if (head.retries > 0)
    text += fmt::format("{} commands were sent again, the drive was not ready for them\n",
                        head.retries);
  if (head.recovered > 0)
    text += fmt::format("{} requests were recovered by the drive itself, and took longer\n",
                        head.recovered);
  for (const auto& [words, count] : head.warnings)
    text += fmt::format("the drive warned of itself, {} times: {}\n", count, words);
  if (head.came_short) text += came_short_text(*head.came_short);
  return text;
}

}  // namespace platter::replay
