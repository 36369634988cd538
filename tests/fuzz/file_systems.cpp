// File systems as they come to a drive whose contents drop data: pages that a guest wrote, whatever
// they hold. An input is a list of writes (page, offset, length, bytes) to a drive of zeros; those
// of the corpus are what mkfs wrote.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "emulator/contents/generated_contents.h"
#include "fuzz/targets.h"

namespace platter::fuzz {
namespace {

using namespace emulator;

constexpr std::uint64_t kBytes = 320U << 20;
constexpr unsigned kRead = 0x8000, kDiscard = 0x4000;  // in place of a length
using PageBytes = std::array<std::uint8_t, kPage>;

struct Doing {
  std::uint64_t page = 0;
  unsigned offset = 0, length = 0;
  std::string_view bytes{};
};

// The next one, taken off; false: there is none.
bool take(std::string_view& rest, Doing& doing) {
  if (rest.size() < 7) return false;
  const auto number = [&](std::size_t at, std::size_t size) {
    std::uint32_t value = 0;
    std::memcpy(&value, rest.data() + at, size);
    return value;
  };
  doing.page = number(0, 3) % (kBytes / kPage);
  doing.offset = number(3, 2) % kPage;
  doing.length = number(5, 2);
  rest.remove_prefix(7);
  if (doing.length >= kDiscard) return true;
  doing.bytes = rest.substr(0, std::min<std::size_t>(doing.length, kPage - doing.offset));
  rest.remove_prefix(doing.bytes.size());
  return true;
}

class Drive {
 public:
  void do_one(const Doing& doing) {
    const PageBytes before = read(doing.page);
    if (doing.length >= kRead) return;
    PageBytes& now = held_[doing.page] = before;
    if (doing.length >= kDiscard) {
      now.fill(0);
      require(contents_.discard(doing.page * kPage, kPage) == 0, "a discard");
    } else if (!doing.bytes.empty()) {
      std::copy(doing.bytes.begin(), doing.bytes.end(), now.begin() + doing.offset);
      const std::span from(now.data() + doing.offset, doing.bytes.size());
      require(contents_.write(doing.page * kPage + doing.offset, from) == 0, "a write");
    }
    read(doing.page);
  }
  void read_all() {
    for (const auto& [page, bytes] : held_) read(page);
    static_cast<void>(contents_.state());
  }

 private:
  // A page is as it was written, or its data were dropped.
  PageBytes read(std::uint64_t page) const {
    PageBytes bytes{}, generated{};
    require(contents_.read(page * kPage, bytes) == 0, "a read");
    const auto held = held_.find(page);
    generate(page, 0, generated);
    require(bytes == generated || bytes == (held == held_.end() ? PageBytes{} : held->second),
            "a page reads as it was written, or as dropped data");
    return bytes;
  }

  GeneratedContents contents_{{.bytes = kBytes, .kept_names = {"etc/*", "**/*.log"}}};
  std::map<std::uint64_t, PageBytes> held_{};
};

void file_systems(const std::string& input) {
  Drive drive;
  std::string_view rest = input;
  for (Doing doing; take(rest, doing);) drive.do_one(doing);
  drive.read_all();
}

}  // namespace

std::vector<Target> file_system_targets() { return {{"file-systems", file_systems}}; }

}  // namespace platter::fuzz
