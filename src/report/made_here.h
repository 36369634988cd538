// By what a report or a picture that platter wrote is known again.
#pragma once

#include <string>
#include <string_view>

namespace platter::report {

// An SVG or PNG file of gnuplot's with platter's name in it: a comment, or the text "Software".
std::string marked_picture(std::string bytes);

// The bytes begin such a picture.
bool begins_picture(std::string_view bytes);
// The bytes begin a page of platter's.
bool begins_report(std::string_view bytes);

// What the page's head says for it.
std::string report_mark();

}  // namespace platter::report
