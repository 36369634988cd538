#include "emulator/ublk/prober.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace platter::emulator::ublk {
namespace {

// More at once may be cut by the kernel, by where its pages lie; beyond it the line goes on.
constexpr std::uint32_t kMostBytes = 64 << 10;
// Those to the awake are of the second half.
constexpr std::uint64_t kBytes = 4U << 20, kAwakeFrom = kBytes / 2;
constexpr std::size_t kPage = 4096;

}  // namespace

void Prober::Free::operator()(void* memory) const { std::free(memory); }

Prober::Prober(std::uint32_t block_bytes, bool in_real_time, TransportDelay& delay,
               std::function<void(const std::string&)> measured)
    : delay_(delay),
      data_(std::aligned_alloc(kPage, kMostBytes)),
      device_(params_for(block_bytes, kBytes, kMostBytes)),
      queue_(device_, kMostBytes, in_real_time, nullptr,
             [this](const Request& request, Courier& courier) { return serve(request, courier); }) {
  std::memset(data_.get(), 0, kMostBytes);
  device_.start();
  client_ = model::Descriptor(::open(path().c_str(), O_RDWR | O_DIRECT | O_CLOEXEC));
  const int error = client_.get() < 0 ? errno : 0;
  commands_ = std::make_unique<NullCommands>(
      in_real_time, kMostBytes, delay,
      [this, error](const NullCommand& what) {
        return error != 0 ? path() + " cannot be opened: " + std::strerror(error) : send(what);
      },
      [this, measured = std::move(measured)](const std::string& trouble) {
        if (!ends_) measured(trouble);
      });
  listens_ = commands_.get();
}

Prober::~Prober() {
  ends_ = true;
  device_.stop();  // then nothing is under way that knows the commands
  commands_.reset();
}

std::string Prober::send(const NullCommand& what) {
  const std::size_t bytes = TransportDelay::kBytes[what.bytes_at];
  const auto from = static_cast<off_t>(what.awake ? kAwakeFrom : 0);
  const ssize_t done = what.data == NullCommand::Data::write
                           ? ::pwrite(client_.get(), data_.get(), bytes, from)
                           : ::pread(client_.get(), data_.get(), bytes, from);
  return done == static_cast<ssize_t>(bytes) ? "" : std::strerror(done < 0 ? errno : EIO);
}

// What others read of it, as the kernel its partitions, is answered at once.
int Prober::serve(const Request& request, Courier& courier) {
  const bool writes = request.kind == UBLK_IO_OP_WRITE;
  if (!writes) std::memset(request.data.data(), 0, request.data.size());
  NullCommands* const commands = listens_;
  if (commands == nullptr || request.data.empty()) return 0;
  commands->seen(request.came_host_ns);
  const std::uint64_t in = writes ? request.bytes : 0, out = writes ? 0 : request.bytes;
  courier.answer_at(
      answer_host_ns(delay_, request.came_host_ns, in, out, request.offset >= kAwakeFrom), 0,
      [commands](Nanoseconds now_host_ns) {
        commands->answered(now_host_ns);
        return true;
      });
  return kByCourier;
}

}  // namespace platter::emulator::ublk
