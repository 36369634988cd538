// gnuplot as a program: a script in, a picture out.
#pragma once

#include <string>

namespace platter::report {

// Runs `script`, preceded by the terminal that the picture's extension asks for (.svg or .png), and
// puts the picture at `path` once it is complete. Throws Error(missing_program) if gnuplot is not
// installed, Error(usage) for another extension, Error(output) if it fails.
void draw(const std::string& script, const std::string& path);

// Text as gnuplot takes it literally, quoted; enhanced-text markup in it is escaped.
std::string quoted(const std::string& text);

}  // namespace platter::report
