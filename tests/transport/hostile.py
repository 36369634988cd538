"""A drive that breaks the protocol in the way named by its argument, at its second command."""
import sys
import time

import drive
from drive import reply, say

way = sys.argv[1]
hello = {"bad_hello": b"HELLO!!!", "version_1": b"SCSIDRV1", "version_3": b"SCSIDRV3"}
if way == "silent":
    time.sleep(600)
if way == "early_exit":
    sys.exit(3)
if way == "half_hello":
    say(b"SCSI")
    sys.exit(0)
if way in hello:
    say(hello[way])
    drive.hear(1)
    sys.exit(0)

broken = {
    "time_backwards": lambda r: reply(1, r.tag),
    "before_issue": lambda r: reply(r.issue - 1, r.tag),
    "time_beyond": lambda r: reply(1 << 63, r.tag),
    "wrong_tag": lambda r: reply(r.issue, r.tag + 1),
    "short_length": lambda r: reply(r.issue, r.tag, length=23),
    "huge_length": lambda r: reply(r.issue, r.tag, length=(16 << 20) + 1),
    "lying_length": lambda r: reply(r.issue, r.tag, length=1000),
    "bad_status": lambda r: reply(r.issue, r.tag, status=0x77),
    "no_status": lambda r: reply(r.issue, 0, status=0xFF),
    "reserved": lambda r: reply(r.issue, r.tag, reserved=1),
    "long_sense": lambda r: reply(r.issue, r.tag, status=2, sense=bytes(253)),
    "lying_sense": lambda r: reply(r.issue, r.tag, status=2, sense=bytes(18), sense_length=200),
    "lying_data": lambda r: reply(r.issue, r.tag, data=bytes(512), data_length=100),
    "too_much_data": lambda r: reply(r.issue, r.tag, data=bytes(r.transfer + 1)),
    "missing_data": lambda r: reply(r.issue, r.tag, data=bytes(10)),
    "wrong_residual": lambda r: reply(r.issue, r.tag, residual=r.transfer + 1),
}


class Hostile(drive.Drive):
    commands = 0

    def handle(self, request):
        self.commands += 1
        if self.commands < 2:
            return super().handle(request)
        if way == "truncated":
            say(reply(request.issue, request.tag, residual=0, data=bytes(512))[:40])
            sys.exit(0)
        if way == "exits":
            sys.exit(7)
        if way == "closes_input":
            sys.stdin.close()
            sys.exit(9)
        if way == "sleeps":
            time.sleep(600)
        say(broken[way](request))


Hostile().run()
