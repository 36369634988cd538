#include "trace/checked_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <queue>
#include <set>
#include <utility>

#include "trace/formats.h"
#include "trace/skips.h"
#include "trace/time_doubt.h"

namespace platter::trace {
namespace {

class OneFormat final : public CheckedReader {
 public:
  OneFormat(std::unique_ptr<RecordReader> records, const std::string& name, const Reading& reading,
            Devices devices)
      : records_(std::move(records)),
        reading_(reading),
        any_device_(!reading.device.empty() || reading.all_devices || devices == Devices::all ||
                    !records_->has_devices()),
        wanted_(number_of_device(reading.device)),
        places_(std::max(reading.reorder, records_->disorder())),
        in_bytes_(records_->in_bytes()),
        ascending_(records_->ascending()),
        from_clock_(records_->from_clock()),
        source_{.name = name,
                .kind = records_->kind(),
                .format = reading.format,
                .block_bytes = reading.block_bytes,
                .says_block_bytes = in_bytes_},
        doubt_(records_->kind(), devices == Devices::all ? 0 : doubted_unit_ns(reading),
               slow_ns_of(reading)) {
    if (!reading.columns.empty() && reading.format != Format::csv)
      throw Error(ExitStatus::usage,
                  fmt::format("the format {} has columns of its own: leave --csv-columns out",
                              name_of(reading.format)));
    if (!reading.line_regex.empty() && reading.format != Format::csv)
      throw Error(ExitStatus::usage,
                  fmt::format("the format {} has lines of its own: leave --line-regex out",
                              name_of(reading.format)));
    const FormatRow* const row = row_of(reading.format);
    if (reading.time_unit_ns > 0 && row && row->unit_ns == 0)
      throw Error(ExitStatus::usage,
                  fmt::format("traces of the format {} say the unit of their times: leave "
                              "--time-unit out",
                              name_of(reading.format)));
  }

  const Source& source() const override { return source_; }
  std::vector<Skipped> skipped() const override {
    std::vector<Skipped> all = records_->skipped();
    if (others_.count > 0) all.push_back(others_);
    return all;
  }
  std::string device_text(std::uint32_t device) const override {
    return records_->device_text(device);
  }
  Place place(Part part) const override { return places_ == 0 ? records_->place(part) : place_; }
  bool grew() const override { return grew_; }

  std::size_t read(std::span<Request> out) override {
    std::size_t count = 0;
    while (count < out.size() && next_in_order()) {
      check_order();
      if (const auto doubt = doubt_.see(current_.request)) refuse_times(*doubt);
      if (is_chosen(current_.request.device))
        out[count++] = current_.request;
      else if (others_.count++ == 0)
        others_.first = place(Part::device);
    }
    if (count < out.size())
      if (const auto doubt = doubt_.at_end()) refuse_times(*doubt);
    if (count == 0 && !out.empty()) check_whole();
    return count;
  }

 private:
  struct Timed {
    Request request{};
    Place place{};
    std::uint64_t number = 0;
  };
  struct Later {
    bool operator()(const Timed& a, const Timed& b) const {
      return std::pair(a.request.arrival_ns, a.number) > std::pair(b.request.arrival_ns, b.number);
    }
  };

  [[noreturn]] void refuse_times(const std::string& doubt) const {
    throw Error(ExitStatus::bad_input, fmt::format("{}: {}", source_.name, doubt));
  }

  [[noreturn]] void fail(Part part, const std::string& what) const {
    throw BadRecord(source_.name, records_->place(part), what);
  }

  bool next_in_order() {
    if (places_ == 0) return next();
    while (waiting_.size() <= places_ && next())
      waiting_.push({current_.request, records_->place(Part::time), number_++});
    if (waiting_.empty()) return false;
    current_.request = waiting_.top().request;
    place_ = waiting_.top().place;
    waiting_.pop();
    return true;
  }

