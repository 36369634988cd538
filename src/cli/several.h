// A subcommand that does the same with each of several drives, models or files: what it prints of
// them, and how it ends where one of them fails.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "jobs/each_output.h"
#include "jobs/progress.h"

namespace platter::cli {

// How what is printed of one begins, where there are several.
enum class Heading { none, name };

// `one` gets a name, and what prints its text or, with `json`, its document. Of a single name that
// is printed as it is, and what `one` throws is passed on. Of several, texts come one after the
// other and documents in a list; what fails is said, is a platter-error in the list where it
// printed no document, and the others go on. Throws Error(some_failed) then; an interruption ends
// it.
using jobs::EachOutput;
using jobs::Print;
void for_each_of(const std::vector<std::string>& names, bool json, Heading heading,
                 const std::function<void(const std::string& name, const Print& print)>& one);

}  // namespace platter::cli
