// Whether time goes on evenly. A host that sleeps stops its clock and not the platter, and clocks
// step: behind either, times and phases are not to be compared with those before, and another
// session begins, as where a run is resumed. Sleep shows against the clock that counts it; a step
// only by the run's reference sector, which passes where it has to or does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "estimate/samples.h"
#include "mtbrc/context.h"

namespace platter::mtbrc {

struct TimeJump {
  enum class Kind : std::uint8_t {
    slept,    // the host, and its clock stood still
    stepped,  // the clock, or the platter: by less than half a revolution, as far as can be seen
  };
  Kind kind = Kind::slept;
  std::uint32_t session = 0;  // that begins with it
  Nanoseconds at_ns = 0;      // when it was noticed, by the clock of that session
  Nanoseconds by_ns = 0;
};

class TimeWatch {
 public:
  // `began`: from that sample on none tells anything, for it may be of either session; the context
  // has the new one.
  TimeWatch(Context& context, std::function<void(const TimeJump&, std::size_t began)> began);
  ~TimeWatch();
  TimeWatch(const TimeWatch&) = delete;
  TimeWatch& operator=(const TimeWatch&) = delete;

  // Reads of this sector come from the media from now on; once the context's rotation is known they
  // tell the phase. nullopt: they do not any more.
  void refer_to(std::optional<std::uint64_t> reference);
  // The reference is read where nobody did for two seconds, where time has stepped for half a
  // second. True: it was, and the heads are there.
  bool look();
  // Whether steps were seen: then there may be more of them.
  bool has_stepped() const { return every_ns_ < kEvery_ns; }
  // After each command of any kind.
  void after_command();
  // After each sample that was kept.
  void after(const estimate::Sample& sample);
  // By how much more the platter lags behind the clock than at first, all jumps together: times
  // less this go on in one phase, as far as one look tells it.
  Nanoseconds turned_ns() const;

 private:
  static constexpr Nanoseconds kEvery_ns = 2 * kSecond;

  void begin_session(TimeJump::Kind kind, Nanoseconds by_ns, std::size_t from);
  // The first sample behind a step that the reference shows now.
  std::size_t stepped_from(double step_rev) const;
  bool may_look() const {
    return looks_ && !looking_ && reference_ && context_.rotation.numerator_ns > 0;
  }
  double tolerance_rev(Nanoseconds time_ns) const;
  void take(const estimate::Sample& sample);
  void learn(double phase_rev);
  // By how much the reference passes later than it should, by some reads in a row; nullopt: these
  // do not agree.
  std::optional<double> looked_rev();

  Context& context_;
  std::function<void(const TimeJump&, std::size_t)> began_;
  std::optional<Nanoseconds> asleep_ns_;  // the one clock less the other, and when
  Nanoseconds asked_ns_ = 0;
  std::optional<std::uint64_t> reference_;
  bool looks_ = false, looking_ = false;
  Nanoseconds every_ns_ = kEvery_ns;  // so often it is looked at
  std::optional<double> phase_rev_;   // at which the reference passes
  std::optional<double> before_rev_;  // the last jump
  double turned_rev_ = 0;
  double scatter_rev_ = 0;        // of the reference's completions
  Nanoseconds told_ns_ = 0;       // when it was seen there last
  Nanoseconds looked_ns_ = 0;     // and when anybody looked
  std::size_t good_samples_ = 0;  // by then
};

// Where the context has a watch, as TimeWatch::look().
bool look_at_time(Context& context);
Nanoseconds turned_ns(const Context& context);

}  // namespace platter::mtbrc
