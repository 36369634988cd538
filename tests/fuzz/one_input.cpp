#include "fuzz/one_input.h"

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "model/error.h"
#include "trace/lint.h"
#include "trace/trace.h"

namespace platter::trace {
namespace {

void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", promise);
  std::abort();
}

// One sentence without line breaks or bytes that a terminal would obey.
void check_sentence(const Error& error) {
  for (const char* c = error.what(); *c; ++c)
    require(*c >= ' ' && *c <= '~', "an error is plain text");
}

std::optional<Trace> read(const std::string& bytes, const Reading& reading) {
  try {
    return read_trace(*open_trace(memory_source(bytes), "t", reading));
  } catch (const Error& error) {
    check_sentence(error);
    return std::nullopt;
  }
}

void check_requests(const Trace& trace) {
  Nanoseconds latest_ns = 0;
  for (const Request& request : trace.requests) {
    require(request.blocks > 0, "a request has blocks");
    require(request.lbn + request.blocks > request.lbn, "a request ends");
    require(request.think_ns >= 0 && request.service_ns.value_or(1) > 0, "times are positive");
    require(request.arrival_ns >= latest_ns, "arrivals ascend");
    latest_ns = request.arrival_ns;
  }
}

// The formats of DiskSim hold all that a reader gives (the device, the service time apart).
void check_written(const Trace& trace) {
  const Format format = trace.kind == Kind::open ? Format::ascii : Format::validate;
  std::string bytes;
  const auto writer = create_trace(string_sink(bytes), "t", format);
  copy(*reader_of(trace), *writer);
  writer->finish();
  const std::optional<Trace> back = read(bytes, {.format = format});
  require(back && back->requests.size() == trace.requests.size(), "what was written can be read");
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const Request &before = trace.requests[i], &after = back->requests[i];
    require(before.lbn == after.lbn && before.blocks == after.blocks &&
                before.write == after.write && before.arrival_ns == after.arrival_ns &&
                before.think_ns == after.think_ns,
            "what was written comes back");
  }
}

void write_all(const Trace& trace) {
  for (const std::string& name : format_names()) {
    std::string bytes;
    try {
      const auto writer = create_trace(string_sink(bytes), "t", format_of(name));
      copy(*reader_of(trace), *writer);
      writer->finish();
    } catch (const Error& error) {
      check_sentence(error);
    }
  }
}

}  // namespace

void try_input(const std::string& bytes, Format format) {
  const std::string columns = format == Format::csv
                                  ? "time:us,op,offset:bytes,size:bytes,response:ms,device"
                                  : "";
  const Reading plain{.format = format, .columns = columns};
  const std::optional<Trace> trace = read(bytes, plain);
  const Lint found = lint(memory_source(bytes), "t", plain, 5);
  require((found.errors == 0) == trace.has_value(), "lint finds errors where the reader does");
  const bool rarely = bytes.size() % 16 == 0;  // what is slow and depends little on the input
  if (rarely) require(!to_json(found).empty() && !to_text(found).empty(), "a lint can be told");
  if (trace) {
    require(found.requests == trace->requests.size(), "lint and reader count alike");
    check_requests(*trace);
    check_written(*trace);
    if (rarely) write_all(*trace);
  }
  const Reading generous{.format = format,
                         .device = "0",
                         .block_bytes = 1000,
                         .round = true,
                         .reorder = 3,
                         .queued = true,
                         .columns = columns};
  if (const std::optional<Trace> other = read(bytes, generous)) check_requests(*other);
  if (format == Format::csv)
    read(bytes,
         {.line_regex =
              R"((?P<time_us>\S+?)\W.*(?P<op>\w).*?(?P<offset_bytes>\d+).(?P<size_bytes>\d+))"});
  read(bytes, {});
}

}  // namespace platter::trace
