// gnuplot as a program: a script in, a picture out.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/figure_form.h"

namespace platter::report {

// Runs `script` in the form that the path's extension asks for (require_form()), and puts the
// picture at `path` once it is complete. Throws Error(missing_program) if gnuplot is not installed,
// Error(usage) for another extension, Error(output) if it fails.
void draw(const std::string& script, const std::string& path, const Canvas& canvas = {});

// Whether gnuplot is installed.
bool can_draw();

// What `plot` draws at the path that it is given, as lines of a terminal, 100 columns wide.
std::string drawn(const std::function<void(const std::string& path)>& plot);

// Of a figure of several panels: where the next one lies, as shares of the canvas from below, and
// its curves.
std::string panel(double bottom, double top, const Canvas& canvas = {});
// Of the axis 'x' or 'y', over which so much is shown: so few that their numbers have room.
std::string few_tics(char axis, double span, double most = 4);
// A logarithmic axis with numbers at 1, 2 and 5 of each decade, or at decades where those were
// many. Both above 0.
std::string log_tics(char axis, double least, double most);
// How many numbers of a y axis have room in this share of the canvas's height.
double tics_in(double share, const Canvas& canvas);
// The same of a figure of one panel, below its key; at most 8.
double room_of_one_panel(const Key& key, const Canvas& canvas);
std::string plot_of(const std::vector<std::string>& curves);

// Text as gnuplot takes it literally, quoted; enhanced-text markup in it is escaped.
std::string quoted(const std::string& text);

}  // namespace platter::report
