// Golden files of every format (tests/golden/traces), written from the definitions of the formats;
// blkparse.txt is what blkparse 1.2.0 printed of blktrace_little.blktrace.

#include "catch.h"
#include "model/error.h"
#include "source_folder.h"
#include "trace/trace.h"

using namespace platter;
using namespace platter::trace;

namespace {

std::string golden(const std::string& name) {
  return source_folder() + "/tests/golden/traces/" + name;
}

struct Read {
  Trace trace{};
  Source source{};
  std::vector<Skipped> skipped{};
};

Read read_golden(const std::string& name, const Reading& reading = {}) {
  const std::unique_ptr<Reader> reader = open_trace(golden(name), reading);
  Trace trace = read_trace(*reader);
  return {std::move(trace), reader->source(), reader->skipped()};
}

std::string skips(const Read& read_golden) {
  std::string text;
  for (const Skipped& each : read_golden.skipped)
    if (each.kind == Skipped::Kind::passed_over)
      text += (text.empty() ? "" : ", ") + std::to_string(each.count) + " " + each.what;
  return text;
}

std::string losses(const Read& read_golden) {
  std::string text;
  for (const Skipped& each : read_golden.skipped)
    if (each.kind == Skipped::Kind::lost)
      text += (text.empty() ? "" : ", ") + std::to_string(each.count) + " " + each.what +
              " at line " + std::to_string(each.first.number);
  return text;
}

// arrival or think time, service time (0: none), LBN, blocks
struct Row {
  char operation;
  Nanoseconds time_ns, service_ns;
  std::uint64_t lbn;
  std::uint32_t blocks, device;
};

void check(const Read& read_golden, Format format, const std::vector<Row>& rows) {
  CHECK(read_golden.source.format == format);
  REQUIRE(read_golden.trace.requests.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(i);
    const Request& request = read_golden.trace.requests[i];
    CHECK(request.write == (rows[i].operation == 'W'));
    CHECK((read_golden.trace.kind == Kind::open ? request.arrival_ns : request.think_ns) ==
          rows[i].time_ns);
    CHECK(request.service_ns.value_or(0) == rows[i].service_ns);
    CHECK(request.lbn == rows[i].lbn);
    CHECK(request.blocks == rows[i].blocks);
    CHECK(request.device == rows[i].device);
  }
}

constexpr std::uint32_t kSdb = 8 << 20 | 16;

}  // namespace

TEST_CASE("DiskSim's ascii") {
  const Read ascii = read_golden("ascii.trace");
  check(ascii, Format::ascii,
        {{'R', 13'191'135, 0, 0, 5, 30},
         {'R', 17'829'285, 0, 576560, 6, 30},
         {'W', 24'314'779, 0, 18, 24, 30},
         {'R', 24'314'779, 0, 18446744073709551610u, 2, 30}});
  CHECK_FALSE(ascii.source.says_block_bytes);
}

