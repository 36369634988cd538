#include "catch.h"
#include "tests/transport/machine.h"
#include "transport/sysfs.h"
#include "transport/turns.h"

namespace platter::transport {
namespace {

// A machine with drives where the kernel shows them.
class Busses : public Machine {
 public:
  Busses() {
    on_bus("devices/pci0000:00/0000:00:17.0", "pci");  // AHCI, a SCSI host a port
    on_bus("devices/pci0000:00/0000:00:14.0", "pci");  // USB, a SCSI host a drive
    on_bus("devices/pci0000:00/0000:00:14.0/usb2", "usb");
    on_bus("devices/pci0000:00/0000:00:1c.0", "pci");               // a PCI bridge
    on_bus("devices/pci0000:00/0000:00:1c.0/0000:03:00.0", "pci");  // SAS, one SCSI host
    on_bus("devices/platform/soc@0/3f000000.sata", "platform");
    drive("1:0:0:0", "pci0000:00/0000:00:17.0/ata1/host1/target1:0:0");
    drive("2:0:0:0", "pci0000:00/0000:00:17.0/ata2/host2/target2:0:0");
    drive("3:0:0:0", "pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host3/target3:0:0");
    drive("4:0:0:0", "pci0000:00/0000:00:1c.0/0000:03:00.0/host4/port-4:0/target4:0:0");
    drive("4:0:1:0", "pci0000:00/0000:00:1c.0/0000:03:00.0/host4/port-4:1/target4:0:1");
    drive("5:0:0:0", "platform/soc@0/3f000000.sata/ata5/host5/target5:0:0");
    drive("6:0:0:0", "platform/host6/session1/target6:0:0");  // iSCSI
    drive("7:0:0:0", "platform/host7/session2/target7:0:0");
  }

  std::string bus(const std::string& unit) const {
    HostDrive drive;
    drive.unit = unit;
    return bus_of(drive, root());
  }

 private:
  void on_bus(const std::string& device, const std::string& bus) {
    fs::create_directories(root() + "/sys/bus/" + bus);
    link("sys/" + device + "/subsystem", root() + "/sys/bus/" + bus);
  }
  void drive(const std::string& unit, const std::string& under) {
    const std::string device = "sys/devices/" + under + "/" + unit;
    write(device + "/type", "0\n");
    link("sys/class/scsi_device/" + unit + "/device", root() + "/" + device);
  }
};

TEST_CASE("a bus is the PCI function above a drive, or what stands in its place") {
  const Busses machine;
  CHECK(machine.bus("1:0:0:0") == "0000:00:17.0");
  CHECK(machine.bus("2:0:0:0") == "0000:00:17.0");
  CHECK(machine.bus("3:0:0:0") == "0000:00:14.0");
  CHECK(machine.bus("4:0:0:0") == "0000:03:00.0");  // not the bridge's
  CHECK(machine.bus("4:0:1:0") == "0000:03:00.0");
  CHECK(machine.bus("5:0:0:0") == "3f000000.sata");
  CHECK(machine.bus("6:0:0:0") == "host6");
  CHECK(machine.bus("7:0:0:0") == "host7");
  CHECK(machine.bus("8:0:0:0").empty());
  CHECK(machine.bus("").empty());
}

std::vector<Place> places(const Busses& machine, const std::vector<std::string>& units) {
  std::vector<Place> found;
  for (const std::string& unit : units) found.push_back({machine.bus(unit), false});
  return found;
}

// All that begin now.
std::vector<std::size_t> begin(Turns& turns) {
  std::vector<std::size_t> begun;
  while (const auto drive = turns.next()) begun.push_back(*drive);
  return begun;
}

using Numbers = std::vector<std::size_t>;

TEST_CASE("drives of one bus are measured one after the other, others at the same time") {
  const Busses machine;
  const auto drives = places(
      machine, {"1:0:0:0", "2:0:0:0", "3:0:0:0", "4:0:0:0", "4:0:1:0", "6:0:0:0", "7:0:0:0"});
  Turns turns(drives, {});
  CHECK(begin(turns) == Numbers{0, 2, 3, 5, 6});
  turns.ended(2);
  CHECK(begin(turns).empty());  // its bus is nobody else's
  turns.ended(3);
  CHECK(begin(turns) == Numbers{4});
  turns.ended(0);
  CHECK(begin(turns) == Numbers{1});
  for (const std::size_t last : {1, 4, 5, 6}) turns.ended(last);
  CHECK(begin(turns).empty());

  Turns together(drives, {.share_bus = true});
  CHECK(begin(together).size() == drives.size());
}

TEST_CASE("what is computed waits for the drives, and is not more at once than there may be") {
  const Busses machine;
  auto drives = places(machine, {"", "1:0:0:0", "", "3:0:0:0", ""});
  for (const std::size_t computed : {0, 2, 4}) drives[computed].computed = true;
  Turns turns(drives, {.computed = 2});
  CHECK(begin(turns) == Numbers{1, 3});
  turns.ended(1);
  CHECK(begin(turns).empty());
  turns.ended(3);
  CHECK(begin(turns) == Numbers{0, 2});
  turns.ended(2);
  CHECK(begin(turns) == Numbers{4});
}

TEST_CASE("no more drives at once than there may be") {
  const Busses machine;
  const auto drives = places(machine, {"1:0:0:0", "3:0:0:0", "6:0:0:0", "7:0:0:0"});
  Turns turns(drives, {.drives = 3});
  CHECK(begin(turns) == Numbers{0, 1, 2});
  turns.ended(1);
  CHECK(begin(turns) == Numbers{3});
}

}  // namespace
}  // namespace platter::transport
