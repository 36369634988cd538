"""File systems of a few blocks whose maps lead to one place from everywhere: {byte of the drive: bytes}. What is asked
of them is in emulator/file_systems; of each only what is looked at there."""

import struct

PAGE = 4096
UUID = bytes(range(16))


def put(page, at, form, *numbers):
    struct.pack_into(form, page, at, *numbers)


# ---------------------------------------------------------------- ext4: 65,536 blocks, two groups

EXT4_TABLE, EXT4_NODES, EXT4_BLOCK = 16, 2000, 3000


def extents(node, at, depth, entries, most=None):
    """The head and entries of a node of a tree of extents."""
    put(node, at, "<HHHH", 0xF30A, len(entries), most or len(entries), depth)
    for i, (logical, blocks, first) in enumerate(entries):
        if depth:
            put(node, at + 12 + 12 * i, "<IIHH", logical, first, 0, 0)
        else:
            put(node, at + 12 + 12 * i, "<IHHI", logical, blocks, 0, first)


def inode_of_tree(mode):
    inode = bytearray(256)
    put(inode, 0, "<H", mode)
    put(inode, 4, "<I", 1 << 30)
    put(inode, 32, "<I", 0x80000)
    extents(inode, 40, 3, [(0, 0, EXT4_NODES)] * 4)
    return bytes(inode)


