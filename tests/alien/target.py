"""The SCSI side: commands in, status, sense and data out. SBC-2 and SPC-3, as far as a disk needs.

One command is executed at a time, in the order that the queue's policy gives.
"""

import math
import struct

import wire
from drive import MediumError

BLOCK = 512

GOOD, CHECK_CONDITION, TASK_SET_FULL = 0x00, 0x02, 0x28

# (sense key, additional sense code, qualifier)
RECOVERED_NO_DEFECT_LIST = (0x1, 0x1C, 0x00)
MEDIUM_READ_ERROR = (0x3, 0x11, 0x00)
PARAMETER_LIST_LENGTH = (0x5, 0x1A, 0x00)
INVALID_OPCODE = (0x5, 0x20, 0x00)
LBA_OUT_OF_RANGE = (0x5, 0x21, 0x00)
INVALID_FIELD_IN_CDB = (0x5, 0x24, 0x00)
NO_SUCH_UNIT = (0x5, 0x25, 0x00)
INVALID_FIELD_IN_LIST = (0x5, 0x26, 0x00)
SEQUENCE_ERROR = (0x5, 0x2C, 0x00)
SAVING_NOT_SUPPORTED = (0x5, 0x39, 0x00)
POWER_ON = (0x6, 0x29, 0x01)
DEVICE_RESET = (0x6, 0x29, 0x03)
NO_SENSE = (0x0, 0x00, 0x00)
ATA_ABORTED = (0xB, 0x00, 0x00)
ATA_INFORMATION = (0x1, 0x00, 0x1D)


class Refused(Exception):
    """Ends a command with sense data; `t` where it took other than the usual time."""

    def __init__(self, code, information=None, t=None, data=b""):
        super().__init__(code)
        self.code = code
        self.information = information
        self.t = t
        self.data = data


def fixed_sense(code, information=None):
    """Fixed format sense data, 18 bytes (SPC-3, 4.5.3)."""
    key, asc, ascq = code
    valid = information is not None and information < 1 << 32
    return struct.pack(">BBBIBIBBB3x", 0xF0 if valid else 0x70, 0, key,
                       information if valid else 0, 10, 0, asc, ascq, 0)


def be16(data, at):
    return data[at] << 8 | data[at + 1]


def be32(data, at):
    return int.from_bytes(data[at:at + 4], "big")


