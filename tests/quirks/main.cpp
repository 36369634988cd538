// quirk_drive: the manners of a drive, bridge or adapter, as a table of replies, in front of a good
// drive; a drive program (exec:) itself.
//
//   platter inspect "exec:quirk_drive --table T.json --log L 'exec:trust_drive --store s.json'"
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "model/error.h"
#include "quirk_device.h"
#include "served_device.h"
#include "server.h"
#include "small_drives.h"
#include "transport/exec.h"
#include "virtual_drive/open.h"

namespace {

std::unique_ptr<platter::scsi::Device> opened(const std::string& name) {
  if (name.starts_with("exec:"))
    return std::make_unique<platter::transport::ExecDevice>(name.substr(5));
  if (name.starts_with("virtual:")) return platter::virtual_drive::open_virtual(name);
  if (name.starts_with("trust:"))
    return std::make_unique<platter::virtual_drive::VirtualDevice>(
        trust::model_of(name.substr(6), 0));
  throw std::invalid_argument(name + " is no drive; name virtual:..., trust:... or exec:...");
}

quirks::Table table_of(const std::string& path) {
  if (path.empty()) return {};
  std::ifstream file(path);
  if (!file) throw std::invalid_argument(path + " cannot be read");
  return quirks::Table(quirks::Json::parse(file));
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);  // a drive knows no signals; it ends when its input does
  std::signal(SIGINT, SIG_IGN);
  std::string table, log, device;
  CLI::App app("The manners of a table in front of a good drive, behind exec:");
  app.add_option("--table", table, "the table of replies (tests/quirks/table.h)");
  app.add_option("--log", log, "gets a line for each command");
  app.add_option("DEVICE", device,
                 "virtual:NAME, exec:COMMAND, or trust:NAME, a drive of tests/trust/small_drives.h")
      ->required();
  CLI11_PARSE(app, argc, argv);
  try {
    std::ofstream lines;
    if (!log.empty()) lines.open(log, std::ios::app);
    quirks::QuirkDevice quirk(opened(device), table_of(table), log.empty() ? nullptr : &lines);
    quirks::ServedDevice served(quirk);
    trust::serve(served, STDIN_FILENO, STDOUT_FILENO);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "quirk_drive: " << error.what() << "\n";
    return 2;
  }
}
