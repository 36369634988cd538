#include "fuzz/one_input.h"
#include "fuzz/targets.h"

namespace platter::fuzz {

// Every format that there is, and what is made of content alone.
std::vector<Target> trace_targets() {
  std::vector<Target> targets = {{"trace-any", [](const std::string& bytes) {
                                    trace::try_input(bytes, trace::Format::detect);
                                  }}};
  for (const std::string& name : trace::format_names())
    targets.push_back(
        {"trace-" + name, [format = trace::format_of(name)](const std::string& bytes) {
           trace::try_input(bytes, format);
         }});
  return targets;
}

}  // namespace platter::fuzz