class Target:
    def __init__(self, drive):
        self.drive = drive
        self.config = drive.config
        self.scsi = self.config["scsi"]
        self.blocks = drive.platters.blocks
        self.block_bytes = BLOCK
        self.stored = {}           # lbn -> contents, where something was written
        self.attention = POWER_ON if self.scsi["unit_attention"] else None
        self.translated = None     # the answer to the last SEND DIAGNOSTIC
        self.power_level = 0x80    # advanced power management of an ATA drive; 0: disabled
        self._default_cache()
        self.commands = {
            0x00: self.test_unit_ready, 0x03: self.request_sense, 0x12: self.inquiry,
            0x08: self.read, 0x28: self.read, 0x88: self.read,
            0x0A: self.write, 0x2A: self.write, 0x8A: self.write,
            0x15: self.mode_select, 0x55: self.mode_select,
            0x1A: self.mode_sense, 0x5A: self.mode_sense,
            0x1C: self.receive_diagnostic, 0x1D: self.send_diagnostic,
            0x25: self.read_capacity_10, 0x35: self.synchronize, 0x37: self.read_defects,
            0x85: self.ata_pass_through, 0xA1: self.ata_pass_through,
            0x2B: self.seek, 0x9E: self.service_action_in, 0xA0: self.report_luns,
        }

    def _default_cache(self):
        drive = self.drive
        drive.read_cache = drive.read_ahead = True
        drive.write_cache = self.config["cache"]["write_cache_default"]

    def reset(self, t):
        self.drive.set_cache(True, self.config["cache"]["write_cache_default"], True, t)
        self.attention = DEVICE_RESET
        self.translated = None
        self.power_level = 0x80

    def execute(self, request, now):
        """The reply to a command whose execution begins at `now`."""
        cdb = request.cdb
        data, t = b"", None
        status, sense, moved = GOOD, b"", 0
        try:
            data, t = self._dispatch(request, now)
            moved = len(request.data)
        except Refused as refused:
            status = CHECK_CONDITION
            sense = fixed_sense(refused.code, refused.information)
            t, data = refused.t, refused.data
        except MediumError as error:
            status = CHECK_CONDITION
            sense = fixed_sense(MEDIUM_READ_ERROR, error.lbn)
            t = error.t
            if cdb[0] in (0x08, 0x28, 0x88):
                data = self._contents(self._extent(cdb)[0], error.lbn - self._extent(cdb)[0])
        if t is None:
            t = self.drive.other(now, 0.0)
        if request.direction == 1:
            data = data[:request.transfer_length]
            moved = len(data)
        else:
            data = b""
        return wire.Reply(math.ceil(t), request.tag, status, sense,
                          request.transfer_length - moved if request.direction else 0, data)

    def _dispatch(self, request, now):
        opcode = request.cdb[0]
        if request.lun:
            return self._other_unit(request, now)
        if self.attention and opcode not in (0x03, 0x12, 0xA0):
            code, self.attention = self.attention, None
            raise Refused(code)
        handler = self.commands.get(opcode)
        if handler is None:
            raise Refused(INVALID_OPCODE)
        expected = (6, 10, 10, None, 16, 12)[opcode >> 5] if opcode >> 5 < 6 else None
        if len(request.cdb) != expected:
            raise Refused(INVALID_FIELD_IN_CDB)
        return handler(request, now)

    def _other_unit(self, request, now):
        """Only unit 0 is there; INQUIRY and REQUEST SENSE answer all the same (SPC-3, 5.9.4)."""
        if request.cdb[0] == 0x12:
            return b"\x7f" + bytes(35), None
        if request.cdb[0] == 0x03:
            return fixed_sense(NO_SUCH_UNIT), None
        raise Refused(NO_SUCH_UNIT)

    # Who it is.

    def test_unit_ready(self, request, now):
        return b"", None

    def request_sense(self, request, now):
        code, self.attention = self.attention or NO_SENSE, None
        return fixed_sense(code)[:request.cdb[4]], None

    def inquiry(self, request, now):
        cdb = request.cdb
        if cdb[1] & 1:
            data = self._vital_product_data(cdb[2])
        elif cdb[2]:
            raise Refused(INVALID_FIELD_IN_CDB)
        else:
            data = struct.pack(">8B8s16s4s", 0, 0, 5, 2, 31, 0, 0, 2,
                               b"ATA     " if self.scsi["ata"] else self._text("vendor", 8), self._text("product", 16),
                               self._text("revision", 4))
        return data[:be16(cdb, 3)], None

    def _text(self, name, width):
        return self.config[name].encode("ascii").ljust(width)[:width]

    def _vital_product_data(self, page):
        if page == 0x00:
            body = bytes((0x00, 0x80, 0x83) + ((0x89,) if self.scsi["ata"] else ()) +
                         ((0xB1,) if self.scsi["nominal_rpm"] else ()))
        elif page == 0x89 and self.scsi["ata"]:
            body = bytes(4) + b"ALIEN   SAT             0001" + bytes(20) + b"\xec" + bytes(3)
            body += self._identify_device()
        elif page == 0x80:
            body = self._text("serial", 12)
        elif page == 0xB1 and self.scsi["nominal_rpm"]:
            body = struct.pack(">H", self.scsi["nominal_rpm"]) + bytes(58)
        elif page == 0x83:
            vendor = self._text("vendor", 8) + self._text("product", 16) + self._text("serial", 12)
            name = struct.pack(">Q", 0x3 << 60 | self.config["individual"])
            body = struct.pack(">BBBB", 2, 1, 0, len(vendor)) + vendor
            body += struct.pack(">BBBB", 1, 3, 0, len(name)) + name
        else:
            raise Refused(INVALID_FIELD_IN_CDB)
        return struct.pack(">BBH", 0, page, len(body)) + body

    # The ATA drive behind the translation (SAT-3, ATA PASS-THROUGH; ACS-3, IDENTIFY DEVICE, SET FEATURES).

    def _identify_words(self):
        words = [0] * 256
        words[82], words[83], words[84], words[87] = 0x0060, 0x4408, 0x4000, 0x4000
        words[85] = 0x20 * self.drive.write_cache + 0x40 * self.drive.read_ahead
        words[86] = 0x0400 + (0x08 if self.power_level else 0)
        words[91] = self.power_level
        words[255] = 0xA5
        return words

    def _identify_device(self):
        data = bytearray(struct.pack("<256H", *self._identify_words()))
        data[511] = -sum(data) & 0xFF
        return bytes(data)

    def ata_pass_through(self, request, now):
        cdb = request.cdb
        if not self.scsi["ata"]:
            raise Refused(INVALID_OPCODE)
        feature, count, command = (cdb[4], cdb[6], cdb[14]) if cdb[0] == 0x85 else (cdb[3], cdb[4], cdb[9])
        protocol = cdb[1] >> 1 & 0xF
        if command == 0xEC and protocol == 4:
            return self._identify_device(), None
        if protocol != 3:
            raise Refused(INVALID_FIELD_IN_CDB)
        if command == 0xE5:
            raise Refused(ATA_INFORMATION)
        if command != 0xEF:
            raise Refused(ATA_ABORTED)
        drive = self.drive
        if feature in (0x02, 0x82):
            return b"", drive.set_cache(drive.read_cache, feature == 0x02, drive.read_ahead, now)
        if feature in (0x55, 0xAA):
            return b"", drive.set_cache(drive.read_cache, drive.write_cache, feature == 0xAA, now)
        if feature == 0x85 or feature == 0x05 and 0 < count < 0xFF:
            self.power_level = count if feature == 0x05 else 0
            return b"", None
        raise Refused(ATA_ABORTED)

    def report_luns(self, request, now):
        return struct.pack(">II8x", 8, 0)[:be32(request.cdb, 6)], None

    def read_capacity_10(self, request, now):
        lbn, partial = be32(request.cdb, 2), request.cdb[8] & 1
        if lbn and not partial:
            raise Refused(INVALID_FIELD_IN_CDB)
        if lbn >= self.blocks:
            raise Refused(LBA_OUT_OF_RANGE, lbn)
        last = self.drive.platters.last_of_cylinder(lbn) if partial else self.blocks - 1
        return struct.pack(">II", min(last, 0xFFFFFFFF), BLOCK), None

    def service_action_in(self, request, now):
        if request.cdb[1] & 0x1F != 0x10:
            raise Refused(INVALID_FIELD_IN_CDB)
        if not self.scsi["capacity_16"]:
            raise Refused(INVALID_OPCODE)
        data = struct.pack(">QI20x", self.blocks - 1, BLOCK)
        return data[:be32(request.cdb, 10)], None

    # Blocks.

    @staticmethod
    def _extent(cdb):
        """(first block, number of blocks) of a READ or WRITE of 6, 10 or 16 bytes."""
        if len(cdb) == 6:
            return (cdb[1] & 0x1F) << 16 | be16(cdb, 2), cdb[4] or 256
        if len(cdb) == 10:
            return be32(cdb, 2), be16(cdb, 7)
        return int.from_bytes(cdb[2:10], "big"), be32(cdb, 10)

    def _checked_extent(self, cdb):
        if len(cdb) == 10 and cdb[1] & 1:
            raise Refused(INVALID_FIELD_IN_CDB)  # RELADR
        lbn, count = self._extent(cdb)
        if lbn + count > self.blocks or lbn >= self.blocks:
            raise Refused(LBA_OUT_OF_RANGE, max(lbn, self.blocks))
        return lbn, count

    def _force_unit_access(self, cdb, known):
        force = len(cdb) > 6 and bool(cdb[1] & 0x08)
        if force and not self.scsi[known]:
            raise Refused(INVALID_FIELD_IN_CDB)
        return force

    def _contents(self, lbn, count):
        if not self.stored:
            return bytes(self.block_bytes * count)
        empty = bytes(self.block_bytes)
        return b"".join(self.stored.get(b, empty) for b in range(lbn, lbn + count))

    def read(self, request, now):
        force = self._force_unit_access(request.cdb, "force_reads")
        lbn, count = self._checked_extent(request.cdb)
        if count == 0:
            return b"", None
        t = self.drive.read(lbn, count, now, force)
        return self._contents(lbn, count), t

    def write(self, request, now):
        force = self._force_unit_access(request.cdb, "force_writes")
        lbn, count = self._checked_extent(request.cdb)
        if count == 0:
            return b"", None
        size = self.block_bytes
        if len(request.data) < count * size:
            raise Refused(INVALID_FIELD_IN_CDB)
        t = self.drive.write(lbn, count, now, force)
        data = request.data
        for i in range(count):
            block = data[i * size:(i + 1) * size]
            if any(block) or lbn + i in self.stored:
                self.stored[lbn + i] = block
        return b"", t

    def seek(self, request, now):
        if not self.scsi["seek"]:
            raise Refused(INVALID_OPCODE)
        lbn = be32(request.cdb, 2)
        if lbn >= self.blocks:
            raise Refused(LBA_OUT_OF_RANGE, lbn)
        return b"", self.drive.seek(lbn, now)

    def synchronize(self, request, now):
        lbn, count = self._extent(request.cdb)
        if lbn + count > self.blocks:
            raise Refused(LBA_OUT_OF_RANGE, lbn)
        return b"", self.drive.synchronize(now)

    # Mode pages (SPC-3, 7.4; SBC-2, 6.3; pages 03h and 04h as SCSI-2 has them).

    PAGES = (0x03, 0x04, 0x08)

    def _page(self, page, control):
        c = self.config
        changeable = control == 1
        if page == 0x03:
            outer = c["zones"][0]
            body = struct.pack(">HHHHHHHHHB3x", c["heads"], outer["spares"] & 0xFFFF, 0, 0,
                               outer["sectors"], BLOCK, 1, int(outer["track_skew"]),
                               int(outer["cylinder_skew"]), 0x40)
            return struct.pack("BB", 3, len(body)) + (bytes(len(body)) if changeable else body)
        if page == 0x04:
            cylinders = self.drive.platters.cylinders.to_bytes(3, "big")
            body = cylinders + bytes((c["heads"],)) + bytes(14) + \
                struct.pack(">HH", round(c["rpm"]), 0)
            return struct.pack("BB", 4, len(body)) + (bytes(len(body)) if changeable else body)
        return self._cache_page(control)

    def _cache_page(self, control):
        c = self.config["cache"]
        drive = self.drive
        if control == 1:
            may = self.scsi["cache_page"]
            return struct.pack(">BBB9xB7x", 8, 18, 0x05 if may else 0, 0x20 if may else 0)
        write, read, ahead = drive.write_cache, drive.read_cache, drive.read_ahead
        if control == 2:
            write, read, ahead = c["write_cache_default"], True, True
        return struct.pack(">BBBBHHHHBBH4x", 8, 18, (0x04 if write else 0) | (0 if read else 1), 0,
                           0xFFFF, 0, c["read_ahead_blocks"], c["read_ahead_blocks"],
                           0x40 | (0 if ahead else 0x20), c["segments"] & 0xFF,
                           c["segment_blocks"])

    def mode_sense(self, request, now):
        cdb = request.cdb
        control, page = cdb[2] >> 6, cdb[2] & 0x3F
        if cdb[3] or page not in self.PAGES + (0x3F,):
            raise Refused(INVALID_FIELD_IN_CDB)
        if control == 3 and not self.scsi["saved_pages"]:
            raise Refused(SAVING_NOT_SUPPORTED)
        pages = b"".join(self._page(p, 2 if control == 3 else control)
                         for p in self.PAGES if page in (p, 0x3F))
        descriptor = b"" if cdb[1] & 0x08 else \
            struct.pack(">II", min(self.blocks, 0xFFFFFFFF), self.block_bytes)
        dpofua = 0x10 if self.scsi["force_reads"] and self.scsi["force_writes"] else 0
        if len(cdb) == 6:
            header = bytes((3 + len(descriptor) + len(pages), 0, dpofua, len(descriptor)))
            room = cdb[4]
        else:
            header = struct.pack(">HBBHH", 6 + len(descriptor) + len(pages), 0, dpofua, 0,
                                 len(descriptor))
            room = be16(cdb, 7)
        return (header + descriptor + pages)[:room], None

    def mode_select(self, request, now):
        cdb = request.cdb
        length = cdb[4] if len(cdb) == 6 else be16(cdb, 7)
        if cdb[1] & 0x01 or not cdb[1] & 0x10:
            raise Refused(INVALID_FIELD_IN_CDB)  # SP = 1 or PF = 0
        data = request.data[:length]
        header = 4 if len(cdb) == 6 else 8
        if len(data) < header:
            raise Refused(PARAMETER_LIST_LENGTH) if data else Refused(INVALID_FIELD_IN_CDB)
        descriptor = data[3] if header == 4 else be16(data, 6)
        if descriptor not in (0, 8):
            raise Refused(INVALID_FIELD_IN_LIST)
        at = header + descriptor
        if descriptor and be32(data, header + 4) & 0xFFFFFF != self.block_bytes:
            raise Refused(INVALID_FIELD_IN_LIST)
        t = None
        while at < len(data):
            if at + 2 > len(data) or at + 2 + data[at + 1] > len(data):
                raise Refused(PARAMETER_LIST_LENGTH)
            t = self._select_page(data[at:at + 2 + data[at + 1]], now)
            at += 2 + data[at + 1]
        return b"", t

    def _select_page(self, new, now):
        page = new[0] & 0x3F
        if page not in self.PAGES:
            raise Refused(INVALID_FIELD_IN_LIST)
        current, mask = self._page(page, 0), self._page(page, 1)
        if len(new) != len(current):
            raise Refused(INVALID_FIELD_IN_LIST)
        for n, c, m in zip(new[2:], current[2:], mask[2:]):
            if (n ^ c) & ~m:
                raise Refused(INVALID_FIELD_IN_LIST)
        if page != 0x08:
            return None
        return self.drive.set_cache(not new[2] & 0x01, bool(new[2] & 0x04), not new[12] & 0x20, now)

    # Translation (SBC-2, 6.2: translate address pages, 40h) and defects (SBC-2, 5.8).

    BLOCK_FORMAT, LONG_BLOCK_FORMAT, INDEX_FORMAT, PHYSICAL_FORMAT = 0, 3, 4, 5
    INDEX_BYTES = 588  # what one sector takes of the track in the bytes-from-index format

    def _to_address(self, lbn, place, form):
        if form == self.BLOCK_FORMAT:
            return struct.pack(">I4x", lbn)
        if form == self.LONG_BLOCK_FORMAT:
            return struct.pack(">Q", lbn)
        track, sector = place
        number = self.drive.platters.number_of(track, sector)
        if form == self.INDEX_FORMAT:
            number *= self.INDEX_BYTES
        return track.cylinder.to_bytes(3, "big") + struct.pack(">BI", track.head, number)

    def _from_address(self, address, form):
        """((track, sector), lbn): lbn is None where a sector holds no block."""
        platters = self.drive.platters
        if form in (self.BLOCK_FORMAT, self.LONG_BLOCK_FORMAT):
            lbn = be32(address, 0) if form == self.BLOCK_FORMAT else int.from_bytes(address, "big")
            if lbn >= self.blocks:
                raise Refused(LBA_OUT_OF_RANGE, lbn)
            return platters.find(lbn), lbn
        if form not in (self.INDEX_FORMAT, self.PHYSICAL_FORMAT):
            raise Refused(INVALID_FIELD_IN_LIST)
        track = platters.at.get((int.from_bytes(address[:3], "big"), address[3]))
        number = be32(address, 4)
        if form == self.INDEX_FORMAT:
            number //= self.INDEX_BYTES
        if track is None or number >= track.sectors:
            raise Refused(INVALID_FIELD_IN_LIST)
        sector = platters.sector_of(track, number)
        return (track, sector), track.lbns[sector]

    def _translation_time(self, now):
        return self.drive.other(now, self.config["overhead"]["translate_ms"])

    def send_diagnostic(self, request, now):
        cdb = request.cdb
        length = be16(cdb, 3)
        if cdb[1] & 0x04 and not length:
            return b"", self.drive.other(now, 800.0)  # default self-test
        if not self.scsi["address_translation"] or not cdb[1] & 0x10 or cdb[1] & 0xE7:
            raise Refused(INVALID_FIELD_IN_CDB)
        data = request.data[:length]
        if not data:
            return b"", None
        if len(data) < 14:
            raise Refused(PARAMETER_LIST_LENGTH)
        if data[0] != 0x40 or be16(data, 2) != 10:
            raise Refused(INVALID_FIELD_IN_LIST)
        supplied, wanted = data[4] & 7, data[5] & 7
        if wanted not in (0, 3, 4, 5):
            raise Refused(INVALID_FIELD_IN_LIST)
        place, lbn = self._from_address(data[6:14], supplied)
        flags, address = wanted, b""
        if lbn is None:
            flags |= 0x80  # RAREA: a spare or a defect, no block is there
            if wanted in (4, 5):
                address = self._to_address(None, place, wanted)
        else:
            address = self._to_address(lbn, place, wanted)
            if lbn in self.drive.platters.remaps:
                flags |= 0x40  # ALTSEC
        self.translated = struct.pack(">BBHBB", 0x40, 0, 2 + len(address), supplied, flags) + address
        return b"", self._translation_time(now)

    def receive_diagnostic(self, request, now):
        cdb = request.cdb
        if not self.scsi["address_translation"]:
            raise Refused(INVALID_FIELD_IN_CDB)
        if cdb[1] & 1 and cdb[2] == 0x00:
            return struct.pack(">BBHBB", 0, 0, 2, 0x00, 0x40)[:be16(cdb, 3)], None
        if cdb[1] & 1 and cdb[2] != 0x40:
            raise Refused(INVALID_FIELD_IN_CDB)
        if self.translated is None:
            raise Refused(SEQUENCE_ERROR)
        return self.translated[:be16(cdb, 3)], self._translation_time(now)

    def read_defects(self, request, now):
        cdb = request.cdb
        if not self.scsi["defect_list"]:
            raise Refused(INVALID_OPCODE)
        form = cdb[2] & 7
        known = form in (self.INDEX_FORMAT, self.PHYSICAL_FORMAT)
        wanted = (self.drive.platters.defects if cdb[2] & 0x10 else []) + \
            (self.drive.platters.grown if cdb[2] & 0x08 else [])
        wanted = sorted(wanted, key=lambda place: (place[0].cylinder, place[0].head,
                                                   self.drive.platters.number_of(*place)))
        form = form if known else self.PHYSICAL_FORMAT
        places = b"".join(self._to_address(None, place, form) for place in wanted)
        data = struct.pack(">BBH", 0, cdb[2] & 0x18 | form, min(len(places), 0xFFF8)) + places
        data = data[:be16(cdb, 7)]
        t = self.drive.other(now, 12.0)
        if not known:
            raise Refused(RECOVERED_NO_DEFECT_LIST, t=t, data=data)
        return data, t