  bool next() {
    if (!next_record()) return false;
    if (current_.request.arrival_ns > kLongestTime_ns)
      fail(Part::time,
           fmt::format("the arrival time {:.0f} s is later than the 104 days that a trace may "
                       "last{}",
                       static_cast<double>(current_.request.arrival_ns) / kSecond,
                       doubted_unit_ns(reading_) > 0 ? "; if they are in another unit than the "
                                                       "format's, say it by --time-unit"
                                                     : ""));
    if (is_chosen(current_.request.device)) set_blocks();
    return true;
  }

  // A time that no format's unit allows may be in another one.
  bool next_record() {
    try {
      return records_->next(current_);
    } catch (const BadRecord& bad) {
      const bool of_time = doubted_unit_ns(reading_) > 0 &&
                           bad.finding().find("time") != std::string::npos &&
                           bad.finding().find("out of range") != std::string::npos;
      if (!of_time) throw;
      throw BadRecord(source_.name, bad.place(),
                      bad.finding() +
                          "; if the file's times are in another unit than the "
                          "format's, say it by --time-unit");
    }
  }

  void set_blocks() {
    std::uint64_t lbn = current_.first, blocks = current_.count;
    if (blocks == 0)
      fail(Part::blocks, fmt::format("a request of 0 {} is none", in_bytes_ ? "bytes" : "blocks"));
    if (in_bytes_) to_blocks(lbn, blocks);
    if (blocks > std::numeric_limits<std::uint32_t>::max())
      fail(Part::blocks, fmt::format("a request of {} blocks is longer than any", blocks));
    const std::uint64_t capacity =
        reading_.blocks.value_or(std::numeric_limits<std::uint64_t>::max());
    if (lbn >= capacity || blocks > capacity - lbn)
      fail(Part::lbn,
           fmt::format("LBN {} with {} blocks lies past the end of the drive, which has {} "
                       "blocks",
                       lbn, blocks, capacity));
    current_.request.lbn = lbn;
    current_.request.blocks = static_cast<std::uint32_t>(blocks);
  }

  // From bytes to blocks, outward where they are no whole ones and may be rounded.
  void to_blocks(std::uint64_t& first, std::uint64_t& count) {
    const std::uint32_t block = reading_.block_bytes;
    if (count > std::numeric_limits<std::uint64_t>::max() - first)
      fail(Part::lbn, fmt::format("byte {} lies past the end of any drive", first));
    const std::uint64_t begin = first, end = first + count;
    if (!reading_.round && begin % block != 0)
      fail(Part::lbn, fmt::format("the request begins at byte {}, no multiple of {}; give "
                                  "--block-bytes or --round",
                                  begin, block));
    if (!reading_.round && end % block != 0)
      fail(Part::blocks, fmt::format("the request of {} bytes is no multiple of {}; give "
                                     "--block-bytes or --round",
                                     count, block));
    grew_ = begin % block != 0 || end % block != 0;
    first = begin / block;
    count = end / block + (end % block != 0 ? 1 : 0) - first;
  }

  void check_order() {
    if (!ascending_) return;
    if (from_clock_) {
      if (!begun_) begin_ns_ = current_.request.arrival_ns;
      begun_ = true;
      current_.request.arrival_ns -= begin_ns_;
    }
    const Nanoseconds before_ns = std::exchange(latest_ns_, current_.request.arrival_ns);
    if (latest_ns_ < before_ns)
      throw BadRecord(
          source_.name, place(Part::time),
          fmt::format("the arrival time {} ms is before that of the request above, {} ms; "
                      "give --reorder N if requests are at most N places out of order",
                      to_ms(latest_ns_), to_ms(before_ns)));
  }

  bool is_chosen(std::uint32_t device) {
    if (seen_any_ && device == last_seen_) return chosen_;
    devices_.insert(device);
    last_seen_ = device;
    seen_any_ = true;
    if (devices_.size() > 1 && !any_device_) several_devices();
    chosen_ = is_wanted(device);
    return chosen_;
  }

  bool is_wanted(std::uint32_t device) const {
    return reading_.device.empty() || !records_->has_devices() || device == wanted_ ||
           records_->device_text(device) == reading_.device;
  }

