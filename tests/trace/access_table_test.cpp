// The tables of Salam-Alada 2004: one worked out by hand, and one of the paper's from a trace that
// is made to have its figures.
#include "trace/access_table.h"

#include "catch.h"
#include "trace/trace.h"

using namespace platter;
using namespace platter::trace;

namespace {

void add(Trace& trace, int times, bool write, std::uint32_t bytes) {
  for (int i = 0; i < times; ++i)
    trace.requests.push_back(
        {.lbn = 1000 * trace.requests.size(), .blocks = bytes / 512, .write = write});
}

Statistics counted(const Trace& trace) { return statistics_of(*reader_of(trace)); }

}  // namespace

TEST_CASE("number, mean, median, least and most are those worked out by hand") {
  Trace trace{.kind = Kind::open, .name = "dir/low.trace"};
  add(trace, 1, false, 4096);
  add(trace, 1, true, 512);
  add(trace, 2, false, 65536);
  add(trace, 1, false, 8192);
  const auto rows = access_rows(counted(trace));
  CHECK(rows[0].configuration == "low");
  CHECK_FALSE(rows[0].write);
  CHECK(rows[0].number == 4);
  CHECK(rows[0].mean_bytes == (4096 + 65536 + 65536 + 8192) / 4);
  CHECK(rows[0].median_bytes == (8192 + 65536) / 2);
  CHECK(rows[0].min_bytes == 4096);
  CHECK(rows[0].max_bytes == 65536);
  // Reads begin at 0, 2000, 3000 and 4000.
  CHECK(rows[0].median_stride_bytes == 1000 * 512);
  CHECK(rows[1].write);
  CHECK(rows[1].number == 1);
  CHECK(rows[1].median_bytes == 512);
}

TEST_CASE("table 4.1 comes out as it is printed") {
  Trace copying{.kind = Kind::open, .name = "CD-copying"};
  add(copying, 3, false, 4096);
  add(copying, 1, false, 8192);
  add(copying, 119, false, 65536);
  add(copying, 1, true, 40960);
  add(copying, 10871, true, 65536);
  Trace idle{.kind = Kind::open, .name = "no-writes"};
  add(idle, 1, false, 512);
  const std::vector<Statistics> all = {counted(copying), counted(idle)};
  CHECK(access_table(all) ==
        "Configurations  Type of access  Number of IO  Mean (bytes)  Median (bytes)  Min (bytes)  "
        "Max (bytes)\n"
        "CD-copying      Read                     123         63571           65536         4096  "
        "      65536\n"
        "                Write                  10872         65534           65536        40960  "
        "      65536\n"
        "no-writes       Read                       1           512             512          512  "
        "        512\n"
        "                Write                      0             -               -            -  "
        "          -\n");
}