def ext4(inodes, step):
    """`inodes`: {number: mode}, all with one map, which names 340^3 times the blocks from EXT4_BLOCK on."""
    superblock, descriptors = bytearray(PAGE), bytearray(PAGE)
    for at, number in ((0, 2048), (4, 65536), (0x18, 2), (0x1C, 2), (0x20, 32768), (0x24, 32768), (0x28, 1024), (0x4C, 1),
                       (0x54, 11), (0x5C, 4), (0x60, 0x42), (0x64, 1), (0xE0, 8)):
        put(superblock, 1024 + at, "<I", number)
    put(superblock, 1024 + 0x38, "<HH", 0xEF53, 1)
    put(superblock, 1024 + 0x58, "<H", 256)
    superblock[1024 + 0x68:1024 + 0x78] = UUID
    for group in range(2):
        put(descriptors, 32 * group, "<III", group * 32768 + 2, group * 32768 + 3, group * 32768 + EXT4_TABLE)
    blocks = {0: superblock, 1: descriptors}
    for depth in (2, 1):
        node = blocks[EXT4_NODES + 2 - depth] = bytearray(PAGE)
        extents(node, 0, depth, [(0, 0, EXT4_NODES + 3 - depth)] * 340)
    leaf = blocks[EXT4_NODES + 2] = bytearray(PAGE)
    extents(leaf, 0, 0, [(i, 1, EXT4_BLOCK + step * i) for i in range(340)])
    for number, mode in inodes.items():
        table = blocks.setdefault(EXT4_TABLE + (number - 1) // 16, bytearray(PAGE))
        at = (number - 1) % 16 * 256
        table[at:at + 256] = inode_of_tree(mode)
    return {PAGE * block: bytes(its) for block, its in blocks.items()}


def ext4_folder(entries):
    folder, at = bytearray(PAGE), 0
    for i, (inode, name, kind) in enumerate(entries):
        length = PAGE - at if i + 1 == len(entries) else (8 + len(name) + 3) // 4 * 4
        put(folder, at, "<IHBB", inode, length, len(name), kind)
        folder[at + 8:at + 8 + len(name)] = name
        at += length
    return bytes(folder)


def ext4_folders(count):
    """Folders of 340 blocks of 300 names, each again and again; each name is such a folder."""
    made = ext4({2: 0x41ED, **{100 + i: 0x41ED for i in range(count)}}, 1)
    for i in range(340):
        made[PAGE * (EXT4_BLOCK + i)] = ext4_folder([(100 + j % count, b"%x-%x" % (i, j), 2) for j in range(200)])
    return made


# ---------------------------------------------------------------- btrfs: one chunk, addresses as on the device

NODE = 65536


def btrfs_node(address, level, items):
    node = bytearray(NODE)
    node[32:48] = UUID
    put(node, 48, "<Q", address)
    put(node, 96, "<IB", len(items), level)
    for i, (key, *numbers) in enumerate(items):
        if level:
            put(node, 101 + 33 * i, "<QBQQQ", *key, numbers[0], 0)
        else:
            put(node, 101 + 25 * i, "<QBQII", *key, *numbers)
    return node


def btrfs(levels, chunk_stripes):
    """A tree of chunks whose leaf has 2,600 items, all of them its last bytes, and is led to from everywhere."""
    superblock = bytearray(PAGE)
    superblock[32:48] = UUID
    root = 1 << 22
    put(superblock, 64, "<QQQQ", 0x4D5F53665248425F, 1, root, root)
    chunk = struct.pack("<QQQQIIIHH", 1 << 29, 2, 65536, 2, 65536, 65536, 4096, 1, 1)
    chunk += struct.pack("<QQ", 1, 0) + bytes(16)
    chunks = struct.pack("<QBQ", 256, 228, 0) + chunk
    put(superblock, 144, "<II", 4096, NODE)
    put(superblock, 160, "<IQ", len(chunks), 1)
    superblock[198:200] = bytes([levels, levels])
    put(superblock, 201, "<QQ", 1, 1 << 29)
    superblock[811:811 + len(chunks)] = chunks
    made = {65536: superblock}
    for level in range(levels, 0, -1):
        at = root + (levels - level) * NODE
        made[at] = btrfs_node(at, level, [((1, 0, i), at + NODE) for i in range(1982)])
    at = root + levels * NODE
    size = 48 + 32 * chunk_stripes
    leaf = btrfs_node(at, 0, [((256, 228, i), NODE - 101 - size, size) for i in range(2400)])
    begin = NODE - size
    leaf[begin:begin + 48] = struct.pack("<QQQQIIIHH", 4096, 2, 65536, 1, 65536, 65536, 4096, chunk_stripes, 1)
    for i in range(chunk_stripes):
        put(leaf, begin + 48 + 32 * i, "<QQ", 1, 8192 * i)
    made[at] = leaf
    return {at: bytes(its) for at, its in made.items()}


# ---------------------------------------------------------------- XFS: one group of 131,072 blocks

def xfs_inode(number, mode, block):
    inode = bytearray(512)
    put(inode, 0, ">HHBB", 0x494E, mode, 3, 2)
    put(inode, 76, ">I", 20)
    put(inode, 152, ">Q", number)
    for i in range(20):  # 2^21 - 1 blocks that begin there
        put(inode, 176 + 16 * i, ">QQ", block >> 43, (block & (1 << 43) - 1) << 21 | 100)
    return bytes(inode)


def xfs_folders(count):
    """Folders of 100 blocks, each 20 times; each of their names is such a folder."""
    superblock = bytearray(PAGE)
    put(superblock, 0, ">IIQ", 0x58465342, PAGE, 131072)
    superblock[32:48] = UUID
    put(superblock, 48, ">QQ", 60000, 16 * 8)
    put(superblock, 84, ">II", 131072, 1)
    put(superblock, 96, ">IHHH", 1000, 0x5, 512, 512)
    superblock[124] = 17
    made = {0: bytes(superblock)}
    inodes = b"".join(xfs_inode(128 + i, 0x41ED, 1000) for i in range(count + 1))
    made[16 * PAGE] = inodes
    for i in range(100):
        block, at = bytearray(PAGE), 64
        put(block, 0, ">I", 0x58444433)
        for j in range(160):
            name = b"%02x-%02x" % (i, j)
            put(block, at, ">QB", 129 + j % count, len(name))
            block[at + 9:at + 10 + len(name)] = name + b"\2"
            at += (9 + len(name) + 1 + 2 + 7) // 8 * 8
        made[(1000 + i) * PAGE] = bytes(block)
    return made


def all_of_them():
    special = {7: 0x8180, 8: 0x8180}
    yield "ext4-special-extents", ext4(special, 2)
    yield "ext4-folders", ext4_folders(900)
    yield "btrfs-chunks", btrfs(7, 2000)
    yield "btrfs-large-items", btrfs(1, 2000)
    yield "btrfs-small-items", btrfs(7, 1)
    yield "xfs-folders", xfs_folders(500)
