#include <nlohmann/json.hpp>

#include "model/json_text.h"
#include "trace/access_table.h"
#include "trace/statistics.h"

namespace platter::trace {
namespace {

using Json = nlohmann::ordered_json;

Json share(std::uint64_t part, std::uint64_t of) {
  return of == 0 ? Json() : Json(static_cast<double>(part) / static_cast<double>(of));
}

// Of no numbers: null.
Json spread(const Histogram& numbers, double unit = 1) {
  if (numbers.count() == 0) return {};
  return {{"n", numbers.count()},
          {"mean", numbers.mean() / unit},
          {"deviation", numbers.deviation() / unit},
          {"min", static_cast<double>(numbers.least()) / unit},
          {"p10", numbers.quantile(0.1) / unit},
          {"p50", numbers.quantile(0.5) / unit},
          {"p90", numbers.quantile(0.9) / unit},
          {"p99", numbers.quantile(0.99) / unit},
          {"max", static_cast<double>(numbers.most()) / unit}};
}

Json histogram(const Histogram& numbers) {
  Json classes = Json::array();
  for (const Histogram::Class& each : numbers.powers_of_two())
    classes.push_back({{"from", each.first}, {"to", each.last}, {"n", each.count}});
  return classes;
}

Json accesses(const Statistics& statistics) {
  Json rows = Json::array();
  for (const AccessRow& row : access_rows(statistics)) {
    Json json = {{"type", row.write ? "write" : "read"}, {"number", row.number}};
    const bool some = row.number > 0;
    json["mean_bytes"] = some ? Json(row.mean_bytes) : Json();
    json["median_bytes"] = some ? Json(row.median_bytes) : Json();
    json["min_bytes"] = some ? Json(row.min_bytes) : Json();
    json["max_bytes"] = some ? Json(row.max_bytes) : Json();
    json["median_stride_bytes"] = row.number > 1 ? Json(row.median_stride_bytes) : Json();
    rows.push_back(json);
  }
  return rows;
}

Json sizes(const Statistics& statistics) {
  Json common = Json::array();
  for (const Histogram::Class& each : statistics.all.blocks.most_common(8))
    common.push_back({{"from", each.first}, {"to", each.last}, {"n", each.count}});
  return {{"all", spread(statistics.all.blocks)},
          {"reads", spread(statistics.reads.blocks)},
          {"writes", spread(statistics.writes.blocks)},
          {"most_common", common},
          {"histogram", histogram(statistics.all.blocks)}};
}

Json strides(const Statistics& statistics) {
  const std::uint64_t pairs = statistics.pairs();
  return {{"median_blocks", pairs == 0 ? Json() : Json(statistics.distance.median())},
          {"forward_share", share(statistics.forward.count(), pairs)},
          {"backward_share", share(statistics.backward.count(), pairs)},
          {"forward", histogram(statistics.forward)},
          {"backward", histogram(statistics.backward)}};
}

Json sequentiality(const Statistics& statistics) {
  const Sequentiality& seen = statistics.sequentiality;
  Json continuing = Json::array();
  for (std::size_t streams = 1; streams <= Sequentiality::kRemembered; streams *= 2)
    continuing.push_back(
        {{"streams", streams}, {"share", share(seen.continuing(streams), statistics.pairs())}});
  return {{"runs", seen.runs()},
          {"mean_run_requests", share(statistics.requests(), seen.runs())},
          {"mean_run_blocks", share(statistics.blocks, seen.runs())},
          {"longest_run_requests", seen.longest_run_requests()},
          {"longest_run_blocks", seen.longest_run_blocks()},
          {"continuing", continuing},
          {"streams", seen.streams()},
          {"mean_stream_requests", share(seen.requests_in_streams(), seen.streams())},
          {"longest_stream_requests", seen.longest_stream_requests()},
          {"interleaved_streams", seen.streams_for(0.99)}};
}

Json alignment(const Statistics& statistics) {
  Json powers = Json::array();
  for (int power = 0; power <= 11; ++power)
    powers.push_back(
        {{"blocks", 1 << power},
         {"begin_share", share(statistics.alignment.begins(power), statistics.requests())},
         {"begin_and_end_share",
          share(statistics.alignment.begins_and_ends(power), statistics.requests())}});
  return powers;
}

Json footprint(const Statistics& statistics) {
  const Footprint& touched = statistics.footprint;
  return {{"region_blocks", touched.region_blocks()},
          {"regions", touched.regions()},
          {"exact", touched.exact()},
          {"touched_before_share", share(statistics.touched_before, statistics.requests())}};
}

Json windows(const Statistics& statistics) {
  Json json = Json::array();
  for (const Windows& each : statistics.windows)
    json.push_back({{"window_ms", to_ms(each.length_ns())},
                    {"windows", each.windows()},
                    {"most_requests", each.most()},
                    {"dispersion", each.windows() == 0 ? Json() : Json(each.dispersion())}});
  return json;
}

Json times(const Statistics& statistics) {
  const Histogram& gaps = statistics.gaps_ns;
  const std::optional<double> rate_hz = statistics.rate_hz();
  Json json = {{statistics.open() ? "between_arrivals_ms" : "think_ms", spread(gaps, 1e6)}};
  json["variation"] = gaps.mean() > 0 ? Json(gaps.deviation() / gaps.mean()) : Json();
  json["none_share"] = share(gaps.zeros(), gaps.count());
  json["rate_hz"] = rate_hz ? Json(*rate_hz) : Json();
  if (statistics.open()) {
    json["span_ms"] = to_ms(statistics.span_ns());
    json["windows"] = windows(statistics);
  }
  return json;
}

Json queue_depth(const Statistics& statistics) {
  const Outstanding& outstanding = statistics.outstanding;
  Json json = spread(outstanding.found());
  if (json.is_null()) return json;
  json["exact"] = outstanding.exact();
  const Histogram& services = statistics.services_ns;
  const double busy_ns = services.mean() * static_cast<double>(services.count());
  const auto span_ns = static_cast<double>(statistics.span_ns());
  json["mean_over_time"] = span_ns > 0 ? Json(busy_ns / span_ns) : Json();
  return json;
}

void add(Json& json, const Statistics& statistics) {
  const Accesses& all = statistics.all;
  const std::uint64_t requests = statistics.requests(), pairs = statistics.pairs();
  json["name"] = statistics.source.name;
  json["kind"] = statistics.open() ? "open" : "closed";
  json["block_bytes"] = statistics.source.block_bytes;
  json["requests"] = requests;
  json["reads"] = statistics.reads.blocks.count();
  json["writes"] = statistics.writes.blocks.count();
  json["read_share"] = share(statistics.reads.blocks.count(), requests);
  json["blocks"] = statistics.blocks;
  json["first_lbn"] = requests == 0 ? Json() : Json(statistics.first_lbn);
  json["last_lbn"] = requests == 0 ? Json() : Json(statistics.last_lbn);
  json["min_blocks"] = all.blocks.least();
  json["mean_blocks"] = all.blocks.mean();
  json["max_blocks"] = all.blocks.most();
  json["sequential_share"] = share(statistics.sequentiality.continuing(1), pairs);
  json["local_share"] = share(statistics.local, pairs);
  json["mean_gap_ms"] = statistics.gaps_ns.mean() / 1e6;
  json["measured"] = statistics.services_ns.count();
  if (statistics.services_ns.count() > 0)
    json["mean_service_ms"] = statistics.services_ns.mean() / 1e6;
  json["sizes"] = sizes(statistics);
  json["accesses"] = accesses(statistics);
  json["strides"] = strides(statistics);
  json["sequentiality"] = sequentiality(statistics);
  json["alignment"] = alignment(statistics);
  json["footprint"] = footprint(statistics);
  json["times"] = times(statistics);
  json["service_ms"] = spread(statistics.services_ns, 1e6);
  json["queue_depth"] = queue_depth(statistics);
}

}  // namespace

std::string to_json(std::span<const Statistics> traces) {
  if (traces.size() == 1) {
    Json json = model::json_head("platter-trace-statistics");
    add(json, traces.front());
    return model::pretty(json);
  }
  Json json = model::json_head("platter-trace-statistics-list");
  json["traces"] = Json::array();
  for (const Statistics& each : traces) add(json["traces"].emplace_back(), each);
  return model::pretty(json);
}

}  // namespace platter::trace
