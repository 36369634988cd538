#include "target.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace today {
namespace {

std::uint64_t big(const Bytes& data, std::size_t at, int bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value = value << 8 | data.at(at + static_cast<std::size_t>(i));
  return value;
}

void put(Bytes& data, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) data.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

void put(Bytes& data, std::string text, std::size_t width) {
  text.resize(width, ' ');
  data.insert(data.end(), text.begin(), text.end());
}

Answer given(Bytes data) {
  Answer answer;
  answer.data = std::move(data);
  return answer;
}

std::string serial_of(const Design& design) {
  char text[16];
  std::snprintf(text, sizeof text, "TDY%05d", design.number);
  return text;
}

int exponent_of(int ratio) {
  int exponent = 0;
  while (ratio >> (exponent + 1)) ++exponent;
  return exponent;
}

}  // namespace

Target::Target(const Design& design, Drive& drive)
    : design_(design), drive_(drive), attention_(design.path == Path::sas) {}

void Target::reset() { attention_ = design_.path != Path::usb; }

Answer Target::refused(Sense sense) const {
  Answer answer;
  answer.status = 2;
  answer.sense = {0x70,
                  0,
                  static_cast<std::uint8_t>(sense.key),
                  0,
                  0,
                  0,
                  0,
                  10,
                  0,
                  0,
                  0,
                  0,
                  static_cast<std::uint8_t>(sense.code),
                  static_cast<std::uint8_t>(sense.qualifier),
                  0,
                  0,
                  0,
                  0};
  return answer;
}

Answer Target::execute(const Request& request, Job& job) {
  if (design_.silent_reset_every && ++commands_ % design_.silent_reset_every == 0) {
    drive_.write_cache = design_.write_cache;
    drive_.read_cache = drive_.read_ahead = true;
  }
  const Bytes& cdb = request.cdb;
  const int opcode = cdb[0];
  bool bad = false;
  Answer answer;
  if (request.lun) {
    answer = opcode == 0x12 ? given(Bytes{0x7F, 0, 5, 2, 31}) : refused({5, 0x25, 0});
  } else if (attention_ && opcode != 0x12 && opcode != 0xA0 && opcode != 0x03) {
    attention_ = false;
    answer = refused({6, 0x29, 0});
  } else {
    switch (opcode) {
      case 0x00:  // TEST UNIT READY
        break;
      case 0x03: {
        Bytes sense = refused({attention_ ? 6 : 0, attention_ ? 0x29 : 0, 0}).sense;
        attention_ = false;
        sense.resize(std::min<std::size_t>(sense.size(), cdb[4]));
        answer = given(sense);
        break;
      }
      case 0x12:
        answer = given(inquiry(cdb, bad));
        break;
      case 0x08:
      case 0x28:
      case 0x88:
      case 0x0A:
      case 0x2A:
      case 0x8A:
      case 0x2F:
      case 0x8F:
        answer = access(request, job);
        break;
      case 0x1A:
      case 0x5A:
        answer = mode_sense(request);
        break;
      case 0x15:
      case 0x55:
        answer = mode_select(request, job);
        break;
      case 0x1D:
      case 0x2B:  // libata says GOOD to SEND DIAGNOSTIC and SEEK, and does nothing
        if (!ata()) answer = refused({5, 0x20, 0});
        break;
      case 0x25: {
        Bytes data;
        put(data,
            static_cast<std::uint64_t>(std::min<std::int64_t>(design_.blocks - 1, 0xFFFFFFFF)), 4);
        put(data, static_cast<std::uint64_t>(design_.block_bytes), 4);
        if (big(cdb, 2, 4)) bad = true;
        answer = given(data);
        break;
      }
      case 0x9E: {
        if ((cdb[1] & 31) != 0x10) {
          answer = refused({5, 0x20, 0});
          break;
        }
        Bytes data;
        put(data, static_cast<std::uint64_t>(design_.blocks - 1), 8);
        put(data, static_cast<std::uint64_t>(design_.block_bytes), 4);
        data.push_back(0);
        data.push_back(
            static_cast<std::uint8_t>(exponent_of(design_.sector_bytes / design_.block_bytes)));
        data.resize(32);
        data.resize(std::min<std::size_t>(data.size(), big(cdb, 10, 4)));
        answer = given(data);
        break;
      }
      case 0x35:
        job.kind = Kind::synchronize;
        break;
      case 0xA0: {
        Bytes data(16);
        data[3] = 8;
        answer = given(data);
        break;
      }
      case 0x85:
      case 0xA1:
        answer = ata() ? pass_through(request, job) : refused({5, 0x20, 0});
        break;
      default:
        answer = refused({5, 0x20, 0});
    }
  }
  if (bad) answer = refused({5, 0x24, 0});
  std::size_t moved = 0;
  if (request.direction == 1) {
    answer.data.resize(std::min<std::size_t>(answer.data.size(), request.transfer_length));
    moved = answer.data.size();
  } else {
    answer.data.clear();
    if (request.direction == 2 && answer.status == 0) moved = request.data.size();
  }
  answer.residual = request.direction ? request.transfer_length - static_cast<std::uint32_t>(moved)
                                      : 0;
  return answer;
}

