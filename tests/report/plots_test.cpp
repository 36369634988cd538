#include "report/plots.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "catch.h"
#include "model/error.h"
#include "model/file.h"
#include "report/gnuplot.h"
#include "report/made_here.h"
#include "report/seek_plots.h"
#include "source_folder.h"

using namespace platter;
using namespace platter::report;

namespace {

class PlotFolder {
 public:
  PlotFolder() { std::filesystem::create_directory(path_); }
  ~PlotFolder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ / name; }
  std::string path() const { return path_; }
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

model::Seek some_seeks() {
  model::Seek seek;
  seek.points = {{1, 0.8, 0.01, 10}, {100, 2.5, {}, 1}, {5000, 9.0, 0.1, 10}};
  return seek;
}

// Two heads with zones of their own.
model::Layout two_zones() {
  model::Layout layout;
  model::LayoutNode head0, head1;
  head0.count = head1.count = 100;
  head0.cylinder_step = head1.cylinder_step = 1;
  head0.sectors = 200;
  head1.sectors = 180;
  head1.head = 1;
  layout.zones = {head0, head1};
  return layout;
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

// As where the folder of what is unfinished has no room.
TEST_CASE("a picture that gnuplot could not write to its end is none, though it ends with 0") {
  const PlotFolder folder;
  model::write_file(folder.file("gnuplot"),
                    "#!/bin/sh\n"
                    "sed -n \"s/^set output '\\(.*\\)'$/\\1/p\" \"$1\" | sed \"s/''/'/g\" |\n"
                    "  while read -r picture; do printf \"$CUT\" > \"$picture\"; done\n");
  std::filesystem::permissions(folder.file("gnuplot"), std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder.path() + ":" + path).c_str(), 1);
  struct Form {
    const char *name, *begin, *end;
  };
  for (const Form& form : {Form{"x.svg", "<?xml?><svg>", "</svg>\\n"},
                           {"x.png", "\\211PNG\\r\\n\\032\\n 25 bytes of a header, 25...",
                            "\\000\\000\\000\\000IEND\\256B`\\202"},
                           {"x.pdf", "%%PDF-1.5", "\\n%%%%EOF\\n"},
                           {"x.eps", "%%!PS-Adobe", "\\n%%%%EOF\\n"},
                           {"x.tex", "\\\\begin{tikzpicture}", "\\\\end{tikzpicture}\\n%%%%\\n"}}) {
    INFO(form.name);
    for (const std::string& cut : {std::string(), std::string(form.begin)}) {
      ::setenv("CUT", cut.c_str(), 1);
      CHECK(status_of(folder.file(form.name)) == ExitStatus::output);
      CHECK_FALSE(std::filesystem::exists(folder.file(form.name)));
    }
    ::setenv("CUT", (std::string(form.begin) + form.end).c_str(), 1);
    CHECK(status_of(folder.file(form.name)) == ExitStatus::ok);
  }
  ::setenv("PATH", path.c_str(), 1);
}

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

TEST_CASE("every form of a picture is whole, is known again, and its script draws it again") {
  if (!have_gnuplot()) return;
  const PlotFolder folder;
  const std::vector<Distribution> both = {{"the_drive @ {it's} 100 %", {5, 1, 3}},
                                          {"model", {1, 2, 6}}};
  const std::pair<const char*, const char*> forms[] = {{".svg", "<?xml"},
                                                       {".png", "\x89PNG"},
                                                       {".pdf", "%PDF"},
                                                       {".eps", "%!PS"},
                                                       {".tex", "% Written by"}};
  for (const auto& [form, begin] : forms) {
    Canvas canvas = paper_canvas(84, 60);
    canvas.script = folder.file("script.gp");
    const std::string path = folder.file(std::string("cdf") + form);
    plot_distributions("", both, path, canvas);
    const std::string picture = model::read_file(path);
    CHECK(picture.starts_with(begin));
    CHECK(begins_picture(picture));
    std::string nobodys = picture;
    for (std::size_t at = 0; (at = nobodys.find(" platter ", at)) != std::string::npos;)
      nobodys.replace(at, 9, " nobody's ");
    if (!picture.starts_with("\x89PNG")) CHECK_FALSE(begins_picture(nobodys));
    CHECK(begins_picture(model::read_file(canvas.script)));
    const std::string again = "cd \"" + folder.path() + "\" && mv cdf" + form +
                              " first && gnuplot script.gp";
    REQUIRE(std::system(again.c_str()) == 0);
    CHECK(std::filesystem::exists(path));
  }
  const std::string tex = model::read_file(folder.file("cdf.tex"));
  CHECK(tex.find("the\\_drive @ \\{it's\\} 100 \\%") != std::string::npos);
}

TEST_CASE("no text lies over a curve, whatever the labels") {
  if (!have_gnuplot()) return;
  const PlotFolder folder;
  std::vector<Distribution> several;
  for (int i = 0; i < 6; ++i) {
    several.push_back({std::string(static_cast<std::size_t>(4 + 9 * i), 'm'), {}});
    for (int j = 0; j < 300; ++j) several.back().times_ms.push_back(1 + 0.05 * j + 0.3 * i);
  }
  const model::Layout layout = two_zones();
  const auto far = some_seeks();
  // As platter plot makes them for a column, and larger.
  for (const auto& [width_mm, high_mm, low_mm] :
       {std::array{84, 93, 65}, std::array{84, 110, 84}, std::array{254, 190, 150}}) {
    const Canvas high = paper_canvas(width_mm, high_mm), low = paper_canvas(width_mm, low_mm);
    plot_distributions("", {several.data(), width_mm > 100 ? 6u : 4u}, folder.file("cdf.svg"),
                       high);
    plot_distributions("A title", {several.data(), 1}, folder.file("one.svg"), high);
    plot_distributions("", {several.data(), 3}, folder.file("tail.svg"), low,
                       {.log_time = true, .complementary = true});
    plot_seeks("", std::vector<SeekCurve>{{"a", far}, {"b", far}, {"c", far}},
               folder.file("seeks.svg"), low);
    plot_seeks("", std::vector<SeekCurve>{{"a", far}}, folder.file("far.svg"), low, true);
    plot_zones("", layout, folder.file("zones.svg"), low);
    const std::string look = fmt::format("python3 '{}/tests/report/check_figure.py' \"{}\"/*.svg",
                                         source_folder(), folder.path());
    CHECK(std::system(look.c_str()) == 0);
  }
}

// As many stretches as a model can have are more than a picture, or memory, has room for.
TEST_CASE("zones of millions of stretches are drawn by their steps") {
  if (!have_gnuplot()) return;
  const PlotFolder folder;
  model::LayoutNode pair, lower, higher;
  pair.count = 1 << 20;
  pair.cylinder_step = 2;
  lower.sectors = 700;
  higher.sectors = 800;
  higher.cylinder = 1;
  pair.children = {lower, higher};
  model::LayoutNode inner;
  inner.cylinder = 2 << 20;
  inner.count = 1 << 20;
  inner.cylinder_step = 1;
  inner.sectors = 600;
  model::Layout layout;
  layout.zones = {pair, inner};
  Canvas canvas;
  canvas.script = folder.file("zones.gp");
  plot_zones("", layout, folder.file("zones.svg"), canvas);
  const std::string script = model::read_file(folder.file("zones.gp"));
  CHECK(script.size() < 5'000'000);
  CHECK(script.find("\n0 800\n") != std::string::npos);
  CHECK(script.find("\n2097152 600\n3145728 600\nEOD") != std::string::npos);
}

TEST_CASE("every curve is in the key, and no two are called alike") {
  if (!have_gnuplot()) return;
  const PlotFolder folder;
  std::vector<Distribution> several;
  for (int i = 0; i < 4; ++i)
    several.push_back({"hypothetical Quantum Atlas 10K of the year " + std::to_string(i) +
                           " (derived, not validated)",
                       {1, 2, 3.0 + i}});
  const Canvas canvas = paper_canvas(84, 93);
  plot_distributions("", several, folder.file("cdf.svg"), canvas);
  const std::string svg = model::read_file(folder.file("cdf.svg"));
  for (int i = 1; i <= 4; ++i)
    CHECK(svg.find(">" + std::to_string(i) + " hypothet") != std::string::npos);
  const std::vector<std::string> short_ones = {"a", "b", "a"};
  CHECK(fitted_all(short_ones, canvas) == short_ones);
}

TEST_CASE("seek curves and zones are drawn, each head's zones where they differ") {
  if (!have_gnuplot()) return;
  const PlotFolder folder;
  plot_seeks("Seeks", std::vector<SeekCurve>{{"measured", some_seeks()}}, folder.file("seeks.svg"));
  CHECK(model::read_file(folder.file("seeks.svg")).find("seek distance") != std::string::npos);

  model::Layout layout = two_zones();
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
  CHECK(status_of(folder.file("x.gif")) == ExitStatus::usage);
  CHECK(status_of(folder.file("none/x.svg")) == ExitStatus::output);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nonexistent", 1);
  CHECK(status_of(folder.file("x.svg")) == ExitStatus::missing_program);
  ::setenv("PATH", path.c_str(), 1);
  CHECK(folder.files() == 0);
}
