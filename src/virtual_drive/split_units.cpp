#include "virtual_drive/split_units.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "model/error.h"
#include "scsi/bytes.h"
#include "scsi/command_table.h"
#include "virtual_drive/identity_pages.h"
#include "virtual_drive/virtual_device.h"

namespace platter::virtual_drive {
namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr std::uint8_t kDesignators = 0x83, kRanges = 0xb9, kPages = 0x00;

bool is_page(const scsi::Command& command, std::uint8_t page) {
  return command.opcode() == scsi::kInquiry && (command.cdb[1] & 1) != 0 && command.cdb[2] == page;
}

// One of NAA's, locally assigned (SPC-4 clause 7.8.5.6.4), of that association.
void append_naa(Bytes& payload, std::uint8_t association, std::uint64_t number) {
  constexpr std::uint64_t kLocal = std::uint64_t{3} << 60, kMost = kLocal - 1;
  Bytes designator{0x01, static_cast<std::uint8_t>(association << 4 | 0x03), 0, 8};
  designator.resize(12);
  scsi::put_be(&designator[4], 8, kLocal | (number & (kMost >> 2)));
  payload.insert(payload.end(), designator.begin(), designator.end());
}

}  // namespace

struct SplitUnits::Shared {
  Shared(const model::DriveModel& model, const std::string& name) : device(model, name) {}

  // The next completion of any unit is put with the others of its own. False: none by then.
  scsi::Expected<bool> pump(std::optional<Nanoseconds> deadline_ns);

  VirtualDevice device;
  std::array<model::ArmRange, 2> ranges{};
  struct Asked {
    std::size_t unit;
    std::uint32_t tag;
    scsi::Command command;
  };
  std::map<std::uint32_t, Asked> asked;
  std::array<std::vector<scsi::Completion>, 2> came;
  std::uint32_t next_tag = 0;
};

scsi::Expected<bool> SplitUnits::Shared::pump(std::optional<Nanoseconds> deadline_ns) {
  auto done = deadline_ns ? device.reap_until(*deadline_ns) : device.reap();
  if (!done) return tl::unexpected(done.error());
  if (!*done) return false;
  const auto of = asked.find((*done)->tag);
  (*done)->tag = of->second.tag;
  came[of->second.unit].push_back(std::move(**done));
  asked.erase(of);
  return true;
}

class SplitUnits::Unit final : public scsi::Device {
 public:
  Unit(std::shared_ptr<Shared> shared, std::size_t number, std::string name)
      : shared_(std::move(shared)), number_(number), name_(std::move(name)) {}

  const std::string& name() const override { return name_; }
  scsi::Clock& clock() override { return shared_->device.clock(); }
  std::uint32_t max_outstanding() const override { return shared_->device.max_outstanding() / 2; }
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override;
  scsi::Expected<std::optional<scsi::Completion>> reap() override { return next(std::nullopt); }
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    return next(deadline_ns);
  }
  scsi::Expected<void> reset() override { return shared_->device.reset(); }

 private:
  scsi::Expected<std::optional<scsi::Completion>> next(std::optional<Nanoseconds> deadline_ns);
  std::uint64_t blocks() const {
    const model::ArmRange& range = shared_->ranges[number_];
    return range.last_lbn - range.first_lbn + 1;
  }
  void answer_as_unit(const scsi::Command& command, scsi::Completion& done) const;
  Bytes page_of_unit(std::uint8_t page, const Bytes& of_drive) const;

  std::shared_ptr<Shared> shared_;
  std::size_t number_;
  std::string name_;
  std::map<std::uint32_t, scsi::Command> outstanding_;
};

// What does not lie in the unit lies on no block of the drive.
scsi::Expected<void> SplitUnits::Unit::submit(const scsi::Command& command, std::uint32_t tag) {
  scsi::Command moved = command;
  if (const auto named = scsi::addressed_blocks(command)) {
    const bool within = named->lbn < blocks() && named->blocks <= blocks() - named->lbn;
    const std::uint64_t nowhere = shared_->ranges[1].last_lbn + 1;
    scsi::put_address(moved, within ? shared_->ranges[number_].first_lbn + named->lbn : nowhere);
  }
  constexpr std::uint8_t kNoPage = 0xfe;
  if (is_page(command, kRanges)) moved.cdb[2] = kNoPage;
  const std::uint32_t its_tag = shared_->next_tag++;
  auto sent = shared_->device.submit(moved, its_tag);
  if (!sent) return sent;
  scsi::Command asked = command;
  asked.data.clear();
  outstanding_.emplace(tag, asked);
  shared_->asked.emplace(its_tag, Shared::Asked{number_, tag, std::move(asked)});
  return {};
}

