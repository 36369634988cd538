#include "cli/array_options.h"

#include "cli/numbers.h"

namespace platter::cli {
namespace {

constexpr double kMostKib = 1 << 30;
constexpr double kMostMembers = 1024;

}  // namespace

void add_array_options(CLI::App& command, jobs::ArrayOptions& options) {
  CLI::Option* level = command
                           .add_option(
                               "--array", options.level,
                               "an array of the models, laid out and served as Linux md does")
                           ->check(CLI::IsMember({"raid0", "raid1", "raid5"}));
  const auto add = [&](const char* name, auto& value, const char* text) {
    return command.add_option(name, value, text)->needs(level);
  };
  add("--stripe", options.stripe_kib,
      "array, raid0 and raid5: KiB of the array that lie together on one member")
      ->transform(between(1, kMostKib))
      ->capture_default_str();
  add("--read-balance", options.balance,
      "array, raid1: the member for a read that continues none and finds none idle")
      ->check(CLI::IsMember({"nearest", "least-pending"}))
      ->capture_default_str();
  add("--stripe-cache", options.stripes,
      "array, raid5: stripes that are kept, each 4 KiB of every member (md's stripe_cache_size)")
      ->transform(between(16, 32768))
      ->capture_default_str();
  add("--missing", options.missing, "array: the member, from 0, that is not there")
      ->transform(between(0, kMostMembers));
  add("--rebuild", options.rebuild,
      "array: the member, from 0, that is made again from its begin while the trace is served")
      ->transform(between(0, kMostMembers));
  add("--rebuild-window", options.window_kib,
      "array: KiB that the rebuild asks for before it looks whether to wait")
      ->transform(between(4, kMostKib))
      ->capture_default_str();
  add("--rebuild-least", options.least_kib_per_s,
      "array: KiB a second below which the rebuild never waits (md's sync_speed_min)")
      ->transform(between(0, kMostKib))
      ->capture_default_str();
  add("--rebuild-most", options.most_kib_per_s,
      "array: KiB a second above which it always waits (md's sync_speed_max)")
      ->transform(between(1, kMostKib))
      ->capture_default_str();
  add("--rebuild-tick", options.tick_ms,
      "array: ms of the kernel's ticks (1000 / HZ), in which a rebuild that lacked stripes sleeps")
      ->transform(between(0.1, 1000))
      ->capture_default_str();
  add("--merge", options.merge_kib,
      "array: KiB up to which neighbours of a member go as one command (max_sectors_kb, or a page "
      "for each of max_segments)")
      ->transform(between(4, kMostKib))
      ->capture_default_str();
  add("--device-queue", options.device_queue,
      "array: commands that the host gives a member at once (queue_depth); 0: all")
      ->transform(between(0, 65536))
      ->capture_default_str();
  add("--phase-seed", options.phase_seed,
      "array: seed of the members' rotational phases; 0: none has one")
      ->transform(whole_number())
      ->capture_default_str();
}

}  // namespace platter::cli
