#!/usr/bin/env python3
"""DIXtrac 4.0, which you have and have built, beside `platter characterize`, on the same virtual drives.

    bench/dixtrac.py --dixtrac FOLDER [--python2 PROGRAM] [--build BUILD] [--drives NAME...] [--seed S]
                     [--imperfections default|none] [--requests N] [--keep DIR]

Each drive runs behind `exec:` (build/release/served_drive). platter characterizes it with writes allowed everywhere.
DIXtrac is run as its own template says (`make extract`). Then both models are held against the truth, and fresh traces
are replayed on the drive and on both. Prints a table as Markdown.

FOLDER is the root of a DiskSim 4.0 with DIXtrac. It must have, and be able to run: in dixtrac the programs dx_layout,
dx_seeks, dx_mech, dx_rest, dxcachectl, dxreplay and the folder templates; in diskmodel/layout_g4_tools g4_skews and the
Python programs, for which PROGRAM is the Python that they need (2, if they are as they were published); in utils/params
gen_parv.pl. The programs must be linked to the C library dynamically and be of this machine's word size, since
build/release/sg_drive.so is preloaded into them: they must open a path below /dev/sg, write(2) and read(2) an
sg_io_hdr of version 3 there, one for each command, take gettimeofday(2) as their clock, and wait by that, usleep(3),
select(2) or poll(2). No device of this machine is touched.

Times are simulated ones, but for the processor's: of DIXtrac with all of its steps and of platter, less the drive's.
"""

import argparse
import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "cli"))

from judge import Differences, TrackErrors, measured_distances, read_layout  # noqa: E402
from measuring import load, run, table  # noqa: E402

DRIVES = ["quantum-atlas10k", "seagate-cheetah9lp"]
PROGRAMS = {"DX_LAYOUT": "dx_layout", "DX_SEEKS": "dx_seeks", "DX_MECH": "dx_mech", "DX_REST": "dx_rest",
            "DXREPLAY": "dxreplay", "DXCACHECTL": "dxcachectl"}
# What belongs together: DIXtrac's programs, and stages of platter.
STAGES = {"layout": (["dx_layout"], ["layout"]), "angles": (["dxreplay", "dxcachectl"], ["angles"]),
          "seeks": (["dx_seeks"], ["seeks"]),
          "rotation, switches": (["dx_mech"], ["rotation", "head switch and write settle"]),
          "cache, overheads": (["dx_rest"], ["cache", "overheads"])}
REST = "warm-up, checks, queue"
MOST_S = 1800  # of the host's time, for all of DIXtrac
# What makes up DIXtrac's model, as it is imported.
PARAMETERS = ["drive.parv", "drive.diskspecs", "drive.model", "drive-skews-layout.model", "seeks"]
WORKLOADS = {"random": "off", "mixed": "default"}  # and the caches
OVERHEADS = ["read_hit_after_read", "read_hit_after_write", "write_hit_after_read", "write_hit_after_write",
             "read_miss_after_read", "read_miss_after_write", "write_miss_after_read", "write_miss_after_write"]
NEAR_SHARE, NEAR_MS = 0.02, 0.02  # a figure that is no farther off is right


class Failed(Exception):
    pass


def processor_s():
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime


class Served:
    """A drive that speaks the protocol on two pipes with names, for one program after the other."""

    def __init__(self, program, truth, folder):
        self.requests, self.replies = os.path.join(folder, "requests"), os.path.join(folder, "replies")
        for pipe in (self.requests, self.replies):
            os.mkfifo(pipe)
        # Held open, so that the drive goes on when a program has ended.
        self.held = [os.open(pipe, os.O_RDWR) for pipe in (self.requests, self.replies)]
        self.account = os.path.join(folder, "drive.account")
        with open(self.requests, "rb") as source, open(self.replies, "wb") as sink:
            self.drive = subprocess.Popen([program, truth, "--account", self.account], stdin=source, stdout=sink)
        hello = os.read(self.held[1], 8)
        if hello != b"SCSIDRV2":
            raise Failed(f"the drive began with {hello}")

    def end(self):
        for held in self.held:
            os.close(held)
        self.drive.wait()
        return load(self.account)


