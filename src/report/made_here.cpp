#include "report/made_here.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>

#include "model/version.h"

namespace platter::report {
namespace {

constexpr std::string_view kComment = "<!-- Written by platter ";
constexpr std::string_view kWritten = "Written by platter ";
constexpr std::string_view kPdf = "%PDF-", kPostScript = "%!PS", kTikz = "\\begin{tikzpicture}";
constexpr std::string_view kGenerator = "<meta name=\"generator\" content=\"platter ";
constexpr std::string_view kChunk{"tEXtSoftware\0platter ", 21};
constexpr std::string_view kPng = "\x89PNG\r\n\x1a\n";
constexpr std::string_view kLastChunk{"\0\0\0\0IEND\xae\x42\x60\x82", 12};
constexpr std::size_t kFirstChunk = 8, kHeaderBytes = 25;  // IHDR, whole

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}

// PNG (W3C, third edition), clause 11.3.3.1.
std::string text_chunk() {
  const std::string content = std::string(kChunk) + model::kToolVersion;
  const auto checksum = ::crc32(0, reinterpret_cast<const Bytef*>(content.data()),
                                static_cast<uInt>(content.size()));
  return big_endian(static_cast<std::uint32_t>(content.size() - 4)) + content +
         big_endian(static_cast<std::uint32_t>(checksum));
}

}  // namespace

std::string marked_picture(std::string bytes) {
  if (bytes.starts_with(kPng) && bytes.size() > kFirstChunk + kHeaderBytes)
    return bytes.insert(kFirstChunk + kHeaderBytes, text_chunk());
  const std::string written = fmt::format("{}{}\n", kWritten, model::kToolVersion);
  if (bytes.starts_with(kPdf)) return bytes + "% " + written;
  if (bytes.starts_with(kPostScript)) return bytes.insert(bytes.find('\n') + 1, "%%" + written);
  if (bytes.starts_with(kTikz)) return "% " + written + bytes;
  const std::size_t begin = bytes.find("<svg");
  if (begin != std::string::npos)
    bytes.insert(begin, fmt::format("{}{} -->\n", kComment, model::kToolVersion));
  return bytes;
}

// Each form's own end; gnuplot's TikZ has a comment behind it.
bool is_whole_picture(std::string_view bytes) {
  constexpr std::size_t kTail = 64;
  const std::string_view tail = bytes.substr(bytes.size() - std::min(bytes.size(), kTail));
  const auto ends = [tail](std::string_view end) { return tail.find(end) != tail.npos; };
  if (bytes.starts_with(kPng)) return bytes.ends_with(kLastChunk);
  if (bytes.starts_with(kPdf) || bytes.starts_with(kPostScript)) return ends("%%EOF");
  if (bytes.starts_with(kTikz)) return ends("\\end{tikzpicture}");
  return bytes.find("<svg") != bytes.npos && ends("</svg>");
}

std::string marked_script(const std::string& script) {
  return fmt::format("# {}{}\n{}", kWritten, model::kToolVersion, script);
}

bool begins_picture(std::string_view bytes) {
  const auto marked = [&](std::string_view before) {
    return bytes.starts_with(before) && bytes.substr(before.size()).starts_with(kWritten);
  };
  if (marked("# ") || marked("% ") || marked("// ")) return true;
  if (bytes.starts_with(kPdf)) return bytes.find("\n% " + std::string(kWritten)) != bytes.npos;
  const std::string_view head = bytes.substr(0, 1024);
  if (head.starts_with(kPostScript)) return head.find("\n%%" + std::string(kWritten)) != head.npos;
  return (head.starts_with(kPng) && head.find(kChunk) != head.npos) ||
         (head.find("<svg") != head.npos &&
          head.substr(0, head.find("<svg")).find(kComment) != head.npos);
}

bool begins_report(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 1024);
  return head.starts_with("<!DOCTYPE html>") && head.find(kGenerator) != head.npos;
}

std::string report_mark() { return fmt::format("{}{}\"/>\n", kGenerator, model::kToolVersion); }

}  // namespace platter::report
