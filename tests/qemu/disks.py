#!/usr/bin/env python3
"""What disks.sh needs beside the guest.

disks.py model PLATTER FILE   the drive behind the disks that turn: no cache, so that every read waits for the platter
disks.py blocks MODEL         its number of blocks
disks.py fill FILE BLOCKS     a disk image of which every tenth block or so holds random bytes
disks.py judge CONSOLE LOG    what the guest said, and what the emulated drives were asked; status 1: something is wrong
"""
import json
import random
import re
import signal
import subprocess
import sys

BLOCK_BYTES = 512
SPINNING, SOLID = 7200, 1

# By serial number: the guest's driver, commands in flight at least and at most, the vendor, the rotation that it tells.
# An ATA disk without NCQ has one command at a time; usb-storage knows no other way.
DISKS = {
    "AHCI": ("ahci", 31, 32, "ATA", SPINNING),
    "TURNS-AHCI": ("ahci", 31, 32, "ATA", SPINNING),
    "TURNS-NONCQ": ("ahci", 1, 1, "ATA", SPINNING),
    "TURNS-USB": ("usb-storage", 1, 1, "QEMU", SPINNING),
    "UAS": ("uas", 2, 1024, "QEMU", SPINNING),
    "SCSI": ("virtio_scsi", 2, 1024, "QEMU", SPINNING),
    "TURNS-SCSI": ("virtio_scsi", 2, 1024, "QEMU", SPINNING),
    "SOLID": ("virtio_scsi", 2, 1024, "QEMU", SOLID),
}
# Mode page 08h: WCE is set and alone can be changed. QEMU's ATA disks have no look-ahead: DRA is set.
CHANGEABLE = "0812040000000000000000000000000000000000"
CURRENT = {"ATA": "0812040000000000000000002000000000000000", "QEMU": CHANGEABLE}
WRITE_CACHE_OFF = "0812000000000000000000002000000000000000"
TURN_NS = 6e6  # of the drive behind the disks that turn
CLOCKS = 1e-3  # by so much the guest's clock may be wrong
PLACES = ("identity", "ata", "mode_pages", "characteristics", "capabilities", "vpd_pages")


class Judge:
    def __init__(self):
        self.failures = 0

    def holds(self, what, holds, seen=""):
        if holds:
            print(f"ok: {what}")
        else:
            self.failures += 1
            print(f"FAILED: {what}: {seen}")

    def equal(self, what, seen, wanted):
        self.holds(what, seen == wanted, f"{seen!r}, not {wanted!r}")


class Part:
    """What one command of the guest printed."""

    def __init__(self):
        self.lines, self.errors, self.status = [], [], None

    def json(self):
        return json.loads("\n".join(self.lines))

    def error(self):
        return " ".join(self.errors)


def parts_of(path):
    """By name and serial number."""
    parts, part = {}, None
    with open(path, encoding="utf-8", errors="replace") as console:
        for line in console.read().split("\n"):
            if begun := re.fullmatch(r"@ (\S+) (\S+)", line):
                part = parts[begun.groups()] = Part()
            elif part and line.startswith("@error "):
                part.errors.append(line[len("@error "):])
            elif part and line.startswith("@status "):
                part.status = int(line.split()[1])
                part = None
            elif part:
                part.lines.append(line)
    return parts


