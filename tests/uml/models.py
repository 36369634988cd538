#!/usr/bin/env python3
"""Models of drives that guests get: models.py PLATTER NAME FILE.

NAME: spc (Quantum Atlas 10K as it is), scsi2 (HP C2247), spc4 (the Atlas as a drive of today).
"""
import json
import subprocess
import sys

DRIVES = {"spc": "quantum-atlas10k", "spc4": "quantum-atlas10k", "scsi2": "hp-c2247"}


def main():
    platter, name, file = sys.argv[1:]
    subprocess.run([platter, "truth", f"virtual:{DRIVES[name]}?imperfections=none", "-o", file], check=True,
                   stdout=subprocess.DEVNULL)
    if name == "spc4":
        with open(file, encoding="utf-8") as text:
            model = json.load(text)
        model["firmware"]["scsi_level"] = "SPC-4"
        with open(file, "w", encoding="utf-8") as text:
            json.dump(model, text)


if __name__ == "__main__":
    main()
