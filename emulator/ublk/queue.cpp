#include "emulator/ublk/queue.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <iterator>
#include <limits>
#include <new>
#include <span>
#include <utility>

#include "emulator/pace/real_time.h"

namespace platter::emulator::ublk {
namespace {

constexpr std::uint64_t kWoken = kDepth;  // no tag
constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();

// Of descriptions: by whole pages.
std::size_t asked_bytes() {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (kDepth * sizeof(ublksrv_io_desc) + page - 1) / page * page;
}

}  // namespace

int serve(ServedDrive& drive, const Request& request, const Connection& who, Courier& courier) {
  const Nanoseconds came = request.came_host_ns;
  switch (request.kind) {
    case UBLK_IO_OP_READ:
      return drive.read(request.offset, request.data, came, who, &courier);
    case UBLK_IO_OP_WRITE:
      return drive.write(request.offset, request.data, request.through, came, who, &courier);
    case UBLK_IO_OP_FLUSH:
      return drive.flush(came, who, &courier);
    case UBLK_IO_OP_DISCARD:
      return drive.trim(request.offset, request.bytes);
    case UBLK_IO_OP_WRITE_ZEROES:
      return drive.zero(request.offset, request.bytes, request.through, came, who, &courier);
    default:
      return EOPNOTSUPP;
  }
}

// For one request at a time.
class Queue::Worker : public Courier {
 public:
  Worker(Queue& queue, std::uint16_t tag, std::size_t bytes)
      : queue_(queue),
        tag_(tag),
        memory_(bytes, PROT_READ | PROT_WRITE),
        buffer_(memory_.at<std::uint8_t>(0), bytes),
        thread_([this] { run(); }) {}
  ~Worker() override {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  std::span<std::uint8_t> buffer() const { return buffer_; }
  // The thread of the ring asks, and knows what it asked when it answers.
  const Request& request() const { return request_; }
  // How many it was asked, and whether the last one waits for its answer.
  std::uint64_t asked_times() const { return asked_times_; }
  bool is_open() const { return is_open_; }
  void close() { is_open_ = false; }
  void ask(const Request& request) {
    ++asked_times_;
    is_open_ = true;
    {
      const std::lock_guard lock(mutex_);
      request_ = request;
      asked_ = true;
    }
    changed_.notify_one();
  }

  void answer_at(Nanoseconds leaves_host_ns, int error, Delivered delivered) override {
    queue_.post({leaves_host_ns, tag_, error, std::move(delivered), asked_times_});
  }
  void look_again() override {
    if (!queue_.is_own_thread()) queue_.wake();
  }

 private:
  void run() {
    queue_.prepare_thread();
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return asked_ || ends_; });
      if (!asked_) return;
      asked_ = false;
      const Request request = request_;
      lock.unlock();
      const int result = served(request);
      if (result != kByCourier) answer_at(host_now_ns(), result, {});
      lock.lock();
    }
  }
  int served(const Request& request) {
    try {
      return queue_.serve_(request, *this);
    } catch (const std::bad_alloc&) {
      return ENOMEM;
    } catch (const std::exception&) {
      return EIO;
    }
  }

  Queue& queue_;
  const std::uint16_t tag_;
  const Mapping memory_;
  const std::span<std::uint8_t> buffer_;
  Request request_{};
  std::atomic<std::uint64_t> asked_times_{0};
  bool is_open_ = false;  // the ring's thread alone knows
  bool asked_ = false, ends_ = false;
  std::mutex mutex_{};
  std::condition_variable changed_{};
  std::thread thread_;
};

Queue::Queue(const Device& device, std::uint32_t most_request_bytes, bool in_real_time,
             ServedDrive* drive, Serve serve)
    : device_(device.file()),
      in_real_time_(in_real_time),
      drive_(drive),
      serve_(std::move(serve)),
      woken_(::eventfd(0, EFD_CLOEXEC)),
      asked_(asked_bytes(), PROT_READ, device_, UBLKSRV_CMD_BUF_OFFSET) {
  for (std::uint16_t tag = 0; tag < kDepth; ++tag)
    workers_.push_back(std::make_unique<Worker>(*this, tag, most_request_bytes));
  thread_ = std::thread([this] { run(); });
}

Queue::~Queue() {
  ends_ = true;
  wake();
  thread_.join();
  workers_.clear();
}

void Queue::prepare_thread() const {
  if (in_real_time_)
    run_in_real_time();
  else
    run_without_slack();
}

// The kernel takes a device's commands from the thread that fetched first.
void Queue::run() {
  prepare_thread();
  for (std::uint16_t tag = 0; tag < kDepth; ++tag)
    fill_fetch(ring_.next(), device_, UBLK_IO_FETCH_REQ, tag, 0, workers_[tag]->buffer().data());
  listen();
  while (!ends_) {
    ring_.enter(wakes_host_ns());
    hear();
    if (drive_ != nullptr) drive_->take_due();
    deliver_what_is_due();
  }
}

void Queue::listen() {
  io_uring_sqe& command = ring_.next();
  command.opcode = IORING_OP_READ;
  command.fd = woken_.get();
  command.addr = reinterpret_cast<std::uint64_t>(&times_woken_);
  command.len = sizeof times_woken_;
  command.user_data = kWoken;
}

void Queue::post(Letter letter) {
  if (is_own_thread()) return letters_.push_back(std::move(letter));
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(letter));
  }
  wake();
}

void Queue::wake() noexcept { ::eventfd_write(woken_.get(), 1); }

// Close to a deadline it does not sleep, but looks again and again: the kernel shows what has come
// to whoever enters it.
std::optional<Nanoseconds> Queue::wakes_host_ns() const {
  const auto first = std::ranges::min_element(letters_, {}, &Letter::leaves_host_ns);
  std::optional<Nanoseconds> next = drive_ != nullptr ? drive_->next_host_ns() : std::nullopt;
  if (first != letters_.end()) next = std::min(first->leaves_host_ns, next.value_or(kNever));
  return next ? std::optional(*next - kSpin) : std::nullopt;
}

void Queue::hear() {
  const Nanoseconds now_ns = host_now_ns();
  while (const auto answer = ring_.take()) {
    if (answer->user_data == kWoken) {
      listen();
      const std::lock_guard lock(mutex_);
      std::ranges::move(posted_, std::back_inserter(letters_));
      posted_.clear();
    } else if (answer->result == UBLK_IO_RES_OK) {
      Worker& worker = *workers_[answer->user_data];
      const auto* const asked = asked_.at<const ublksrv_io_desc>(0) + answer->user_data;
      worker.ask(request_of(*asked, worker.buffer(), now_ns));
    }  // else the device has stopped
  }
}

void Queue::deliver_what_is_due() {
  for (auto letter = letters_.begin(); letter != letters_.end();) {
    const Nanoseconds now_ns = host_now_ns();
    if (letter->leaves_host_ns > now_ns) {
      ++letter;
      continue;
    }
    Worker& worker = *workers_[letter->tag];
    if (!worker.is_open() || worker.asked_times() != letter->request) {
      letter = letters_.erase(letter);
      continue;
    }
    worker.close();
    const bool is_lost = letter->delivered && !letter->delivered(now_ns);
    const int error = is_lost || letter->error == ESHUTDOWN ? EIO : letter->error;
    fill_fetch(ring_.next(), device_, UBLK_IO_COMMIT_AND_FETCH_REQ, letter->tag,
               result_of(worker.request(), error), worker.buffer().data());
    letter = letters_.erase(letter);
  }
}

}  // namespace platter::emulator::ublk
