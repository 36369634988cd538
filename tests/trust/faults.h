// What goes wrong, and when: --fault KIND[:at=N][,of=CLASS][,count=N][,rate=P][,lbn=N].
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trust {

enum class Kind : std::uint8_t {
  power_loss,
  power_loss_before,
  power_loss_after,
  vanish,
  vanish_after,
  hang,
  kill_host,
  kill_host_after,
  interrupt_host,
  terminate_host,
  write_medium,
  write_medium_torn,
  write_medium_arrived,
  write_hardware,
  write_fault,
  write_aborted,
  write_aborted_torn,
  write_protect,
  write_garbled,
  write_garbled_below_cache,
  deferred,
  deferred_descriptor,
  deferred_hardware,
  read_medium,
  read_medium_once,
  read_hardware,
  read_aborted,
  read_recovered,
  verify_medium,
  sync_fails,
  sync_lies,
  select_fails,
  select_ignored,
  busy,
  task_set_full,
  reservation,
  unit_attention,
  reset,
  reset_silent,
  parameters_changed,
  not_ready,
  spun_down,
  no_sense,
  short_transfer,
  wrong_residual,
  malformed_reply,
  replaced,
  lose_block,
};

// Which commands a fault counts.
enum class Class : std::uint8_t { any, media, read, write, cached, growing, sync, verify, select };

struct KindOf {
  Kind kind;
  std::string_view name;
  Class natural;  // what it counts where nothing else is asked for
  std::string_view what;
};

std::span<const KindOf> kinds();
const KindOf& kind_of(Kind kind);
std::string_view name_of(Class of);

// What a command is, for the counts.
struct Nature {
  bool media = false, read = false, write = false, cached = false, growing = false, sync = false,
       verify = false, select = false;
  std::uint64_t lbn = 0;
  std::uint32_t blocks = 0;

  bool is(Class of) const;
};

struct Fault {
  Kind kind;
  Class of = Class::any;
  std::optional<std::uint64_t> at = {};   // fires at the Nth command of its class
  double rate = 0;                        // or at each with this probability
  std::uint64_t count = 1;                // that often in a row, or in all; 0: without end
  std::optional<std::uint64_t> lbn = {};  // only commands that touch this block
  std::uint64_t seen = 0, fired = 0;
  bool armed = false;

  // Whether it acts on this command.
  bool fires(const Nature& command, std::mt19937_64& random);
};

// Throws std::invalid_argument with a sentence.
Fault parse_fault(const std::string& text);

}  // namespace trust
