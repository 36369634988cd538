#include "trace/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "trace/checked_reader.h"
#include "trace/formats.h"
#include "trace/open.h"
#include "trace/skips.h"
#include "trace/time_doubt.h"

namespace platter::trace {
namespace {

// From here on a unit or a clock is the likelier explanation.
constexpr std::uint64_t kEnough = 100;  // requests to judge a whole trace by
constexpr Nanoseconds kLongService_ns = 60 * kSecond;
constexpr Nanoseconds kShortService_ns = 1000;
constexpr Nanoseconds kLongGap_ns = 3600 * kSecond;
constexpr Nanoseconds kShortGap_ns = 1000;
constexpr std::uint32_t kBytesOfABlock = 512;
constexpr std::size_t kShownFirst = 3;       // requests, as they were understood
constexpr std::uint64_t kPlacesOfAKind = 3;  // where a warning is shown; behind them it is counted

// The warnings that a request may have, as they are called where they are counted.
enum class Warning : std::uint8_t { grows, not_measured, short_service, long_service };
constexpr std::array<const char*, 4> kCalled = {
    "a request that is no whole number of blocks, and grows", "a service time of 0: not measured",
    "a service time shorter than any drive's", "a service time longer than any drive's"};

class Linter {
 public:
  Linter(std::string name, std::size_t most) : most_(most) { lint_.name = std::move(name); }

  Lint run(std::vector<Input> inputs, Reading reading) {
    try {
      std::unique_ptr<RecordReader> records = record_reader(std::move(inputs), reading);
      records_have_devices_ = records->has_devices();
      lint_.format = reading.format;
      const std::unique_ptr<CheckedReader> reader = checked_reader(std::move(records), lint_.name,
                                                                   reading, Devices::all);
      doubt_.emplace(reader->source().kind, doubted_unit_ns(reading), slow_ns_of(reading));
      try {
        read(*reader);
        judge_whole(*reader, reading);
      } catch (const Error& error) {
        refuse(error);
      }
      see_skipped(*reader);
    } catch (const BadRecord& error) {
      add(Severity::error, error.place(), error.finding());
    } catch (const Error& error) {
      refuse(error);
    }
    for (std::size_t kind = 0; kind < kCalled.size(); ++kind)
      if (const std::uint64_t more = found_[kind] - shown_[kind])
        lint_.repeated.push_back({kCalled[kind], more});
    return std::move(lint_);
  }

 private:
  void refuse(const Error& error) {
    std::string_view what = error.what();
    if (what.starts_with(lint_.name)) what.remove_prefix(lint_.name.size());
    add(Severity::error, {},
        std::string(what.substr(std::min(what.find_first_not_of(" :,"), what.size()))));
  }

  void read(CheckedReader& reader) {
    std::array<Request, 1> request;
    for (;;) try {
        if (reader.read(request) == 0) return;
        judge(reader, request.front());
      } catch (const BadRecord& error) {
        add(Severity::error, error.place(), error.finding());
      }
  }

  void judge(const CheckedReader& reader, const Request& request) {
    if (reader.grew())
      warn(Warning::grows, reader.place(Part::lbn),
           fmt::format(
               "the request is no whole number of blocks of {} bytes and grows to LBN {} with "
               "{} blocks",
               reader.source().block_bytes, request.lbn, request.blocks));
    judge_service(reader, request);
    if (const auto doubt = doubt_->see(request)) add(Severity::error, {}, *doubt);
    if (lint_.first.size() < kShownFirst)
      lint_.first.push_back({reader.place(Part::time), request,
                             records_have_devices_ ? reader.device_text(request.device) : "",
                             reader.source().kind});
    if (lint_.requests++ == 0)
      first_ns_ = request.arrival_ns;
    else if (request.arrival_ns == last_ns_)
      ++repeated_;
    last_ns_ = request.arrival_ns;
    thinks_ns_ += static_cast<double>(request.think_ns);
    in_bytes_ = in_bytes_ && request.lbn % kBytesOfABlock == 0 &&
                request.blocks % kBytesOfABlock == 0;
    devices_.insert(request.device);
  }

  void judge_service(const CheckedReader& reader, const Request& request) {
    if (!request.service_ns) {
      ++unmeasured_;
      if (measures(lint_.format))
        warn(Warning::not_measured, reader.place(Part::service),
             "the service time is 0: not measured");
      return;
    }
    ++measured_;
    const Nanoseconds service_ns = *request.service_ns;
    const bool too_long = service_ns > kLongService_ns;
    if (too_long || service_ns < kShortService_ns)
      warn(too_long ? Warning::long_service : Warning::short_service, reader.place(Part::service),
           fmt::format(
               "a service time of {} ms is {} than any drive's; is its unit that of the format?",
               to_ms(service_ns), too_long ? "longer" : "shorter"));
  }

