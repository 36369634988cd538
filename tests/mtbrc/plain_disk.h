// A disk of few ideas, apart from the engine: zones of cylinders, head first, skews in revolutions,
// seek a + b sqrt(d), fixed overhead, no cache. To test experiments against a truth that is written
// down here.
#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "scsi/device.h"

namespace plain {

using platter::Nanoseconds;

struct Zone {
  std::uint32_t first_cylinder, cylinders, sectors;
  double angle, head_skew, cylinder_skew;
};

// What the disk does with SEEK(10).
enum class Seeks {
  none,     // refuses it
  real,     // moves the arm, and ends when it is there
  at_once,  // does nothing
  half,     // ends when the arm is half there
};

struct Shape {
  double period_ns = 60e9 / 10025.0;
  std::uint32_t heads = 4;
  std::vector<Zone> zones;
  double overhead_ms = 0.3, write_overhead_ms = 0.45;
  double seek_a_ms = 0.6, seek_b_ms = 0.08, head_switch_ms = 0.7, settle_ms = 0.25;
  double bus_ms = 0.02;
  // Noise; 0 = none.
  double positioning_us = 30, host_us = 12, host_log_sigma = 0.69, slow_share = 0.01, slow_ms = 1;
  double wobble_ppm = 5, wobble_period_s = 7;
  double outward_ms = 0;                         // what an outward seek takes longer
  double late_seek_share = 0, late_seek_ms = 0;  // SEEK commands that the drive holds up
  // From this command on the host is host_later_us late, not host_us.
  std::uint64_t host_changes_at = ~std::uint64_t{0};
  double host_later_us = 0;
  Seeks seeks = Seeks::none;
  // Seeks of about dip_at cylinders take less, by up to dip_ms; by none from dip_width cylinders
  // away.
  double dip_at = 0, dip_width = 1, dip_ms = 0;
  double wedges = 0;    // of the servo on a track: a moved arm is there when the next one passes
  bool cached = false;  // every read of the sector read before is a hit
};

class Disk final : public platter::scsi::Device, public platter::scsi::Clock {
 public:
  explicit Disk(Shape shape, std::uint64_t seed = 1) : shape_(std::move(shape)), random_(seed) {
    for (const Zone& z : shape_.zones) blocks_ += blocks_of(z);
  }

  const std::string& name() const override { return name_; }
  platter::scsi::Clock& clock() override { return *this; }
  std::uint32_t max_outstanding() const override { return 1; }
  Nanoseconds now_ns() override { return now_; }
  void sleep_until_ns(Nanoseconds deadline) override { now_ = std::max(now_, deadline); }
  std::uint64_t blocks() const { return blocks_; }
  std::uint64_t commands() const { return commands_; }

  platter::scsi::Expected<void> submit(const platter::scsi::Command& command,
                                       std::uint32_t tag) override {
    platter::scsi::Completion done = perform(command);
    done.tag = tag;
    queue_.push_back(done);
    return {};
  }
  platter::scsi::Expected<std::optional<platter::scsi::Completion>> reap() override {
    if (queue_.empty()) return std::optional<platter::scsi::Completion>{};
    platter::scsi::Completion done = queue_.front();
    queue_.pop_front();
    now_ = std::max(now_, done.completed_ns);
    return std::optional<platter::scsi::Completion>{done};
  }
  platter::scsi::Expected<std::optional<platter::scsi::Completion>> reap_until(
      Nanoseconds) override {
    return reap();
  }
  platter::scsi::Expected<void> reset() override { return {}; }

  // The truth, as a layout that an experiment may be given without its angles.
  platter::model::Layout layout(bool with_angles) const {
    platter::model::Layout layout;
    for (const Zone& z : shape_.zones) {
      platter::model::LayoutNode track, cylinder;
      track.count = shape_.heads;
      track.head_step = 1;
      track.sectors = z.sectors;
      track.angle_step_rev = with_angles ? z.head_skew : 0;
      cylinder.count = z.cylinders;
      cylinder.cylinder = static_cast<std::int32_t>(z.first_cylinder);
      cylinder.cylinder_step = 1;
      cylinder.angle_rev = with_angles ? z.angle : 0;
      cylinder.angle_step_rev = with_angles ? z.cylinder_skew : 0;
      cylinder.children.push_back(track);
      layout.zones.push_back(cylinder);
    }
    return layout;
  }

