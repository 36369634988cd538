// nbdkit's callbacks. Parameters, one drive's after the other's:
//   table=FILE.ptab                     begins a drive
//   name= scheduler= depth=             of that drive (DriveSettings)
//   contents=FILE, generated or generated:FILE
//   keep= waiting= limit=               of generated contents (ContentsChoice), keep= several times
//   write-cache-loss=
//   speed= log= probe= ordinary= json=  of all (ProcessSettings)
#define NBDKIT_API_VERSION 2
#include <fmt/format.h>
#include <malloc.h>
#include <nbdkit-plugin.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <set>

#include "emulator/nbd/plugin/broken_sends.h"
#include "emulator/nbd/process.h"
#include "emulator/pace/real_time.h"
#include "model/error.h"

#define THREAD_MODEL NBDKIT_THREAD_MODEL_PARALLEL

namespace platter::emulator {
namespace {

ProcessSettings settings;
std::unique_ptr<Process> process;

bool truth_of(const char* value, const char* key) {
  const int parsed = nbdkit_parse_bool(value);
  if (parsed < 0) throw Error(ExitStatus::usage, fmt::format("{} is true or false", key));
  return parsed != 0;
}

std::uint32_t number_of(const char* value, const char* key, std::uint32_t least) {
  std::uint32_t number = 0;
  if (nbdkit_parse_uint32_t(key, value, &number) != 0 || number < least || number > 1'000'000)
    throw Error(ExitStatus::usage, fmt::format("{} is a number from {} to 1000000", key, least));
  return number;
}

std::uint64_t bytes_of(const char* value) {
  const std::int64_t bytes = nbdkit_parse_size(value);
  if (bytes < 0) throw Error(ExitStatus::usage, "a size is a number of bytes, as 256M");
  return static_cast<std::uint64_t>(bytes);
}

// contents= comes before the others of that drive.
void take_contents_setting(ContentsChoice& contents, const std::string& key, const char* value) {
  if (key == "contents")
    contents = contents_choice(value);
  else if (!contents.generated)
    throw Error(ExitStatus::usage, key + " is for contents=generated, which comes before it");
  else if (key == "keep")
    contents.kept_names.emplace_back(value);
  else if (key == "waiting")
    contents.waiting_bytes = bytes_of(value);
  else
    contents.stored_bytes = bytes_of(value);
}

void take_drive_setting(DriveSettings& drive, const std::string& key, const char* value) {
  if (key == "name")
    drive.name = value;
  else if (key == "contents" || key == "keep" || key == "waiting" || key == "limit")
    take_contents_setting(drive.contents, key, value);
  else if (key == "write-cache-loss")
    drive.write_cache_loss = truth_of(value, "write-cache-loss");
  else if (key == "episodes")
    drive.episodes = value;
  else if (key == "scheduler")
    drive.scheduler = number_of(value, "scheduler", 0);
  else if (key == "depth")
    drive.depth = number_of(value, "depth", 0);
  else
    throw Error(ExitStatus::usage, "unknown parameter " + key);
}

void take_setting(const std::string& key, const char* value) {
  if (key == "table")
    settings.drives.push_back({.table = value});
  else if (key == "speed")
    settings.speed = static_cast<int>(number_of(value, "speed", 1));
  else if (key == "log")
    settings.log = value;
  else if (key == "probe")
    settings.probe = value;
  else if (key == "ordinary")
    settings.ordinary = truth_of(value, "ordinary");
  else if (key == "json")
    settings.json = truth_of(value, "json");
  else if (settings.drives.empty())
    throw Error(ExitStatus::usage, key + " before any table=FILE.ptab");
  else
    take_drive_setting(settings.drives.back(), key, value);
}

// No exception may reach nbdkit.
template <typename Action>
int guarded(Action action) noexcept {
  try {
    action();
    return 0;
  } catch (const std::exception& error) {
    nbdkit_error("%s", error.what());
    return -1;
  }
}

int answer(int error) {
  if (error == 0) return 0;
  nbdkit_set_error(error);
  nbdkit_error("%s", std::strerror(error));
  return -1;
}

struct Client {
  ServedDrive* drive;
  bool probe;
  Connection connection;
};

thread_local const Client* served_last = nullptr;  // nbdkit's threads serve one client each

// Those that are served. Each of a client's threads has memory for the data of a request until what
// lies in the socket of one that is gone was read; so few of those are there at once.
class Clients {
 public:
  void admit(const Client* client) {
    constexpr int kMostGone = 3;
    constexpr std::chrono::seconds kPatience{1};
    std::unique_lock lock(mutex_);
    closed_.wait_for(lock, kPatience, [&] {
      return std::ranges::count_if(clients_, [](const Client* each) {
               return each->connection.is_gone();
             }) <= kMostGone;
    });
    clients_.insert(client);
  }
  void close(const Client* client) {
    {
      const std::lock_guard lock(mutex_);
      clients_.erase(client);
    }
    closed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable closed_;
  std::set<const Client*> clients_;
};
Clients clients;

Client& client_of(void* handle) { return *static_cast<Client*>(handle); }
ServedDrive& of(void* handle) { return *client_of(handle).drive; }

// nbdkit's sleep ends early where its client has hung up, which it tells nobody else. At the end of
// nbdkit it does so, too.
bool client_has_gone() { return !process->is_ending() && nbdkit_nanosleep(0, 1) != 0; }

int on_config(const char* key, const char* value) {
  return guarded([&] { take_setting(key, value); });
}

int on_config_complete() {
  if (!settings.drives.empty()) return 0;
  nbdkit_error("table=FILE.ptab is missing: platter emit table makes one from a model");
  return -1;
}

// Before nbdkit serves or forks: what is wrong is said to whoever starts it.
int on_get_ready() {
  return guarded([] { process = std::make_unique<Process>(settings); });
}

void on_report(int) { process->ask_for_report(); }
void on_power_cut(int) { process->ask_to_cut_power(); }

// nbdkit's own handlers, which ours calls: it stops, but waits for its clients to go.
struct sigaction end_before[NSIG];

void on_end(int number) {
  process->ask_to_hang_up();
  end_before[number].sa_handler(number);
}

void handle_signals() {
  struct sigaction asked {};
  asked.sa_flags = SA_RESTART;
  asked.sa_handler = on_report;
  sigaction(SIGUSR1, &asked, nullptr);
  asked.sa_handler = on_power_cut;
  sigaction(SIGUSR2, &asked, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction& before = end_before[number];
    sigaction(number, nullptr, &before);
    if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) continue;
    struct sigaction end = before;
    end.sa_handler = on_end;
    sigaction(number, &end, nullptr);
  }
}

// Each of nbdkit's threads has memory for the data of its request. Mapped by itself it is given
// back when its client goes, whatever else was allocated meanwhile.
void map_large_memory() { mallopt(M_MMAP_THRESHOLD, 256 << 10); }

int on_after_fork() {
  return guarded([] {
    map_large_memory();
    process->start();
    handle_signals();
  });
}

void on_unload() {
  for (const int number : {SIGUSR1, SIGUSR2, SIGINT, SIGTERM, SIGHUP, SIGQUIT})
    std::signal(number, SIG_IGN);
  process.reset();
}

void* on_open(int) {
  const char* const name = nbdkit_export_name();
  ServedDrive* const drive = name == nullptr ? nullptr : process->drive(name);
  if (drive == nullptr) {
    nbdkit_error("there is no such export");
    return nullptr;
  }
  auto* const client = new (std::nothrow)
      Client{drive, std::strcmp(name, kProbeExport) == 0, {drive->power(), client_has_gone}};
  if (client == nullptr || guarded([&] { clients.admit(client); }) == 0) return client;
  delete client;
  return nullptr;
}

void on_close(void* handle) {
  clients.close(&client_of(handle));
  delete &client_of(handle);
}

int on_list_exports(int, int, struct nbdkit_exports* exports) {
  for (const auto& drive : process->drives())
    if (nbdkit_add_export(exports, drive->name().c_str(), nullptr) != 0) return -1;
  return 0;
}

const char* on_default_export(int, int) { return process->drives().front()->name().c_str(); }

std::int64_t on_get_size(void* handle) { return static_cast<std::int64_t>(of(handle).bytes()); }

int on_block_size(void* handle, std::uint32_t* minimum, std::uint32_t* preferred,
                  std::uint32_t* maximum) {
  *minimum = of(handle).block_bytes();
  *preferred = std::max<std::uint32_t>(*minimum, 4096);
  *maximum = ServedDrive::kMostRequestBytes;
  return 0;
}

int yes(void*) { return 1; }
int can_fua(void*) { return NBDKIT_FUA_NATIVE; }
int can_cache(void*) { return NBDKIT_CACHE_NATIVE; }

// When the request was seen, before anything else is done about it.
Nanoseconds seen() {
  const Nanoseconds now = host_now_ns();
  process->prepare_thread();
  return now;
}

// nbdkit takes requests that are larger than what it was told, and each of its threads keeps what
// the largest one took. Those are refused, and need none of these bytes.
void give_back_too_much(const void* data, std::size_t bytes) {
  if (bytes <= ServedDrive::kMostRequestBytes) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  constexpr int kOfLockedMemory = 24;  // MADV_DONTNEED_LOCKED, which came with Linux 5.18
  if (madvise(reinterpret_cast<void*>(begin), end - begin, kOfLockedMemory) != 0)
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

// What goes wrong with a request is its client's matter, also where memory is short.
template <typename Serve>
int answered(void* handle, const Serve& serve, const void* data = nullptr,
             std::size_t bytes = 0) noexcept {
  const Nanoseconds came = seen();
  served_last = &client_of(handle);
  give_back_too_much(data, bytes);
  try {
    return answer(serve(of(handle), came, client_of(handle).connection));
  } catch (const std::bad_alloc&) {
    return answer(ENOMEM);
  } catch (const std::exception& error) {
    nbdkit_error("%s", error.what());
    nbdkit_set_error(EIO);
    return -1;
  }
}

// One of our own client's, of which the drive knows nothing. Whether it was one. `data`: of a read,
// which has its bytes before the wait, as contents have; nullptr: a write.
bool is_null_command(void* handle, std::uint64_t offset, std::size_t bytes, void* data) {
  if (!client_of(handle).probe || process->prober() == nullptr) return false;
  const Nanoseconds came = seen();
  NullCommands& commands = process->prober()->commands();
  commands.seen(came);
  if (data != nullptr) std::memset(data, 0, bytes);
  wait_until_host_ns(answer_host_ns(process->delay(), came, data == nullptr ? bytes : 0,
                                    data == nullptr ? 0 : bytes, offset != 0));
  commands.answered(host_now_ns());
  return true;
}

int on_pread(void* handle, void* to, std::uint32_t count, std::uint64_t offset, std::uint32_t) {
  if (is_null_command(handle, offset, count, to)) return 0;
  const auto read = [&](ServedDrive& drive, Nanoseconds came, const Connection& who) {
    return drive.read(offset, {static_cast<std::uint8_t*>(to), count}, came, who);
  };
  return answered(handle, read, to, count);
}

int on_pwrite(void* handle, const void* from, std::uint32_t count, std::uint64_t offset,
              std::uint32_t flags) {
  if (is_null_command(handle, offset, count, nullptr)) return 0;
  const auto write = [&](ServedDrive& drive, Nanoseconds came, const Connection& who) {
    return drive.write(offset, {static_cast<const std::uint8_t*>(from), count},
                       (flags & NBDKIT_FLAG_FUA) != 0, came, who);
  };
  return answered(handle, write, from, count);
}

int on_zero(void* handle, std::uint32_t count, std::uint64_t offset, std::uint32_t flags) {
  return answered(handle, [&](ServedDrive& drive, Nanoseconds came, const Connection& who) {
    return drive.zero(offset, count, (flags & NBDKIT_FLAG_FUA) != 0, came, who);
  });
}

int on_trim(void* handle, std::uint32_t count, std::uint64_t offset, std::uint32_t) {
  return answered(handle, [&](ServedDrive& drive, Nanoseconds, const Connection&) {
    return drive.trim(offset, count);
  });
}

int on_flush(void* handle, std::uint32_t) {
  return answered(handle, [&](ServedDrive& drive, Nanoseconds came, const Connection& who) {
    return drive.flush(came, who);
  });
}

// A hint, of which the drive knows nothing.
int on_cache(void*, std::uint32_t, std::uint64_t, std::uint32_t) { return 0; }

nbdkit_plugin plugin_of_callbacks() {
  nbdkit_plugin plugin{};
  plugin.name = "platter";
  plugin.longname = "a disk drive's model as a disk in real time";
  plugin.version = PLATTER_VERSION;
  plugin.config = on_config;
  plugin.config_complete = on_config_complete;
  plugin.config_help = "table=FILE.ptab  (required) the drive; platter emit table makes it";
  plugin.get_ready = on_get_ready;
  plugin.after_fork = on_after_fork;
  plugin.unload = on_unload;
  plugin.open = on_open;
  plugin.close = on_close;
  plugin.list_exports = on_list_exports;
  plugin.default_export = on_default_export;
  plugin.get_size = on_get_size;
  plugin.block_size = on_block_size;
  plugin.can_write = yes;
  plugin.can_flush = yes;
  plugin.is_rotational = yes;
  plugin.can_trim = yes;
  plugin.can_zero = yes;
  plugin.can_fua = can_fua;
  plugin.can_cache = can_cache;
  plugin.can_multi_conn = yes;  // one drive behind all connections
  plugin.pread = on_pread;
  plugin.pwrite = on_pwrite;
  plugin.zero = on_zero;
  plugin.trim = on_trim;
  plugin.flush = on_flush;
  plugin.cache = on_cache;
  return plugin;
}

nbdkit_plugin plugin = plugin_of_callbacks();

}  // namespace

void nobody_receives() {
  if (served_last != nullptr) served_last->connection.set_gone();
}
}  // namespace platter::emulator

using platter::emulator::plugin;
NBDKIT_REGISTER_PLUGIN(plugin)
