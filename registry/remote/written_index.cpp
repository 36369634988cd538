#include "registry/remote/written_index.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "model/json_head.h"
#include "model/json_text.h"
#include "model/strict_json.h"
#include "registry/digest.h"

namespace platter::registry_remote {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "platter-written-index";

std::string folder_of(const registry::Store& store) { return store.folder() + "/curated"; }

std::string path_of(const registry::Store& store, const std::string& place) {
  return written_store(store, place).folder() + ".json";
}

WrittenIndex read_record(const Json& json, const std::string& place) {
  const WrittenIndex written{
      json.at("given").get<std::uint64_t>(),
      {json.at("sent").get<std::uint64_t>(), json.at("digest").get<std::string>()}};
  const bool sound = model::is_known(json, kSchema) && json.at("place") == place &&
                     written.sent.number <= written.given && written.given <= kLargestNumber &&
                     registry::is_digest(written.sent.digest) == (written.sent.number > 0);
  if (!sound) throw Error(ExitStatus::bad_input, "");
  return written;
}

}  // namespace

registry::Store written_store(const registry::Store& store, const std::string& place) {
  return registry::Store(
      fmt::format("{}/{}", folder_of(store), registry::hex_of(registry::digest_of(place))));
}

WrittenIndex written_index(const registry::Store& store, const std::string& place) {
  const std::string path = path_of(store, place);
  if (!model::is_there(path)) return {};
  const std::string text = model::read_file(path);
  try {
    return read_record(model::parse_strictly<Json>(text, path), place);
  } catch (const std::exception&) {
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: does not say which index was written last; put back a copy, or "
                            "delete it and give the highest number that users have seen by --above",
                            path));
  }
}

void keep_written_index(const registry::Store& store, const std::string& place,
                        const WrittenIndex& written) {
  registry::create_folder(folder_of(store));
  Json json = model::json_head(kSchema);
  json["place"] = place;
  json["given"] = written.given;
  json["sent"] = written.sent.number;
  json["digest"] = written.sent.digest;
  model::write_file(path_of(store, place),
                    model::json_text(json, model::JsonForm::indented) + "\n");
}

}  // namespace platter::registry_remote
