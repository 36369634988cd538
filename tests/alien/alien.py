#!/usr/bin/env python3
"""A disk drive behind `exec:` that shares nothing with the engine: the third judge.

    platter inspect "exec:python3 tests/alien/alien.py --variant serpentine --seed 7"
"""

import argparse
import json
import sys

import modern_shingled
import modern_truth
import modern_two_arms
import wire
from drive import Drive
from modern_drive import ModernDrive
from modern_target import ModernTarget
from modern_variants import designed
from target import Queue, Target
from truth import truth
from variants import DIFFERENCES, drive as variant, merge


def setting(text):
    """`arm.switch_ms=0.7` as a nested dictionary."""
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    try:
        value = json.loads(value)
    except json.JSONDecodeError:
        pass  # a plain word
    for part in reversed(name.split(".")):
        value = {part: value}
    return value


def add_drive_options(parser):
    parser.add_argument("--variant", default="moderate",
                        help=f"{', '.join(DIFFERENCES)}, random:SEED, modern:N, two-arms:N or shingled:N")
    parser.add_argument("--geometry", metavar="FILE.json",
                        help="what is different from the variant (see variants.py for the names)")
    parser.add_argument("--set", action="append", default=[], type=setting, metavar="NAME=VALUE",
                        help="one more difference, as in arm.switch_ms=0.7")
    parser.add_argument("--without", action="append", default=[], choices=sorted(LACKING),
                        help="what it lacks; may be given several times")
    parser.add_argument("--seed", type=int, default=1, help="of this run's noise and phase")
    parser.add_argument("--no-noise", action="store_true",
                        help="no noise, wobble nor recalibration")


# What a drive of today, its bridge or its path may lack: by the names of a virtual drive's options.
LACKING = {
    "page40h": {"scsi": {"address_translation": False}},
    "fua": {"scsi": {"force_reads": False, "force_writes": False}},
    "ncq": {"scsi": {"force_reads": False}, "queue": {"depth": 1}},
    "seek": {"scsi": {"seek": False}},
}


def configuration(options):
    kind, _, number = options.variant.partition(":")
    if kind == "shingled":
        config = modern_shingled.shingled(int(number))
    elif kind == "two-arms":
        config = modern_two_arms.two_arms(int(number))
    else:
        config = designed(int(number)) if kind == "modern" else variant(options.variant)
    for name in options.without:
        config = merge(config, LACKING[name])
    if options.geometry:
        with open(options.geometry, encoding="utf-8") as file:
            config = merge(config, json.load(file))
    for change in options.set:
        config = merge(config, change)
    return config


def built(config, seed, noise):
    """(drive, target, what it really is) of a configuration."""
    if "interference_us" in config:
        drive = modern_two_arms.TwoArmDrive(config, seed, noise)
        return drive, modern_two_arms.TwoArmTarget(drive), modern_two_arms.truth
    if "shingles" in config:
        drive = modern_shingled.ShingledDrive(config, seed, noise)
        return drive, ModernTarget(drive), modern_shingled.truth
    if "disk" in config:
        drive = ModernDrive(config, seed, noise)
        return drive, ModernTarget(drive), modern_truth.truth
    drive = Drive(config, seed, noise)
    return drive, Target(drive), truth


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_drive_options(parser)
    parser.add_argument("--truth", metavar="FILE", help="write what the drive really is")
    parser.add_argument("--truth-only", action="store_true", help="...and stop there")
    parser.add_argument("--log", metavar="FILE", help="write a line for each command executed")
    options = parser.parse_args()
    try:
        drive, target, truth_of = built(configuration(options), options.seed, not options.no_noise)
        if options.truth:
            with open(options.truth, "w", encoding="utf-8") as file:
                json.dump(truth_of(drive), file)
        if options.truth_only:
            return 0
        log = open(options.log, "w", encoding="utf-8") if options.log else None
        queue = modern_two_arms.TwoQueues if "interference_us" in drive.config else Queue
        wire.Session(queue(target, log)).serve()
    except (OSError, ValueError, wire.ProtocolError) as error:
        print(f"alien.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
