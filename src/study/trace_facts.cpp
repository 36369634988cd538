#include "study/trace_facts.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "model/checked_line.h"
#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "model/interruption.h"
#include "model/json_text.h"
#include "model/printable.h"
#include "model/strict_json.h"
#include "registry/canonical_json.h"
#include "registry/digest.h"
#include "replay/tracks.h"
#include "study/locked_file.h"
#include "trace/open.h"

namespace platter::study {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::size_t kBatch = 4096;          // requests at a time
constexpr std::size_t kFilesAtOnce = 32;      // each has a compressor
constexpr std::uint64_t kBytesARequest = 40;  // of a trace whose requests nobody counted

// By what a file is known again, without being read.
Json stamps_of(const std::vector<std::string>& files) {
  Json stamps = Json::array();
  for (const std::string& file : files) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0)
      throw Error(ExitStatus::bad_input, fmt::format("{}: no such file", file));
    stamps.push_back(
        {{"path", model::printable(model::absolute_path(file))},
         {"bytes", static_cast<std::uint64_t>(status.st_size)},
         {"changed", fmt::format("{}.{:09}", status.st_ctim.tv_sec, status.st_ctim.tv_nsec)}});
  }
  return stamps;
}

// Of several files: of their digests in order.
std::string digest_of_files(const std::vector<std::string>& files) {
  if (files.size() == 1) return registry::digest_of_file(files.front());
  std::string digests;
  for (const std::string& file : files) digests += registry::digest_of_file(file) + "\n";
  return registry::digest_of(digests);
}

std::string short_digest(const Json& json, const std::string& origin) {
  const std::string digest = registry::digest_of(registry::canonical_form(json, origin));
  return std::string(registry::hex_of(digest).substr(0, 24));
}

template <class Each>
void for_each_batch(trace::Reader& reader, const Each& each) {
  std::vector<trace::Request> batch(kBatch);
  for (std::size_t got; (got = reader.read(batch)) > 0;) {
    stop_if_asked();
    each(std::span<const trace::Request>(batch).first(got));
  }
}

void count(const TraceSpec& trace, TraceFacts& facts) {
  trace::Reading reading = trace.reading;
  reading.all_devices = trace.split_by_device;
  std::map<std::uint32_t, std::uint64_t> devices;
  try {
    const auto reader = trace::open_trace(trace.path, reading);
    std::uint64_t requests = 0;
    for_each_batch(*reader, [&](std::span<const trace::Request> batch) {
      requests += batch.size();
      if (trace.split_by_device)
        for (const trace::Request& request : batch) ++devices[request.device];
    });
    facts.requests = requests;
    facts.counted = true;
    for (const auto& [device, many] : devices)
      facts.devices.push_back({reader->device_text(device), many});
  } catch (const Error& error) {
    let_interruptions_pass(error);
    facts.fault = error.what();
    return;
  }
  std::ranges::sort(facts.devices, {}, &DeviceFacts::name);
}

Json to_json(const TraceFacts& facts) {
  Json devices = Json::array();
  for (const DeviceFacts& device : facts.devices)
    devices.push_back({{"name", device.name}, {"requests", device.requests}});
  return {{"digest", facts.digest},
          {"requests", facts.requests},
          {"counted", facts.counted},
          {"devices", devices},
          {"fault", facts.fault}};
}

TraceFacts from_json(const Json& json) {
  TraceFacts facts{.digest = json.at("digest"),
                   .requests = json.at("requests"),
                   .counted = json.at("counted"),
                   .fault = json.at("fault")};
  for (const Json& device : json.at("devices"))
    facts.devices.push_back({device.at("name"), device.at("requests")});
  return facts;
}

// What was kept, if it is of these very files.
std::optional<TraceFacts> kept(const std::string& text, const Json& stamps) {
  const auto line = model::object_of_checked_file(text);
  const Json json = line ? model::parse_or_null<Json>(*line) : Json();
  if (!json.is_object() || json.value("files", Json()) != stamps) return std::nullopt;
  try {
    return from_json(json.at("trace"));
  } catch (const Json::exception&) {
    return std::nullopt;  // cut off while it was written
  }
}

std::string text_of(const Json& stamps, const TraceFacts& facts) {
  nlohmann::ordered_json json = model::json_head("platter-study-trace");
  json["files"] = stamps;
  json["trace"] = to_json(facts);
  return model::checked_file(model::json_text(json));
}

std::string folder_of_parts(const TraceSpec& trace, const TraceFacts& facts,
                            std::uint32_t block_bytes, const std::string& folder) {
  const Json of = {{"digest", facts.digest}, {"told", trace.told}, {"block_bytes", block_bytes}};
  return folder + "/traces/" + short_digest(of, trace.given) + ".devices";
}

std::string part_name(const TraceFacts& facts, const std::string& device) {
  const auto at = std::ranges::find(facts.devices, device, &DeviceFacts::name);
  return fmt::format("{}.trace.zst", at - facts.devices.begin());
}

// Open traces as DiskSim's ascii, closed ones as its validate traces: both hold times as they are
// read, to the nanosecond and the thousandth of a microsecond.
trace::Format part_format(const trace::Source& source) {
  return source.kind == trace::Kind::open ? trace::Format::ascii : trace::Format::validate;
}

trace::Reading in_blocks_of(const trace::Reading& reading, std::uint32_t block_bytes) {
  trace::Reading in = reading;
  in.block_bytes = block_bytes;
  return in;
}