scsi::Expected<std::optional<scsi::Completion>> SplitUnits::Unit::next(
    std::optional<Nanoseconds> deadline_ns) {
  auto& mine = shared_->came[number_];
  while (mine.empty()) {
    if (outstanding_.empty()) {
      if (deadline_ns) clock().sleep_until_ns(*deadline_ns);
      return std::nullopt;
    }
    const auto pumped = shared_->pump(deadline_ns);
    if (!pumped) return tl::unexpected(pumped.error());
    if (!*pumped) return std::nullopt;
  }
  scsi::Completion done = std::move(mine.front());
  mine.erase(mine.begin());
  const auto command = outstanding_.extract(done.tag);
  answer_as_unit(command.mapped(), done);
  return done;
}

void SplitUnits::Unit::answer_as_unit(const scsi::Command& command, scsi::Completion& done) const {
  if (done.status != scsi::Status::good) return;
  Bytes& data = done.data;
  const auto is_vpd = command.opcode() == scsi::kInquiry && (command.cdb[1] & 1) != 0;
  if (command.opcode() == scsi::kReadCapacity10 && data.size() >= 4)
    scsi::put_be(data.data(), 4, std::min<std::uint64_t>(blocks() - 1, 0xffffffff));
  else if (command.opcode() == scsi::kServiceActionIn16 && (command.cdb[1] & 0x1f) == 0x10 &&
           data.size() >= 8)
    scsi::put_be(data.data(), 8, blocks() - 1);
  else if (command.opcode() == scsi::kReportLuns && data.size() >= 16) {
    data.resize(24, 0);
    scsi::put_be(data.data(), 4, 16);
    data[17] = 1;  // of the second unit: its number, in the simplest form
  } else if (is_vpd)
    data = page_of_unit(command.cdb[2], data);
  if (data.size() > command.transfer_length) data.resize(command.transfer_length);
  if (command.direction == scsi::Direction::from_device && command.keep_data)
    done.residual = command.transfer_length - static_cast<std::uint32_t>(data.size());
}

// Designators of the unit, of the target's port and of the target; no ranges of positioning.
Bytes SplitUnits::Unit::page_of_unit(std::uint8_t page, const Bytes& of_drive) const {
  constexpr std::uint8_t kOfUnit = 0, kOfPort = 1, kOfDevice = 2;
  if (page == kPages) {
    Bytes pages(of_drive.begin() + 4, of_drive.end());
    std::erase(pages, kRanges);
    return vpd_page(page, pages);
  }
  if (page != kDesignators) return of_drive;
  std::uint64_t drive = 14695981039346656037U;  // FNV-1a, of the drive's own name
  for (const std::uint8_t byte : of_drive) drive = (drive ^ byte) * 1099511628211U;
  Bytes payload;
  append_naa(payload, kOfUnit, drive + number_);
  append_naa(payload, kOfPort, drive + 2);
  append_naa(payload, kOfDevice, drive + 4);
  return vpd_page(page, payload);
}

SplitUnits::SplitUnits(const model::DriveModel& model, const std::string& name)
    : shared_(std::make_shared<Shared>(model, name)) {
  if (!model.arms) {
    const std::uint64_t all = shared_->device.layout().blocks(), half = all / 2;
    shared_->ranges = {{{0, half - 1, 0}, {half, all - 1, 0}}};
    return;
  }
  if (model.arms->ranges.size() != 2)
    throw Error(ExitStatus::bad_input,
                name + " has more than two ranges, and is no two logical units");
  std::ranges::copy(model.arms->ranges, shared_->ranges.begin());
}

std::unique_ptr<scsi::Device> SplitUnits::unit(std::size_t number, std::string name) const {
  return std::make_unique<Unit>(shared_, number, std::move(name));
}

}  // namespace platter::virtual_drive
