#include "report/figure_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "model/error.h"
#include "model/printable.h"

namespace platter::report {
namespace {

constexpr const char* kFont = "DejaVu Sans";
constexpr double kPixelsPerInch = 96, kPointsPerInch = 72, kMillimetresPerInch = 25.4;
constexpr std::array<std::string_view, 5> kForms = {".svg", ".png", ".pdf", ".eps", ".tex"};

// Thin grid, no box, the axes' own colour behind the data's.
constexpr const char* kStyle = R"(set encoding utf8
set border 3 linecolor rgb '#555555'
set tics nomirror out scale 0.6 textcolor rgb '#333333'
set grid linecolor rgb '#dddddd' linewidth 0.8 linetype 1
set title textcolor rgb '#111111'
set rmargin 6
set xlabel textcolor rgb '#333333'
set ylabel textcolor rgb '#333333'
set key textcolor rgb '#222222' samplen 2 spacing 1.2
)";
// Told apart by those who see no red or no green (Okabe and Ito), and by their dashes.
constexpr const char* kColours = R"(set linetype 1 linecolor rgb '#aaaaaa' linewidth 6
set linetype 2 linecolor rgb '#0072b2' linewidth 2
set linetype 3 linecolor rgb '#d55e00' linewidth 2 dashtype (9,5)
set linetype 4 linecolor rgb '#009e73' linewidth 2 dashtype (3,4)
set linetype 5 linecolor rgb '#cc79a7' linewidth 2 dashtype (12,4,3,4)
set linetype 6 linecolor rgb '#e69f00' linewidth 2 dashtype (5,2)
set linetype 7 linecolor rgb '#56b4e9' linewidth 2 dashtype (2,2)
set linetype cycle 7
)";
constexpr const char* kGreys = R"(set linetype 1 linecolor rgb '#bbbbbb' linewidth 6
set linetype 2 linecolor rgb '#000000' linewidth 2
set linetype 3 linecolor rgb '#000000' linewidth 2 dashtype (9,5)
set linetype 4 linecolor rgb '#000000' linewidth 2 dashtype (3,4)
set linetype 5 linecolor rgb '#555555' linewidth 2 dashtype (12,4,3,4)
set linetype 6 linecolor rgb '#555555' linewidth 2
set linetype 7 linecolor rgb '#555555' linewidth 2 dashtype (2,2)
set linetype cycle 7
)";

std::string extension_of(const std::string& path) {
  return std::filesystem::path(path).extension();
}

// Lines of a small picture are thinner.
double stroke_of(const Canvas& canvas) { return std::clamp(canvas.width / 640.0, 0.5, 1.0); }

std::string inches(const Canvas& canvas) {
  return fmt::format("{:.4f}in,{:.4f}in", canvas.width / kPixelsPerInch,
                     canvas.height / kPixelsPerInch);
}

std::string font_in_points(const Canvas& canvas) {
  return fmt::format("font '{},{:.1f}'", kFont, canvas.font * kPointsPerInch / kPixelsPerInch);
}

std::string terminal(const std::string& path, const Canvas& canvas) {
  const std::string extension = extension_of(path);
  const double stroke = stroke_of(canvas);
  if (extension == kForTerminal) return "set terminal dumb enhanced size 100,26\n";
  if (extension == ".svg")
    return fmt::format(
        "set terminal svg size {},{} enhanced font '{},{}' linewidth {:.2f} background '#ffffff'\n",
        canvas.width, canvas.height, kFont, canvas.font, stroke);
  if (extension == ".png") {
    const double scale = canvas.for_paper ? 300 / kPixelsPerInch : 1.5;
    return fmt::format(
        "set terminal pngcairo size {:.0f},{:.0f} enhanced font '{},{:.1f}' linewidth {:.2f} "
        "background '#ffffff'\n",
        canvas.width * scale, canvas.height * scale, kFont,
        canvas.font * scale * (canvas.for_paper ? 0.75 : 8.0 / 9), scale * stroke);
  }
  if (extension == ".tex") return fmt::format("set terminal tikz size {}\n", inches(canvas));
  // At fontscale 1 its letters are as many pixels, of 72 an inch, as an inch of 96 would have; a
  // line of width 1 has a quarter of a point, and printers of journals want half of one at least.
  constexpr double kHalfPoint = 2;
  return fmt::format("set terminal {} size {} enhanced {} linewidth {:.2f} fontscale 0.75\n",
                     extension == ".pdf" ? "pdfcairo" : "epscairo", inches(canvas),
                     font_in_points(canvas), kHalfPoint * stroke);
}

