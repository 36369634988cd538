#include <fmt/format.h>

#include "cli/version.h"
#include "model/version.h"

namespace platter::cli {

std::string citation() {
  return fmt::format(
      "@software{{platter,\n"
      "  title   = {{platter: measured models of disk drives, and the proof of each against its "
      "drive}},\n"
      "  author  = {{{{The platter developers}}}},\n"
      "  version = {{{}}},\n"
      "}}\n"
      "The method it follows: J. Schindler and G. R. Ganger, Automated Disk Drive "
      "Characterization, CMU-CS-99-176, 1999.\n"
      "A model is cited by its registry reference and digest: platter registry show DRIVE:vN "
      "prints both.\n",
      model::kToolVersion);
}

}  // namespace platter::cli
