#include "emulator/file_systems/ext4.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/file_systems/ext4_likeness.h"

namespace platter::emulator {
namespace {

constexpr std::uint32_t kRoot = 2, kResize = 7;
constexpr std::uint32_t kHugeMap = 1 << 16, kClaimedMap = 1 << 10;  // most blocks of a map

}  // namespace

Ext4::Ext4(Surroundings& around, const Ext4Geometry& geometry,
           const std::vector<std::string>& kept_names)
    : around_(around),
      geometry_(geometry),
      reason_(geometry.reason_to_keep_all()),
      mounted_(geometry.mounted),
      places_(geometry),
      files_(
          geometry_, places_,
          [this](std::uint64_t block, std::span<std::uint8_t> to) { return read_block(block, to); },
          around.limit()),
      kept_(files_, kept_names) {
  if (!reason_.empty()) return;
  std::vector<std::uint8_t> block(geometry_.block_bytes);
  for (std::uint32_t i = 0; i < geometry_.descriptor_blocks; ++i)
    if (read_in_place(geometry_.place_of_descriptors(i), block)) places_.take_descriptors(i, block);
  find_specials();
  kept_.keep_in(around_);
}

std::string Ext4::name() const {
  const char* const kind = !geometry_.has_journal()               ? "ext2 or ext4 without a journal"
                           : (geometry_.incompatible & 0x40) == 0 ? "ext3"
                                                                  : "ext4";
  if (!reason_.empty()) return fmt::format("{}, of which all is kept: {}", kind, reason_);
  return fmt::format("{}, {} blocks of {} bytes", kind, geometry_.blocks, geometry_.block_bytes);
}

bool Ext4::read_in_place(std::uint64_t block, std::span<std::uint8_t> to) const {
  return block < geometry_.blocks && around_.read(block * geometry_.block_bytes, to);
}

// As it was committed last.
bool Ext4::read_block(std::uint64_t block, std::span<std::uint8_t> to) const {
  return (journal_ != nullptr && journal_->newest(block, to)) || read_in_place(block, to);
}

// ---- What is special --------------------------------------------------------------------------

void Ext4::find_specials() {
  specials_.clear();
  const auto add = [&](std::uint32_t inode) {
    if (inode != 0 && inode <= geometry_.inodes) specials_.push_back({inode});
  };
  add(geometry_.journal_inode);  // first: it has what is new of the others
  add(kResize);
  add(geometry_.orphan_inode);
  for (const std::uint32_t inode : geometry_.quota_inodes) add(inode);
  for (Special& special : specials_)
    if (const auto place = places_.place_of_inode(special.inode)) look_at(special, place->first);
  know_specials();
}

bool Ext4::is_special(std::uint32_t inode) const {
  return (inode < geometry_.first_inode && inode != kRoot) ||
         std::ranges::any_of(specials_, [&](const Special& it) { return it.inode == inode; });
}

void Ext4::walk_special(Special& special, Bytes inode) {
  special.seen.assign(inode.begin(), inode.end());
  special.blocks.clear();
  special.nodes.clear();
  Ext4MapWalk walk;
  walk.block_bytes = geometry_.block_bytes;
  walk.blocks = geometry_.blocks;
  walk.most_nodes = kHugeMap;
  walk.read_block = [&](std::uint64_t block, std::uint32_t, std::span<std::uint8_t> to) {
    return read_block(block, to);
  };
  walk.node = [&](std::uint64_t block) {
    special.nodes.push_back(block);
    special.blocks.push_back({block, block + 1});
  };
  walk.extent = [&](const Ext4Extent& extent) {
    around_.limit().take_extents();
    special.blocks.push_back({extent.first, extent.first + extent.blocks});
  };
  walk_map(Ext4Inode::of(inode), walk);
}

// A block was written, or committed: is it one that says where special blocks are?
void Ext4::look_at_specials(std::uint64_t changed) {
  if (!special_sources_.contains(changed)) return;
  bool any = false;
  for (Special& special : specials_) any |= look_at(special, changed);
  if (any) know_specials();
}

bool Ext4::look_at(Special& special, std::uint64_t changed) {
  const auto place = places_.place_of_inode(special.inode);
  const bool map = std::ranges::find(special.nodes, changed) != special.nodes.end();
  if (!place || (!map && place->first != changed)) return false;
  std::vector<std::uint8_t> block(geometry_.block_bytes);
  if (!read_block(place->first, block)) return false;
  const Bytes inode = part_of(block, place->second, geometry_.inode_bytes);
  // The map, and what says how to read it: times change more often.
  const auto same = [&](std::size_t at, std::size_t size) {
    return same_bytes(part_of(inode, at, size), part_of(special.seen, at, size));
  };
  if (!map && same(0, 2) && same(0x20, 4) && same(0x28, 60)) return false;
  walk_special(special, inode);
  if (special.inode == geometry_.journal_inode) open_journal(special);
  return true;
}

void Ext4::know_specials() {
  std::vector<Range> blocks, sources;
  for (const Special& special : specials_) {
    blocks.insert(blocks.end(), special.blocks.begin(), special.blocks.end());
    for (const std::uint64_t node : special.nodes) sources.push_back({node, node + 1});
    if (const auto place = places_.place_of_inode(special.inode))
      sources.push_back({place->first, place->first + 1});
  }
  special_blocks_ = Ranges(std::move(blocks));
  special_sources_ = Ranges(std::move(sources));
  for (const Range& range : special_blocks_.all()) {
    const Range bytes = bytes_of(range.first, range.end - range.first);
    around_.metadata(bytes.first, bytes.end);
  }
}

void Ext4::open_journal(const Special& special) {
  journal_.reset();
  std::vector<Ext4Extent> extents;
  std::uint64_t blocks = 0;
  bool whole = true;
  Ext4MapWalk walk;
  walk.block_bytes = geometry_.block_bytes;
  walk.blocks = geometry_.blocks;
  walk.read_block = [&](std::uint64_t block, std::uint32_t, std::span<std::uint8_t> to) {
    return read_in_place(block, to);
  };
  walk.extent = [&](const Ext4Extent& extent) {
    around_.limit().take_extents();
    whole &= extent.logical == blocks;
    blocks += extent.blocks;
    extents.push_back(extent);
  };
  whole &= walk_map(Ext4Inode::of(special.seen), walk);
  if (!whole || extents.empty() || blocks > Ext4Journal::kMostBlocks) return;
  journal_ = std::make_unique<Ext4Journal>(
      std::move(extents), geometry_.block_bytes,
      [this](std::uint64_t block, std::span<std::uint8_t> to) { return read_in_place(block, to); });
}

// ---- Before a page is written -----------------------------------------------------------------

Verdict Ext4::classify(std::uint64_t at, Bytes page) {
  if (!reason_.empty()) return Verdict::metadata;
  Verdict verdict = Verdict::data;
  for (std::uint64_t in = 0; in < page.size(); in += geometry_.block_bytes)
    verdict = std::max(verdict, classify_block((at + in) / geometry_.block_bytes,
                                               page.subspan(in, geometry_.block_bytes)));
  return verdict;
}

Verdict Ext4::classify_block(std::uint64_t block, Bytes bytes) {
  if (block >= geometry_.blocks || places_.contains(block) || special_blocks_.contains(block))
    return Verdict::metadata;
  if (const Range range = bytes_of(block, 1); kept_.holds(range.first, range.first + range.end))
    return Verdict::metadata;
  if (journal_ != nullptr && journal_->names(block)) return Verdict::metadata;
  if (may_be_metadata(bytes, geometry_.blocks))
    return all_zeros(bytes) ? Verdict::data : Verdict::perhaps;
  if (!mounted_) return Verdict::perhaps;
  // The names of files may come after their data.
  return journal_ != nullptr && !kept_.any() ? Verdict::data : Verdict::unknown;
}

// ---- After a page was written -----------------------------------------------------------------

void Ext4::written(std::uint64_t at, Bytes page) {
  if (at == 0) take_superblock(page);
  if (!reason_.empty()) return;
  for (std::uint64_t in = 0; in < page.size(); in += geometry_.block_bytes)
    written_block((at + in) / geometry_.block_bytes, page.subspan(in, geometry_.block_bytes));
  work(2);
}

void Ext4::take_superblock(Bytes page) {
  const auto now =
      ext4_geometry(part_of(page, Ext4Geometry::kSuperblockAt, Ext4Geometry::kSuperblockBytes));
  if (now) mounted_ = now->mounted;
}

void Ext4::written_block(std::uint64_t block, Bytes bytes) {
  if (journal_ != nullptr) {
    if (journal_->contains(block)) return take_journal(block, bytes);
    journal_->written_in_place(block);
  }
  if (const auto descriptors = places_.descriptors_at(block))
    if (places_.take_descriptors(*descriptors, bytes)) find_specials();
  look_at_specials(block);
  if (has_witness()) return;
  kept_.changed(block);
  kept_.keep_in(around_);
  claims_in_place(block, bytes);
}

void Ext4::take_journal(std::uint64_t block, Bytes bytes) {
  if (const auto transaction = journal_->written(block, bytes)) committed(*transaction);
  for (const Range& left : journal_->take_left()) {
    const Range range = bytes_of(left.first, left.end - left.first);
    around_.drop(range.first, range.end);
  }
}

void Ext4::committed(const Ext4Journal::Transaction& transaction) {
  std::vector<std::uint8_t> bytes(geometry_.block_bytes);
  for (const std::uint64_t block : transaction.blocks) {
    if (const auto descriptors = places_.descriptors_at(block))
      if (read_block(block, bytes) && places_.take_descriptors(*descriptors, bytes))
        know_specials();
    look_at_specials(block);
    kept_.changed(block);
    if (places_.first_inode_in(block))
      sightings_.push_back({block, transaction.sequence, around_.now()});
  }
  kept_.keep_in(around_);
}

// ---- Whose blocks are they? ---------------------------------------------------------------------

// A little with each page that is written, so that no answer waits for it.
void Ext4::work(int sightings) {
  for (; sightings > 0 && !sightings_.empty(); --sightings) {
    const Sighting next = sightings_.front();
    sightings_.pop_front();
    claims_of_transaction(next);
  }
}

template <typename Tell>
void Ext4::each_inode(std::uint32_t first, Bytes table, Tell tell) const {
  const std::uint32_t count = geometry_.block_bytes / geometry_.inode_bytes;
  for (std::uint32_t i = 0; i < count && first + i <= geometry_.inodes; ++i) {
    if (is_special(first + i)) continue;
    const Bytes bytes = part_of(table, std::size_t{i} * geometry_.inode_bytes,
                                geometry_.inode_bytes);
    const Ext4Inode inode = Ext4Inode::of(bytes);
    if (inode.kind != Ext4Inode::Kind::none) tell(inode);
  }
}

void Ext4::claims_of_transaction(const Sighting& sighting) {
  std::vector<std::uint8_t> table(geometry_.block_bytes);
  const auto first = places_.first_inode_in(sighting.block);
  if (!first || !read_block(sighting.block, table)) return;
  each_inode(*first, table, [&](const Ext4Inode& inode) {
    const auto keep = [&](std::uint64_t block, std::uint64_t blocks) {
      const Range bytes = bytes_of(block, blocks);
      around_.metadata(bytes.first, bytes.end);
    };
    if (inode.attributes_block != 0 && inode.attributes_block < geometry_.blocks)
      keep(inode.attributes_block, 1);
    Ext4MapWalk walk;
    walk.block_bytes = geometry_.block_bytes;
    walk.blocks = geometry_.blocks;
    walk.most_nodes = kClaimedMap;
    // What did not change says nothing that it has not said before.
    walk.read_block = [&](std::uint64_t block, std::uint32_t depth, std::span<std::uint8_t> to) {
      return (depth > 0 || journal_->names(block)) && read_block(block, to);
    };
    walk.node = [&](std::uint64_t block) { keep(block, 1); };
    walk.extent = [&](const Ext4Extent& extent) {
      if (inode.kind != Ext4Inode::Kind::file) return keep(extent.first, extent.blocks);
      const Range bytes = bytes_of(extent.first, extent.blocks);
      around_.data(bytes.first, bytes.end, sighting.when);
      journal_->is_data({extent.first, extent.first + extent.blocks}, sighting.sequence);
    };
    walk_map(inode, walk);
  });
}

// Without a journal that tells what belongs together. Only what the inode itself says: a block of
// its map may be older than the inode.
void Ext4::claims_in_place(std::uint64_t block, Bytes bytes) {
  const auto first = places_.first_inode_in(block);
  if (!first) return;
  each_inode(*first, bytes, [&](const Ext4Inode& inode) {
    Ext4MapWalk walk;
    walk.block_bytes = geometry_.block_bytes;
    walk.blocks = geometry_.blocks;
    walk.read_block = [](std::uint64_t, std::uint32_t, std::span<std::uint8_t>) { return false; };
    walk.node = [&](std::uint64_t node) {
      const Range range = bytes_of(node, 1);
      around_.metadata(range.first, range.end);
    };
    walk.extent = [&](const Ext4Extent& extent) {
      const Range range = bytes_of(extent.first, extent.blocks);
      if (inode.kind == Ext4Inode::Kind::file)
        around_.data_it_seems(range.first, range.end, block);
      else
        around_.metadata(range.first, range.end);
    };
    walk_map(inode, walk);
  });
}

}  // namespace platter::emulator
