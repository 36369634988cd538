// Commands on blocks that drives of SPC-3 and later have: what they answer, and what they leave.

#include "catch.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/newer_drive.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;
using Bytes = std::vector<std::uint8_t>;

namespace {

constexpr std::uint64_t kBlocks = 7297;  // of the test drive

Bytes read(scsi::Device& device, std::uint32_t lbn, std::uint16_t blocks) {
  return run(device, read_10(lbn, blocks)).data;
}

std::uint32_t information_of(const scsi::Completion& done) {
  return done.sense.size() >= 7 && (done.sense[0] & 0x80) ? scsi::get_be32(&done.sense[3])
                                                          : 0xffffffff;
}

}  // namespace

TEST_CASE("older drives do not know the commands of newer ones") {
  for (const char* level : {"SCSI-2", "SPC", "SPC-2"}) {
    VirtualDevice device(drive_of(level));
    for (const std::uint8_t opcode : Bytes{0x1b, 0x2e, 0x34, 0x41, 0x4d, 0x8e, 0x8f, 0x90, 0x91,
                                           0x93, 0xa3, 0xa8, 0xaa, 0xae, 0xaf}) {
      CAPTURE(level, int{opcode});
      CHECK(sense_for(device, on_blocks(opcode, 0, 1)) == 0x52000);
    }
    CHECK(sense_for(device, on_blocks(0x2f, 0, 1)) == 0);
    CHECK(sense_for(device, with_data(on_blocks(0x2f, 0, 1, 0x02), Bytes(512))) == 0x52400);
  }
}

TEST_CASE("READ(12) and WRITE(12) move blocks as the others do") {
  VirtualDevice device(spc4_drive());
  const Bytes data(1024, 0x5a);
  const auto written = run(device, with_data(on_blocks(0xaa, 77, 2), data));
  CHECK(sense_of(written) == 0);
  CHECK(written.residual == 0);
  CHECK(run(device, with_room(on_blocks(0xa8, 77, 2, 0x18), 1024)).data == data);
  CHECK(read(device, 77, 2) == data);
  CHECK(read(device, 79, 1) == unwritten(79, 1));
  CHECK(sense_for(device, with_room(on_blocks(0xa8, 0, 65536), 512)) == 0x52100);
  auto large = spc4_drive();
  large.firmware->most_transfer_blocks = 8;
  VirtualDevice limited(large);
  const auto refused = run(limited, with_room(on_blocks(0xa8, 0, 9), 9 * 512));
  CHECK(sense_of(refused) == 0x52400);
  CHECK(scsi::get_be16(&refused.sense[16]) == 6);
}

TEST_CASE("ranges, protection and lengths are refused alike by all of them") {
  VirtualDevice device(spc4_drive());
  const Bytes block(512);
  for (const std::uint8_t opcode : Bytes{0x28, 0x2a, 0x2e, 0x2f, 0x34, 0x41, 0x88, 0x8a, 0x8e, 0x8f,
                                         0x90, 0x93, 0xa8, 0xaa, 0xae, 0xaf}) {
    CAPTURE(int{opcode});
    const auto ask = [&](std::uint64_t lbn, std::uint32_t blocks, std::uint8_t flags = 0) {
      const bool reads = opcode == 0x28 || opcode == 0x88 || opcode == 0xa8;
      const bool writes = (opcode & 0x1f) == 0x0a || (opcode & 0x1f) == 0x0e || opcode == 0x41 ||
                          opcode == 0x93;
      auto command = on_blocks(opcode, lbn, blocks, flags);
      if (reads) command = with_room(command, 512);
      if (writes) command = with_data(command, block);
      return run(device, command);
    };
    CHECK(sense_of(ask(kBlocks - 1, 1)) == 0);
    CHECK(sense_of(ask(kBlocks, 1)) == 0x52100);
    CHECK(information_of(ask(kBlocks, 1)) == kBlocks);
    CHECK(information_of(ask(kBlocks - 1, 2)) == kBlocks);
    CHECK(sense_of(ask(0xffffffff, 0)) == 0x52100);
    CHECK(sense_of(ask(kBlocks + 1, 0)) == 0x52100);
    for (std::uint8_t protect = 0x20; protect != 0; protect += 0x20)
      CHECK(sense_of(ask(0, 1, protect)) == 0x52400);
  }
}

TEST_CASE("a group number is taken, and does nothing") {
  VirtualDevice newer(spc4_drive()), older(test_drive());
  auto command = read_10(5, 1);
  command.cdb[6] = 0x1f;
  CHECK(run(newer, command).data == unwritten(5, 1));
  CHECK(sense_for(older, command) == 0x52400);
  command.cdb[6] = 0x20;
  CHECK(sense_for(newer, command) == 0x52400);
}

