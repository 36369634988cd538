// A drive of today behind `exec:`; it shares nothing with src/engine, nor with alien.py.
//
//   platter characterize "exec:build/release/today --drive 7 --seed 3"
//   today --drive 7 --truth

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <string>

#include "target.h"

namespace today {
namespace {

constexpr std::uint32_t kFrameLimit = 16 << 20;
constexpr std::uint8_t kNothing = 0xFF, kTaskSetFull = 0x28;
enum : std::uint8_t { kCommand, kWait, kReset, kAdvance };

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "today: %s\n", what);
  std::exit(1);
}

class Input {
 public:
  // False: the input ended before the first byte.
  bool read(void* into, std::size_t count) {
    auto* out = static_cast<char*>(into);
    const std::size_t wanted = count;
    while (count) {
      if (at_ == end_) {
        const ssize_t got = ::read(0, buffer_, sizeof buffer_);
        if (got <= 0 && count == wanted) return false;
        if (got <= 0) fail("input ended inside a request");
        at_ = 0;
        end_ = static_cast<std::size_t>(got);
      }
      const std::size_t some = std::min(count, end_ - at_);
      std::memcpy(out, buffer_ + at_, some);
      out += some;
      at_ += some;
      count -= some;
    }
    return true;
  }

 private:
  char buffer_[1 << 16];
  std::size_t at_ = 0, end_ = 0;
};

void write_all(const Bytes& data) {
  for (std::size_t at = 0; at < data.size();) {
    const ssize_t put = ::write(1, data.data() + at, data.size() - at);
    if (put <= 0) std::exit(0);
    at += static_cast<std::size_t>(put);
  }
}

std::uint64_t little(const std::uint8_t* from, int bytes) {
  std::uint64_t value = 0;
  for (int i = bytes - 1; i >= 0; --i) value = value << 8 | from[i];
  return value;
}

void put_little(Bytes& data, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) data.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

class Session {
 public:
  Session(const Design& design, std::uint64_t seed, bool noise, std::FILE* log)
      : drive_(design, seed, noise), target_(design, drive_), log_(log) {}

  void serve() {
    write_all(Bytes{'S', 'C', 'S', 'I', 'D', 'R', 'V', '2'});
    Input input;
    std::uint8_t head[32];
    while (input.read(head, 4)) {
      const auto length = static_cast<std::uint32_t>(little(head, 4));
      if (length < 22 || length > kFrameLimit) fail("a request's length is impossible");
      Bytes body(length);
      if (!input.read(body.data(), length)) fail("input ended inside a request");
      take(body);
    }
  }

 private:
  void take(const Bytes& body) {
    Request request;
    request.issue_ns = little(body.data(), 8);
    request.tag = static_cast<std::uint32_t>(little(body.data() + 8, 4));
    const std::uint8_t kind = body[12], more = body[13];
    request.lun = body[14];
    request.attribute = body[15];
    request.direction = body[16];
    const std::size_t cdb_length = body[17];
    request.transfer_length = static_cast<std::uint32_t>(little(body.data() + 18, 4));
    const std::size_t data = request.direction == 2 ? request.transfer_length : 0;
    if (kind > kAdvance || more > 1 || request.direction > 2)
      fail("a field of a request is impossible");
    if (body.size() != 22 + cdb_length + data)
      fail("a request's length is not what its fields need");
    request.cdb.assign(body.begin() + 22,
                       body.begin() + 22 + static_cast<std::ptrdiff_t>(cdb_length));
    request.data.assign(body.begin() + 22 + static_cast<std::ptrdiff_t>(cdb_length), body.end());
    if (kind != kWait && request.issue_ns < reported_) fail("a request lies in the past");
    switch (kind) {
      case kCommand:
        if (cdb_length < 6) fail("a command without a command");
        submit(request);
        if (!more) answer(std::numeric_limits<double>::infinity(), reported_);
        break;
      case kWait:
        answer(std::numeric_limits<double>::infinity(), reported_);
        break;
      case kAdvance:
        answer(static_cast<double>(request.issue_ns), request.issue_ns);
        break;
      default:
        drive_.reset(static_cast<double>(request.issue_ns));
        target_.reset();
        answers_.clear();
        reply(request.issue_ns + 1'500'000, request.tag, {});
    }
  }

