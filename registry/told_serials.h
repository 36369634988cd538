// Serial numbers in files whose form nobody knows: what a file itself calls one, and how one may be
// spelled. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace platter::registry {

// What stands behind the word "serial" or "serial number": the value of a member of JSON, a cell of
// HTML, a field of CSV, or a word with a digit in it. Stand-ins are none.
std::vector<std::string> told_serials(std::string_view content);

// The number as it is and with its bytes in pairs as IDENTIFY DEVICE has them (ACS-4, 3.4.9); each
// also in UTF-16, and as hexadecimal digits with and without blanks.
std::vector<std::string> spellings_of(const std::string& serial);

}  // namespace platter::registry