// A quoted text of gnuplot's with enhanced markup escaped, as TeX takes it.
std::string for_tex(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;  // escaped for enhanced text
    const char letter = text[i];
    if (std::string_view("%#&_{}$").find(letter) != std::string_view::npos)
      out += std::string("\\") + letter;
    else if (letter == '^' || letter == '~')
      out += std::string("\\") + letter + "{}";
    else if (letter == '\\')
      out += "\\textbackslash{}";
    else
      out += letter;
  }
  return model::replaced(out, "√", "$\\surd$");
}

// Every text that stands in the picture.
std::string texts_for_tex(const std::string& script) {
  std::string out;
  for (std::size_t at = 0; at < script.size();) {
    constexpr std::array<std::string_view, 2> kBefore = {"label '", "title '"};
    std::size_t begin = std::string::npos;
    for (const std::string_view before : kBefore)
      if (const std::size_t found = script.find(before, at); found != std::string::npos)
        begin = std::min(begin, found + before.size());
    if (begin == std::string::npos) return out + script.substr(at);
    std::size_t end = begin;
    while (end < script.size() && (script[end] != '\'' || script.compare(end, 2, "''") == 0))
      end += script[end] == '\'' ? 2 : 1;
    out += script.substr(at, begin - at) +
           for_tex(std::string_view(script).substr(begin, end - begin));
    at = end;
  }
  return out;
}

// A grid of letters hides what is drawn, and words do not stand on end.
std::string in_letters(const std::string& script) {
  return "unset grid\n" +
         model::replaced(script, "set ylabel ", "set label 1 at graph 0, graph 1.07 ");
}

}  // namespace

Canvas column_canvas(int height) { return {.width = kColumnWidth, .height = height, .font = 16}; }

Canvas paper_canvas(double width_mm, double height_mm) {
  const auto pixels = [](double mm) {
    return static_cast<int>(std::lround(mm / kMillimetresPerInch * kPixelsPerInch));
  };
  return {.width = pixels(width_mm), .height = pixels(height_mm), .font = 11, .for_paper = true};
}

bool is_for_terminal(const std::string& path) { return path.ends_with(kForTerminal); }

void require_form(const std::string& path) {
  if (std::ranges::find(kForms, extension_of(path)) == kForms.end())
    throw Error(ExitStatus::usage, fmt::format("{}: a picture's name ends in .svg, .png, .pdf, "
                                               ".eps or .tex (TikZ); give it such a name",
                                               path));
}

std::string form_of(const std::string& path, const Canvas& canvas) {
  if (!is_for_terminal(path)) require_form(path);
  // gnuplot takes a line of SVG's text for half as high again as it is.
  const char* const spacing = extension_of(path) == ".svg" ? "set key spacing 0.9\n" : "";
  return terminal(path, canvas) + kStyle + spacing + (canvas.greys ? kGreys : kColours);
}

std::string in_form(const std::string& script, const std::string& path) {
  if (is_for_terminal(path)) return in_letters(script);
  return extension_of(path) == ".tex" ? texts_for_tex(script) : script;
}

namespace {

constexpr double kShareOfKey = 0.7;        // of the width
constexpr double kLetter = 0.66;           // of the font's size
constexpr std::size_t kSampleLetters = 6;  // a sample of the curve, and the gaps beside it

std::size_t letters_of_key(const Canvas& canvas) {
  return static_cast<std::size_t>(kShareOfKey * canvas.width / (kLetter * canvas.font));
}

}  // namespace

std::string fitted(const std::string& label, const Canvas& canvas) {
  const std::size_t most = std::max<std::size_t>(letters_of_key(canvas), 12 + kSampleLetters) -
                           kSampleLetters;
  if (label.size() <= most) return label;
  const std::size_t behind = (most - 2) / 2;
  return label.substr(0, most - 2 - behind) + ".." + label.substr(label.size() - behind);
}

std::vector<std::string> fitted_all(std::span<const std::string> labels, const Canvas& canvas) {
  std::vector<std::string> all;
  for (const std::string& label : labels) all.push_back(fitted(label, canvas));
  const std::vector<std::string> cut = all;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (labels[i] != cut[i] && std::ranges::count(cut, cut[i]) > 1)
      all[i] = fitted(fmt::format("{} {}", i + 1, labels[i]), canvas);
  return all;
}

Key key_above(std::span<const std::string> labels, const Canvas& canvas) {
  std::size_t longest = 1;
  for (const std::string& label : labels) longest = std::max(longest, label.size());
  const std::size_t columns = std::max<std::size_t>(
      1, letters_of_key(canvas) / (longest + kSampleLetters));
  const std::size_t rows = std::max<std::size_t>(1, (labels.size() + columns - 1) / columns);
  return {
      fmt::format("set key tmargin center vertical maxrows {}\n", rows),
      labels.empty() ? 0 : (static_cast<double>(rows) * 1.55 + 0.8) * canvas.font / canvas.height};
}

}  // namespace platter::report
