// The form of a picture: gnuplot's terminal for it by the file's extension, its size, its colours.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace platter::report {

struct Canvas {
  int width = 960, height = 600, font = 15;  // pixels, of which an inch has 96
  bool greys = false;      // for print without colours: told apart by dashes and widths
  bool for_paper = false;  // a PNG has 300 pixels an inch, not 144
  std::string script{};    // where the script with its data goes, too; "": nowhere
};
// For a column of text: legible down to a phone's width of 400.
constexpr int kColumnWidth = 640;
Canvas column_canvas(int height);
// Millimetres, with a font of 8 points: a column of a journal is 84 mm wide.
Canvas paper_canvas(double width_mm, double height_mm);

// What the extension stands for. Throws Error(usage) for another one than .svg, .png, .pdf, .eps
// and .tex (TikZ).
void require_form(const std::string& path);
// gnuplot's commands for the terminal and the colours. `path` as require_form() takes it, or
// is_for_terminal().
std::string form_of(const std::string& path, const Canvas& canvas);
// A script for that form: a terminal of letters has no grid, and TeX takes some letters for its
// own.
std::string in_form(const std::string& script, const std::string& path);

// Whether it is drawn in letters, for drawn(): fewer things can be told apart.
inline constexpr const char* kForTerminal = ".terminal";
bool is_for_terminal(const std::string& path);

// The key stands above the curves, in so many columns as fit.
struct Key {
  std::string set{};  // gnuplot's command
  double share = 0;   // of the canvas's height, that a panel with margins of its own leaves for it
};
// A label that is wider than the key loses its middle: gnuplot draws no key at all that does not
// fit.
std::string fitted(const std::string& label, const Canvas& canvas);
// Of several; those that would look alike have their place in front, counted from 1.
std::vector<std::string> fitted_all(std::span<const std::string> labels, const Canvas& canvas);
Key key_above(std::span<const std::string> labels, const Canvas& canvas);

}  // namespace platter::report
