#!/usr/bin/env python3
"""An invented drive of 8 TB: 300,000 cylinders, 16 heads, 512-byte blocks on 4096-byte sectors, SPC-4, a write cache.

    bench/emulators/large_drive.py --build build/release -o large.json
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

CYLINDERS, HEADS, ZONES = 300_000, 16, 30
OUTERMOST, INNERMOST = 4008, 2504  # sectors of 512 bytes on a track


def zones():
    """From the outermost cylinder inwards, in equal parts."""
    each, tracks = CYLINDERS // ZONES, []
    for zone in range(ZONES):
        sectors = OUTERMOST - (OUTERMOST - INNERMOST) * zone // (ZONES - 1)
        sectors -= sectors % 8
        tracks.append({"count": each, "cylinder": zone * each, "cylinder_step": 1, "angle_step_rev": 0.21,
                       "children": [{"count": HEADS, "head_step": 1, "angle_step_rev": 0.11, "sectors": sectors}]})
    del tracks[0]["cylinder"]
    return tracks


def seek_ms(distance):
    short = 0.6 + 0.0065 * distance ** 0.5
    return round(max(short, 2.5 + 13.5 * distance / CYLINDERS) if distance > 600 else short, 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("-o", type=pathlib.Path, required=True)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        base = pathlib.Path(folder) / "base.json"
        subprocess.run([given.build / "platter", "truth", "virtual:cache-shared-writes", "-o", base], check=True)
        model = json.loads(base.read_text())
    layout = zones()
    blocks = sum(zone["count"] * HEADS * zone["children"][0]["sectors"] for zone in layout)
    model["identity"].update(name="large", product="LARGE", serial="VIRTUAL-LARGE", blocks=blocks, heads=HEADS,
                             cylinders=CYLINDERS, physical_block_bytes=4096)
    model["layout"].update(zones=layout, skips=[], remaps=[])
    model["rotation"].update(denominator=7200, rpm=7200.0)
    model["rotation"]["period"]["value"] = 60e9 / 7200
    distances = sorted({round(1.35 ** i) for i in range(1, 42)} | {1, CYLINDERS - 1})
    model["seek"]["points"] = [{"cylinders": d, "time_ms": seek_ms(d)} for d in distances if d < CYLINDERS]
    cache, queue = model["cache"], model["queue"]
    for name, value in {"segments": 256, "segment_blocks": 2048, "write_segments": 256}.items():
        cache[name]["value"] = float(value)
    cache["destage_idle"] = {**cache["segments"], "value": 20.0, "unit": "ms"}
    queue["depth"]["value"], queue["policy"]["value"] = 32.0, 8.0
    model["bus"]["block_transfer"]["value"] = 512 / 550e6 * 1e3  # ms; SATA of 6 Gbit/s
    model["firmware"] = {"scsi_level": "SPC-4", "address_translation": False, "defect_list": False,
                         "seek_command": False, "cache_page_changeable": True}
    given.o.write_text(json.dumps(model, indent=1) + "\n")
    print(f"{given.o}: {blocks * 512 / 1e12:.3f} TB")


if __name__ == "__main__":
    main()