  // Reads on to name them all.
  [[noreturn]] void several_devices() {
    const auto next = [this](Record& record) {
      for (;;) try {
          return records_->next(record);
        } catch (const BadRecord&) {  // an error of its own, once the device is chosen
        } catch (const Error&) {
          return false;
        }
    };
    for (Record record; next(record);) devices_.insert(record.request.device);
    throw Error(ExitStatus::bad_input,
                fmt::format("{} holds requests for several devices ({}): choose one with "
                            "--device-number N",
                            source_.name, listed_devices()));
  }

  void check_whole() const {
    if (devices_.empty()) {
      const std::string passed = in_words(records_->skipped());
      throw Error(ExitStatus::bad_input, fmt::format("{} holds no request{}{}", source_.name,
                                                     passed.empty() ? "" : ": ", passed));
    }
    if (!std::ranges::any_of(devices_, [&](auto device) { return is_wanted(device); }))
      throw Error(ExitStatus::bad_input,
                  fmt::format("{} has no request for device {}; it has devices {}", source_.name,
                              wanted_ ? records_->device_text(*wanted_) : reading_.device,
                              listed_devices()));
  }

  std::string listed_devices() const {
    std::string list;
    for (const std::uint32_t device : devices_) {
      if (list.size() > 100) return list + ", ...";
      list += (list.empty() ? "" : ", ") + records_->device_text(device);
    }
    return list;
  }

  std::unique_ptr<RecordReader> records_;
  Reading reading_;
  bool any_device_;                         // a second one is no error
  std::optional<std::uint32_t> wanted_;     // where the device is told by a number
  std::uint32_t places_;                    // requests may lie so far from the order of their times
  bool in_bytes_, ascending_, from_clock_;  // what the format says of all records
  Source source_;
  Record current_{};
  std::set<std::uint32_t> devices_;
  std::uint32_t last_seen_ = 0;
  bool seen_any_ = false, chosen_ = false, begun_ = false, grew_ = false;
  Nanoseconds begin_ns_ = 0, latest_ns_ = 0;
  std::priority_queue<Timed, std::vector<Timed>, Later> waiting_;
  std::uint64_t number_ = 0;
  Place place_{};
  Skipped others_{.what = "requests of other devices", .kind = Skipped::Kind::form};
  TimeDoubt doubt_;
};

}  // namespace

std::unique_ptr<RecordReader> record_reader(std::vector<Input> inputs, Reading& reading) {
  const bool columns = !reading.columns.empty(), expression = !reading.line_regex.empty();
  if (columns && expression)
    throw Error(ExitStatus::usage,
                "--csv-columns and --line-regex both say where a line has its parts; give one");
  if (reading.format == Format::detect && (columns || expression)) reading.format = Format::csv;
  for (Input& input : inputs)  // the file of a processor that was idle is empty
    if (reading.format == Format::detect) reading.format = detected(input);
  const FormatRow& row = reading.format == Format::detect ? kAscii : *row_of(reading.format);
  if (reading.time_unit_ns == 0 && row.unit_ns > 0 && row.names_unit &&
      row.names_unit(inputs.front()))
    reading.time_unit_ns = row.unit_ns;
  Reading told = reading;
  if (told.time_unit_ns == 0) told.time_unit_ns = row.unit_ns;
  return row.reader(std::move(inputs), told);
}

Nanoseconds doubted_unit_ns(const Reading& reading) {
  const FormatRow& row = reading.format == Format::detect ? kAscii : *row_of(reading.format);
  return reading.time_unit_ns > 0 || !row.doubted ? 0 : row.unit_ns;
}

Nanoseconds slow_ns_of(const Reading& reading) {
  const FormatRow* const row = row_of(reading.format);
  return row ? row->slow_ns : kAscii.slow_ns;
}

std::unique_ptr<CheckedReader> checked_reader(std::unique_ptr<RecordReader> records,
                                              const std::string& name, const Reading& reading,
                                              Devices devices) {
  return std::make_unique<OneFormat>(std::move(records), name, reading, devices);
}

}  // namespace platter::trace
