#include "study/workers.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <new>
#include <vector>

#include "model/as_error.h"
#include "model/error.h"
#include "model/interruption.h"
#include "model/leftovers.h"

namespace platter::study {
namespace {

constexpr long kBetweenLooks_ns = 10'000'000;

// What all of them see.
struct Board {
  std::atomic<std::uint64_t> next{0}, ended{0}, computed{0}, failed{0}, by_others{0};
  std::atomic<std::uint64_t> replay_ns{0}, cost_us{0};
  std::atomic<int> status{0};  // of the first Error
  char sentence[2048] = {};
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

class SharedBoard {
 public:
  SharedBoard() {
    void* const memory = ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    board_ = new (memory) Board;
  }
  ~SharedBoard() { ::munmap(board_, sizeof(Board)); }
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;
  Board& operator*() const { return *board_; }
  Board* operator->() const { return board_; }

 private:
  Board* board_;
};

void end_quietly(int) {
  model::remove_leftovers();
  ::_exit(static_cast<int>(ExitStatus::interrupted));
}

void end_with_parent(pid_t parent) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, end_quietly);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) end_quietly(SIGTERM);
}

void note(Board& board, const Done& done, double cost_s) {
  ++board.ended;
  board.by_others += done.by_others;
  board.computed += !done.by_others;
  board.failed += done.failed;
  board.replay_ns += static_cast<std::uint64_t>(done.replay_s * 1e9);
  board.cost_us += static_cast<std::uint64_t>(cost_s * 1e6);
}

void work_through(Board& board, std::span<const double> costs, const Work& work) {
  std::vector<std::size_t> of_others;
  for (std::size_t item; (item = board.next++) < costs.size();) {
    if (const auto done = work(item, false))
      note(board, *done, costs[item]);
    else
      of_others.push_back(item);
  }
  for (const std::size_t item : of_others) note(board, *work(item, true), costs[item]);
}

[[noreturn]] void be_worker(Board& board, pid_t parent, std::span<const double> costs,
                            const std::function<Work()>& make_work) {
  end_with_parent(parent);
  int status = 0;
  const auto tell = [&](ExitStatus what, const char* sentence) {
    status = static_cast<int>(what);
    int none = 0;
    if (board.status.compare_exchange_strong(none, status))
      std::strncpy(board.sentence, sentence, sizeof board.sentence - 1);
  };
  try {
    work_through(board, costs, make_work());
  } catch (const std::exception& thrown) {
    const Error error = model::as_error(thrown);
    tell(error.status(), error.what());
  }
  ::_exit(status);
}

class Workers {
 public:
  ~Workers() { end(); }

  void start(std::size_t many, const std::function<void()>& worker) {
    for (std::size_t i = 0; i < many; ++i) {
      const pid_t pid = ::fork();
      if (pid == 0) worker();
      if (pid < 0)
        throw Error(
            ExitStatus::output,
            fmt::format("no process can be started: {}; give fewer --jobs", std::strerror(errno)));
      alive_.push_back(pid);
    }
  }

  // False: all have ended. Throws where one was ended from outside.
  bool look() {
    int status = 0;
    for (std::size_t i = 0; i < alive_.size();) {
      const pid_t got = ::waitpid(alive_[i], &status, WNOHANG);
      if (got == 0 || (got < 0 && errno == EINTR)) {
        ++i;
        continue;
      }
      alive_.erase(alive_.begin() + static_cast<std::ptrdiff_t>(i));
      if (WIFSIGNALED(status))
        throw Error(ExitStatus::interrupted,
                    fmt::format("one of the processes was ended by signal {}; what is computed is "
                                "kept, run it again",
                                WTERMSIG(status)));
    }
    return !alive_.empty();
  }

  void end() noexcept {
    for (const pid_t pid : alive_) ::kill(pid, SIGTERM);
    for (const pid_t pid : alive_)
      while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
      }
    alive_.clear();
  }

 private:
  std::vector<pid_t> alive_{};
};

}  // namespace

WorkersOutcome run_workers(
    std::size_t processes, std::span<const double> costs, const std::function<Work()>& make_work,
    const std::function<void(double share, std::uint64_t ended, std::uint64_t of)>& tell) {
  const SharedBoard board;
  double whole_s = 0;
  for (const double cost_s : costs) whole_s += cost_s;
  const pid_t parent = ::getpid();
  Workers workers;
  workers.start(processes, [&] { be_worker(*board, parent, costs, make_work); });
  const timespec pause{0, kBetweenLooks_ns};
  while (workers.look()) {
    if (board->status != 0) break;
    if (stop_asked()) {
      workers.end();
      throw Error(ExitStatus::interrupted,
                  fmt::format("stopped by a signal; {} points of {} are computed and kept, the "
                              "same command goes on with the others",
                              board->ended.load(), costs.size()));
    }
    tell(static_cast<double>(board->cost_us) / 1e6 / whole_s, board->ended, costs.size());
    ::nanosleep(&pause, nullptr);
  }
  workers.end();
  if (board->status != 0)
    throw Error(static_cast<ExitStatus>(board->status.load()), board->sentence);
  return {.computed = board->computed,
          .failed = board->failed,
          .by_others = board->by_others,
          .replay_s = static_cast<double>(board->replay_ns) / 1e9};
}

}  // namespace platter::study
