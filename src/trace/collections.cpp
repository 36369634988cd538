// Collections that were published as text in columns, as their owners describe them
// (docs/traces.md). Those without a header are told by the place of the operation among numbers.
#include <algorithm>

#include "trace/columns.h"
#include "trace/formats.h"
#include "trace/operation.h"

namespace platter::trace {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9' &&
         text.find_first_not_of("0123456789.") == std::string_view::npos;
}

// So many fields, all of them numbers but the operation.
bool numbers_but(const Line& line, std::size_t count, std::size_t operation) {
  if (line.count() != count || !is_direction(line[operation])) return false;
  for (std::size_t i = 0; i < count; ++i)
    if (i != operation && !is_number(line[i])) return false;
  return true;
}

bool is_header(const Line& line, std::string_view first, std::string_view second) {
  return line.count() > 1 && line[0] == first && line[1] == second;
}

template <const char* const& kText>
std::unique_ptr<RecordReader> collection_reader(std::vector<Input> inputs, const Reading&) {
  return columns_reader(std::move(inputs.front()), columns_of(kText));
}

constexpr const char* kOfSystor = "time:s,response:s,op,device,offset:bytes,size:bytes";
constexpr const char* kOfAlibaba = "device,op,offset:bytes,size:bytes,time:us";
constexpr const char* kOfTencent = "time:s,offset:sectors,size:sectors,op:0r1w,device";
constexpr const char* kOfK5 = "device,time:s,op,offset:bytes,size:bytes";
constexpr const char* kOfCloudphysics = "time:us,offset:sectors,op,size:bytes";
constexpr const char* kOfFiu = "time:ns,-,-,offset:sectors,size:sectors,op,device,device,-";

}  // namespace

const FormatRow kSystor17 = {
    .format = Format::systor17,
    .name = "systor17",
    .reader = collection_reader<kOfSystor>,
    .begins =
        [](const Beginning& beginning) {
          return is_header(beginning.commas, "Timestamp", "Response") ||
                 numbers_but(beginning.commas, 6, 2);
        },
};

const FormatRow kAlibaba = {
    .format = Format::alibaba,
    .name = "alibaba",
    .reader = collection_reader<kOfAlibaba>,
    .begins =
        [](const Beginning& beginning) {
          return is_header(beginning.commas, "device_id", "opcode") ||
                 numbers_but(beginning.commas, 5, 1);
        },
};

const FormatRow kTencent = {
    .format = Format::tencent,
    .name = "tencent",
    .reader = collection_reader<kOfTencent>,
    .begins =
        [](const Beginning& beginning) {
          return is_header(beginning.commas, "Timestamp", "Offset");
        },
};

const FormatRow kK5 = {
    .format = Format::k5,
    .name = "k5",
    .reader = collection_reader<kOfK5>,
    .begins = [](const Beginning& beginning) { return numbers_but(beginning.commas, 5, 2); },
};

const FormatRow kCloudphysics = {
    .format = Format::cloudphysics,
    .name = "cloudphysics",
    .reader = collection_reader<kOfCloudphysics>,
    .begins = [](const Beginning& beginning) { return numbers_but(beginning.commas, 4, 2); },
};

const FormatRow kFiu = {
    .format = Format::fiu,
    .name = "fiu",
    .reader = collection_reader<kOfFiu>,
    .begins =
        [](const Beginning& beginning) {
          const Line& line = beginning.blanks;
          return line.count() == 9 && is_direction(line[5]) && is_number(line[0]);
        },
};

}  // namespace platter::trace
