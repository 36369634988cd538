#include "emulator/check/check_log.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "emulator/check/log_checker.h"
#include "model/formats.h"
#include "model/strict_json.h"

namespace platter::emulator {
namespace {

void require_same_episodes(LogReader& log, const nlohmann::json& told, const LoggedDrive& drive) {
  const std::string said = told.value("episodes_sha256", "");
  if (!said.empty() && !drive.episodes)
    log.bad("the log is of a drive with episodes, and --episodes names no file of them");
  if (said.empty() && drive.episodes)
    log.bad("the log is of a drive without episodes, and --episodes names a file of them");
  if (drive.episodes && said != drive.episodes->sha256)
    log.bad("the log is of other episodes: the SHA-256 is not the same");
}

CheckedLog check_by_head(LogReader& log, const nlohmann::json& head,
                         const std::vector<LoggedDrive>& drives) {
  if (!model::is_known(head, "platter-emulation-log"))
    log.bad("this is no such log, or one of a version that this platter does not read");
  const auto& told = head.at("drives");
  if (told.size() != drives.size())
    log.bad(fmt::format("the log is of {} drives, and {} models are given", told.size(),
                        drives.size()));
  for (std::size_t i = 0; i < drives.size(); ++i) {
    if (told[i].at("model_sha256") != drives[i].model_sha256)
      log.bad("the log is of another model: the SHA-256 is not the same");
    require_same_episodes(log, told[i], drives[i]);
  }
  if (head.at("requests") == "blocks") return check_blocks(log, told, drives);
  if (head.at("requests") == "commands") return check_commands(log, told, drives);
  log.bad("this is a log of requests of a kind that this version does not know");
}

}  // namespace

CheckedLog check_log(std::istream& stream, const std::string& name,
                     const std::vector<LoggedDrive>& drives) {
  LogReader log(stream, name);
  if (!log.next_line()) log.bad("there is no first line that says what the log is of");
  const auto head = model::parse_or_null<nlohmann::json>(log.text());
  try {
    return check_by_head(log, head, drives);
  } catch (const nlohmann::json::exception&) {
    log.bad("this is no log of platter emulate");
  }
}

}  // namespace platter::emulator
