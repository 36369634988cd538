#include "identity/serial_numbers.h"

#include <string>

#include "catch.h"

namespace platter::identity {
namespace {

// holds: safety.md: Who a drive is
TEST_CASE("numbers that bridges give to all disks, or that are none, are worthless") {
  for (const char* const serial : {"152D00539000",
                                   "152D203380B6",
                                   "058F63666485",
                                   "DD564198838A1",
                                   "DB98765432146",
                                   "202206054D01",
                                   "20170331000C3",
                                   "000000000000",
                                   "0123456789AB",
                                   "123456789012",
                                   "0123456789ABCDEF",
                                   "ABCDEF0123456789",
                                   "FFFFFFFFFFFF",
                                   "ABABABAB",
                                   "000000000033",
                                   "DB123456789699",
                                   "20170500006C",
                                   "PROLIFICMP000000001",
                                   "987654321000",
                                   "ABCDEFGHIJKL",
                                   "GHIJKLMNOP01",
                                   "123123123",
                                   "DEADBEEFDEADBEEF",
                                   "USB30USB30",
                                   "0000FFFF0000",
                                   "100000000011",
                                   "?",
                                   "?\?\?",
                                   "none",
                                   "Unknown",
                                   "To be filled by O.E.M.",
                                   "",
                                   "0",
                                   " - "}) {
    INFO(serial);
    CHECK(why_worthless(serial));
  }
}

TEST_CASE("numbers that disks have are worth something") {
  for (const char* const serial : {"WD-WX11A9305817",
                                   "WD-WCC4E0934172",
                                   "ZA1234AB",
                                   "S1Z4NYAG123456",
                                   "5QF0XY7T",
                                   "Z840BQ3V",
                                   "W1F0ABCD",
                                   "K8GZ5XTD",
                                   "3FS2VWXK",
                                   "9QJ04HL2",
                                   "LKM28375",
                                   "VIRTUAL-QUANTUM-ATLAS10K",
                                   "VIRTUAL-3",
                                   "WD-WCC4E1234567",
                                   "WD-WMC301234567",
                                   "WD-WX11A0000001",
                                   "P9J6XK4M0000C7381AAB",
                                   "80C0A08LFAUG",
                                   "SN 4711-0815",
                                   "ABCDWXYZ",
                                   "1100A1100",
                                   "WD-WCAV1WCAV",
                                   "JM1240"}) {
    INFO(serial);
    CHECK_FALSE(why_worthless(serial));
  }
}

TEST_CASE("one number in several forms") {
  CHECK(same_number("WD-WX11A9305817", "wd-wx11a9305817 "));
  CHECK(same_number("WX11A9305817", "WD-WX11A9305817"));           // cut in front
  CHECK(same_number("0000S1Z4NYAG", "S1Z4NYAG"));                  // filled up
  CHECK(same_number("575831314139333035383137", "WX11A9305817"));  // codes of its letters
  CHECK(same_number("7185039A11XW", "WX11A9305817"));              // backwards
  CHECK_FALSE(same_number("WX11A9305817", "WX11A9305818"));
  CHECK_FALSE(same_number("ZA1", "ZA1234AB"));  // so short a part is chance
  CHECK_FALSE(same_number("", ""));
  CHECK_FALSE(same_number("ZA1234AB", ""));
}

}  // namespace
}  // namespace platter::identity
