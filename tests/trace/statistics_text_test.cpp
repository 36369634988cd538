// What a person reads, of two traces small enough to be followed by hand.

#include "catch.h"
#include "trace/profiles.h"
#include "trace/statistics.h"
#include "trace/trace.h"
#include "trace/workload.h"

using namespace platter;
using namespace platter::trace;

namespace {

std::string text_of(const Trace& trace) {
  const Statistics statistics = statistics_of(*reader_of(trace));
  return to_text({&statistics, 1});
}

Request open(double arrival_ms, double service_ms, bool write, std::uint64_t lbn,
             std::uint32_t blocks) {
  return {.arrival_ns = from_ms(arrival_ms),
          .service_ns = from_ms(service_ms),
          .lbn = lbn,
          .blocks = blocks,
          .write = write};
}

}  // namespace

TEST_CASE("an open trace in words") {
  const Trace trace{.kind = Kind::open,
                    .name = "six.trace",
                    .requests = {open(0, 8, false, 0, 8), open(2, 7, false, 4096, 16),
                                 open(4, 1, false, 8, 8), open(20, 5, true, 4112, 16),
                                 open(20, 15, true, 4128, 16), open(30, 4, false, 300, 8)}};
  CHECK(
      text_of(trace) ==
      R"(six.trace is an open trace: 6 requests, 4 reads (66.7 %) and 2 writes of 8 to 16 blocks (mean 12.0), LBN 0 to 4143, 36 KiB in all.
20.0 % are sequential, 0.0 % more within 500 LBNs of the one before; 60.0 % continue one of the last 2 streams.
Mean time between arrivals: 6.000 ms, 166.7 requests a second for 0.030 s.
6 service times were measured, mean 6.667 ms.

Sizes, blocks                          mean      min     10 %     50 %     90 %     99 %      max
  all                                    12        8        8       12       16       16       16
  reads                                  10        8        8        8    13.60    15.76       16
  writes                                 16       16       16       16       16       16       16
  most common: 8 (50.0 %), 16 (50.0 %)
Strides, blocks from the end before     mean      min     10 %     50 %     90 %     99 %      max
  forward, 40.0 %                      4092     4088     4089     4092     4095     4096     4096
  backward, 40.0 %                     3974     3844     3870     3974     4078     4101     4104
  all, with the sequential ones                                   4088
Strides by type, begin to begin        mean      min     10 %     50 %     90 %     99 %      max
  reads                                2825      292     1051     4088     4094     4096     4096
  writes                                 16       16       16       16       16       16       16
Runs: 5, 1.200 requests and 14.40 blocks on average, longest 2 requests and 32 blocks
Streams: 2 of two requests or more, 2.500 requests on average, longest 3
  so many streams remembered              1        2        4        8       16       32       64
  continue one of them, %              20.0     60.0     60.0     60.0     60.0     60.0     60.0
Regions of 1 MiB touched: 2; 66.7 % of the requests lie in such as were touched before
On a multiple of                      1 KiB    4 KiB    8 KiB   16 KiB   32 KiB   64 KiB    1 MiB
  begin, %                            100.0     83.3     66.7     50.0     33.3     33.3     33.3
  begin and end, %                    100.0     83.3     50.0      0.0      0.0      0.0      0.0
Times, ms                              mean      min     10 %     50 %     90 %     99 %      max
  between arrivals                        6        0    0.800    2.000    13.60    15.76       16
  service times                       6.667        1    2.500    6.000    11.50    14.65       15
  20.0 % of the times between arrivals are 0, standard deviation over mean 1.01
Arrivals in a window
      10 ms: at most 3, variance over mean 0.933
Outstanding                            mean      min     10 %     50 %     90 %     99 %      max
  found by an arrival                 0.833        0        0        1    1.500    1.950        2

Configurations  Type of access  Number of IO  Mean (bytes)  Median (bytes)  Min (bytes)  Max (bytes)
six             Read                       4          5120            4096         4096         8192
                Write                      2          8192            8192         8192         8192
)");
}

TEST_CASE("a closed trace in words") {
  Trace trace{.kind = Kind::closed, .name = "two.trace"};
  trace.requests = {{.think_ns = 5 * kMillisecond, .lbn = 100, .blocks = 3},
                    {.lbn = 50, .blocks = 2}};
  CHECK(
      text_of(trace) ==
      R"(two.trace is a closed trace: 2 requests, 2 reads (100.0 %) and 0 writes of 2 to 3 blocks (mean 2.5), LBN 50 to 102, 2.5 KiB in all.
0.0 % are sequential, 100.0 % more within 500 LBNs of the one before.
Mean think time: 5.000 ms.

Sizes, blocks                          mean      min     10 %     50 %     90 %     99 %      max
  all                                 2.500        2    2.100    2.500    2.900    2.990        3
  reads                               2.500        2    2.100    2.500    2.900    2.990        3
  most common: 2 (50.0 %), 3 (50.0 %)
Strides, blocks from the end before     mean      min     10 %     50 %     90 %     99 %      max
  backward, 100.0 %                      53       53       53       53       53       53       53
  all, with the sequential ones                                     53
Strides by type, begin to begin        mean      min     10 %     50 %     90 %     99 %      max
  reads                                  50       50       50       50       50       50       50
Runs: 2, 1 requests and 2.500 blocks on average, longest 1 requests and 3 blocks
Regions of 1 MiB touched: 1; 50.0 % of the requests lie in such as were touched before
On a multiple of                      1 KiB    4 KiB    8 KiB   16 KiB   32 KiB   64 KiB    1 MiB
  begin, %                            100.0      0.0      0.0      0.0      0.0      0.0      0.0
  begin and end, %                     50.0      0.0      0.0      0.0      0.0      0.0      0.0
Times, ms                              mean      min     10 %     50 %     90 %     99 %      max
  think times                             5        5        5        5        5        5        5
  0.0 % of the think times are 0, standard deviation over mean 0.00

Configurations  Type of access  Number of IO  Mean (bytes)  Median (bytes)  Min (bytes)  Max (bytes)
two             Read                       2          1280            1280         1024         1536
                Write                      0             -               -            -            -
)");
}

TEST_CASE("streams that take turns are counted") {
  const Statistics seen = [] {
    Generator generator({.profile = profile("streams"), .blocks = 40'000'000});
    return statistics_of(generator);
  }();
  CHECK(seen.sequentiality.streams() == 4);
  CHECK(seen.sequentiality.streams_for(0.99) == 4);
  CHECK(seen.sequentiality.continuing(4) == 4996);
  CHECK(seen.sequentiality.continuing(3) == 0);
  CHECK(to_text({&seen, 1}).find("99.9 % continue one of the last 4 streams") != std::string::npos);
}