TEST_CASE("VERIFY compares all blocks, or one with each") {
  VirtualDevice device(spc4_drive());
  for (const std::uint8_t opcode : Bytes{0x2f, 0xaf, 0x8f}) {
    CAPTURE(int{opcode});
    const auto verify = [&](std::uint64_t lbn, std::uint32_t blocks, std::uint8_t check,
                            const Bytes& data) {
      auto command = on_blocks(opcode, lbn, blocks, static_cast<std::uint8_t>(check << 1));
      return run(device, data.empty() ? command : with_data(command, data));
    };
    CHECK(sense_of(verify(40, 3, 0, {})) == 0);
    const auto same = verify(40, 3, 1, unwritten(40, 3));
    CHECK(sense_of(same) == 0);
    CHECK(same.residual == 0);
    auto other = unwritten(40, 3);
    other[2 * 512 + 511] = 1;
    const auto miscompare = verify(40, 3, 1, other);
    CHECK(sense_of(miscompare) == 0xe1d00);
    CHECK(information_of(miscompare) == 42);
    CHECK(miscompare.residual == 0);
    CHECK(sense_of(verify(40, 3, 1, Bytes(1024))) == 0xb4b00);  // a block is missing
    CHECK(sense_of(verify(40, 3, 1, {})) == 0xb4b00);
    CHECK(sense_of(verify(40, 3, 2, unwritten(40, 3))) == 0x52400);  // reserved
    CHECK(sense_of(verify(40, 0, 1, {})) == 0);

    run(device, write_10(60, Bytes(4 * 512, 7)));
    CHECK(sense_of(verify(60, 4, 3, Bytes(512, 7))) == 0);
    run(device, write_10(62, Bytes(512, 8)));
    CHECK(information_of(verify(60, 4, 3, Bytes(512, 7))) == 62);
  }
}

TEST_CASE("VERIFY compares no more blocks with one than WRITE SAME writes") {
  auto model = catalogue_model(*find_in_catalogue("hp-c2247"));
  model.firmware = spc4_drive().firmware;
  model.imperfections.reset();
  VirtualDevice device(model);
  const auto refused = run(device, with_data(on_blocks(0x8f, 0, 65536, 0x06), Bytes(512)));
  CHECK(sense_of(refused) == 0x52400);
  CHECK(scsi::get_be16(&refused.sense[16]) == 10);
}

TEST_CASE("VERIFY finds what cannot be read, and what differs before it") {
  auto model = spc4_drive();
  model.imperfections.emplace().medium_errors = {102};
  VirtualDevice device(model);
  const auto unreadable = run(device, with_data(on_blocks(0x2f, 100, 4, 0x02), unwritten(100, 4)));
  CHECK(sense_of(unreadable) == 0x31100);
  CHECK(information_of(unreadable) == 102);
  auto other = unwritten(100, 4);
  other[512] ^= 1;
  const auto differs = run(device, with_data(on_blocks(0x2f, 100, 4, 0x02), other));
  CHECK(sense_of(differs) == 0xe1d00);
  CHECK(information_of(differs) == 101);
  other = unwritten(100, 4);
  other[3 * 512] ^= 1;
  CHECK(sense_for(device, with_data(on_blocks(0x2f, 100, 4, 0x02), other)) == 0x31100);
  CHECK(sense_for(device, with_data(on_blocks(0x2e, 100, 4), Bytes(2048))) == 0x31100);
}

TEST_CASE("WRITE AND VERIFY leaves what it was given") {
  VirtualDevice device(spc4_drive());
  std::uint8_t fill = 1;
  for (const std::uint8_t opcode : Bytes{0x2e, 0xae, 0x8e})
    for (const std::uint8_t check : Bytes{0x00, 0x02}) {
      const Bytes data(1024, ++fill);
      const auto done = run(device, with_data(on_blocks(opcode, 200, 2, check), data));
      CHECK(sense_of(done) == 0);
      CHECK(done.residual == 0);
      CHECK(read(device, 200, 2) == data);
    }
  CHECK(sense_for(device, with_data(on_blocks(0x2e, 200, 2, 0x04), Bytes(1024))) == 0x52400);
  CHECK(sense_for(device, with_data(on_blocks(0x2e, 200, 2, 0x06), Bytes(1024))) == 0x52400);
  CHECK(sense_for(device, with_data(on_blocks(0x2e, 200, 2), Bytes(512))) == 0xb4b00);
  CHECK(read(device, 200, 2) == Bytes(1024, fill));
}