  // As they come, a wait for the next wedge within them.
  double mean_seek_ms(double distance) const {
    return seek_ms(distance) + (shape_.wedges > 0 ? 0.5e-6 * shape_.period_ns / shape_.wedges : 0);
  }
  double seek_ms(double distance) const {
    const double dip = 1 - std::abs(distance - shape_.dip_at) / shape_.dip_width;
    return shape_.seek_a_ms + shape_.seek_b_ms * std::sqrt(distance) -
           (dip > 0 ? dip * shape_.dip_ms : 0);
  }

 private:
  struct Place {
    std::uint32_t cylinder, head;
    double angle, width;  // of the sector
  };
  std::uint64_t blocks_of(const Zone& z) const {
    return std::uint64_t{z.cylinders} * shape_.heads * z.sectors;
  }
  Place find(std::uint64_t lbn) const {
    for (const Zone& z : shape_.zones) {
      if (lbn >= blocks_of(z)) {
        lbn -= blocks_of(z);
        continue;
      }
      const std::uint64_t track = lbn / z.sectors;
      const auto c = static_cast<std::uint32_t>(track / shape_.heads);
      const auto h = static_cast<std::uint32_t>(track % shape_.heads);
      const double sector = static_cast<double>(lbn % z.sectors) / z.sectors;
      return {z.first_cylinder + c, h, z.angle + c * z.cylinder_skew + h * z.head_skew + sector,
              1.0 / z.sectors};
    }
    return {0, 0, 0, 0};
  }
  double host_ns() {
    const double us = commands_ < shape_.host_changes_at ? shape_.host_us : shape_.host_later_us;
    if (us <= 0) return 0;
    return 1e3 * us * std::exp(shape_.host_log_sigma * std::normal_distribution<double>()(random_));
  }
  // How far the platter is ahead at a time.
  double wander_ns(double t) const {
    const double w = 2 * M_PI / (shape_.wobble_period_s * 1e9);
    return shape_.wobble_ppm * 1e-6 / w * std::sin(w * t);
  }
  // Without noise.
  double move_ms(const Place& at, bool write) const {
    const double distance = std::abs(static_cast<double>(at.cylinder) - cylinder_);
    double move = distance > 0 ? seek_ms(distance) : 0;
    if (at.cylinder < cylinder_) move += shape_.outward_ms;
    if (at.head != head_) move = std::max(move, shape_.head_switch_ms);
    return write && move > 0 ? move + shape_.settle_ms : move;
  }
  double at_wedge(double t) const {
    const double apart = shape_.period_ns / shape_.wedges;
    return shape_.wedges > 0 ? std::ceil(t / apart) * apart : t;
  }
  Nanoseconds seek(std::uint64_t lbn) {
    double t = static_cast<double>(now_) + host_ns() + 0.8e6 * shape_.overhead_ms;
    if (shape_.seeks == Seeks::at_once) return static_cast<Nanoseconds>(t);
    const Place at = find(lbn);
    const double move = move_ms(at, false);
    const double noise =
        move > 0 ? shape_.positioning_us * 1e3 * std::normal_distribution<double>()(random_) : 0;
    t += (shape_.seeks == Seeks::half ? 0.5e6 : 1e6) * move + noise;
    if (shape_.late_seek_share > 0 && std::bernoulli_distribution(shape_.late_seek_share)(random_))
      t += 1e6 * shape_.late_seek_ms;
    if (move > 0) t = at_wedge(t);
    cylinder_ = at.cylinder;
    head_ = at.head;
    return static_cast<Nanoseconds>(t);
  }
  Nanoseconds media(std::uint64_t lbn, bool write) {
    const Place at = find(lbn);
    const double move = move_ms(at, write);
    double t = static_cast<double>(now_) + host_ns() +
               1e6 * (write ? shape_.write_overhead_ms : shape_.overhead_ms);
    double noise = shape_.positioning_us * 1e3 * std::normal_distribution<double>()(random_);
    t += std::max(0.0, 1e6 * move + noise);
    if (move > 0) t = at_wedge(t);
    if (std::bernoulli_distribution(shape_.slow_share)(random_))
      t += 1e6 * shape_.slow_ms * std::exponential_distribution<double>()(random_);
    const double turned = (t + wander_ns(t)) / shape_.period_ns;
    const double wait = at.angle - turned - std::floor(at.angle - turned);
    t += (wait + at.width) * shape_.period_ns;
    cylinder_ = at.cylinder;
    head_ = at.head;
    if (!write) t += 1e6 * shape_.bus_ms;
    return static_cast<Nanoseconds>(t);
  }
  platter::scsi::Completion perform(const platter::scsi::Command& command) {
    ++commands_;
    platter::scsi::Completion done;
    done.issued_ns = now_;
    done.completed_ns = now_ + 20'000;
    const auto& c = command.cdb;
    const auto be32 = [&c](int at) {
      return (std::uint32_t{c[at]} << 24) | (std::uint32_t{c[at + 1]} << 16) |
             (std::uint32_t{c[at + 2]} << 8) | c[at + 3];
    };
    switch (command.opcode()) {
      case 0x00:
        break;
      case 0x12: {  // INQUIRY
        done.data.resize(36, 0);
        done.data[2] = 3;
        done.data[3] = 2;
        done.data[4] = 31;
        if (c[1] & 1) fail(done);
        break;
      }
      case 0x25: {  // READ CAPACITY(10)
        const std::uint64_t last = blocks_ - 1;
        done.data.resize(8, 0);
        for (std::size_t i = 0; i < 4; ++i)
          done.data[i] = static_cast<std::uint8_t>(last >> (24 - 8 * i));
        done.data[6] = 2;
        break;
      }
      case 0x28:
      case 0x2A: {
        const bool write = command.opcode() == 0x2A;
        const std::uint64_t lbn = be32(2);
        const std::uint32_t count = (std::uint32_t{c[7]} << 8) | c[8];
        if (shape_.cached && !write && lbn == last_lbn_)
          done.completed_ns = now_ + static_cast<Nanoseconds>(host_ns() + 1.5e5);
        else
          done.completed_ns = media(lbn, write) + static_cast<Nanoseconds>(host_ns());
        last_lbn_ = lbn;
        if (!write) done.data.assign(std::size_t{count} * 512, 0x5a);
        break;
      }
      case 0x2B:
        if (shape_.seeks == Seeks::none) return fail(done), done;
        done.completed_ns = seek(be32(2)) + static_cast<Nanoseconds>(host_ns());
        break;
      default:
        fail(done);
    }
    if (done.data.size() > command.transfer_length) done.data.resize(command.transfer_length);
    if (command.direction == platter::scsi::Direction::from_device)
      done.residual = command.transfer_length - static_cast<std::uint32_t>(done.data.size());
    return done;
  }
  static void fail(platter::scsi::Completion& done) {  // ILLEGAL REQUEST, invalid field
    done.status = platter::scsi::Status::check_condition;
    done.data.clear();
    done.sense.assign(18, 0);
    done.sense[0] = 0x70;
    done.sense[2] = 0x05;
    done.sense[7] = 10;
    done.sense[12] = 0x20;
  }

  Shape shape_;
  std::mt19937_64 random_;
  std::string name_ = "plain disk";
  std::uint64_t commands_ = 0, blocks_ = 0, last_lbn_ = ~std::uint64_t{0};
  Nanoseconds now_ = 1'000'000'000;
  double cylinder_ = 0;
  std::uint32_t head_ = 0;
  std::deque<platter::scsi::Completion> queue_;
};

// Two zones, four heads, about a gigabyte.
inline Shape small_shape() {
  Shape shape;
  shape.zones = {{0, 700, 300, 0.0, 0.19, 0.31}, {700, 800, 240, 0.37, 0.17, 0.29}};
  return shape;
}

}  // namespace plain
