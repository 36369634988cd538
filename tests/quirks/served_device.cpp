#include "served_device.h"

#include <stdexcept>
#include <utility>

namespace quirks {
namespace {

template <class T>
T value_of(platter::scsi::Expected<T> result) {
  if (!result) throw std::runtime_error(result.error().sentence);
  return std::move(*result);
}

std::optional<trust::Done> done(
    platter::scsi::Expected<std::optional<platter::scsi::Completion>> reply) {
  auto completion = value_of(std::move(reply));
  if (!completion) return std::nullopt;
  return trust::Done{std::move(*completion), false};
}

}  // namespace

std::int64_t ServedDevice::now_ns() { return device_.clock().now_ns(); }
void ServedDevice::advance_to(std::int64_t time_ns) { device_.clock().sleep_until_ns(time_ns); }

void ServedDevice::submit(const platter::scsi::Command& command, std::uint32_t tag) {
  if (const auto sent = device_.submit(command, tag); !sent)
    throw std::runtime_error(sent.error().sentence);
}

std::optional<trust::Done> ServedDevice::reap() { return done(device_.reap()); }

std::optional<trust::Done> ServedDevice::reap_until(std::int64_t time_ns) {
  return done(device_.reap_until(time_ns));
}

void ServedDevice::reset() {
  if (const auto reset = device_.reset(); !reset) throw std::runtime_error(reset.error().sentence);
}

}  // namespace quirks
