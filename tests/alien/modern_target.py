"""The SCSI side of a modern drive: what it has that the older aliens have not, and what it lacks."""

import struct

from target import (GOOD, INVALID_FIELD_IN_CDB, INVALID_OPCODE, LBA_OUT_OF_RANGE, Refused, Target, be32)

__all__ = ["GOOD", "ModernTarget"]


class ModernTarget(Target):
    PAGES = (0x08,)

    def __init__(self, drive):
        super().__init__(drive)
        disk = self.config["disk"]
        self.block_bytes = disk["block_bytes"]
        self.sector_bytes = disk["physical_bytes"]
        if self.scsi["verify"] != "none":
            self.commands.update({0x2F: self.verify, 0x8F: self.verify})

    def verify(self, request, now):
        if request.cdb[1] & 0x06:
            raise Refused(INVALID_FIELD_IN_CDB)  # BYTCHK: nothing is compared here
        lbn, count = self._checked_extent(request.cdb)
        return b"", self.drive.verify(lbn, count, now) if count else None

    def _force_unit_access(self, cdb, known):
        return super()._force_unit_access(cdb, known) and not self.scsi["ignores_force"]

    def read_capacity_10(self, request, now):
        if be32(request.cdb, 2) or request.cdb[8] & 1:
            raise Refused(INVALID_FIELD_IN_CDB)
        return struct.pack(">II", min(self.blocks - 1, 0xFFFFFFFF), self.block_bytes), None

    def service_action_in(self, request, now):
        if request.cdb[1] & 0x1F != 0x10:
            raise Refused(INVALID_FIELD_IN_CDB if request.cdb[1] & 0x1F else INVALID_OPCODE)
        exponent = (self.sector_bytes // self.block_bytes).bit_length() - 1
        data = struct.pack(">QIBB18x", self.blocks - 1, self.block_bytes, 0, exponent)
        return data[:be32(request.cdb, 10)], None

    def seek(self, request, now):
        if self.scsi["seek"] and be32(request.cdb, 2) >= self.blocks:
            raise Refused(LBA_OUT_OF_RANGE, be32(request.cdb, 2))
        return super().seek(request, now)

    # Of the caching page each bit may be changed or not.

    def _cache_page(self, control):
        may = self.scsi["cache_page"]
        drive = self.drive
        if control == 1:
            flags = (0x04 if may["write"] else 0) | (0x01 if may["read"] else 0)
            return struct.pack(">BBB9xB7x", 8, 18, flags, 0x20 if may["ahead"] else 0)
        write, read, ahead = drive.write_cache, drive.read_cache, drive.read_ahead
        if control == 2:
            write, read, ahead = self.config["cache"]["write_cache_default"], True, True
        return struct.pack(">BBBBHHHHBBH4x", 8, 18, (0x04 if write else 0) | (0 if read else 1), 0,
                           0xFFFF, 0, 0xFFFF, 0xFFFF, 0 if ahead else 0x20, 0, 0)

    # The ATA drive behind the translation says more of itself than the older one.

    def _identify_words(self):
        words = super()._identify_words()
        blocks = min(self.blocks, 0x0FFFFFFF)
        words[60], words[61] = blocks & 0xFFFF, blocks >> 16
        for i in range(4):
            words[100 + i] = self.blocks >> 16 * i & 0xFFFF
        words[83] |= 0x0400  # 48 bits of address
        words[86] |= 0x0400
        words[217] = self.scsi["nominal_rpm"]
        if self.config["queue"]["depth"] > 1:
            words[75], words[76] = self.config["queue"]["depth"] - 1, 0x0100
        ratio = self.sector_bytes // self.block_bytes
        if ratio > 1:
            words[106] = 0x6000 | ratio.bit_length() - 1
        if self.block_bytes != 512:
            words[106] = 0x5000
            words[117], words[118] = self.block_bytes // 2 & 0xFFFF, self.block_bytes // 2 >> 16
        return words