def judge_disk(judge, serial, told):
    """`told(name)` is a part of this disk."""
    driver, least_queue, most_queue, vendor, rotation = DISKS[serial]
    is_ata, turns = vendor == "ATA", serial.startswith("TURNS")

    def equal(what, seen, wanted):
        judge.equal(f"{serial}: {what}", seen, wanted)

    def ends(name, status, sentence):
        part = told(name)
        judge.holds(f"{serial}: {name} ends with status {status}: {part.error()[:150]}",
                    part.status == status and re.search(sentence, part.error()), f"{part.status}, {part.error()}")

    def as_it_was(name):
        then, now = told("before").json(), told(name).json()
        for place in PLACES:
            equal(f"{place} {name} as before", now.get(place), then.get(place))

    kernel = dict(line.split() for line in told("kernel").lines)
    equal("the guest's driver", kernel["driver"], driver)
    judge.holds(f"{serial}: its queue", least_queue <= int(kernel["queue"]) <= most_queue, kernel["queue"])

    before = told("before")
    equal("status of inspect", before.status, 0)
    found = before.json()
    identity, page = found["identity"], found["mode_pages"]["08h"]
    equal("vendor", identity["vendor"], vendor)
    equal("serial number", identity["serial"], serial)
    equal("rotation", found["characteristics"]["rotation_rate"], rotation)
    equal("page 89h", "89h" in found["vpd_pages"], is_ata)
    equal("ATA", found.get("ata"), {"write_cache": True, "look_ahead": None, "power_level": None,
                                    "power_mode": "ffh"} if is_ata else None)
    equal("mode page 08h", page["current"], CURRENT[vendor])
    equal("what of it can be changed", page["changeable"], CHANGEABLE)
    equal("address translation", found["capabilities"]["address_translation"], False)
    equal("write cache can be switched", found["capabilities"]["write_cache_changeable"], True)
    equal("read cache can be switched", found["capabilities"]["read_cache_changeable"], False)

    tests = told("tests")
    judge.holds(f"{serial}: tests through SG_IO: {' '.join(tests.lines[-2:]).strip('= ')}", tests.status == 0,
                "\n".join(tests.lines))

    if turns:
        equal("one journal of a killed run", len(told("journal_of_killed").lines), 1)
        equal("status of the killed run", told("killed").status, 128 + signal.SIGKILL)
        if is_ata:
            equal("a killed run leaves the write cache off",
                  told("while_killed").json()["mode_pages"]["08h"]["current"], WRITE_CACHE_OFF)
            ends("next_run", 5, r"run platter restore .*\.journal")
        equal("status of restore", told("restore").status, 0)
        equal("journals after restore", told("journal_restored").lines, [])
        as_it_was("restored")
        ends("stopped", 130, "interrupted")
        if serial == "TURNS-AHCI":
            period_ns = told("model").json()["rotation"]["period"]["value"]
            judge.holds(f"{serial}: one turn takes {period_ns:.0f} ns", abs(period_ns / TURN_NS - 1) < CLOCKS, period_ns)
    elif rotation == SOLID:
        ends("characterize", 9, r"says that it does not rotate \(VPD page B1h\)")
    else:
        ends("characterize", 9, r"answers \d+ of 50 reads of random blocks at once, with its caches off: .*does not rotate")
    equal("journals at the end", told("journal_after").lines, [])
    as_it_was("after")


def judge_kernel(judge, parts):
    everything = parts[("boot", "kernel")].lines + parts[("said", "kernel")].lines
    broken = [line for line in everything if re.search(r"WARNING|BUG|Oops|Call Trace|blocked for more than", line)]
    judge.equal("the kernel is whole", broken, [])
    # Levels 0 to 4 are warnings and worse. Of clocks it warns on a busy host.
    disks = r"<[0-4]>.*(\bata\d|\bsd \d|\bscsi|\bsg\d|\bsd[a-z]\b|usb|uas|xhci|ahci|virtio|I/O error)"
    complaints = [line for line in parts[("said", "kernel")].lines if re.match(disks, line)]
    judge.equal("it warned of no disk while platter was at work", complaints, [])
    resets = [line for line in parts[("said", "kernel")].lines if re.search("reset|exception", line)]
    judge.equal("it reset none", resets, [])


def judge_log(judge, path):
    with open(path, encoding="utf-8") as log:
        requests = [line.split() for line in log if re.match(r"\d+ s ", line)]
    judge.holds("the emulated drives were read", len(requests) > 100 * 4, len(requests))
    judge.equal("requests that write", [line for line in requests if int(line[5]) & 1], [])


def judge(console, log):
    judge_all = Judge()
    parts = parts_of(console)
    for serial in DISKS:
        judge_disk(judge_all, serial, lambda name, serial=serial: parts[(name, serial)])
    judge_kernel(judge_all, parts)
    judge_log(judge_all, log)
    sys.exit(1 if judge_all.failures else 0)


def model(platter, path):
    subprocess.run([platter, "truth", "virtual:cache-base?imperfections=none", "-o", path], check=True,
                   stdout=subprocess.DEVNULL)
    with open(path, encoding="utf-8") as text:
        drive = json.load(text)
    for off in ("read_enabled", "write_back_level", "read_ahead"):
        drive["cache"][off]["value"] = 0
    with open(path, "w", encoding="utf-8") as text:
        json.dump(drive, text)


def fill(path, blocks):
    dice = random.Random(blocks)
    with open(path, "wb") as image:
        image.truncate(blocks * BLOCK_BYTES)
        for block in range(0, blocks, 1000):
            image.seek(block * BLOCK_BYTES)
            image.write(dice.randbytes(100 * BLOCK_BYTES)[: (blocks - block) * BLOCK_BYTES])


def main():
    match sys.argv[1:]:
        case ["model", platter, path]:
            model(platter, path)
        case ["blocks", path]:
            with open(path, encoding="utf-8") as text:
                print(json.load(text)["identity"]["blocks"])
        case ["fill", path, blocks]:
            fill(path, int(blocks))
        case ["judge", console, log]:
            judge(console, log)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