// Who it is.

Bytes Target::inquiry(const Bytes& cdb, bool& bad) {
  Bytes data;
  if (cdb[1] & 1) {
    data = vital(cdb[2], bad);
  } else if (cdb[2]) {
    bad = true;
  } else {
    data = {0, 0, static_cast<std::uint8_t>(ata() ? 5 : 6), 2, 0, 0, 0, 2};
    put(data, ata() ? "ATA" : "ALIENSAS", 8);
    put(data, design_.model, 16);
    put(data, "T001", 4);
    data.resize(96);
    data[4] = 91;
  }
  data.resize(std::min<std::size_t>(data.size(), big(cdb, 3, 2)));
  return data;
}

Bytes Target::vital(int page, bool& bad) {
  Bytes body;
  switch (page) {
    case 0x00:
      body = {0x00, 0x80, 0x83};
      if (design_.path == Path::libata || design_.path == Path::libata_without_ncq)
        body.push_back(0x89);
      if (design_.path != Path::usb) body.insert(body.end(), {0xB0, 0xB1});
      break;
    case 0x80:
      put(body, serial_of(design_), 20);
      break;
    case 0x83: {
      Bytes name;
      put(name, 0x5000C50000000000ULL + static_cast<std::uint64_t>(design_.number), 8);
      body = {1, 3, 0, 8};
      body.insert(body.end(), name.begin(), name.end());
      break;
    }
    case 0x89: {
      if (design_.path == Path::usb || !ata()) {
        bad = true;
        return {};
      }
      body.resize(4);
      put(body, "linux", 8);
      put(body, "libata", 16);
      put(body, "3.00", 4);
      body.resize(56);
      body[52] = 0xEC;
      body[32] = 0x34;
      const Bytes words = identify();
      body.insert(body.end(), words.begin(), words.end());
      break;
    }
    case 0xB0:
      body.resize(60);
      body[3] = 8;
      break;
    case 0xB1:
      put(body, static_cast<std::uint64_t>(design_.nominal_rpm), 2);
      body.resize(60);
      body[3] = 2;
      break;
    default:
      bad = true;
      return {};
  }
  if (design_.path == Path::usb && page >= 0xB0) {
    bad = true;
    return {};
  }
  Bytes data{0, static_cast<std::uint8_t>(page)};
  put(data, body.size(), 2);
  data.insert(data.end(), body.begin(), body.end());
  return data;
}

// IDENTIFY DEVICE (ACS-3, 7.12).
Bytes Target::identify() {
  std::uint16_t words[256] = {};
  const auto text = [&](int at, std::string what, std::size_t length) {
    what.resize(length, ' ');
    for (std::size_t i = 0; i < length; i += 2)
      words[static_cast<std::size_t>(at) + i / 2] = static_cast<std::uint16_t>(
          static_cast<std::uint8_t>(what[i]) << 8 | static_cast<std::uint8_t>(what[i + 1]));
  };
  words[0] = 0x0040;
  text(10, serial_of(design_), 20);
  text(23, "T001", 8);
  text(27, design_.model, 40);
  words[49] = 0x2F00;
  words[53] = 7;
  const auto blocks = static_cast<std::uint64_t>(design_.blocks);
  const std::uint64_t lba28 = std::min<std::uint64_t>(blocks, 0x0FFFFFFF);
  words[60] = static_cast<std::uint16_t>(lba28);
  words[61] = static_cast<std::uint16_t>(lba28 >> 16);
  if (design_.depth > 1) {
    words[75] = static_cast<std::uint16_t>(design_.depth - 1);
    words[76] = 0x010E;
  }
  words[80] = 0x01F0;
  words[82] = 0x346B;
  words[83] = 0x7D61;
  words[84] = 0x4123;
  words[85] = static_cast<std::uint16_t>(0x3409 | 0x20 * drive_.write_cache |
                                         0x40 * drive_.read_ahead);
  words[86] = 0xBC41;
  words[87] = 0x4123;
  for (int i = 0; i < 4; ++i) words[100 + i] = static_cast<std::uint16_t>(blocks >> 16 * i);
  const int ratio = design_.sector_bytes / design_.block_bytes;
  words[106] = static_cast<std::uint16_t>(0x4000 | (ratio > 1 ? 0x2000 | exponent_of(ratio) : 0) |
                                          (design_.block_bytes != 512 ? 0x1000 : 0));
  if (design_.block_bytes != 512) words[117] = static_cast<std::uint16_t>(design_.block_bytes / 2);
  words[168] = 2;
  words[217] = static_cast<std::uint16_t>(design_.nominal_rpm);
  words[255] = 0x00A5;
  Bytes data;
  for (const std::uint16_t word : words) {
    data.push_back(static_cast<std::uint8_t>(word));
    data.push_back(static_cast<std::uint8_t>(word >> 8));
  }
  std::uint8_t sum = 0;
  for (const std::uint8_t byte : data) sum = static_cast<std::uint8_t>(sum + byte);
  data[511] = static_cast<std::uint8_t>(-sum);
  return data;
}

