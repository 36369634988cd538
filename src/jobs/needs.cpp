#include "jobs/needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "model/error.h"
#include "model/user_folder.h"
#include "report/gnuplot.h"

namespace platter::jobs {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPackageOfGnuplot = "gnuplot-nox", kNothingDone = "status 11";
constexpr std::string_view kNoPictures = "all figures are given; the missing pictures are named";
constexpr std::string_view kPluginOfNbdkit = "nbdkit-platter-plugin.so";
constexpr std::string_view kBuildersOfKernel =
    "gcc, make, flex, bison, bc, xz, tar, strip, /usr/include/stdio.h";
constexpr std::string_view kPackagesOfBuilders =
    "gcc make flex bison bc xz-utils tar binutils libc6-dev";

bool is_there(const Need& need) {
  const std::string name(need.what);
  if (need.kind == NeedKind::program)
    return model::program_on_path(name, model::PathFolders::all).has_value();
  return need.kind == NeedKind::other || part_path(name).has_value();
}

std::string sentence(const Need& need) {
  const std::string who = fmt::format("platter {}{}{}", need.subcommand,
                                      need.when.empty() ? "" : " ", need.when);
  if (need.kind == NeedKind::program)
    return fmt::format("{} is not installed, and {} needs it: apt-get install {}", need.what, who,
                       need.package);
  const std::string how = need.package.empty()
                              ? "build and install platter again, on x86-64 without sanitizers"
                              : fmt::format("apt-get install {}, and build platter again",
                                            need.package);
  return fmt::format("{} is not beside the program, and {} needs it: {}", need.what, who, how);
}

}  // namespace

const std::vector<Need>& needs() {
  using enum NeedKind;
  static const std::vector<Need> kAll = {
      {"characterize", "/dev/...", other, "permission to open the device", "",
       "status 4; root gives the steadiest times"},
      {"characterize", "/dev/sgN", other, "the kernel's module sg", "",
       "status 3; /dev/sdX takes one command at a time"},
      {"characterize", "--quiet-host", other, "root", "", "status 4"},
      {"inspect", "--quiet-host", other, "root", "", "status 4"},
      {"replay", "--quiet-host", other, "root", "", "status 4"},
      {"validate", "--quiet-host", other, "root", "", "status 4"},
      {"validate", "", program, "gnuplot", kPackageOfGnuplot, kNoPictures},
      {"validate", "--disksim", other, "the DiskSim that it names", "", "status 11"},
      {"report", "", program, "gnuplot", kPackageOfGnuplot, kNoPictures},
      {"show", "--plot", program, "gnuplot", kPackageOfGnuplot, kNothingDone},
      {"show", "--plots", program, "gnuplot", kPackageOfGnuplot, kNothingDone},
      {"compare", "--plot", program, "gnuplot", kPackageOfGnuplot, kNothingDone},
      {"plot", "", program, "gnuplot", kPackageOfGnuplot, kNothingDone},
      {"study run", "--plots", program, "gnuplot", kPackageOfGnuplot, kNothingDone},
      {"study collect", "--plots", program, "gnuplot", kPackageOfGnuplot, kNothingDone},
      {"registry site", "--pictures", program, "gnuplot", kPackageOfGnuplot, kNothingDone},
      {"emulate", "--nbd", program, "nbdkit", "nbdkit", kNothingDone},
      {"emulate", "--nbd", part, kPluginOfNbdkit, "nbdkit-plugin-dev libnbd-dev", kNothingDone},
      {"emulate", "--ublk", other, "Linux 6.0 or later with its module ublk_drv, and root", "",
       kNothingDone},
      {"emulate", "", other, "root, or CAP_SYS_NICE", "",
       "answers are late whenever the machine is busy, which the report counts"},
      {"cosim", "", part, "cosim/init", "", kNothingDone},
      {"cosim", "", part, "cosim/preload.so", "", kNothingDone},
      {"cosim", "", part, "cosim/config", "", kNothingDone},
      {"cosim", "", part, "cosim/build-kernel", "", kNothingDone},
      {"cosim", "", other, "/usr/src/linux-source-6.1.tar.xz, once", "linux-source-6.1",
       kNothingDone},
      {"cosim", "", other, kBuildersOfKernel, kPackagesOfBuilders,
       "status 11 where the kernel is still to be built"},
      {"cosim", "", other, "3 GB below ~/.cache, once", "", "status 10"},
      {"cosim", "COMMAND", other, "a program of this host", "", kNothingDone},
      {"registry push", "", program, "skopeo", "skopeo", kNothingDone},
      {"registry pull", "REMOTE/...", program, "skopeo", "skopeo", kNothingDone},
      {"registry refresh", "", program, "skopeo", "skopeo", kNothingDone},
      {"registry index", "", program, "skopeo", "skopeo", kNothingDone}};
  return kAll;
}

std::string needs_table() {
  struct Row {
    std::string subcommands, what;
    const Need* need;
  };
  std::vector<Row> rows;
  for (const Need& need : needs()) {
    const std::string name = fmt::format("`{}{}{}`", need.subcommand, need.when.empty() ? "" : " ",
                                         need.when);
    const auto is_of_like = [&](const Row& row) {
      return row.need->package == need.package && row.need->without == need.without;
    };
    const auto same = std::ranges::find_if(rows, [&](const Row& row) {
      return is_of_like(row) && (row.what == need.what || row.subcommands == name);
    });
    if (same == rows.end())
      rows.push_back({name, std::string(need.what), &need});
    else if (same->what == need.what)
      same->subcommands += ", " + name;
    else
      same->what += fmt::format(", {}", need.what);
  }
  std::string text = "| subcommand | needs | Debian's package | without it |\n|---|---|---|---|\n";
  for (const Row& row : rows)
    text += fmt::format("| {} | {} | {} | {} |\n", row.subcommands, row.what,
                        row.need->package.empty() ? "" : fmt::format("`{}`", row.need->package),
                        row.need->without);
  return text;
}

std::optional<std::string> part_path(std::string_view name) {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* const place : {".", PLATTER_PLUGIN_PLACE, PLATTER_DATA_PLACE})
    if (const fs::path path = folder / place / name; fs::exists(path, error))
      return path.lexically_normal().string();
  return std::nullopt;
}

void require_needs(std::string_view subcommand, std::string_view when) {
  for (const Need& need : needs())
    if (need.subcommand == subcommand && need.when == when && !is_there(need))
      throw Error(ExitStatus::missing_program, sentence(need));
}

std::optional<std::string> no_pictures(const std::vector<std::string>& missing) {
  if (report::can_draw()) return std::nullopt;
  return fmt::format("gnuplot is not installed, so there is no {}: apt-get install {}",
                     fmt::join(missing, ", no "), kPackageOfGnuplot);
}

}  // namespace platter::jobs
