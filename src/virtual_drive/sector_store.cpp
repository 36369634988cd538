#include "virtual_drive/sector_store.h"

#include <algorithm>
#include <array>

#include "scsi/bytes.h"

namespace platter::virtual_drive {

void SectorStore::fill_unwritten(std::uint64_t lbn, std::span<std::uint8_t> sector) const {
  std::array<std::uint8_t, 8> stamp;
  scsi::put_be(stamp.data(), 8, lbn);
  std::fill(sector.begin(), sector.end(), std::uint8_t{0});
  std::copy_n(stamp.begin(), std::min(stamp.size(), sector.size()), sector.begin());
}

bool SectorStore::read(std::uint64_t lbn, std::span<std::uint8_t> to) const {
  for (; !to.empty(); ++lbn) {
    const auto sector = to.first(std::min<std::size_t>(block_bytes_, to.size()));
    const auto kept = sectors_.empty() ? sectors_.end() : sectors_.find(lbn);
    if (kept == sectors_.end()) {
      fill_unwritten(lbn, sector);
    } else {
      std::copy_n(kept->second.begin(), sector.size(), sector.begin());
    }
    to = to.subspan(sector.size());
  }
  return true;
}

bool SectorStore::write(std::uint64_t lbn, std::span<const std::uint8_t> from) {
  std::vector<std::uint8_t> unwritten(block_bytes_);
  for (; from.size() >= block_bytes_; from = from.subspan(block_bytes_), ++lbn) {
    const auto sector = from.first(block_bytes_);
    fill_unwritten(lbn, unwritten);
    if (std::equal(sector.begin(), sector.end(), unwritten.begin())) {
      sectors_.erase(lbn);
    } else {
      sectors_[lbn].assign(sector.begin(), sector.end());
    }
  }
  return true;
}

}  // namespace platter::virtual_drive