Answer Target::pass_through(const Request& request, Job& job) {
  const Bytes& cdb = request.cdb;
  const bool sixteen = cdb[0] == 0x85;
  const int feature = sixteen ? cdb[4] : cdb[3], command = sixteen ? cdb[14] : cdb[9];
  const int protocol = cdb[1] >> 1 & 15;
  if (command == 0xEC && protocol == 4) return given(identify());
  if (protocol != 3) return refused({5, 0x24, 0});
  if (command == 0xE5) {  // ATA status return, in descriptor format
    Answer answer;
    answer.status = 2;
    answer.sense = {0x72, 1, 0, 0x1D, 0, 0, 0, 14, 9, 12, 0, 0, 0, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0x50};
    return answer;
  }
  if (command == 0xEF) {
    if (feature == 0x02 || feature == 0x82) {
      if (feature == 0x82 && drive_.write_cache) job.kind = Kind::synchronize;
      drive_.write_cache = feature == 0x02;
      return {};
    }
    if (feature == 0x55 || feature == 0xAA) {
      drive_.read_ahead = feature == 0xAA;
      return {};
    }
  }
  return refused({0xB, 0, 0});
}

// Blocks.

Bytes Target::contents(std::int64_t lbn, std::int64_t count) const {
  const auto size = static_cast<std::size_t>(design_.block_bytes);
  Bytes data(size * static_cast<std::size_t>(count));
  if (stored_.empty()) return data;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto found = stored_.find(lbn + i);
    if (found != stored_.end())
      std::memcpy(data.data() + static_cast<std::size_t>(i) * size, found->second.data(), size);
  }
  return data;
}

void Target::store(std::int64_t lbn, std::int64_t count, const Bytes& data) {
  const auto size = static_cast<std::size_t>(design_.block_bytes);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto from = data.begin() +
                      static_cast<std::ptrdiff_t>(static_cast<std::size_t>(i) * size);
    const auto to = from + static_cast<std::ptrdiff_t>(size);
    if (std::any_of(from, to, [](std::uint8_t byte) { return byte != 0; }))
      stored_[lbn + i] = Bytes(from, to);
    else
      stored_.erase(lbn + i);
  }
}

Answer Target::access(const Request& request, Job& job) {
  const Bytes& cdb = request.cdb;
  const int opcode = cdb[0];
  std::int64_t lbn, count;
  if (cdb.size() == 6) {
    lbn = static_cast<std::int64_t>(big(cdb, 1, 3) & 0x1FFFFF);
    count = cdb[4] ? cdb[4] : 256;
  } else if (cdb.size() == 10) {
    lbn = static_cast<std::int64_t>(big(cdb, 2, 4));
    count = static_cast<std::int64_t>(big(cdb, 7, 2));
  } else {
    const std::uint64_t asked = big(cdb, 2, 8);
    if (asked >> 62) return refused({5, 0x21, 0});
    lbn = static_cast<std::int64_t>(asked);
    count = static_cast<std::int64_t>(big(cdb, 10, 4));
  }
  if (lbn >= design_.blocks || count > design_.blocks - lbn) return refused({5, 0x21, 0});
  const bool verify = opcode == 0x2F || opcode == 0x8F;
  const bool write = opcode == 0x0A || opcode == 0x2A || opcode == 0x8A;
  const bool force = !verify && cdb.size() > 6 && cdb[1] & 8;
  if (verify && (!design_.verify || cdb[1] & 6))
    return refused({5, design_.verify ? 0x24 : 0x20, 0});
  // libata has a READ with FUA by FPDMA only (SAT-3, 8.9).
  if (force && !write && !design_.fua_reads) return refused({5, 0x24, 0});
  if (count == 0) return {};
  job.kind = verify ? Kind::verify : write ? Kind::write : Kind::read;
  job.lbn = lbn;
  job.blocks = count;
  job.force = force;
  if (write) {
    if (request.data.size() < static_cast<std::size_t>(count * design_.block_bytes)) {
      job.kind = Kind::other;
      return refused({5, 0x24, 0});
    }
    store(lbn, count, request.data);
    return {};
  }
  return verify ? Answer{} : given(contents(lbn, count));
}

// Mode pages: 01h, 08h and 0Ah, as libata has them; a SAS drive lets more be changed.