  void submit(const Request& request) {
    if (answers_.contains(request.tag)) fail("a tag is outstanding already");
    Job job;
    job.tag = request.tag;
    job.issued = static_cast<double>(request.issue_ns);
    job.attribute = request.attribute;
    Answer answer;
    if (drive_.outstanding() >= target_.depth()) {
      answer.status = kTaskSetFull;
      answer.residual = request.direction ? request.transfer_length : 0;
    } else {
      answer = target_.execute(request, job);
    }
    if (log_) jobs_[request.tag] = job;
    answers_[request.tag] = std::move(answer);
    drive_.arrive(job);
  }

  void answer(double until, std::uint64_t otherwise) {
    Done done;
    if (!drive_.next(until, done)) {
      Answer none;
      none.status = kNothing;
      return reply(otherwise, 0, none);
    }
    const auto found = answers_.find(done.tag);
    if (log_) {
      const Job& job = jobs_[done.tag];
      std::fprintf(log_, "%.0f %.0f %d %lld %lld %d %d\n", job.issued, done.at - job.issued,
                   static_cast<int>(job.kind), static_cast<long long>(job.lbn),
                   static_cast<long long>(job.blocks), job.force, done.hit);
    }
    const Answer answer = std::move(found->second);
    answers_.erase(found);
    reply(static_cast<std::uint64_t>(done.at), done.tag, answer);
  }

  void reply(std::uint64_t at, std::uint32_t tag, const Answer& answer) {
    reported_ = std::max(reported_, at);
    Bytes frame;
    frame.reserve(32 + answer.sense.size() + answer.data.size());
    put_little(frame, 24 + answer.sense.size() + answer.data.size(), 4);
    put_little(frame, reported_, 8);
    put_little(frame, tag, 4);
    frame.push_back(answer.status);
    frame.push_back(static_cast<std::uint8_t>(answer.sense.size()));
    put_little(frame, 0, 2);
    put_little(frame, answer.residual, 4);
    put_little(frame, answer.data.size(), 4);
    frame.insert(frame.end(), answer.sense.begin(), answer.sense.end());
    frame.insert(frame.end(), answer.data.begin(), answer.data.end());
    write_all(frame);
  }

  Drive drive_;
  Target target_;
  std::FILE* log_;
  std::uint64_t reported_ = 0;
  std::map<std::uint32_t, Answer> answers_;
  std::map<std::uint32_t, Job> jobs_;
};

}  // namespace
}  // namespace today

int main(int argc, char** argv) {
  int number = 1;
  unsigned long long seed = 1;
  bool noise = true, truth = false;
  std::FILE* log = nullptr;
  std::map<std::string, double> settings;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const bool valued = i + 1 < argc;
    if (option == "--no-noise") {
      noise = false;
    } else if (option == "--truth") {
      truth = true;
    } else if (option == "--drive" && valued) {
      number = std::atoi(argv[++i]);
    } else if (option == "--seed" && valued) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (option == "--log" && valued) {
      log = std::fopen(argv[++i], "w");
    } else if (option == "--set" && valued) {
      const std::string text = argv[++i];
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos) today::fail("--set wants NAME=NUMBER");
      settings[text.substr(0, equals)] = std::atof(text.c_str() + equals + 1);
    } else {
      std::fprintf(stderr,
                   "today: usage: --drive N [--seed N] [--set NAME=NUMBER]... [--no-noise] [--log "
                   "FILE] [--truth]\n");
      return 2;
    }
  }
  if (number < 0) today::fail("--drive is 0 or more");
  today::Design design = today::designed(number);
  for (const auto& [name, value] : settings)
    if (!today::set(design, name, value)) today::fail(("nothing is called " + name).c_str());
  if (truth) {
    std::fputs(today::truth_of(design).c_str(), stdout);
    return 0;
  }
  today::Session(design, seed, noise, log).serve();
  if (log) std::fclose(log);
  return 0;
}
