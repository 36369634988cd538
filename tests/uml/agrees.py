#!/usr/bin/env python3
"""Whether `platter inspect` and sg3-utils read the same of a drive: agrees.py INSPECTION INQ READCAP MODES VPD.

MODES: mode pages 03h, 04h and 08h, a line of hexadecimal digits each, as sg_modes --raw gives them. VPD: page 00h.
"""
import json
import re
import sys


def main():
    inspection, inquiry, capacity, modes, vpd = (open(path, encoding="utf-8", errors="replace").read()
                                                 for path in sys.argv[1:])
    seen = json.loads(inspection)
    identity = seen["identity"]

    def text(name, of=inquiry):
        return re.search(rf"{name}[:=] ?(.*)", of).group(1).strip()

    compared = {
        "vendor": (identity["vendor"], text("Vendor identification")),
        "product": (identity["product"], text("Product identification")),
        "revision": (identity["revision"], text("Product revision level")),
        "serial": (identity["serial"], text("Unit serial number")),
        "version": (identity["scsi_version"], int(re.search(r"version=0x(\w\w)", inquiry).group(1), 16)),
        "blocks": (identity["blocks"], int(re.search(r"Number of logical blocks=(\d+)", capacity).group(1))),
        "block bytes": (identity["block_bytes"], int(re.search(r"block length=(\d+) bytes", capacity).group(1))),
        "VPD pages": (seen["vpd_pages"], [f"{byte}h" for byte in vpd.split()[4:]]),
    }
    for code, line in zip(("03h", "04h", "08h"), modes.splitlines()):
        page = seen["mode_pages"][code]["current"]
        compared[f"mode page {code}"] = (page, line[-len(page):])
    wrong = {name: pair for name, pair in compared.items() if pair[0] != pair[1]}
    for name, (ours, theirs) in wrong.items():
        print(f"{name}: inspect {ours}, sg3-utils {theirs}")
    print(f"{len(compared) - len(wrong)} of {len(compared)} fields agree with sg3-utils")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
