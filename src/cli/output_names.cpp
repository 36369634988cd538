#include "cli/output_names.h"

#include <fmt/format.h>

#include "cli/common_options.h"
#include "model/say.h"

namespace platter::cli {

CLI::Validator named_for(Written written) {
  return CLI::Validator(
      [written](std::string& path) {
        if (path == "-" && !jobs::is_one_stream(written))
          return std::string(
              "-: is the standard output, which cannot take this; name a place, ./- if it is to be "
              "called so");
        const std::string why = jobs::why_not_named(path, written);
        return why.empty() ? why : fmt::format("{}: {}", path, why);
      },
      "");
}

void print_beside(const std::string& output, std::string_view text) {
  if (jobs::goes_to_standard_output(output))
    model::say("{}", text);
  else
    print_text(text);
}

}  // namespace platter::cli