void write_parts(const TraceSpec& trace, std::span<const std::string> devices,
                 const TraceFacts& facts, std::uint32_t block_bytes, const std::string& parts) {
  trace::Reading reading = in_blocks_of(trace.reading, block_bytes);
  reading.all_devices = true;
  const auto reader = trace::open_trace(trace.path, reading);
  struct Part {
    std::unique_ptr<trace::Writer> writer;
    std::vector<trace::Request> waiting;
  };
  std::map<std::string, Part> by_name;
  for (const std::string& device : devices)
    by_name[device].writer = trace::create_trace(parts + "/" + part_name(facts, device),
                                                 part_format(reader->source()),
                                                 {.block_bytes = block_bytes});
  std::map<std::uint32_t, Part*> by_number;
  for_each_batch(*reader, [&](std::span<const trace::Request> batch) {
    for (trace::Request request : batch) {
      auto [at, is_new] = by_number.try_emplace(request.device, nullptr);
      if (is_new) {
        const auto part = by_name.find(reader->device_text(request.device));
        if (part != by_name.end()) at->second = &part->second;
      }
      if (!at->second) continue;
      request.device = 0;  // the only one there
      at->second->waiting.push_back(request);
    }
    for (auto& [name, part] : by_name) {
      part.writer->write(part.waiting);
      part.waiting.clear();
    }
  });
  require_unchanged(trace, facts);
  for (auto& [name, part] : by_name) part.writer->finish();
}

}  // namespace

TraceFacts facts_of(const TraceSpec& trace, const std::string& folder, bool counted) {
  if (trace.workload) return {};
  counted |= trace.split_by_device;
  const std::vector<std::string> files = trace::files_of(trace.path);
  const Json stamps = stamps_of(files);
  const Json asked = {{"path", model::printable(model::absolute_path(trace.path))},
                      {"told", trace.told},
                      {"split", trace.split_by_device}};
  // Others that need the same wait, and find it. In a folder that is only read it is not kept.
  const std::string path = fmt::format("{}/traces/{}.json", folder,
                                       short_digest(asked, trace.given));
  const auto file = LockedFile::where_possible(path);
  std::optional<TraceFacts> known;
  if (file)
    known = kept(file->text(), stamps);
  else if (model::is_file(path))
    known = kept(model::read_file(path), stamps);
  if (known && (known->counted || !counted)) {
    known->stamps = model::json_text(stamps);
    return *known;
  }
  TraceFacts facts;
  facts.stamps = model::json_text(stamps);
  facts.digest = known ? known->digest : digest_of_files(files);
  for (const Json& stamp : stamps)
    facts.requests += stamp.at("bytes").get<std::uint64_t>() / kBytesARequest;
  if (counted) count(trace, facts);
  if (file && stamps_of(files) == stamps)  // nobody wrote to them meanwhile
    file->replace(text_of(stamps, facts));
  return facts;
}

void require_unchanged(const TraceSpec& trace, const TraceFacts& facts) {
  if (trace.workload || model::json_text(stamps_of(trace::files_of(trace.path))) == facts.stamps)
    return;
  throw Error(ExitStatus::bad_input,
              fmt::format("{}: changed while the study ran; run it again", trace.path));
}

void split_by_device(const TraceSpec& trace, const TraceFacts& facts, std::uint32_t block_bytes,
                     const std::string& folder) {
  const std::string parts = folder_of_parts(trace, facts, block_bytes, folder);
  const LockedFile lock(parts + ".lock");
  model::make_folder(parts);
  std::vector<std::string> missing;
  std::set<std::string> names;
  for (const DeviceFacts& device : facts.devices) {
    names.insert(part_name(facts, device.name));
    if (!model::is_there(parts + "/" + part_name(facts, device.name)))
      missing.push_back(device.name);
  }
  std::error_code is_gone;
  for (const fs::path& part : model::paths_in(parts))
    if (!names.contains(part.filename())) fs::remove(part, is_gone);  // one was cut off
  const std::span<const std::string> all(missing);
  for (std::size_t first = 0; first < all.size(); first += kFilesAtOnce)
    write_parts(trace, all.subspan(first, std::min(kFilesAtOnce, all.size() - first)), facts,
                block_bytes, parts);
}

std::string path_of_part(const TraceSpec& trace, const TraceFacts& facts, const std::string& device,
                         std::uint32_t block_bytes, const std::string& folder) {
  return folder_of_parts(trace, facts, block_bytes, folder) + "/" + part_name(facts, device);
}

std::unique_ptr<trace::Reader> open_trace_of(const TraceSpec& trace, const TraceFacts& facts,
                                             const std::string& device, const replay::Subject& on,
                                             const std::string& folder) {
  const std::uint32_t block_bytes = on.block_bytes;
  if (trace.workload) {
    trace::Workload workload = *trace.workload;
    workload.blocks = on.blocks;
    if (on.tables) workload.track_of = replay::tracks_of(on.tables->layout);  // an array has none
    workload.block_bytes = block_bytes;
    return std::make_unique<trace::Generator>(workload);
  }
  trace::Reading reading = in_blocks_of(trace.reading, block_bytes);
  if (device.empty()) return trace::open_trace(trace.path, reading);
  return trace::open_trace(path_of_part(trace, facts, device, block_bytes, folder),
                           {.block_bytes = block_bytes, .think_in_front = reading.think_in_front});
}

}  // namespace platter::study
