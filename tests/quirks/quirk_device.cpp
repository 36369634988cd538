#include "quirk_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace quirks {

using platter::Nanoseconds;
using platter::scsi::Command;
using platter::scsi::Completion;
using platter::scsi::Expected;
using platter::scsi::Status;
using platter::scsi::TransportError;

QuirkDevice::QuirkDevice(std::unique_ptr<Device> behind, Table table, std::ostream* log)
    : behind_(std::move(behind)), table_(std::move(table)), log_(log), clock_(behind_->clock()) {}

Expected<void> QuirkDevice::submit(const Command& command, std::uint32_t tag) {
  Outstanding sent{command, table_.rule_of(command), clock_.now_ns()};
  tell(sent, tag);
  gone_ = gone_ || (sent.rule && table_.effect(*sent.rule).exit);
  if (gone_) return tl::unexpected(TransportError{TransportError::Kind::gone, name() + " is gone"});
  clock_.bring_up();
  const auto accepted = sent.rule
                            ? behind_->submit(table_.effect(*sent.rule).forwarded(command), tag)
                            : behind_->submit(command, tag);
  if (accepted) outstanding_[tag] = std::move(sent);
  return accepted;
}

void QuirkDevice::tell(const Outstanding& sent, std::uint32_t tag) {
  if (!log_) return;
  const std::span cdb(sent.command.cdb.begin(), sent.command.cdb_length);
  *log_ << fmt::format("{} {} {:02x} {} {}\n", sent.issued_ns, tag, fmt::join(cdb, ""),
                       sent.command.transfer_length,
                       sent.rule ? static_cast<long>(*sent.rule) : -1L)
        << std::flush;
}

void QuirkDevice::take(Completion reply) {
  const auto found = outstanding_.find(reply.tag);
  if (found != outstanding_.end()) {
    const Outstanding& sent = found->second;
    reply.issued_ns = sent.issued_ns;
    if (sent.rule) table_.effect(*sent.rule).change(sent.command, reply);
    outstanding_.erase(found);
  }
  reply.completed_ns = std::max(table_.seen_ns(reply.completed_ns), last_ns_);
  held_ = std::move(reply);
}

QuirkDevice::Reply QuirkDevice::deliver() {
  last_ns_ = held_->completed_ns;
  clock_.sleep_until_ns(last_ns_);
  if (log_ && held_->status != Status::good)
    *log_ << fmt::format("-> {} {:02x} {:02x}\n", held_->tag, static_cast<unsigned>(held_->status),
                         fmt::join(held_->sense, ""))
          << std::flush;
  return std::exchange(held_, std::nullopt);
}

Expected<QuirkDevice::Reply> QuirkDevice::reap() {
  if (!held_) {
    auto reply = behind_->reap();
    if (!reply || !*reply) return reply;
    take(std::move(**reply));
  }
  return deliver();
}

Expected<QuirkDevice::Reply> QuirkDevice::reap_until(Nanoseconds deadline_ns) {
  if (!held_) {
    auto reply = behind_->reap_until(deadline_ns);
    if (!reply) return reply;
    if (*reply) take(std::move(**reply));
  }
  if (held_ && held_->completed_ns <= std::max(deadline_ns, clock_.now_ns())) return deliver();
  clock_.sleep_until_ns(deadline_ns);
  return Reply{};
}

Expected<void> QuirkDevice::reset() {
  outstanding_.clear();
  held_.reset();
  clock_.bring_up();
  return behind_->reset();
}

}  // namespace quirks
