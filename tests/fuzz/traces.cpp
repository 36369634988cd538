#include "fuzz/one_input.h"
#include "fuzz/targets.h"

namespace platter::fuzz {
namespace {

template <trace::Format format>
void run(const std::string& bytes) {
  trace::try_input(bytes, format);
}

}  // namespace

std::vector<Target> trace_targets() {
  using trace::Format;
  return {{"trace-any", run<Format::detect>},        {"trace-ascii", run<Format::ascii>},
          {"trace-validate", run<Format::validate>}, {"trace-hpl", run<Format::hpl>},
          {"trace-blktrace", run<Format::blktrace>}, {"trace-blkparse", run<Format::blkparse>},
          {"trace-iolog2", run<Format::iolog2>},     {"trace-iolog3", run<Format::iolog3>},
          {"trace-spc", run<Format::spc>},           {"trace-msr", run<Format::msr>},
          {"trace-etw", run<Format::etw>},           {"trace-ftrace", run<Format::ftrace>},
          {"trace-biosnoop", run<Format::biosnoop>}, {"trace-vscsi", run<Format::vscsi>},
          {"trace-csv", run<Format::csv>},           {"trace-systor17", run<Format::systor17>},
          {"trace-tencent", run<Format::tencent>},   {"trace-fiu", run<Format::fiu>},
          {"trace-mqsim", run<Format::mqsim>}};
}

}  // namespace platter::fuzz
