// Where the project's files are. A function of one object file: a path among the compiler's
// arguments would make each test file another one for ccache in each checkout.
#pragma once

#include <string>

std::string source_folder();
