// By what a report or a picture that platter wrote is known again.
#pragma once

#include <string>
#include <string_view>

namespace platter::report {

// A picture of gnuplot's with platter's name in it: a comment (in a PDF behind its end), or a PNG's
// text "Software".
std::string marked_picture(std::string bytes);
// Whether a picture of gnuplot's, as it left it, has its form's end.
bool is_whole_picture(std::string_view bytes);
// A script for gnuplot likewise.
std::string marked_script(const std::string& script);

// The bytes begin such a picture or script; those of a PDF are all of it.
bool begins_picture(std::string_view bytes);
// The bytes begin a page of platter's.
bool begins_report(std::string_view bytes);

// What the page's head says for it.
std::string report_mark();

}  // namespace platter::report