Bytes Target::mode_page(int page, int control) {
  const bool changeable = control == 1, factory = control == 2;
  if (page == 0x01) {
    Bytes data(12);
    data[0] = 1;
    data[1] = 10;
    if (!changeable) data[2] = 0x80;
    return data;
  }
  if (page == 0x0A) {
    Bytes data(12);
    data[0] = 10;
    data[1] = 10;
    if (!changeable) {
      data[2] = 2;
      data[8] = data[9] = 0xFF;
      data[11] = 30;
    }
    return data;
  }
  Bytes data(20);
  data[0] = 8;
  data[1] = 18;
  if (changeable) {
    data[2] = ata() ? 4 : 5;
    if (!ata()) data[12] = 0x20;
    return data;
  }
  const bool writes = factory ? design_.write_cache : drive_.write_cache;
  const bool reads = factory || drive_.read_cache, ahead = factory || drive_.read_ahead;
  data[2] = static_cast<std::uint8_t>((writes ? 4 : 0) | (reads ? 0 : 1));
  data[12] = ahead ? 0 : 0x20;
  if (!ata()) {
    data[4] = data[5] = data[8] = data[9] = data[10] = data[11] = 0xFF;
    data[13] = 32;  // segments, which say nothing of a buffer that is divided as needed
  }
  return data;
}

Answer Target::mode_sense(const Request& request) {
  const Bytes& cdb = request.cdb;
  const int control = cdb[2] >> 6, page = cdb[2] & 0x3F;
  if (control == 3) return refused({5, 0x39, 0});
  if (cdb[3] && cdb[3] != 0xFF) return refused({5, 0x24, 0});
  Bytes pages;
  for (const int one : {0x01, 0x08, 0x0A})
    if (page == one || page == 0x3F) {
      const Bytes its = mode_page(one, control);
      pages.insert(pages.end(), its.begin(), its.end());
    }
  if (pages.empty()) return refused({5, 0x24, 0});
  Bytes descriptor;
  if (!(cdb[1] & 8)) {
    descriptor.resize(4);
    // libata's descriptor has no number of blocks, and 512 bytes always.
    if (!ata())
      descriptor.clear(),
          put(descriptor,
              static_cast<std::uint64_t>(std::min<std::int64_t>(design_.blocks, 0xFFFFFFFF)), 4);
    put(descriptor, static_cast<std::uint64_t>(ata() ? 512 : design_.block_bytes), 4);
  }
  const std::uint8_t dpofua = design_.path == Path::sas ? 0x10 : 0;
  Bytes data;
  std::size_t room;
  if (cdb.size() == 6) {
    data = {static_cast<std::uint8_t>(3 + descriptor.size() + pages.size()), 0, dpofua,
            static_cast<std::uint8_t>(descriptor.size())};
    room = cdb[4];
  } else {
    put(data, 6 + descriptor.size() + pages.size(), 2);
    data.insert(data.end(), {0, dpofua, 0, 0});
    put(data, descriptor.size(), 2);
    room = big(cdb, 7, 2);
  }
  data.insert(data.end(), descriptor.begin(), descriptor.end());
  data.insert(data.end(), pages.begin(), pages.end());
  data.resize(std::min(data.size(), room));
  return given(data);
}

Answer Target::mode_select(const Request& request, Job& job) {
  const Bytes& cdb = request.cdb;
  if ((cdb[1] & 0x11) != 0x10) return refused({5, 0x24, 0});
  const Bytes& data = request.data;
  const std::size_t header = cdb.size() == 6 ? 4 : 8;
  if (data.size() < header) return refused({5, 0x1A, 0});
  std::size_t at = header + (header == 4 ? data[3] : big(data, 6, 2));
  while (at < data.size()) {
    if (at + 2 > data.size() || at + 2 + data[at + 1] > data.size()) return refused({5, 0x1A, 0});
    const int page = data[at] & 0x3F;
    if (page != 0x01 && page != 0x08 && page != 0x0A) return refused({5, 0x26, 0});
    const Bytes now = mode_page(page, 0), may = mode_page(page, 1);
    if (data[at + 1] + 2U != now.size()) return refused({5, 0x26, 0});
    for (std::size_t i = 2; i < now.size(); ++i)
      if ((data[at + i] ^ now[i]) & ~may[i]) return refused({5, 0x26, 0});
    if (page == 0x08) {
      if (drive_.write_cache && !(data[at + 2] & 4)) job.kind = Kind::synchronize;
      drive_.write_cache = data[at + 2] & 4;
      drive_.read_cache = !(data[at + 2] & 1);
      drive_.read_ahead = !(data[at + 12] & 0x20);
      if (!drive_.read_cache) drive_.forget_reads();
    }
    at += now.size();
  }
  return {};
}

}  // namespace today