class Queue:
    """Outstanding commands: executed one after the other, chosen by the drive's policy."""

    def __init__(self, target, log=None):
        self.target = target
        self.depth = target.config["queue"]["depth"]
        self.policy = target.config["queue"]["policy"]
        self.waiting = []
        self.done = []      # replies not yet reported
        self.free = 0       # when the last execution ended
        self.log = log

    def submit(self, request):
        if len(self.waiting) + len(self.done) >= self.depth:
            self.done.append(wire.Reply(request.issue_ns, request.tag, TASK_SET_FULL, b"",
                                        request.transfer_length if request.direction else 0))
            return
        self.waiting.append(request)

    def _next_start(self):
        """(when, of which of several queues) the next command that waits can be executed."""
        return max(self.free, min(request.issue_ns for request in self.waiting)), 0

    def _serve(self, start, _which):
        self._execute(self._choose(start), start)

    def next_completion(self, until):
        """The earliest completion, not later than `until` (None: whenever it is); None for none."""
        while self.waiting:
            start, which = self._next_start()
            known = min((reply.complete_ns for reply in self.done), default=math.inf)
            if start >= known or (until is not None and start > until):
                break
            self._serve(start, which)
        if not self.done:
            return None
        first = min(self.done, key=lambda reply: reply.complete_ns)
        if until is not None and first.complete_ns > until:
            return None
        self.done.remove(first)
        return first

    def _choose(self, start):
        arrived = [request for request in self.waiting if request.issue_ns <= start]
        urgent = [request for request in arrived if request.attribute == 1]
        if urgent:
            return urgent[-1]
        if self.policy == "arrival" or arrived[0].attribute == 2:
            return arrived[0]
        # Only what came before the first ordered command may be taken in another order.
        ordered = next((i for i, request in enumerate(arrived) if request.attribute == 2),
                       len(arrived))
        return min(arrived[:ordered], key=self._distance)

    def _distance(self, request):
        cdb = request.cdb
        if cdb[0] not in (0x08, 0x28, 0x88, 0x0A, 0x2A, 0x8A):
            return -1
        return self.target.drive.distance(min(self.target._extent(cdb)[0], self.target.blocks - 1))

    def _execute(self, request, start):
        self.waiting.remove(request)
        reply = self.target.execute(request, start)
        reply.complete_ns = max(reply.complete_ns, request.issue_ns, self.free)
        self.free = reply.complete_ns
        self.done.append(reply)
        if self.log:
            track = self.target.drive.arm.track
            print(request.issue_ns, reply.complete_ns, request.tag, request.cdb.hex(),
                  f"{reply.status:02x}", track.cylinder, track.head,
                  "hit" if self.target.drive.hit else "-", file=self.log)

    def reset(self, request):
        self.waiting.clear()
        self.done.clear()
        self.target.reset(request.issue_ns)
        self.free = request.issue_ns + 1_500_000
        return wire.Reply(self.free, request.tag, GOOD)