TEST_CASE("DiskSim's validate") {
  const Read validate = read_golden("validate.trace");
  check(validate, Format::validate,
        {{'R', 13'876'270, 14'095'370, 564347, 2, 0},
         {'W', 21'894'380, 17'221'000, 1194877, 15, 0},
         {'R', 45'422'001, 663'125, 1194892, 1, 0},
         {'W', 0, 0, 0, 24, 0}});
  CHECK(validate.trace.requests[1].tag.text() == "Doub");
  CHECK_FALSE(validate.trace.requests[3].service_ns);
}

TEST_CASE("HPL's SRT: sectors are those of the header, suspect records no requests") {
  const Reading small{.device = "0", .block_bytes = 256};
  check(read_golden("hpl.srt", small), Format::hpl,
        {{'R', 35'279'000, 32'839'000, 12256, 8, 0},
         {'W', 3'999'999'000, 0, 4, 4, 0},
         {'R', 70'000'000'000, 500'000, 17, 12, 0}});
  CHECK(skips(read_golden("hpl.srt", small)) == "1 suspect I/O records");
  CHECK_THROWS_WITH(
      read_golden("hpl.srt", {.device = "0"}),
      Catch::Contains("hpl.srt, record 4, byte 419: the request begins at byte 4352"));
  check(read_golden("hpl.srt", {.device = "0", .round = true}), Format::hpl,
        {{'R', 35'279'000, 32'839'000, 6128, 4, 0},
         {'W', 3'999'999'000, 0, 2, 2, 0},
         {'R', 70'000'000'000, 500'000, 8, 7, 0}});
}

TEST_CASE("blktrace: issued requests, measured by their completions, in both byte orders") {
  const std::vector<Row> rows = {{'W', 1'000, 2'999'000, 2048, 16, kSdb},
                                 {'R', 3'500'000, 0, std::uint64_t{1} << 33, 2, kSdb},  // failed
                                 {'R', 4'200'000, 5'000'000, 900, 1, kSdb},
                                 {'R', 9'600'000, 0, 77, 1, kSdb}};
  for (const char* name : {"blktrace_little", "blktrace_little.blktrace.0", "blktrace_big",
                           "blktrace_big.blktrace.1", "blkparse.txt"}) {
    CAPTURE(name);
    const bool text = std::string(name) == "blkparse.txt";
    const Read events = read_golden(name);
    check(events, text ? Format::blkparse : Format::blktrace, rows);
    CHECK(skips(events) == std::string(text ? "" : "1 messages, ") +
                               "1 discards, 1 flushes, 1 commands past the block layer");
  }
}

TEST_CASE("blktrace: one processor's events alone are no error") {
  const Read alone = read_golden("blktrace_little.blktrace.1", {.device = "8:16"});
  CHECK(alone.trace.requests.size() == 4);
}

TEST_CASE("blktrace: requests as they were queued") {
  check(read_golden("blktrace_little", {.queued = true}), Format::blktrace,
        {{'W', 0, 0, 2048, 8, kSdb}});
  check(read_golden("blkparse.txt", {.queued = true}), Format::blkparse,
        {{'W', 0, 0, 2048, 8, kSdb}});
}

TEST_CASE("fio's iolog, version 2: waits add up") {
  const Read iolog = read_golden("iolog2.log");
  check(iolog, Format::iolog2,
        {{'R', 0, 0, 0, 8, 0},
         {'W', 2'500'000, 0, 16, 2, 0},
         {'R', 2'601'000, 0, std::uint64_t{1} << 31, 1, 0}});
  CHECK(skips(iolog) == "2 syncs, 1 trims");
}

TEST_CASE("fio's iolog, version 3: microseconds") {
  const Read iolog = read_golden("iolog3.log");
  check(iolog, Format::iolog3,
        {{'R', 141'000, 0, 120, 8, 0},
         {'W', 3'343'000, 0, 1512, 1, 0},
         {'R', 6'473'000, 0, 1720, 16, 0}});
  CHECK(skips(iolog) == "1 syncs, 1 trims");
}

TEST_CASE("SPC: seconds, sectors, bytes") {
  check(read_golden("spc.csv"), Format::spc,
        {{'W', 551'706'000, 0, 20941264, 16, 0},
         {'R', 554'041'000, 0, 20939840, 1, 0},
         {'W', 1'011'732'000, 0, 3436288, 31, 0}});
  check(read_golden("spc.csv", {.block_bytes = 4096, .round = true}), Format::spc,
        {{'W', 551'706'000, 0, 2617658, 2, 0},
         {'R', 554'041'000, 0, 2617480, 1, 0},
         {'W', 1'011'732'000, 0, 429536, 4, 0}});
  CHECK_THROWS_WITH(read_golden("spc.csv", {.block_bytes = 4096}),
                    Catch::Contains("spc.csv, line 2, column 14: the request of 512 bytes"));
}

TEST_CASE("MSR Cambridge: file times, from the first request on") {
  check(read_golden("msr.csv"), Format::msr,
        {{'R', 0, 4'128'600, 13700410, 48, 0},
         {'W', 1'332'052'600, 0, 4917776, 8, 0},
         {'R', 2'332'061'600, 1'100, 4758288, 1, 0}});
}

TEST_CASE("xperf: a header block, hexadecimal, logged as requests complete, losses") {
  const Read events = read_golden("xperf.csv");
  check(events, Format::xperf,
        {{'R', 0, 9'000'000, 4096, 128, 2}, {'W', 9'500'000, 300'000, 32, 8, 2}});
  CHECK(skips(events) == "1 flushes, 1 events that are no disk read or write");
  CHECK(losses(events) == "31 events at line 6");
}

TEST_CASE("wpaexporter in a German locale, Latin-1") {
  const Read table = read_golden("wpa.csv");
  check(
      table, Format::wpa,
      {{'W', 0, 12'000'000, 2048, 128, 0}, {'R', 1'000 * kSecond + 100'000'100, 100'000, 1, 1, 0}});
  CHECK(skips(table) == "1 operations that neither read nor write");
}

TEST_CASE("fio's logs with offsets: what is measured, at the time of completion") {
  const Read latency = read_golden("fiolat.log");
  check(latency, Format::fiolat,
        {{'W', 0, 3'500'000, 128, 16, 0}, {'R', 4'250'000, 4'250'000, 24, 8, 0}});
  CHECK(skips(latency) == "1 trims");
  check(read_golden("fiobw.log"), Format::fiobw,
        {{'W', 0, 4'000'000, 128, 16, 0}, {'R', 5'000'000, 4'000'000, 24, 8, 0}});
}

TEST_CASE("blkreplay: prose in front, what a replay measured") {
  check(read_golden("blkreplay.load"), Format::blkreplay,
        {{'R', 0, 0, 4096, 8, 0}, {'W', 125'000'125, 4'500'000, 100, 1, 0}});
}

TEST_CASE("hfplayer: microseconds, replies are no requests") {
  const Read dump = read_golden("hfplayer.csv");
  check(dump, Format::hfplayer, {{'W', 0, 2'300'125, 9000, 16, 3}, {'R', 150'000, 0, 64, 8, 3}});
  CHECK(skips(dump) == "1 operations that neither read nor write");
}

TEST_CASE("iosnoop of perf-tools and of DTrace, bpftrace's biosnoop: names with blanks") {
  const Read perf = read_golden("iosnoop_perf.txt", {.device = "8:16"});
  REQUIRE(perf.trace.requests.size() == 2);
  CHECK(perf.source.format == Format::iosnoop);
  CHECK(perf.trace.requests[0].lbn == 2048);
  CHECK(perf.trace.requests[0].blocks == 16);
  CHECK(perf.trace.requests[0].service_ns == 4'250'000);
  CHECK(perf.trace.requests[1].arrival_ns == 100'000);
  CHECK(skips(perf) == "1 operations that neither read nor write");
  CHECK(losses(perf).empty());
  check(read_golden("iosnoop_dtrace.txt"), Format::iosnoop,
        {{'W', 0, 4'000'000, 2048, 16, 0}, {'R', 10'000'000, 500'000, 900, 1, 0}});
  const Read bpftrace = read_golden("biosnoop_bpftrace.txt", {.device = "sda"});
  REQUIRE(bpftrace.trace.requests.size() == 2);
  CHECK(bpftrace.source.format == Format::biosnoop);
  CHECK(bpftrace.trace.requests[0].service_ns == 2'500'000);
  CHECK(bpftrace.trace.requests[1].arrival_ns == 6'250'000);
}

TEST_CASE("ftrace: what was lost, a command that is no flush, a flush of no sectors") {
  const Read events = read_golden("ftrace_lost.txt");
  check(events, Format::ftrace, {{'R', 0, 0, 2048, 8, kSdb}});
  CHECK(losses(events) == "50 events at line 3, 17 events at line 6");
  CHECK(skips(events) ==
        "1 completions without a request, which began before the trace or is lost, "
        "1 commands past the block layer, 1 flushes");
}

TEST_CASE("an iolog in nanoseconds is doubted, and read in the unit that is told") {
  CHECK_THROWS_WITH(read_golden("iolog3_ns.log"), Catch::Contains("--time-unit"));
  const Read log = read_golden("iolog3_ns.log", {.time_unit_ns = 1});
  REQUIRE(log.trace.requests.size() == 12);
  CHECK(log.trace.requests[1].arrival_ns - log.trace.requests[0].arrival_ns == 7'800'123);
}

TEST_CASE("Systor '17: a header, seconds of 1970 to the microsecond, a request that did not end") {
  const Read systor = read_golden("systor17.csv");
  check(systor, Format::systor17,
        {{'R', 0, 310'000, 203544744, 128, 3},
         {'W', 301'000, 1'250'000, 1755968989, 256, 3},
         {'W', 329'000, 0, 1, 8, 3},
         {'R', 470'303'000, 12'000'000, 2, 3, 3}});
  CHECK(skips(systor) == "1 requests of no bytes");
}

TEST_CASE("Alibaba 2020") {
  check(read_golden("alibaba.csv"), Format::alibaba,
        {{'R', 0, 0, 247468088, 8, 7},
         {'W', 380'000, 0, 38078240, 152, 7},
         {'W', 448'000, 0, 19163600, 24, 7}});
}

TEST_CASE("Tencent: sectors, whole seconds, 0 is a read; without a header it has to be named") {
  check(read_golden("tencent.csv", {.format = Format::tencent}), Format::tencent,
        {{'R', 0, 0, 12910952, 128, 1063},
         {'W', 0, 0, 6338688, 8, 1063},
         {'R', kSecond, 0, 1904106, 384, 1063}});
  CHECK_THROWS_AS(read_golden("tencent.csv"), Error);
}

TEST_CASE("K5") {
  check(read_golden("k5.csv"), Format::k5,
        {{'R', 0, 0, 32, 16, 12}, {'W', 1'000, 0, 2097152, 8, 12}, {'R', kSecond, 0, 1, 1, 12}});
}

TEST_CASE("CloudPhysics as CSV, and both layouts of its records") {
  check(read_golden("cloudphysics.csv"), Format::cloudphysics,
        {{'R', 0, 0, 42932745, 1, 0},
         {'W', 59'000, 0, 42932746, 8, 0},
         {'R', kMillisecond, 0, 206256, 5, 0}});
  for (const char* name : {"vscsi_1.bin", "vscsi_2.bin"}) {
    const Read vscsi = read_golden(name);
    check(vscsi, Format::vscsi,
          {{'W', 0, 0, 64, 64, 0},
           {'R', 100'000, 0, 2048, 8, 0},
           {'R', 1'100'000, 0, std::uint64_t{1} << 33, 1, 0}});
    CHECK(skips(vscsi) == "1 other SCSI commands");
  }
}

TEST_CASE("FIU: two columns name the device") {
  const Read fiu = read_golden("fiu.txt", {.device = "6:0"});
  REQUIRE(fiu.trace.requests.size() == 3);
  CHECK(fiu.source.format == Format::fiu);
  CHECK(fiu.trace.requests[0].write);
  CHECK(fiu.trace.requests[0].lbn == 904265560);
  CHECK_FALSE(fiu.trace.requests[1].write);
  CHECK(fiu.trace.requests[1].arrival_ns == 10'877);
  CHECK(fiu.trace.requests[2].arrival_ns == kMillisecond);
}

TEST_CASE("MQSim: ascii in nanoseconds") {
  check(read_golden("mqsim.trace", {.format = Format::mqsim}), Format::mqsim,
        {{'W', 48'513'000, 0, 524288, 16, 0},
         {'R', 48'643'000, 0, 524304, 16, 0},
         {'W', 48'713'001, 0, 7, 3, 0}});
}

TEST_CASE("biosnoop: lines as requests complete, columns from the end") {
  const Read issued = read_golden("biosnoop.txt");
  REQUIRE(issued.trace.requests.size() == 3);
  const auto& requests = issued.trace.requests;  // by arrival: the long one comes first
  CHECK(requests[0].lbn == 1048576);
  CHECK(requests[0].blocks == 2048);
  CHECK(requests[0].service_ns == 12'500'000);
  CHECK(requests[1].lbn == 20856);
  CHECK(requests[1].write);
  CHECK(requests[1].arrival_ns == 8'290'000 - 610'000);
  CHECK(requests[2].arrival_ns == 8'290'000 + 5'000'000 - 250'000);
  const Read queued = read_golden("biosnoop.txt", {.device = "sda", .queued = true});
  CHECK(queued.trace.requests[1].arrival_ns == 8'300'000 - 630'000);
}

TEST_CASE("ftrace: issued and completed, a failed one, another event") {
  const Read issued = read_golden("ftrace.txt");
  check(issued, Format::ftrace,
        {{'W', 10'000, 2'000'000, 2048, 16, kSdb}, {'R', 500'000, 0, 900, 8, kSdb}});
  CHECK(skips(issued) == "1 flushes, 1 discards");
  const Read queued = read_golden("ftrace.txt", {.queued = true});
  check(queued, Format::ftrace, {{'W', 0, 2'000'000, 2048, 16, kSdb}});
}