TEST_CASE("WRITE SAME writes one block to all, to the end where none are named") {
  VirtualDevice device(spc4_drive());
  for (const std::uint8_t opcode : Bytes{0x41, 0x93}) {
    const auto fill = static_cast<std::uint8_t>(opcode);
    const auto done = run(device, with_data(on_blocks(opcode, 300, 5), Bytes(512, fill)));
    CHECK(sense_of(done) == 0);
    CHECK(done.residual == 0);
    CHECK(read(device, 300, 5) == Bytes(5 * 512, fill));
    CHECK(read(device, 305, 1) == unwritten(305, 1));
    CHECK(sense_for(device, with_data(on_blocks(opcode, 7290, 0), Bytes(512, fill))) == 0);
    CHECK(read(device, 7290, 7) == Bytes(7 * 512, fill));
    CHECK(read(device, 7289, 1) == unwritten(7289, 1));
    CHECK(sense_for(device, on_blocks(opcode, 300, 5)) == 0xb4b00);
    for (const std::uint8_t deallocates : Bytes{0x08, 0x10, 0x18})  // UNMAP, ANCHOR
      CHECK(sense_for(device, with_data(on_blocks(opcode, 0, 1, deallocates), Bytes(512))) ==
            0x52400);
  }
  CHECK(sense_for(device, on_blocks(0x93, 301, 2, 0x01)) == 0);  // NDOB
  CHECK(read(device, 301, 2) == Bytes(1024, 0));
  CHECK(read(device, 300, 1) == Bytes(512, 0x93));
  CHECK(sense_for(device, on_blocks(0x41, 301, 2, 0x01)) == 0x52400);
}

TEST_CASE("WRITE SAME keeps to the length that the block limits tell") {
  auto model = catalogue_model(*find_in_catalogue("cache-base"));  // larger than that
  model.firmware->scsi_level = "SPC-4";
  model.imperfections.reset();
  VirtualDevice device(model);
  const auto limits = run(device, command({0x12, 1, 0xb0, 0, 64, 0}, 64)).data;
  CHECK((limits[4] & 0x01) == 0);  // WSNZ
  const auto most = static_cast<std::uint32_t>(scsi::get_be(&limits[36], 8));
  REQUIRE(most == 65535);
  const Bytes block(512, 9);
  CHECK(sense_for(device, with_data(on_blocks(0x93, 10, most), block)) == 0);
  CHECK(read(device, 10 + most - 1, 1) == block);
  CHECK(read(device, 10 + most, 1) == unwritten(10 + most, 1));
  CHECK(sense_for(device, with_data(on_blocks(0x93, 10, most + 1), block)) == 0x52400);
  CHECK(sense_for(device, with_data(on_blocks(0x41, 10, 0), block)) == 0x52400);
}

TEST_CASE("what was never written has a place once WRITE SAME came by") {
  auto model = spc4_drive();
  model.firmware->unwritten = {{400, 499}};
  VirtualDevice device(model);
  CHECK(read(device, 410, 1) == Bytes(512, 0));
  CHECK(sense_for(device, with_data(on_blocks(0x2f, 410, 1, 0x02), Bytes(512, 0))) == 0);
  CHECK(sense_for(device, with_data(on_blocks(0x93, 410, 2), Bytes(512, 3))) == 0);
  CHECK(read(device, 409, 4) == [] {
    Bytes bytes(4 * 512, 0);
    std::fill(bytes.begin() + 512, bytes.begin() + 3 * 512, std::uint8_t{3});
    return bytes;
  }());
}

TEST_CASE("SWP of the control page keeps everything from being written") {
  VirtualDevice device(spc4_drive());
  const auto select = [&](std::uint8_t protect) {
    Bytes list{0, 0, 0, 0, 0x0a, 0x0a, 0, 0, protect, 0, 0, 0, 0, 0, 0, 0};
    return sense_for(device, command_with({0x15, 0x10, 0, 0, 16, 0}, list));
  };
  CHECK(select(0x08) == 0);
  CHECK((run(device, command({0x1a, 0x08, 0x0a, 0, 255, 0}, 255)).data[2] & 0x80) != 0);
  for (const std::uint8_t opcode : Bytes{0x2a, 0xaa, 0x8a, 0x2e, 0xae, 0x8e, 0x41, 0x93})
    CHECK(sense_for(device, with_data(on_blocks(opcode, 5, 1), Bytes(512, 1))) == 0x72702);
  CHECK(read(device, 5, 1) == unwritten(5, 1));
  CHECK(sense_for(device, on_blocks(0x2f, 5, 1)) == 0);
  CHECK(select(0) == 0);
  CHECK(sense_for(device, with_data(on_blocks(0x2a, 5, 1), Bytes(512, 1))) == 0);
}