  static bool measures(Format format) {
    const FormatRow* const row = row_of(format);
    return row && row->each_measured;
  }

  void judge_whole(const CheckedReader& reader, const Reading& reading) {
    if (const auto doubt = doubt_->at_end()) add(Severity::error, {}, *doubt);
    if (reading.device.empty() && devices_.size() > 1)
      add(Severity::error, {},
          fmt::format("the trace holds requests for {} devices; choose one with --device-number N",
                      devices_.size()));
    if (lint_.requests < kEnough) return;
    const bool open = reader.source().kind == Kind::open;
    const auto pairs = static_cast<double>(lint_.requests - 1);
    const double gap_ns = open ? static_cast<double>(last_ns_ - first_ns_) / pairs
                               : thinks_ns_ / pairs;
    const char* const what = open ? "between arrivals" : "of thinking";
    if (gap_ns > kLongGap_ns)
      add(Severity::warning, {},
          fmt::format("the mean time {} is {:.0f} h; is the unit of the times that of the format?",
                      what, gap_ns / (3600 * kSecond)));
    if (open && gap_ns > 0 && gap_ns < kShortGap_ns)
      add(Severity::warning, {},
          fmt::format("the mean time {} is {:.0f} ns; is the unit of the times that of the format?",
                      what, gap_ns));
    if (open && first_ns_ > 0 && first_ns_ > 1000 * (last_ns_ - first_ns_))
      add(Severity::warning, {},
          fmt::format("the first request arrives after {:.0f} s; are the times those of a clock?",
                      static_cast<double>(first_ns_) / kSecond));
    if (open && 2 * repeated_ > lint_.requests)
      add(Severity::warning, {},
          fmt::format(
              "{} of {} requests arrive at the very time of the one before; is the clock too "
              "coarse?",
              repeated_, lint_.requests));
    if (!reader.source().says_block_bytes && in_bytes_)
      add(Severity::warning, {},
          "every LBN and every number of blocks is a multiple of 512; are they bytes?");
    if (measured_ > 0 && unmeasured_ > 0 && !measures(lint_.format))
      add(Severity::warning, {},
          fmt::format("{} of {} requests have no completion", unmeasured_, lint_.requests));
  }

  // What the tracer says is missing is a warning where it says so.
  void see_skipped(const CheckedReader& reader) {
    for (const Skipped& skipped : reader.skipped())
      if (skipped.kind == Skipped::Kind::lost)
        add(Severity::warning, skipped.first, in_words(skipped));
      else
        lint_.skipped.push_back(skipped);
  }

  // Of a request: shown at its first places, and in the end counted.
  void warn(Warning warning, const Place& place, const std::string& what) {
    const auto kind = static_cast<std::size_t>(warning);
    if (++found_[kind] > kPlacesOfAKind || lint_.findings.size() >= most_) {
      ++lint_.warnings;
      return;
    }
    ++shown_[kind];
    add(Severity::warning, place, what);
  }

  void add(Severity severity, const Place& place, const std::string& what) {
    ++(severity == Severity::error ? lint_.errors : lint_.warnings);
    if (lint_.findings.size() < most_) lint_.findings.push_back({severity, place, what});
  }

  std::size_t most_;
  Lint lint_;
  std::optional<TimeDoubt> doubt_;  // once the format is known
  std::set<std::uint32_t> devices_;
  Nanoseconds first_ns_ = 0, last_ns_ = 0;
  double thinks_ns_ = 0;
  std::uint64_t repeated_ = 0, measured_ = 0, unmeasured_ = 0;
  std::array<std::uint64_t, kCalled.size()> found_{}, shown_{};  // of each kind of Warning
  bool in_bytes_ = true, records_have_devices_ = false;
};

}  // namespace

Lint lint(const std::string& path, const Reading& reading, std::size_t most) {
  std::vector<Input> inputs = open_inputs(path);
  const std::string name = path == "-" ? inputs.front().name() : path;
  return Linter(name, most).run(std::move(inputs), reading);
}

Lint lint(std::unique_ptr<ByteSource> bytes, const std::string& name, const Reading& reading,
          std::size_t most) {
  return Linter(name, most).run(open_inputs(std::move(bytes), name), reading);
}

}  // namespace platter::trace
