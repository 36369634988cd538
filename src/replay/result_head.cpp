#include "replay/result_head.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/json_text.h"
#include "model/strict_json.h"
#include "replay/result_json.h"

namespace platter::replay {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "platter-replay-result";

Delay delay_of(const Json& json) {
  return {.p50_ms = json.at("p50_ms").get<double>(),
          .p99_ms = json.at("p99_ms").get<double>(),
          .max_ms = json.at("max_ms").get<double>()};
}

HostQueueUse host_queue_use_of(const Json& json) {
  return {.settings = host_queue_of(json.at("settings").get<std::string>()),
          .commands = json.at("commands").get<std::uint64_t>(),
          .merged = json.at("merged").get<std::uint64_t>(),
          .prefetches = json.at("prefetches").get<std::uint64_t>(),
          .from_memory = json.at("from_memory").get<std::uint64_t>()};
}

template <class Value>
void read_optional(const Json& json, const char* name, Value& value) {
  if (json.contains(name)) value = json[name].get<Value>();
}
template <class Value>
void read_optional(const Json& json, const char* name, std::optional<Value>& value) {
  if (json.contains(name)) value = json[name].get<Value>();
}

std::optional<ArrayHead> array_of(const Json& json) {
  if (!json.contains("array")) return std::nullopt;
  const Json& said = json["array"];
  ArrayHead array{.level = said.at("level").get<std::string>(),
                  .members = said.at("members").get<std::uint32_t>(),
                  .phase_seed = said.at("phase_seed").get<std::uint64_t>(),
                  .commands = said.at("commands").get<std::uint64_t>()};
  read_optional(said, "chunk_bytes", array.chunk_bytes);
  read_optional(said, "read_balance", array.read_balance);
  read_optional(said, "stripe_cache", array.stripe_cache);
  read_optional(said, "missing", array.missing);
  read_optional(said, "rebuild", array.rebuild);
  read_optional(said, "rebuilt_blocks", array.rebuilt_blocks);
  return array;
}

Outside outside_of(const Json& json) {
  return {json.at("place").get<std::uint64_t>(), json.at("size").get<std::uint64_t>(),
          json.at("writes").get<std::uint64_t>(), json.at("reads").get<std::uint64_t>(),
          json.at("depth").get<std::uint64_t>()};
}

void read_members(const Json& json, ResultHead& head) {
  head.target = json.at("target") == "model" ? ResultHead::Target::model
                                             : ResultHead::Target::drive;
  head.name = json.at("name").get<std::string>();
  head.trace = json.at("trace").get<std::string>();
  head.kind = json.at("mode") == "closed" ? trace::Kind::closed : trace::Kind::open;
  head.depth = json.at("depth").get<std::uint32_t>();
  head.caches = json.at("caches").get<std::string>();
  head.block_bytes = json.at("block_bytes").get<std::uint32_t>();
  read_optional(json, "drive_mark", head.drive_mark);
  read_optional(json, "asked_depth", head.asked_depth);
  read_optional(json, "think_in_front", head.think_in_front);
  read_optional(json, "speed", head.speed);
  read_optional(json, "fit", head.fit);
  read_optional(json, "scheduler", head.scheduler);
  read_optional(json, "ageing", head.ageing);
  read_optional(json, "delay_seed", head.delay_seed);
  read_optional(json, "period_ns", head.period_ns);
  read_optional(json, "period_error_ns", head.period_error_ns);
  read_optional(json, "block_transfer_ns", head.block_transfer_ns);
  read_optional(json, "phase_ns", head.phase_ns);
  read_optional(json, "outside_validity", head.outside_validity);
  if (json.contains("outside")) head.outside = outside_of(json["outside"]);
  read_optional(json, "stand_ins", head.stand_ins);
  read_optional(json, "retries", head.retries);
  read_optional(json, "recovered", head.recovered);
  read_optional(json, "warnings", head.warnings);
  if (json.contains("came_short")) head.came_short = came_short_of(json["came_short"]);
  if (json.contains("host_queue")) head.host_queue = host_queue_use_of(json["host_queue"]);
  if (json.contains("lateness"))
    head.lateness = Lateness{.host = delay_of(json["lateness"].at("host")),
                             .depth = delay_of(json["lateness"].at("depth"))};
  head.array = array_of(json);
}

// What a head may have (docs/metrics.md), as find_unknown_members takes it.
constexpr std::string_view kMembers[] = {"schema",
                                         "schema.name",
                                         "schema.version",
                                         "platter",
                                         "target",
                                         "name",
                                         "drive_mark",
                                         "trace",
                                         "mode",
                                         "depth",
                                         "asked_depth",
                                         "think_in_front",
                                         "speed",
                                         "fit",
                                         "scheduler",
                                         "ageing",
                                         "delay_seed",
                                         "caches",
                                         "block_bytes",
                                         "period_ns",
                                         "period_error_ns",
                                         "block_transfer_ns",
                                         "phase_ns",
                                         "outside_validity",
                                         "outside",
                                         "outside.place",
                                         "outside.size",
                                         "outside.writes",
                                         "outside.reads",
                                         "outside.depth",
                                         "stand_ins",
                                         "stand_ins.*",
                                         "retries",
                                         "recovered",
                                         "warnings",
                                         "warnings.*",
                                         "came_short",
                                         "came_short.count",
                                         "came_short.requests",
                                         "host_queue",
                                         "host_queue.settings",
                                         "host_queue.commands",
                                         "host_queue.merged",
                                         "host_queue.prefetches",
                                         "host_queue.from_memory",
                                         "lateness",
                                         "lateness.host",
                                         "lateness.host.p50_ms",
                                         "lateness.host.p99_ms",
                                         "lateness.host.max_ms",
                                         "lateness.depth",
                                         "lateness.depth.p50_ms",
                                         "lateness.depth.p99_ms",
                                         "lateness.depth.max_ms",
                                         "array",
                                         "array.level",
                                         "array.members",
                                         "array.chunk_bytes",
                                         "array.read_balance",
                                         "array.stripe_cache",
                                         "array.phase_seed",
                                         "array.missing",
                                         "array.rebuild",
                                         "array.commands",
                                         "array.rebuilt_blocks",
                                         "rows"};

model::FormatVersion version_of_head(const Json& json, const std::string& path) {
  const auto version = model::version_in(json, kSchema);
  const model::FormatVersion own = model::version_of(kSchema);
  if (!version || version->major != own.major)
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: its schema is {}, this platter reads {} {}.x; replay again", path,
                            model::json_text(json.at("schema")), kSchema, own.major));
  return *version;
}