def by_stage(parts):
    seconds = {}
    for name, s in parts:
        stage = next((stage for stage, names in STAGES.items() if any(name in of for of in names)), REST)
        seconds[stage] = seconds.get(stage, 0.0) + s
    return seconds


def finished(command, log, **how):
    """Its status. What it has begun ends with it."""
    with subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True, **how) as process:
        try:
            return process.wait(MOST_S)
        except subprocess.TimeoutExpired:
            raise Failed(f"DIXtrac took more than {MOST_S} s") from None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def run_dixtrac(options, truth, folder):
    """Its model's file, what the drive was asked, seconds by stage, and processor seconds."""
    root = os.path.abspath(options.dixtrac)
    programs, work = os.path.join(root, "dixtrac"), os.path.join(folder, "dixtrac")
    os.mkdir(work)
    shutil.copy(os.path.join(programs, "templates", "statdefs"), work)
    served = Served(os.path.join(options.build, "served_drive"), truth, folder)
    stages = os.path.join(folder, "stages")
    preload = shlex.join(["env", "LD_PRELOAD=" + os.path.join(options.build, "sg_drive.so"),
                          "SG_REQUESTS=" + served.requests, "SG_REPLIES=" + served.replies, "SG_ACCOUNT=" + stages,
                          f"SG_SEED={options.seed}"])
    variables = {"NAME": "drive", "DEV": "/dev/sg0", "VENDOR": "V", "PRODUCT": "P", "SERIALNUM": "S", "DS_PATH": root,
                 "PYTHON": options.python2} | {name: f"{preload} {shlex.quote(os.path.join(programs, program))}"
                                               for name, program in PROGRAMS.items()}
    before = processor_s()
    try:
        with open(os.path.join(folder, "dixtrac.log"), "w", encoding="utf-8") as log:
            status = finished(["make", "-f", os.path.join(programs, "templates", "Makefile"), "extract",
                               *(f"{name}={value}" for name, value in variables.items())], log, cwd=work)
        took = processor_s() - before
    finally:
        asked = served.end()
    if status:
        with open(os.path.join(folder, "dixtrac.log"), encoding="latin-1") as log:
            raise Failed("DIXtrac stopped: " + log.read()[-400:])
    with open(stages, encoding="ascii") as lines:
        seconds = by_stage((program, (int(end) - int(begin)) / 1e9) for program, begin, end in map(str.split, lines))
    model = os.path.join(folder, "dixtrac.json")
    run(options.platter, "import", "disksim", os.path.join(work, "drive.parv"), "-o", model)
    return model, asked, seconds, took


def run_platter(options, truth, folder):
    account, model = os.path.join(folder, "platter.account"), os.path.join(folder, "platter.json")
    drive = shlex.join([os.path.join(options.build, "served_drive"), truth, "--account", account])
    before = processor_s()
    run(options.platter, "characterize", "exec:" + drive, "-o", model, "--seed", str(options.seed), "--allow-writes",
        "all", "--progress", "none")
    took = processor_s() - before
    asked = load(account)
    seconds = by_stage((stage["name"], stage["drive_seconds"]) for stage in load(model)["provenance"]["stages"])
    return model, asked, seconds, took - asked["processor_s"]


