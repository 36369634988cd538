#include "report/plots.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "catch.h"
#include "model/error.h"
#include "model/file.h"
#include "report/gnuplot.h"
#include "report/seek_plots.h"

using namespace platter;
using namespace platter::report;

namespace {

class PlotFolder {
 public:
  PlotFolder() { std::filesystem::create_directory(path_); }
  ~PlotFolder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ / name; }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++count;
    return count;
  }

 private:
  std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                ("platter plot's " + std::to_string(::getpid()));
};

bool have_gnuplot() {
  const bool have = std::system("gnuplot --version > /dev/null 2>&1") == 0;
  if (!have) WARN("gnuplot is not installed: pictures are not tested");
  return have;
}

ExitStatus status_of(const std::string& path) {
  try {
    draw("plot x\n", path);
  } catch (const Error& error) {
    return error.status();
  }
  return ExitStatus::ok;
}

}  // namespace

TEST_CASE("a distribution plot is complete, and nothing else is left in the folder") {
  if (!have_gnuplot()) return;
  const PlotFolder folder;
  const std::vector<Distribution> both = {{"the_drive @ {it's}", {5, 1, 3}}, {"model", {1, 2, 6}}};
  plot_distributions("A 'title'", both, folder.file("cdf.svg"));
  const std::string svg = model::read_file(folder.file("cdf.svg"));
  CHECK(svg.find("the_drive @ {it's}") != std::string::npos);
  CHECK(svg.find("response time (ms)") != std::string::npos);
  CHECK(svg.find("</svg>") != std::string::npos);
  plot_distributions("A 'title'", both, folder.file("cdf.png"));
  CHECK(model::read_file(folder.file("cdf.png")).starts_with("\x89PNG"));
  CHECK(folder.files() == 2);
}

TEST_CASE("seek curves and zones are drawn, each head's zones where they differ") {
  if (!have_gnuplot()) return;
  const PlotFolder folder;
  model::Seek seek;
  seek.points = {{1, 0.8, 0.01, 10}, {100, 2.5, {}, 1}, {5000, 9.0, 0.1, 10}};
  plot_seeks("Seeks", std::vector<SeekCurve>{{"measured", seek}}, folder.file("seeks.svg"));
  CHECK(model::read_file(folder.file("seeks.svg")).find("seek distance") != std::string::npos);

  model::Layout layout;
  model::LayoutNode head0, head1;
  head0.count = head1.count = 100;
  head0.cylinder_step = head1.cylinder_step = 1;
  head0.sectors = 200;
  head1.sectors = 180;
  head1.head = 1;
  layout.zones = {head0, head1};
  plot_zones("Zones", layout, folder.file("zones.svg"));
  CHECK(model::read_file(folder.file("zones.svg")).find("head 1") != std::string::npos);
  layout.zones[1].sectors = 200;
  plot_zones("Zones", layout, folder.file("zones.svg"));
  CHECK(model::read_file(folder.file("zones.svg")).find("head 1") == std::string::npos);
}

TEST_CASE("no distributions, or one of no requests, still make a picture or a clear error") {
  if (!have_gnuplot()) return;
  const PlotFolder folder;
  plot_distributions("Empty", std::vector<Distribution>{{"drive", {}}}, folder.file("cdf.svg"));
  CHECK(folder.files() == 1);
}

TEST_CASE("what cannot be drawn says why") {
  const PlotFolder folder;
  CHECK(status_of(folder.file("x.pdf")) == ExitStatus::usage);
  CHECK(status_of(folder.file("none/x.svg")) == ExitStatus::output);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nonexistent", 1);
  CHECK(status_of(folder.file("x.svg")) == ExitStatus::missing_program);
  ::setenv("PATH", path.c_str(), 1);
  CHECK(folder.files() == 0);
}
