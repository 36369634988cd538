// Standard output and standard error of the program, in one place: what is printed there holds no
// control characters of a file or a drive, and what could not be printed is noticed.
#pragma once

#include <string_view>

namespace platter::cli {

// To be called first of all. From then on `stdout` and `stderr` print control characters other than
// line feeds as \u001b and the like, which is the same value in JSON; no failure of theirs, a
// closed pipe neither, ends the run in the midst of its work.
void set_up_streams();

// From now on lines go to standard output as they are: JSON, and what is for other programs. Else
// lines that are longer than the terminal, or COLUMNS, is wide are broken; without both none is.
void print_as_it_is();
// The other way round, also where no terminal is: a page of help.
void print_fitting();

// Everything printed is written now. 0, or the errno with which standard output failed.
int finish_streams();

// Whether a result was printed on standard output.
bool has_printed();

// Past all this, for what draws on the terminal itself.
void draw_on_terminal(std::string_view bytes);

}  // namespace platter::cli