def differences(platter, model, truth):
    done = subprocess.run([platter, "diff", model, truth, "--json"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 12):
        raise Failed(done.stderr)
    return Differences(json.loads(done.stdout))


def demerits(options, truth, models, folder):
    """By workload: the drive's mean in ms, then (demerit ms, percent, shares in phase: with the phase set once, and
    anew after each request) of each model and of the drive with other noise."""
    other = os.path.join(folder, "other-noise.json")
    model = load(truth)
    if "imperfections" in model:
        model["imperfections"]["seed"] = options.seed + 1
    with open(other, "w", encoding="utf-8") as file:
        json.dump(model, file)
    blocks = min(load(file)["identity"]["blocks"] for file in models)
    found = {}
    for workload, caches in WORKLOADS.items():
        trace = os.path.join(folder, workload + ".trace")
        run(options.platter, "trace", "generate", "--workload", workload, "--blocks", str(blocks), "--requests",
            str(options.requests), "--seed", str(options.seed + 1000), "-o", trace)
        results = []
        for number, target in enumerate([truth, *models, other]):
            results.append(os.path.join(folder, f"{workload}.{number}.csv"))
            words = ["replay", trace, "--caches", caches, "-o", results[-1], "--on"]
            if target in models:
                words += [target, "--phase-from", results[0]]
            else:
                drive = shlex.join([os.path.join(options.build, "served_drive"), target])
                words += ["exec:" + drive, "--allow-writes", "all", "--progress", "none"]
            run(options.platter, *words)
        compared = [json.loads(run(options.platter, "compare", results[0], result, "--json"))["all"]
                    for result in results[1:]]
        found[workload] = (compared[0]["mean_ms"]["drive"],
                           [(one["demerit_ms"], one["demerit_percent"], one["folded_phase_share"],
                             one["folded_phase_share_reanchored"]) for one in compared])
    return found


def tracks(platter, file):
    return read_layout(run(platter, "layout", file, "--all-tracks").splitlines())


def near(value, real, unit):
    return abs(value - real) <= max(NEAR_SHARE * abs(real), NEAR_MS if unit == "ms" else 0)


class Judged:
    """A model against the truth. `real`: by path the truth of each figure, where only a sum of several is seen from
    outside the same sum. `moot`: figures that show in nothing that the drive does."""

    def __init__(self, told, real, moot, truth, layout_errors):
        self.told, self.real, self.moot, self.layout = told, real, moot, layout_errors
        self.seeks = told.seek_errors(measured_distances(truth))

    def value(self, path):
        return self.told.by_path.get(path, {}).get("a")

    def off_us(self, *paths):
        """Of the figures at paths that the model has, what is farthest off."""
        off = [1e3 * (self.value(path) - self.real[path]) for path in paths
               if self.value(path) is not None and self.real.get(path) is not None]
        return f"{max(off, key=abs):+.0f}" if off else "not stated"

    def truth(self, path):
        return self.real.get(path, self.told.by_path[path]["b"])

    def stated(self):
        """But for seeks."""
        return [path for path in self.told.by_path if not path.startswith("seek[") and path not in self.moot
                and self.value(path) is not None and self.truth(path) is not None]

    def far(self):
        return [path for path in self.stated()
                if not near(self.value(path), self.truth(path), self.told.by_path[path].get("unit"))]

    def with_error(self):
        return [path for path in self.stated() if self.told.by_path[path].get("in_errors") is not None]

    def settings(self):
        paths = [path for path in self.stated() if path.startswith("cache.")]
        wrong = [path.removeprefix("cache.") for path in paths if path in self.far()]
        return f"{len(paths) - len(wrong)} of {len(paths)}" + (f"; not {', '.join(wrong)}" if wrong else "")

    def seek(self):
        errors = [1e3 * error for error in self.seeks]
        size = [abs(error) for error in errors]
        return (f"{sum(size) / len(size):.0f} / {max(size):.0f}; {sum(errors) / len(errors):+.0f}"
                if errors else "not stated")


def compared(options, name, folder):
    truth = os.path.join(folder, "truth.json")
    run(options.platter, "truth", f"virtual:{name}?imperfections={options.imperfections}&seed={options.seed}", "-o",
        truth)
    runs = {"DIXtrac": run_dixtrac(options, truth, folder), "platter": run_platter(options, truth, folder)}
    told = {who: differences(options.platter, found[0], truth) for who, found in runs.items()}
    real = {path: entry["b"] for path, entry in told["platter"].by_path.items()}
    moot = {path for of in told.values() for path, entry in of.by_path.items() if entry.get("not_judged")}
    layout = tracks(options.platter, truth)
    judged = {who: Judged(told[who], real, moot, load(truth),
                          TrackErrors(tracks(options.platter, found[0]), layout))
              for who, found in runs.items()}
    model = load(truth)
    rows = []

    def row(what, truly, of):
        rows.append([what, truly, *(of(judged[who], who) for who in runs)])

    row("drive time, s", "", lambda _, who: f"**{runs[who][1]['drive_s']:,.1f}**")
    for stage in [*STAGES, REST]:
        row("- " + stage, "", lambda _, who, of=stage: f"{runs[who][2][of]:,.1f}" if of in runs[who][2] else "-")
    row("commands; translations", "",
        lambda _, who: f"{runs[who][1]['commands']:,}; {runs[who][1]['translations']:,}")
    row("blocks written; with other contents in the end", "",
        lambda _, who: f"{runs[who][1]['blocks_written']:,}; {runs[who][1]['blocks_changed']:,}")
    row("blocks", f"{model['identity']['blocks']:,}", lambda it, _: f"{it.value('identity.blocks'):,.0f}")
    row("tracks in the wrong place or of another length", f"{judged['platter'].layout.tracks:,} tracks",
        lambda it, _: f"{it.layout.wrong:,}")
    row("angles of tracks (zones, skews), off: RMS / worst, rev", "",
        lambda it, _: f"{it.layout.angle_rms:.4f} / {it.layout.angle_max:.4f}")
    row("period, off in ppm", f"{real['rotation.period'] / 1e6:.6f} ms",
        lambda it, _: f"{1e6 * (it.value('rotation.period') / real['rotation.period'] - 1):+.2f}")
    row("seek curve, off in us: mean / worst; bias", f"{len(measured_distances(model))} points",
        lambda it, _: it.seek())
    for path, what in (("head_switch", "head switch"), ("write_settle", "write settle"),
                       ("bus.block_transfer", "bus, a block")):
        truly = real.get(path)
        row(f"{what}, off in us", "none" if truly is None else f"{truly:.3f} ms", lambda it, _, p=path: it.off_us(p))
    for kind in ("read hit", "write hit", "read miss", "write miss"):
        paths = ["overheads." + name for name in OVERHEADS if name.startswith(kind.replace(" ", "_"))]
        row(f"overhead of a {kind} (after read, write), off in us",
            ", ".join(f"{real[path]:.3f}" for path in paths) + " ms", lambda it, _, p=paths: it.off_us(*p))
    row("cache: segments x blocks", f"{real['cache.segments']:.0f} x {real['cache.segment_blocks']:.0f}",
        lambda it, _: "{:.0f} x {:.0f}".format(*(it.value(path) or 0
                                                for path in ("cache.segments", "cache.segment_blocks"))))
    row("settings and sizes of the cache that are right", "", lambda it, _: it.settings())
    row("figures but for seeks; with an error stated; farther off than 2 % and 20 us", "",
        lambda it, _: f"{len(it.stated())}; {len(it.with_error())}; {len(it.far())}")
    for workload, (mean, of) in demerits(options, truth, [found[0] for found in runs.values()], folder).items():
        rows.append([f"{workload}: demerit", f"mean {mean:.3f} ms; with other noise {of[2][1]:.1f} %",
                     *(f"**{percent:.1f} %**, {ms:.3f} ms" for ms, percent, _, _ in of[:2])])
        rows.append([f"{workload}: in phase, set once / anew, %", "",
                     *(f"{100 * once:.1f} / {100 * anew:.1f}" for _, _, once, anew in of[:2])])
    return [["", f"{name}: truth", *runs], *rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dixtrac", required=True, metavar="FOLDER")
    parser.add_argument("--python2", default="python2", metavar="PROGRAM")
    parser.add_argument("--build", default="build/release", help="where platter, served_drive and sg_drive.so are")
    parser.add_argument("--drives", nargs="*", default=DRIVES, help="of the catalogue")
    parser.add_argument("--seed", type=int, default=1, help="of noise, phase, and both programs' chance")
    parser.add_argument("--imperfections", choices=["default", "none"], default="default")
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--keep", metavar="DIR", help="a new folder for all files of the runs")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.platter = os.path.join(options.build, "platter")
    rows, status = None, 0
    for name in options.drives:
        with tempfile.TemporaryDirectory() as scratch:
            folder = os.path.join(os.path.abspath(options.keep), name) if options.keep else scratch
            os.makedirs(folder, exist_ok=True)
            try:
                found = compared(options, name, folder)
                rows = found if rows is None else [row + more[1:] for row, more in zip(rows, found)]
            except (Failed, RuntimeError) as failed:
                print(f"{name}: {failed}", file=sys.stderr)
                status = 1
    if rows:
        print(table(rows[0], rows[1:]))
    return status


if __name__ == "__main__":
    sys.exit(main())
