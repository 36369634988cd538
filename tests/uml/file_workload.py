#!/usr/bin/env python3
"""Files of all kinds, made in rounds, and the check of what must be there of them.

    file_workload.py write FOLDER ROUND [--size N]   a round: makes its files, removes those of two rounds before
    file_workload.py check FOLDER ROUND [--kept]     of a tree whose last complete round is that one: what that
                                                     round made is there, by name, size and link; with --kept the
                                                     bytes of the files below keep/, too

What a file holds follows from its name, so that nothing has to be remembered. Many files hold what a file system's own
blocks look like.
"""
import argparse
import os
import pathlib
import random
import shutil
import sys

PAGE = 4096


def entry(inode, length, name):
    return inode.to_bytes(4, "little") + length.to_bytes(2, "little") + bytes([len(name), 1]) + name


def like_metadata(dice, kind):
    """A page that a file system could take for one of its own."""
    if kind == 0:  # a directory of ext4
        return (entry(2, 12, b".") + entry(2, PAGE - 12, b"..")).ljust(PAGE, b"\0")
    if kind == 1:  # a node of extents
        return b"\x0a\xf3\x01\x00\x54\x01\x00\x00" + dice.randbytes(8).ljust(PAGE - 8, b"\1")
    if kind == 2:  # block numbers
        return b"".join((1000 + i).to_bytes(4, "little") for i in range(PAGE // 4))
    if kind == 3:  # the target of a link
        return b"x" * 200 + b"\0" * (PAGE - 200)
    if kind == 4:  # a journal's block
        return b"\xc0\x3b\x39\x98\0\0\0\1" + dice.randbytes(8) * (PAGE // 8 - 1)
    return b"XDB3" + dice.randbytes(4) * (PAGE // 4 - 1)


def content(name, size):
    """Text mostly, so that a log of it can be packed; the same for the same name."""
    dice = random.Random(name)
    if dice.random() < 0.15 and size >= PAGE:
        pages = [like_metadata(dice, dice.randrange(6)) for _ in range(size // PAGE)]
        return b"".join(pages) + b"z" * (size % PAGE)
    line = f"{name} {dice.randrange(1000)} of text\n".encode()
    return (line * (size // len(line) + 1))[:size]


class Round:
    def __init__(self, number, scale):
        self.number, self.dice = number, random.Random(number)
        self.scale = scale
        self.files = {}    # relative name: size
        self.links = {}    # relative name: target
        self.folders = []
        dice = self.dice
        for i in range(12 * scale):
            self.files[f"small/f{i}"] = dice.choice((0, 1, 100, 511, 4096, 5000, 20000, 4095))
        self.folders = ["small", "deep", "deep/a", "deep/a/b", "deep/a/b/c", "wide", "keep", "keep/below"]
        for i in range(4):
            self.files[f"deep/a/b/c/d{i}"] = dice.randrange(9000)
        for i in range(30 * scale):
            self.files[f"wide/{'a-long-name-of-a-file-' * 4}{i}"] = 0 if i % 4 else 10
        for i in range(4):
            self.files[f"keep/k{i}.db"] = dice.choice((3000, 4096, 30000))
            self.files[f"keep/below/k{i}.db"] = dice.choice((3000, 4096, 30000))
        self.files["large"] = 300_000 * scale
        for i, length in enumerate((20, 59, 60, 61, 200, 1000)):
            self.links[f"link{i}"] = ("t/" * length)[:length]


def write_whole(path, data, sync=False):
    with open(path, "wb") as file:
        file.write(data)
        if sync:
            file.flush()
            os.fsync(file.fileno())


def special_files(top, dice):
    """Holes, room without data, small pieces, what is cut, attributes that need a block of their own."""
    with open(top / "holes", "wb") as file:
        for _ in range(30):
            file.seek(dice.randrange(200) * PAGE)
            file.write(b"h" * dice.randrange(1, 2 * PAGE))
    descriptor = os.open(top / "room", os.O_CREAT | os.O_RDWR)
    os.posix_fallocate(descriptor, 0, 400_000)
    os.pwrite(descriptor, b"r" * 10_000, 123_456)
    os.close(descriptor)
    direct = os.open(top / "pieces", os.O_CREAT | os.O_RDWR)
    for i in range(60):
        os.pwrite(direct, bytes([65 + i % 26]) * 512, 512 * dice.randrange(300))
        if i % 20 == 19:
            os.fsync(direct)
    os.close(direct)
    write_whole(top / "cut", b"c" * 100_000)
    os.truncate(top / "cut", 5000)
    for i in range(3):
        try:
            os.setxattr(top / "holes", f"user.a{i}", bytes([97 + i]) * 900)
        except OSError:
            pass  # no room for so many


def write(top, number, scale):
    this = Round(number, scale)
    top = pathlib.Path(top)
    made = top / f"r{number}"
    made.mkdir()
    for folder in this.folders:
        (made / folder).mkdir()
    for i, (name, size) in enumerate(this.files.items()):
        write_whole(made / name, content(f"r{number}/{name}", size), sync=i % 17 == 0)
    for name, target in this.links.items():
        os.symlink(target, made / name)
    special_files(made, this.dice)
    os.link(made / "large", made / "large-too")
    os.rename(made / "small/f0", made / "small/renamed")
    os.rename(made / "small/renamed", made / "small/f0")
    with open(top / "log.txt", "ab") as log:
        log.write(b"a line of the log\n" * 300)
    old = top / f"r{number - 2}"
    if old.exists():
        shutil.rmtree(old)


def check(top, number, scale, kept):
    this, top = Round(number, scale), pathlib.Path(top)
    made, wrong = top / f"r{number}", []
    for folder in this.folders:
        if not (made / folder).is_dir():
            wrong.append(f"{folder} is no folder")
    for name, size in this.files.items():
        path = made / name
        if not path.is_file() or path.stat().st_size != size:
            wrong.append(f"{name} is not there with {size} bytes")
        elif kept and name.startswith("keep/") and path.read_bytes() != content(f"r{number}/{name}", size):
            wrong.append(f"{name} has other bytes")
        else:
            path.read_bytes()
    for name, target in this.links.items():
        if not (made / name).is_symlink() or os.readlink(made / name) != target:
            wrong.append(f"{name} is no link to where it should lead")
    for name, size in (("cut", 5000), ("room", 400_000), ("large-too", this.files["large"])):
        if not (made / name).is_file() or (made / name).stat().st_size != size:
            wrong.append(f"{name} has not {size} bytes")
    if (top / "log.txt").stat().st_size < (number + 1) * 300 * 18:
        wrong.append("log.txt is too short")
    for folder, _, files in os.walk(top):
        for file in files:
            os.lstat(os.path.join(folder, file))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("write", "check"))
    parser.add_argument("folder")
    parser.add_argument("round", type=int)
    parser.add_argument("--size", type=int, default=1, help="so many times as much")
    parser.add_argument("--kept", action="store_true")
    given = parser.parse_args()
    if given.what == "write":
        write(given.folder, given.round, given.size)
        return 0
    wrong = check(given.folder, given.round, given.size, given.kept)
    for line in wrong[:20]:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