void require_known_members(const Json& json, const std::string& path, ResultHead& head) {
  model::find_unknown_members(json, kMembers,
                              [&](const std::string& member) { pass_over(member, path, head); });
}

}  // namespace

bool is_newer(const ResultHead& head) {
  return head.passed_over.version > model::version_of(kSchema);
}

void pass_over(const std::string& member, const std::string& path, ResultHead& head) {
  if (!is_newer(head))
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: \"{}\" is not a member that a result has; remove it or correct "
                            "its name",
                            path, member));
  head.passed_over.add(member);
}

std::string head_text(const ResultHead& head, std::uint64_t rows) {
  Json json = model::json_head(kSchema);
  json["target"] = head.target == ResultHead::Target::drive ? "drive" : "model";
  json["name"] = head.name;
  if (!head.drive_mark.empty()) json["drive_mark"] = head.drive_mark;
  json["trace"] = head.trace;
  json["mode"] = head.kind == trace::Kind::open ? "open" : "closed";
  json["depth"] = head.depth;
  if (head.asked_depth) json["asked_depth"] = head.asked_depth;
  if (head.think_in_front) json["think_in_front"] = true;
  if (head.speed != 1) json["speed"] = head.speed;
  if (!head.fit.empty()) json["fit"] = head.fit;
  if (!head.scheduler.empty()) {
    json["scheduler"] = head.scheduler;
    json["ageing"] = head.ageing;
  }
  if (head.delay_seed) json["delay_seed"] = head.delay_seed;
  json["caches"] = head.caches;
  json["block_bytes"] = head.block_bytes;
  if (head.period_ns) json["period_ns"] = *head.period_ns;
  if (head.period_error_ns) json["period_error_ns"] = *head.period_error_ns;
  if (head.block_transfer_ns) json["block_transfer_ns"] = *head.block_transfer_ns;
  if (head.phase_ns) json["phase_ns"] = *head.phase_ns;
  if (head.outside_validity) json["outside_validity"] = head.outside_validity;
  if (head.outside) json["outside"] = outside_json(*head.outside);
  if (!head.stand_ins.empty()) json["stand_ins"] = head.stand_ins;
  if (head.retries) json["retries"] = head.retries;
  if (head.recovered) json["recovered"] = head.recovered;
  if (!head.warnings.empty()) json["warnings"] = head.warnings;
  if (head.came_short) json["came_short"] = came_short_json(*head.came_short);
  if (head.host_queue) json["host_queue"] = host_queue_json(*head.host_queue);
  if (head.lateness)
    json["lateness"] = {{"host", delay_json(head.lateness->host)},
                        {"depth", delay_json(head.lateness->depth)}};
  if (head.array) json["array"] = array_json(*head.array);
  json["rows"] = rows;
  return model::json_text(json);
}

ResultHead head_of(std::string_view text, const std::string& path) {
  ResultHead head;
  try {
    const Json json = model::parse_or_null<Json>(text);
    const model::FormatVersion version = version_of_head(json, path);
    head.passed_over = {path, kSchema, version};
    require_known_members(json, path, head);
    read_members(json, head);
  } catch (const Json::exception&) {
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{}: its first line is not the header of a replay result; name what platter "
                    "replay wrote",
                    path));
  }
  if (head.period_ns && !(*head.period_ns > 0))
    throw Error(ExitStatus::bad_input, fmt::format("{}: period_ns is not above 0", path));
  if (head.period_error_ns && !(*head.period_error_ns >= 0))
    throw Error(ExitStatus::bad_input, fmt::format("{}: period_error_ns is below 0", path));
  return head;
}

}  // namespace platter::replay
