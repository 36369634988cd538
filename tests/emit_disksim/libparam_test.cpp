#include "emit/disksim/libparam.h"

#include <fmt/core.h>

#include "catch.h"
#include "folder.h"
#include "model/error.h"

namespace platter::emit_disksim {
namespace {

std::string refusal(const std::string& path) {
  try {
    parse_parameter_file(path);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "accepted";
}

TEST_CASE("blocks, lists, names of several words and comments") {
  const Folder folder;
  const std::string file = folder.write(
      "a.parv",
      "# first\n"
      "disksim_bus BUS0 {\r\n"
      "  Time scale = 1.500000, # behind\n"
      "  Low (write) water mark = -0x10, first..ten = [ 1, -2, 3.5e-1, [] ],\n"
      "  Scheduler = disksim_ioqueue { Policy = 1 }\n"
      "}\n"
      "instantiate [ bus0, disk1 .. disk3 ] as BUS0\n"
      "topology disksim_iodriver d [ disksim_bus bus0 [], disksim_bus bus1 [] ]\n");
  const ParameterFile parsed = parse_parameter_file(file);
  REQUIRE(parsed.blocks.size() == 1);
  BlockReader bus(parsed.blocks[0]);
  CHECK(bus.real("Time scale") == 1.5);
  CHECK(bus.integer("Low (write) water mark", -100, 0) == -16);
  const auto& list = bus.list("first..ten");
  REQUIRE(list.size() == 4);
  CHECK(real_of(list[2]) == 0.35);
  CHECK(BlockReader(bus.inner("Scheduler")).integer("Policy", 0, 9) == 1);
  CHECK(bus.unread().empty());
  CHECK(parsed.instances.size() == 4);
  CHECK(parsed.instances.at("disk2") == "BUS0");
  REQUIRE(parsed.topology.size() == 3);
  CHECK(parsed.topology[2].parent == "d");
}

TEST_CASE("a word is a number only in libparam's forms") {
  const Folder folder;
  for (const std::string word : {"1e-3", ".5", "5.", "1.0E-3", "1.0e3", "+1.0"}) {
    const ParameterFile parsed =
        parse_parameter_file(folder.write("a", "t N { x = " + word + " }"));
    BlockReader reader(parsed.blocks[0]);
    INFO(word);
    CHECK(reader.text("x") == word);
    CHECK_THROWS_AS(reader.real("x"), Error);
  }
}

TEST_CASE("source is read in place, relative to the file that names it") {
  const Folder folder;
  folder.write("sub/inner.model", "dm_disk M { Heads = source deeper/number }");
  folder.write("sub/deeper/number", "7");
  const ParameterFile parsed = parse_parameter_file(
      folder.write("top", "disksim_disk D { Model = source sub/inner.model, y = 1 }"));
  BlockReader disk(parsed.blocks[0]);
  CHECK(BlockReader(disk.inner("Model")).integer("Heads", 0, 9) == 7);
  CHECK(disk.integer("y", 0, 9) == 1);
}

TEST_CASE("a block of another block's type inherits what it does not set") {
  const Folder folder;
  const ParameterFile parsed =
      parse_parameter_file(folder.write("a", "bus A { x = 1, y = 2 } A B { y = 3 }"));
  BlockReader b(*parsed.find("B"));
  CHECK(b.block().type == "bus");
  CHECK(b.integer("x", 0, 9) == 1);
  CHECK(b.integer("y", 0, 9) == 3);
}

TEST_CASE("what is wrong is named with file and line") {
  const Folder folder;
  const auto why = [&](const std::string& content) {
    const std::string file = folder.write("f", content);
    std::string message = refusal(file);
    const std::size_t at = message.find(file);
    return at == 0 ? message.substr(file.size()) : message;
  };
  CHECK(why("bus A {\n x = 1,\n") == ":3: the file ends where a parameter's name is expected");
  CHECK(why("bus A {\n x = \n") == ":3: the file ends where a value is expected");
  CHECK(why("bus A {\n x = 1,\n x = 2 }") == ":3: the parameter \"x\" is redefined");
  CHECK(why("bus A { x = 1 }\nbus A { x = 1 }") == ":2: A is defined a second time");
  CHECK(why("bus A { x = 1, }") ==
        ":1: the last parameter of a block must not be followed by a comma");
  CHECK(why("bus A { x = [ 1 2 ] }").find("\"{\" of the block 2") != std::string::npos);
  CHECK(
      why("bus A {\n x = source nowhere }").find(":2: the file named by source cannot be used: ") ==
      0);
  CHECK(why("source f").find(":1: ") == 0);
  CHECK(why("source f").find("includes itself through source") != std::string::npos);
  CHECK(why("bus A { x = 99999999999999999999 }") ==
        ":1: the number 99999999999999999999 is too large");
  CHECK(why(std::string(100000, '[')).find(" where ") != std::string::npos);
  CHECK(why("bus A { x = " + std::string(100000, '[')) ==
        ":1: blocks and lists are nested too deeply");
  std::string deep = "bus A { x = ";
  for (int i = 0; i < 10000; ++i) deep += "t { x = ";
  CHECK(why(deep) == ":1: blocks and lists are nested too deeply");
  CHECK(refusal(folder / "missing").find("no such file") != std::string::npos);
}

TEST_CASE("source nests up to 32 files") {
  const Folder folder;
  for (int i = 0; i < 40; ++i)
    folder.write(fmt::format("n{}", i), fmt::format("source n{}", i + 1));
  CHECK(refusal(folder / "n0").find("source is nested more than 32 files deep") !=
        std::string::npos);
  folder.write("n10", "bus A { x = 1 }");
  CHECK(refusal(folder / "n0") == "accepted");
}

}  // namespace
}  // namespace platter::emit_disksim
