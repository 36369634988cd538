"""The drive program, the program under test, and one run of both in a folder of its own."""

import glob
import json
import os
import random
import shlex
import subprocess
import time

import verdict

BLOCKS = {"small": 11928, "small-512e": 11928, "small-4kn": 11928}
PATIENCE = 300  # seconds of the host; a run takes some


class Programs:
    def __init__(self, platter, drive):
        self.platter, self.drive = os.path.abspath(platter), os.path.abspath(drive)
        self.restore_options = []
        said = subprocess.run([self.platter, "restore", "--help"], text=True, capture_output=True,
                              check=False).stdout
        if "--yes" in said:
            self.restore_options.append("--yes")


class Folder:
    """A drive in a folder, and all that was said and done about it."""

    def __init__(self, programs, path, build, ranges, new=True):
        self.programs, self.path, self.ranges = programs, path, ranges
        self.build = build          # options of trust_drive: how it was built
        self.store, self.log = os.path.join(path, "store.json"), os.path.join(path, "log.jsonl")
        self.state = os.path.join(path, "state")
        self.texts, self.statuses, self.commands = [], [], []
        if new:
            self.drive("--create", *build)

    def exec_name(self, faults=(), more=()):
        words = [self.programs.drive, "--store", self.store, "--log", self.log, *self.build, *more]
        for fault in faults:
            words += ["--fault", fault]
        return "exec:" + shlex.join(words)

    def drive(self, *arguments):
        done = subprocess.run([self.programs.drive, "--store", self.store, "--log", self.log, *arguments],
                              text=True, capture_output=True, check=False, timeout=PATIENCE)
        if done.returncode != 0:
            raise RuntimeError(f"trust_drive {arguments}: {done.stderr}")
        return done.stdout

    def check(self, view):
        return json.loads(self.drive("--check", view))

    def journals(self):
        return sorted(glob.glob(os.path.join(self.state, "**", "*.journal"), recursive=True))

    def platter(self, *arguments, kill_after=None):
        """Runs it to its end, or kills it after so many seconds of the host."""
        command = [self.programs.platter, *map(str, arguments)]
        self.commands.append(shlex.join(command))
        environment = dict(os.environ, XDG_STATE_HOME=self.state)
        with subprocess.Popen(command, cwd=self.path, text=True, env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, errors="replace") as process:
            try:
                _, said = process.communicate(timeout=kill_after or PATIENCE)
                status = process.returncode
            except subprocess.TimeoutExpired:
                process.kill()
                _, said = process.communicate()
                status = -9 if kill_after else "hangs"
        self.texts.append(said)
        self.statuses.append(status)
        return status

    def trace(self, seed, requests=150):
        """Reads and writes in any order; some writes again, and longer, where one was before."""
        dice = random.Random(seed)
        lines, places = [], []
        for number in range(requests):
            write = dice.random() < 0.7
            first, last = dice.choice(self.ranges)
            blocks = dice.choice([1, 1, 2, 3, 7, 8, 16, 40])
            if write and places and dice.random() < 0.4:
                lbn, before = dice.choice(places)
                blocks = before + dice.choice([0, 1, 5, 20])
            else:
                lbn = dice.randint(first, last)
            home = next((first, last) for first, last in self.ranges if first <= lbn <= last)
            blocks = min(blocks, home[1] - lbn + 1)
            if write:
                places.append((lbn, blocks))
            lines.append(f"{number * 0.2:.6f} 0 {lbn} {blocks} {0 if write else 1}")
        path = os.path.join(self.path, "writes.trace")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        return path

    def job(self, job, faults=(), more=(), kill_after=None, seed=1):
        """The work that is attacked: characterize, or replay-DEPTH-CACHES."""
        allowed = [word for first, last in self.ranges for word in ("--allow-writes", f"{first}-{last}")]
        device = self.exec_name(faults, more)
        if job == "characterize":
            shingled = ["--shingles", "bands"] if any("shingled" in word for word in self.build) else []
            return self.platter("characterize", device, *allowed, *shingled, "-o", "drive.json", kill_after=kill_after)
        _, depth, caches = job.split("-")
        return self.platter("replay", self.trace(seed), "--on", device, *allowed, "--depth", depth,
                            "--caches", caches, "-o", "drive.csv", kill_after=kill_after)

    def restore(self, faults=(), options=(), kill_after=None):
        """Every journal that there is, once. The statuses."""
        return [self.platter("restore", journal, "--device", self.exec_name(faults),
                             *self.programs.restore_options, *options, kill_after=kill_after)
                for journal in self.journals()]

    def counts(self):
        """Commands of each class in the drive's last run."""
        last = {}
        for event in verdict.events(self.log):
            if event["event"] == "end":
                last = event
        return last.get("counts", {})


def recover_and_judge(folder, restore_faults=(), restore_kill=None, first_in_order=False):
    """The drive is powered again and restored until that is done; then its power goes once more, for what is
    said to be safe must be on the media. A finding as a dictionary."""
    had_journal = bool(folder.journals()) and not first_in_order
    for attempt in range(4):
        if not folder.journals():
            break
        faults = restore_faults if attempt == 0 else ()
        statuses = folder.restore(faults, kill_after=restore_kill if attempt == 0 else None)
        if attempt > 0 and all(status in (5, 6, 8) for status in statuses):
            break
    before = folder.check("host")
    kept = folder.journals()
    folder.drive("--power-loss")
    if kept:
        folder.restore()
        kept = folder.journals()
    after = folder.check("host" if kept else "media")
    settings = before["settings"]
    # Without a journal a drive that lost its power has what it saved itself, and nobody changed that.
    if settings and before["power_losses"] > 0 and before["settings_are_saved"] and not had_journal:
        settings = []
    gone_bad = {lbn for event in verdict.events(folder.log) if event["event"] == "gone-bad"
                for lbn in event["lbns"]}  # without anybody's doing
    differ = [lbn for lbn in after["differ"] if lbn not in gone_bad]
    finding = {
        "verdict": verdict.judge(differ, bool(settings), folder.texts, kept),
        "differ": differ, "other": after["other"], "settings": settings,
        "outside": verdict.written_outside(folder.log, folder.ranges),
        "journals": len(kept), "statuses": folder.statuses,
    }
    if kept and finding["verdict"] == "named":
        folder.restore(options=["--overwrite"])
        finding["after_overwrite"] = len(folder.check("host")["differ"])
    return finding


def failures_of(finding, signals=()):
    """Why a finding is a failure; empty: it is none. `signals`: those that were sent."""
    why = []
    if finding["verdict"] == "silent":
        why.append("silent")
    if finding["outside"]:
        why.append("written outside")
    if finding["other"]:
        why.append("another drive was changed")
    if finding.get("after_overwrite"):
        why.append(f"restore --overwrite leaves {finding['after_overwrite']} blocks")
    for number, status in enumerate(finding["statuses"]):
        if status == "hangs":
            why.append("hangs")
        elif verdict.bad_status(status) and -status not in signals:
            why.append(f"status {status} of command {number + 1}")
    return why


def timed(function):
    begun = time.monotonic()
    result = function()
    return result, round(time.monotonic() - begun, 2)
