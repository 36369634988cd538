#include "registry/remote/skopeo.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/bounded_process.h"
#include "model/error.h"
#include "model/file.h"
#include "model/leftovers.h"
#include "model/printable.h"
#include "model/strict_json.h"
#include "model/user_folder.h"

namespace platter::registry_remote {
namespace {

// Go reserves addresses that it does not use.
constexpr model::Bounds kSkopeoBounds{.processor_s = 300,
                                      .wall_s = 300,
                                      .memory_bytes = std::uint64_t{64} << 30,
                                      .folder_bytes = std::uint64_t{512} << 20};

std::string checked_program() {
  const auto path = model::program_on_path("skopeo", model::PathFolders::absolute);
  if (path) return *path;
  throw Error(
      ExitStatus::missing_program,
      "skopeo is not installed, and remotes are reached through it: apt-get install skopeo");
}

// As registries name a tag or a repository that they do not have (distribution specification, error
// codes).
bool says_absent(const std::string& text) {
  for (const char* const words :
       {"manifest unknown", "name unknown", "MANIFEST_UNKNOWN", "NAME_UNKNOWN"})
    if (text.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

std::string complaint_in(const std::string& standard_error) {
  constexpr std::size_t kLongest = 400;
  std::string text = standard_error;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (const std::size_t line = text.rfind('\n'); line != std::string::npos) text.erase(0, line + 1);
  constexpr std::string_view kMessage = "msg=\"";
  if (const std::size_t at = text.find(kMessage); at != std::string::npos) {
    std::string message;
    for (std::size_t i = at + kMessage.size(); i < text.size() && text[i] != '"'; ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      message += text[i];
    }
    text = message;
  }
  if (text.size() > kLongest) text.replace(kLongest, std::string::npos, "...");
  return text.empty() ? "it says nothing" : model::printable(text);
}

Skopeo::Skopeo(Remote remote) : remote_(std::move(remote)), program_(checked_program()) {}

std::string Skopeo::at(const std::string& tag) const {
  return "docker://" + remote_.place + ":" + tag;
}

Skopeo::Said Skopeo::run(std::vector<std::string> words, const std::string& folder) const {
  model::TemporaryFolder own(model::temporary_name("platter-skopeo"));
  if (own.path().empty())
    throw Error(ExitStatus::output, "no temporary folder can be made for skopeo; see TMPDIR");
  const std::string output = own.file("output"), errors = own.file("errors");
  words.insert(words.begin(), program_);
  const auto ended = model::run_bounded(words, folder.empty() ? own.path() : folder, output, errors,
                                        kSkopeoBounds);
  if (!ended) return {{}, false, model::read_file(output)};
  const std::string said = model::read_file(errors);
  return {fmt::format("skopeo {}: {}", *ended, complaint_in(said)), says_absent(said), ""};
}

void Skopeo::fail(const std::string& tag, const std::string& trouble) const {
  throw Error(ExitStatus::output,
              fmt::format("{} ({}{}): {}; check the remote, and skopeo login for its credentials",
                          remote_.name, remote_.place, tag.empty() ? "" : ":" + tag, trouble));
}

std::vector<std::string> Skopeo::tags() const {
  std::vector<std::string> words{"list-tags"};
  if (remote_.plain_http) words.push_back("--tls-verify=false");
  words.push_back("docker://" + remote_.place);
  const Said said = run(words, "");
  // Of a repository that nobody has pushed to yet some registries say no more than that.
  const bool none = said.trouble && said.trouble->find("404 (Not Found)") != std::string::npos;
  if (said.absent || none) return {};
  if (said.trouble) fail("", *said.trouble);
  try {
    const auto json = model::parse_strictly<nlohmann::json>(said.output, "skopeo list-tags");
    const auto& tags = json.at("Tags");
    return tags.is_null() ? std::vector<std::string>{} : tags.get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception&) {
    fail("", "skopeo list-tags answers in a form that is not known");
  }
}

std::optional<std::string> Skopeo::manifest(const std::string& tag) const {
  std::vector<std::string> words{"inspect", "--raw"};
  if (remote_.plain_http) words.push_back("--tls-verify=false");
  words.push_back(at(tag));
  Said said = run(words, "");
  if (said.absent) return std::nullopt;
  if (said.trouble) fail(tag, *said.trouble);
  return std::move(said.output);
}

bool Skopeo::fetch(const std::string& tag, const std::string& folder, const std::string& as) const {
  std::vector<std::string> words{"copy", "-q", "--preserve-digests", "--retry-times", "2"};
  if (remote_.plain_http) words.push_back("--src-tls-verify=false");
  words.insert(words.end(), {at(tag), "oci:.:" + as});
  const Said said = run(words, folder);
  if (said.absent) return false;
  if (said.trouble) fail(tag, *said.trouble);
  return true;
}

void Skopeo::send(const std::string& folder, const std::string& as, const std::string& tag) const {
  std::vector<std::string> words{"copy", "-q", "--preserve-digests", "--retry-times", "2"};
  if (remote_.plain_http) words.push_back("--dest-tls-verify=false");
  words.insert(words.end(), {"oci:.:" + as, at(tag)});
  const Said said = run(words, folder);
  if (said.trouble) fail(tag, *said.trouble);
}

}  // namespace platter::registry_remote
