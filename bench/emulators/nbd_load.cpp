// Requests to an NBD server, random unless --sequential, each answer checked: what was written last
// comes back. Where a file is named, the time of each request is written there, in the order of
// their starts.
//
//   nbd_load URI [--requests N] [--depth N] [--bytes N] [--writes SHARE] [--seed N] [--fifo]
//            [--sequential] [--span BYTES] [--latencies FILE] [--stay]
//
// --stay: remains connected and silent until it is killed.
#include <fmt/core.h>
#include <libnbd.h>
#include <poll.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "client_side.h"

namespace {

using platter::bench::now_ns;
using platter::bench::wake_at_once;
using platter::bench::write_latencies;

struct Options {
  std::string uri{}, latencies{};
  std::uint64_t requests = 1000, seed = 1, span = 0;
  std::size_t depth = 1, bytes = 4096;
  double writes = 0;
  bool fifo = false, stay = false, sequential = false;
};

[[noreturn]] void fail(const std::string& what) {
  fmt::print(stderr, "nbd_load: {}\n", what);
  std::exit(1);
}

Options parse(int argc, char** argv) {
  Options options;
  const std::unordered_map<std::string, std::function<void(const char*)>> known{
      {"--requests", [&](const char* value) { options.requests = std::stoull(value); }},
      {"--depth", [&](const char* value) { options.depth = std::stoull(value); }},
      {"--bytes", [&](const char* value) { options.bytes = std::stoull(value); }},
      {"--writes", [&](const char* value) { options.writes = std::stod(value); }},
      {"--seed", [&](const char* value) { options.seed = std::stoull(value); }},
      {"--span", [&](const char* value) { options.span = std::stoull(value); }},
      {"--latencies", [&](const char* value) { options.latencies = value; }}};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--fifo")
      options.fifo = true;
    else if (word == "--sequential")
      options.sequential = true;
    else if (word == "--stay")
      options.stay = true;
    else if (const auto found = known.find(word); found != known.end() && i + 1 < argc)
      found->second(argv[++i]);
    else if (options.uri.empty() && !word.starts_with("--"))
      options.uri = word;
    else
      fail("unknown option " + word);
  }
  if (options.uri.empty() || options.depth == 0 || options.bytes == 0) fail("usage: nbd_load URI");
  return options;
}

class Load {
 public:
  explicit Load(const Options& options)
      : options_(options), random_(options.seed), client_(nbd_create(), nbd_close) {
    if (!client_ || nbd_connect_uri(client_.get(), options.uri.c_str()) != 0) fail(nbd_get_error());
    const std::int64_t size = nbd_get_size(client_.get());
    const std::uint64_t bytes = options.span != 0 ? options.span : static_cast<std::uint64_t>(size);
    places_ = bytes / options.bytes;
    for (std::size_t i = 0; i < options.depth; ++i) under_way_.emplace_back(options.bytes);
  }

  void run() {
    while (done_ < options_.requests) {
      for (UnderWay& each : under_way_)
        if (!each.busy && started_ < options_.requests) start(each);
      if (nbd_poll(client_.get(), -1) < 0) fail(nbd_get_error());
      for (UnderWay& each : under_way_) finish(each);
    }
  }

  std::uint64_t wrong() const { return wrong_; }
  const std::vector<std::int64_t>& latencies_ns() const { return latencies_ns_; }

 private:
  struct UnderWay {
    explicit UnderWay(std::size_t bytes) : data(bytes) {}
    bool busy = false, write = false, answered = false;
    std::uint64_t place = 0, number = 0;
    std::int64_t began_ns = 0, ended_ns = 0, cookie = 0;
    std::vector<std::uint8_t> data;
  };

  static int on_completion(void* user, int* error) {
    auto* const each = static_cast<UnderWay*>(user);
    each->ended_ns = now_ns();
    each->answered = *error == 0;
    if (*error != 0) fail(std::string("a request failed: ") + std::strerror(*error));
    return 0;
  }

  // The place's and the write's number, over and over.
  static void fill(std::vector<std::uint8_t>& data, std::uint64_t place, std::uint64_t number) {
    const std::uint64_t words[] = {place + 1, number + 1};
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = reinterpret_cast<const std::uint8_t*>(words)[i % sizeof words];
  }

  bool is_taken(std::uint64_t place) const {
    for (const UnderWay& each : under_way_)
      if (each.busy && each.place == place) return true;
    return false;
  }

  void start(UnderWay& each) {
    do each.place = options_.sequential ? started_ % places_ : random_() % places_;
    while (is_taken(each.place));
    each.write = std::uniform_real_distribution<double>()(random_) < options_.writes;
    each.number = started_++;
    each.busy = true;
    each.answered = false;
    latencies_ns_.push_back(0);
    if (each.write) fill(each.data, each.place, each.number);
    nbd_completion_callback done{};
    done.callback = on_completion;
    done.user_data = &each;
    const std::uint64_t offset = each.place * options_.bytes;
    each.began_ns = now_ns();
    each.cookie =
        each.write
            ? nbd_aio_pwrite(client_.get(), each.data.data(), each.data.size(), offset, done, 0)
            : nbd_aio_pread(client_.get(), each.data.data(), each.data.size(), offset, done, 0);
    if (each.cookie < 0) fail(nbd_get_error());
  }

  void finish(UnderWay& each) {
    if (!each.busy || !each.answered) return;
    nbd_aio_command_completed(client_.get(), static_cast<std::uint64_t>(each.cookie));
    latencies_ns_[each.number] = each.ended_ns - each.began_ns;
    if (each.write)
      written_[each.place] = each.number;
    else
      check(each);
    each.busy = false;
    ++done_;
  }

  void check(const UnderWay& each) {
    std::vector<std::uint8_t> wanted(each.data.size());
    if (const auto found = written_.find(each.place); found != written_.end())
      fill(wanted, each.place, found->second);
    else if (options_.writes == 0)
      return;  // what was there before
    if (wanted != each.data) ++wrong_;
  }

  const Options& options_;
  std::mt19937_64 random_;
  std::unique_ptr<nbd_handle, decltype(&nbd_close)> client_;
  std::uint64_t places_ = 0, started_ = 0, done_ = 0, wrong_ = 0;
  std::vector<UnderWay> under_way_{};
  std::unordered_map<std::uint64_t, std::uint64_t> written_{};
  std::vector<std::int64_t> latencies_ns_{};
};

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (!wake_at_once(options.fifo)) fail("no SCHED_FIFO here");
  Load load(options);
  const std::int64_t began_ns = now_ns();
  load.run();
  fmt::print("{} requests at depth {} in {:.3f} s, {} with wrong data\n", options.requests,
             options.depth, static_cast<double>(now_ns() - began_ns) / 1e9, load.wrong());
  std::fflush(stdout);
  if (options.stay) pause();
  if (!write_latencies(options.latencies, load.latencies_ns()))
    fail("cannot write " + options.latencies);
  return load.wrong() == 0 ? 0 : 1;
}
