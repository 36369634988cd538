// Reads of an emulated drive by a guest of a vhost-user SCSI host, random unless --sequential, the
// time of each (from the kick to the entry of the used ring) written to a file, in the order of
// their starts.
//
//   vhost_load SOCKET [--requests N] [--depth N] [--bytes N] [--seed N] [--fifo] [--sequential]
//   [--latencies FILE]
#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "client_side.h"
#include "emulator/vhost_user/channel.h"
#include "emulator_vhost_user/guest.h"

namespace {

using platter::bench::now_ns;
using platter::bench::wake_at_once;
using platter::bench::write_latencies;
using platter::emulator::Message;
using platter::emulator::MessageKind;
using platter::emulator::testing::Bytes;
using platter::emulator::testing::Guest;

struct Options {
  std::string socket{}, latencies{};
  std::uint64_t requests = 1000, seed = 1;
  std::size_t depth = 1, bytes = 4096;
  bool fifo = false, sequential = false;
};

[[noreturn]] void fail(const std::string& what) {
  fmt::print(stderr, "vhost_load: {}\n", what);
  std::exit(1);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : ""; };
    if (word == "--fifo")
      options.fifo = true;
    else if (word == "--sequential")
      options.sequential = true;
    else if (word == "--requests")
      options.requests = std::stoull(value());
    else if (word == "--depth")
      options.depth = std::stoull(value());
    else if (word == "--bytes")
      options.bytes = std::stoull(value());
    else if (word == "--seed")
      options.seed = std::stoull(value());
    else if (word == "--latencies")
      options.latencies = value();
    else if (options.socket.empty() && !word.starts_with("--"))
      options.socket = word;
    else
      fail("unknown option " + word);
  }
  if (options.socket.empty() || options.depth == 0 || options.depth > 32)
    fail("usage: vhost_load SOCKET, at most 32 outstanding");
  return options;
}

std::uint64_t big_endian(const Bytes& bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < size; ++i) number = number << 8 | bytes.at(at + i);
  return number;
}

int connected(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    fail("no server at " + path);
  return socket;
}

class Load {
 public:
  explicit Load(const Options& options) : options_(options), random_(options.seed) {
    const int socket = connected(options.socket);
    guest_.begin([&](const Message& message) {
      if (!platter::emulator::testing::say(socket, message)) fail("the server hung up");
      if (message.kind == MessageKind::get_features && !platter::emulator::receive(socket))
        fail("no features");
    });
    while (done({.cdb = Bytes(6)}).status != 0) {
    }
    Bytes capacity(16);  // READ CAPACITY(16); a drive of SCSI-2 has that of 10 bytes
    capacity[0] = 0x9e;
    capacity[1] = 0x10;
    capacity[13] = 32;
    const Guest::Answer told = done({.cdb = capacity, .in = 32});
    has_long_addresses_ = told.status == 0;
    const std::size_t width = has_long_addresses_ ? 8 : 4;
    Bytes short_capacity(10);
    short_capacity[0] = 0x25;
    const Bytes data = has_long_addresses_ ? told.data
                                           : done({.cdb = short_capacity, .in = 8}).data;
    block_bytes_ = big_endian(data, width, 4);
    if (block_bytes_ == 0 || options.bytes % block_bytes_ != 0) fail("no whole blocks");
    places_ = (big_endian(data, 0, width) + 1) * block_bytes_ / options.bytes;
  }

  void run() {
    while (started_ < options_.depth && started_ < options_.requests) start();
    guest_.kick();
    for (std::uint64_t answered = 0; answered < options_.requests;) {
      eventfd_t times = 0;
      eventfd_read(guest_.call_descriptor(), &times);
      const std::int64_t at_ns = now_ns();  // before the data are looked at
      bool kicks = false;
      while (const auto answer = guest_.answer()) {
        if (answer->status != 0)
          fail(fmt::format("a read ended with status {:02x}h", answer->status));
        const UnderWay& each = under_way_.at(answer->id);
        latencies_ns_.at(each.number) = at_ns - each.began_ns;
        taken_.erase(each.place);
        ++answered;
        if (started_ == options_.requests) continue;
        start();
        kicks = true;
      }
      if (kicks) guest_.kick();
    }
  }
  const std::vector<std::int64_t>& latencies_ns() const { return latencies_ns_; }

 private:
  struct UnderWay {
    std::uint64_t number = 0, place = 0;
    std::int64_t began_ns = 0;
  };

  Guest::Answer done(const Guest::Asked& asked) {
    guest_.ask(asked);
    guest_.kick();
    for (;;) {
      eventfd_t times = 0;
      eventfd_read(guest_.call_descriptor(), &times);
      if (auto answer = guest_.answer()) return *std::move(answer);
    }
  }

  // READ(16) or READ(10).
  Bytes read_cdb(std::uint64_t lbn, std::uint64_t blocks) const {
    Bytes cdb(has_long_addresses_ ? 16 : 10);
    cdb[0] = has_long_addresses_ ? 0x88 : 0x28;
    const auto put = [&](std::uint64_t number, std::size_t at, std::size_t size) {
      for (std::size_t i = 0; i < size; ++i)
        cdb.at(at + i) = static_cast<std::uint8_t>(number >> (8 * (size - 1 - i)));
    };
    put(lbn, 2, has_long_addresses_ ? 8 : 4);
    if (has_long_addresses_)
      put(blocks, 10, 4);
    else
      put(blocks, 7, 2);
    return cdb;
  }

  void start() {
    std::uint64_t place = 0;
    do place = options_.sequential ? started_ % places_ : random_() % places_;
    while (!taken_.insert(place).second);
    const std::uint64_t blocks = options_.bytes / block_bytes_;
    Bytes cdb = read_cdb(place * blocks, blocks);
    latencies_ns_.push_back(0);
    const std::int64_t began_ns = now_ns();
    const std::uint16_t id = guest_.ask({.cdb = std::move(cdb),
                                         .in = static_cast<std::uint32_t>(options_.bytes),
                                         .tag = started_ + 1});
    under_way_[id] = {started_++, place, began_ns};
  }

  const Options& options_;
  std::mt19937_64 random_;
  Guest guest_{};
  bool has_long_addresses_ = false;
  std::uint64_t block_bytes_ = 0, places_ = 0, started_ = 0;
  std::unordered_map<std::uint16_t, UnderWay> under_way_{};
  std::set<std::uint64_t> taken_{};
  std::vector<std::int64_t> latencies_ns_{};
};

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (!wake_at_once(options.fifo)) fail("no SCHED_FIFO here");
  Load load(options);
  load.run();
  if (!write_latencies(options.latencies, load.latencies_ns()))
    fail("cannot write " + options.latencies);
  return 0;
}
