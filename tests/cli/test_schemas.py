"""The schemas of schemas/ and what platter writes: every output is as its schema says, and a schema refuses what is
not (docs/outputs.md)."""

import collections
import contextlib
import copy
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

import jsonschema

from fake_host import FakeHost
from harness import BAD_INPUT, DIFFERS, INCOMPLETE, OK, PLATTER, USAGE, leaves, program_drive, recorded_alien, ALIEN
from schemas import FOLDER, SHARED, faults, inner_schemas, names, needed, references, schema, validator
from test_outputs import PRINTS, Case

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
SOURCES = ("src", "registry", "emulator", "lib", "emit")
NAMED = (r'(?:json_head|json_document|print_json|print_registry_json)\(\s*"(platter-[a-z-]+)"',
         r'(?:\bPutRight told|\breturn) ?\{\s*"(platter-[a-z-]+)"', r'\bkSchema(?:Name)?\s*=\s*"(platter-[a-z-]+)"')
WITHOUT_HEAD = {"platter-progress"}  # lines on standard error
# Where tests/cosim runs a guest its report is held against its schema.
ELSEWHERE = {"platter-cosim", "platter-registry-push", "platter-registry-refresh", "platter-registry-remote-index",
             "platter-written-index"}
# What needs a registry elsewhere: tests/registry/remote_test.py holds it against its schema.
REMOTE = {"registry push", "registry refresh", "registry index"}
SOME_FAILED = 14

# What an output may leave out, by the members' names: all others are there in every one.
MAY_BE_LEFT_OUT = {
    "platter-calibration": {"from", "to", "n_model"},
    "platter-comparison": {"from", "to", "n_model"},
    "platter-emit-table": set(),
    "platter-emulation": {"generated", "episodes"},
    "platter-emulation-log": {"episodes_sha256", "zones", "write_cache_loss"},
    "platter-episodes": {"seed", "from_s", "for_s", "every_s", "requests", "every_nth", "lbns", "of", "probability",
                         "factor", "delay_ms"},
    "platter-host-journal": set(),
    "platter-inspection": {"ata", "block_limits", "characteristics", "03h", "04h", "08h"},
    "platter-journal": {"mode_pages", "ata", "write_cache", "look_ahead", "power_level"},
    "platter-model": {
        "stages", "missing", "findings", "touches", "by", "reason", "at_least", "at_most", "guesses", "probability",
        "not_understood", "spares", "checks", "timed", "stretches", "unlocated_sectors",
        "count", "cylinder", "cylinder_step", "head", "head_step", "angle_rev", "angle_step_rev", "angle_error_rev",
        "angle_step_error_rev", "sectors", "children", "length", "stride", "error_ms", "floor_ms", "samples",
        "outward_seek", "write_seek", "delay_spread", "kernel_share", "imperfections", "firmware", "freedoms",
        "because", "phase_requests", "hits_agreed_share", "unit", "error", "method", "serial_by", "bridge", "zones",
        "trims", "arms", "power", "positioning_ranges", "power_timers", "failure_predicted", "disksim",
        "zone_runs", "written", "most_open_zones", "reads_past_pointers"},
    "platter-progress": {"device"},
    "platter-replay-result": {
        "drive_mark", "asked_depth", "think_in_front", "speed", "fit", "delay_seed", "period_ns", "block_transfer_ns",
        "period_error_ns", "phase_ns", "outside_validity", "outside", "stand_ins", "retries", "lateness"},
    "platter-restore": {"governors"},
    "platter-restore-list": {"intact", "rewritten", "settings", "governors"},
    "platter-restore-inspect": {"in_use", "journaled_blocks", "ranges", "damaged", "mode_pages", "ata", "governors",
                                "write_cache", "look_ahead", "power_level"},
    "platter-samples": {
        "no_write_settle", "no_media_writes", "not_taken_back", "power_asked", "begun_anew", "cut", "lost_seconds", "skipped",
        "places", "lbn", "remapped", "alternate_track", "reserved_area", "verify", "map_known", "page",
        "failed_write_in", "missing", "mode_pages", "ata", "write_cache", "look_ahead", "power_level"},
    "platter-show": {"standing", "arms", "outward_seek", "write_seek", "kernel_share", "fit"},
    "platter-study-point": {"result", "error", "digest", "device", "scheduler", "ageing", "depth", "caches", "speed", "limit",
                            "delay_seed", "reference_reads", "read_ahead", "derive", "calibrate_with", "calibrate_only"},
    "platter-table-summary": set(),
    "platter-trace-lint": {"line", "column", "record", "byte", "arrival_ms", "think_ms"},
    "platter-trace-statistics": {"mean_service_ms"},
    "platter-trace-statistics-list": {"mean_service_ms"},
    "platter-trace-workloads": {"burst_requests", "burst_bytes", "idle_ms"},
}
# In a model all measured numbers are, and these sections' members at their usual values.
MANY_LEFT_OUT = {"imperfections", "firmware"}
EVERYTHING = {
    "imperfections": {"seed": 3, "slow_access_share": 0.01, "host_stall_share": 0.1, "host_stall_mean_us": 5,
                      "background_scan_idle_ms": 500, "background_scan_step_ms": 1, "idle_condition_s": 1,
                      "idle_condition_ms": 2, "busy_share": 0.1, "unit_attention_share": 0.1, "medium_errors": [7],
                      "warm_up_ppm": 6, "warm_up_s": 90, "host_sleep_every_s": 25, "host_sleep_s": 5,
                      "clock_step_every_s": 10, "clock_step_ms": 1, "host_stop_every_s": 20, "host_stop_s": 3},
    "firmware": {"scsi_level": "SPC-3", "address_formats": ["block"], "translates_back": False,
                 "translates_truly": False, "sector_numbers": "from index", "defect_formats": ["physical sector"],
                 "primary_defects": [1, 2],
                 "force_reads": False, "force_writes": False, "nominal_rpm": 7200, "task_set": 8,
                 "fixed_cache_fields": ["WCE"], "ignored_cache_fields": ["RCD"], "most_transfer_blocks": 64,
                 "ata": True, "unwritten": [{"first": 3, "last": 9}], "power_page_changeable": False,
                 "told_wake_share": 1.2},
    "power": {"idle_a": {"value": 20, "unit": "ms", "error": 0.1},
              "idle_b": {"value": None, "unit": "ms", "reason": "told", "guesses": [{"value": 900, "witness": "VPD page 8Ah"}]},
              **{name: {"value": 4000, "unit": "ms"} for name in ("idle_c", "standby_y", "standby_z")}},
    "outward_seek": {"method": "mtbrc", "points": [{"cylinders": 1, "time_ms": 1.5, "error_ms": 0.01, "samples": 3}]},
    "write_seek": {"method": "mtbrc", "reason": "", "points": [{"cylinders": 1, "time_ms": 1.5}]},
    "delay_spread": {"method": "round trips", "samples": 9,
                     "quantiles": [{"share": 0, "ms": -0.1}, {"share": 1, "ms": 3}]},
    "kernel_share": {"above_median_ms": 0.1, "above_p99_ms": 0.2, "behind_median_ms": 0.1, "behind_p99_ms": 0.3,
                     "samples": 5},
}
EVERYTHING_OF_A_LAYOUT = {
    "reason": "because", "not_understood": [{"first_lbn": 1, "last_lbn": 3, "reason": "odd"}], "spares": "none",
    "checks": 9,
    "timed": {"blocks": 10, "shares": [{"within_rev": 0.1, "share": 0.5, "low": 0.4, "high": 0.6}],
              "stretches": [{"first_lbn": 4, "last_lbn": 8, "standing": "guessed"}], "unlocated_sectors": 3},
}
# Written by tests, and no output of platter: some are not even what they say that they are.
HAND_MADE = {"theirs.jsonl", "left.journal", "everything.json", "nothing.json", "without.json", "ata.json", "record",
             "kept", "study.json", "failing.json"}
EPISODES = [{"what": "stall", "from_s": 1, "for_s": 2, "every_s": 3}, {"what": "throttle", "factor": 2, "of": "read"},
            {"what": "slow", "delay_ms": 5, "probability": 0.5}, {"what": "stuck", "requests": [5, 6], "every_nth": 2},
            {"what": "slow", "delay_ms": {"distribution": "exponential", "mean": 5}},
            {"what": "slow", "delay_ms": {"distribution": "uniform", "from": 1, "to": 5}},
            {"what": "fail", "lbns": [100, 107]}]
MOST_LINES = 15  # of a payload that are looked at
# Open on purpose: a model inside another file has its own schema.
OPEN = {("platter-samples", ("facts", "known")), ("platter-study-point", ("of", "trace", "told"))}


def written_names():
    """Every schema's name that the sources can write."""
    found = set()
    for folder in SOURCES:
        for base, _, files in os.walk(os.path.join(ROOT, folder)):
            for name in files:
                if name.endswith((".cpp", ".h")):
                    with open(os.path.join(base, name), encoding="utf-8") as file:
                        text = file.read()
                    for pattern in NAMED:
                        found.update(re.findall(pattern, text))
    return found


@functools.cache
def members_named_in(name):
    """Names of maps, of a warning for instance, are none."""
    return {member for inner in inner_schemas(needed(name)) for told in ("properties", "const")
            if isinstance(inner.get(told), dict) for member in inner[told]}


def documents_in(path):
    """(schema, document): of a whole file of JSON, or of each line of one of lines, or the first line alone, where the
    others are no JSON."""
    with open(path, "rb") as file:
        content = file.read()
    if not content.startswith((b"{", b"# {")):
        return []
    try:
        whole = json.loads(content)
        return [(whole["schema"]["name"], whole)]
    except (UnicodeDecodeError, json.JSONDecodeError):
        pass
    lines = content.removeprefix(b"# ").split(b"\n")
    name = json.loads(lines[0])["schema"]["name"]
    if name in ("platter-emulation-log", "platter-replay-result"):
        lines = lines[:1]
    return [(name, json.loads(line)) for line in lines if line]


def children_of(process):
    try:
        with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as children:
            return [int(child) for child in children.read().split()]
    except FileNotFoundError:
        return []


class Stopped:
    """A run that stands still while others run: after five seconds it tells its progress."""

    def __init__(self, line, folder, environment, take):
        self.line, self.take = line, take
        self.run = subprocess.Popen([PLATTER, *line.split()], cwd=folder, env=environment, text=True,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.folder = os.path.join(folder, line.split()[-3])

    def has_begun(self):
        place = self.folder if self.folder.endswith("/") else os.path.dirname(self.folder)
        stem = "" if self.folder.endswith("/") else os.path.basename(self.folder)[:-5]
        return os.path.isdir(place) and any(name.startswith(stem) and name.endswith(".running.samples.jsonl")
                                            for name in os.listdir(place))

    def tell(self, number):
        for process in self.stopped:
            with contextlib.suppress(ProcessLookupError):  # one that ended first tells of its end alone
                os.kill(process, number)

    def __enter__(self):
        while not self.has_begun() and self.run.poll() is None:
            time.sleep(0.005)
        self.stopped = children_of(self.run.pid) or [self.run.pid]
        self.began = time.monotonic()
        self.tell(signal.SIGSTOP)

    def __exit__(self, *failure):
        time.sleep(max(0, self.began + 5.2 - time.monotonic()))
        self.tell(signal.SIGCONT)
        _, said = self.run.communicate(timeout=600)
        for text in said.splitlines():
            if text.startswith("{"):
                self.take(self.line, json.loads(text))


class Outputs(Case):
    """All that platter writes here, gathered once: `found` is a list of (where it is from, schema, document)."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.found = []
        cls.environment = dict(os.environ, XDG_STATE_HOME=os.path.join(cls.template, "state"))
        cls.commands = leaves()
        cls.tried = set()
        with cls.stopped("characterize virtual:random-1 -o slow.json --progress json"), \
             cls.stopped("characterize virtual:random-1?seed=8 virtual:nonesuch -o slow/ --progress json"):
            cls.run_all()
        for path in cls.files_below():
            in_registry = os.path.relpath(path, cls.template).startswith(("registry/", "others/"))  # of OCI
            in_registry = in_registry and "/remotes/" not in path
            if os.path.basename(path) not in HAND_MADE and not in_registry:
                cls.take_file(path)

    @classmethod
    def stopped(cls, line):
        return Stopped(line, cls.template, cls.environment,
                       lambda where, document: cls.found.append((where, "platter-progress", document)))

    @classmethod
    def take(cls, where, text):
        document = json.loads(text)
        cls.found.append((where, document["schema"]["name"], document))
        return document

    @classmethod
    def run_line(cls, line, *more, status=OK):
        """With --json; what it prints is taken."""
        words = [word.format(drive=cls.published) for word in line.split()] + [*map(str, more), "--json"]
        done = subprocess.run([PLATTER, *words], cwd=cls.template, env=cls.environment, text=True, capture_output=True,
                              check=False, timeout=600)
        assert done.returncode == status, (words, done.returncode, done.stderr)
        if status != USAGE:
            cls.tried.update(command for command in cls.commands if (line + " ").startswith(command + " "))
        return cls.take(line, done.stdout)

    @classmethod
    def run_all(cls):
        for command, line in PRINTS.items():
            if line and "--json" in cls.commands[command]:
                cls.run_line(line.replace(" --json", ""))
        cls.run_models()
        cls.run_traces()
        cls.run_drives()
        cls.run_emulation()
        cls.run_failures()

    @classmethod
    def run_models(cls):
        for drive in ("quantum-atlas10k", "seagate-cheetah9lp", "maxtor-atlas10k4", "ibm-ultrastar18es",
                      "seagate-barracuda4lp", "modern-random-1", "random-7?imperfections=default"):
            name = drive.split("?")[0] + ".json"
            cls.run_line(f"truth virtual:{drive} -o {name}")
            cls.run_line(f"show {name}")
        model = cls.run_line("derive whole.json --set head_switch=/2 -o derived.json")
        cls.run_line("show derived.json")
        cls.run_line("show whole.json")
        cls.run_line("show truth.ptab")
        cls.run_line("emit table whole.json -o whole.ptab")
        cls.run_line("show whole.ptab")
        cls.run_line("emit disksim maxtor-atlas10k4.json -o g4 --layout g4")
        cls.run_line("diff whole.json quantum-atlas10k.json", status=12)
        cls.run_line("diff whole.json whole.json")
        cls.run_line("layout whole.json --pbn 20,0,0")
        cls.run_line("layout whole.json --all-tracks")
        # All that a model may have.
        model = copy.deepcopy(model)
        model.update(EVERYTHING)
        model["arms"] = {"method": "VPD page B9h", "ranges": [
            {"first_lbn": 0, "last_lbn": 9, "arm": 1},
            {"first_lbn": 10, "last_lbn": model["identity"]["blocks"] - 1, "arm": 0}],
            "overlap": {"value": 0.9, "samples": 20}, "interference": {"value": 0.1, "unit": "ms", "error": 0.01}}
        model["layout"].update(EVERYTHING_OF_A_LAYOUT)
        cls.write_file("everything.json", model)
        cls.run_line("truth virtual:everything.json")
        nothing = {"schema": model["schema"], "platter": "0", "identity": {"blocks": 0, "block_bytes": 512},
                   "provenance": {"method": "x"}, "rotation": {}, "layout": {"zones": []}, "seek": {"points": []}}
        cls.write_file("nothing.json", nothing)
        cls.run_line("show nothing.json")
        cls.run_line("import disksim disksim/x.parv -o imported.json")
        cls.run_line("import disksim disksim/x.parv --check --json")
        with open(os.path.join(cls.template, "disksim/x.diskspecs"), "rb") as file:
            cls.write_bytes("disksim/bad.diskspecs", file.read().replace(b"Preseeking level = ", b"Preseeking level = 9"))
        cls.run_line("import disksim disksim/bad.diskspecs --check --json", status=BAD_INPUT)
        os.mkdir(os.path.join(cls.template, "empty"))
        cls.run_line("registry list --registry empty")
        cls.run_line("publish whole.json --registry registry")
        cls.run_line("registry list --registry registry")
        cls.run_line("registry match virtual:random-1 --registry registry")
        with open(os.path.join(cls.template, "truth.json"), encoding="utf-8") as file:
            later = json.load(file)
        later["head_switch"]["value"] *= 1.5
        cls.write_file("later.json", later)
        cls.run_line("publish later.json --registry registry")
        cls.run_line("fleet registry --drive", cls.published.split(":")[0], status=DIFFERS)
        cls.run_line("registry import registry --registry others")
        cls.run_line("registry prune --keep 1 --dry-run --registry registry")
        cls.run_line("registry gc --registry registry")
        for blob in cls.files_below("registry", "blobs"):
            if os.path.getsize(blob) > 10000:
                with open(blob, "ab") as file:
                    file.write(b" ")
                break
        cls.run_line("registry verify --registry registry", status=BAD_INPUT)
        cls.run_line("registry list --registry registry")

    @classmethod
    def run_traces(cls):
        cls.run_line("trace generate --list")
        golden = os.path.join(ROOT, "tests/golden/traces")
        cls.run_line(f"trace stats t.trace {golden}/validate.trace")
        for name in ("validate.trace", "spc.csv"):
            cls.run_line(f"trace stats {golden}/{name}")
            cls.run_line(f"trace lint {golden}/{name}")
        cls.write_bytes("one.trace", b"0.5 0 10 8 1\n")
        cls.run_line("trace stats one.trace")
        cls.write_bytes("bad.trace", b"0.5 0 10 8 1\n0.4 0 x 8 1\n0.7 0 -1 8 1\n")
        cls.run_line("trace lint bad.trace", status=BAD_INPUT)
        subprocess.run([PLATTER, "trace", "convert", "t.trace", "--to", "blktrace", "-o", "b.blktrace.0"],
                       cwd=cls.template, check=True, capture_output=True)
        with open(os.path.join(cls.template, "b.blktrace.0"), "ab") as file:
            file.write(b"torn")
        cls.run_line("trace lint b.blktrace.0", status=BAD_INPUT)
        cls.run_line("replay t.trace --on truth.json -o off.csv --caches off --depth 4 --scheduler sptf --ageing 0.5")
        cls.run_line("replay t.trace --on truth.json -o by.csv.zst --phase-from drive.csv")
        cls.run_line("replay t.trace --on truth.json -o fast.csv --speed 2")
        cls.run_line("replay t.trace --on virtual:mine.json -o depth.csv --depth 8")
        cls.run_line("replay t.trace --on virtual:mine.json -o off.drive.csv --caches off")
        cls.run_line("result show by.csv.zst")
        cls.run_line("compare drive.csv model.csv off.csv")
        cls.run_line("compare drive.csv model.csv --from 10 --to 90")
        cls.run_line("compare depth.csv model.csv --hits-by response")
        cls.run_line("calibrate whole.json --with drive.csv --most-replayed 0 -o calibrated.json")
        cls.write_bytes("volumes.trace", b"0.5 0 10 8 1\n0.6 3 10 8 1\n0.7 3 999999999 8 1\n")
        cls.write_file("failing.json", {
            "schema": {"name": "platter-study", "version": "1.0"}, "models": ["truth.json"],
            "traces": [{"file": "volumes.trace", "split_by": "device"}, {"workload": "random", "requests": 20}],
            "options": {"scheduler": "sptf", "ageing": 0.5, "depth": 4, "caches": ["off", "forced"], "speed": 2, "limit": 9,
                        "delay_seed": 3, "reference_reads": 4, "read_ahead": "off", "derive": "rotation.rpm=x2",
                        "calibrate_with": "drive.csv", "calibrate_only": "hits"}})
        cls.run_line("study run failing.json -C studied", status=SOME_FAILED)

    @classmethod
    def run_drives(cls):
        ata = cls.read_model("mine.json")
        ata["firmware"] = {"scsi_level": "SPC-3", "ata": True}
        cls.write_file("ata.json", ata)
        cls.run_line("characterize virtual:ata.json -o of-ata.json")
        without = cls.read_model("mine.json")
        without["firmware"] = {"scsi_level": "SCSI-2", "address_translation": False, "defect_list": False}
        without["identity"]["serial"] = " "
        cls.write_file("without.json", without)
        aliens = [program_drive(os.path.join(ALIEN, "alien.py"), "--variant", variant)
                  for variant in ("bands", "serpentine")]
        cls.run_line("characterize virtual:without.json -o timed.json")
        for drive in (*aliens, "virtual:without.json", "virtual:modern-random-1"):
            cls.run_line("inspect", drive)
        cls.run_line("characterize", aliens[0], "-o", "alien.json", "--allow-writes", "0-20000")
        host = FakeHost(os.path.join(cls.template, "drives_host"))
        host.add_disk(0, "sda")
        host.add_disk(1)
        cls.run_line("devices", "--host-root", host.root)
        cls.run_line("characterize virtual:mine.json virtual:nonesuch -o drives/", status=SOME_FAILED)
        cls.run_line("validate virtual:mine.json truth.json whole.json --requests 20 -o v2")
        cls.leave_journal()

    @classmethod
    def leave_journal(cls):
        """A run that writes is killed, and what it left is put back."""
        for policy in ("policy0", "policy4"):
            cls.write_bytes(f"host/sys/devices/system/cpu/cpufreq/{policy}/scaling_governor", b"schedutil\n")
        cls.write_bytes("host/dev/cpu_dma_latency", b"")
        os.makedirs(os.path.join(cls.template, "host/run"))
        quiet = ("--host-root", os.path.join(cls.template, "host"))
        drive = recorded_alien("--variant", "serpentine", "--record", os.path.join(cls.template, "record"),
                               "--state", os.path.join(cls.template, "kept"))
        host = os.path.join(cls.template, "host/run/platter/host.journal")
        for name in ("once", "twice", "thrice"):
            killed = subprocess.run([PLATTER, "characterize", drive + " --signal KILL@3000", "-o", name + ".json",
                                     "--journal", name, "--allow-writes", "0-20000", "--quiet-host", *quiet],
                                    cwd=cls.template, env=cls.environment, check=False, capture_output=True)
            assert killed.returncode == -signal.SIGKILL, killed
            cls.run_line(f"estimate {name}.running.samples.jsonl -o {name}.json", status=INCOMPLETE)
            [journal] = cls.files_below(name)
            cls.take_file(journal)
            cls.take_file(host)
            if name == "once":
                cls.run_line("restore --inspect", journal)
                cls.run_line("restore", journal, "--device", drive, *quiet)
            elif name == "twice":
                cls.run_line("restore --inspect", host)
                cls.run_line("restore", host, *quiet)
            else:
                cls.run_line("restore none.journal", journal, host, "--device", drive, *quiet, status=SOME_FAILED)

    @classmethod
    def run_emulation(cls):
        cls.write_bytes("episodes.json", json.dumps({"schema": {"name": "platter-episodes", "version": "1.0"}, "seed": 3,
                                                     "episodes": EPISODES}).encode())
        cls.emulate("--vhost-user", "--contents", "generated")
        cls.emulate("--vhost-user", "--episodes", "episodes.json")
        if os.environ.get("PLATTER_NBD_LOAD"):  # built only where nbdkit is
            cls.emulate("--nbd")
        cls.run_line("emulate truth.json --check-log emulation--vhost-user.log --episodes episodes.json")

    @classmethod
    def emulate(cls, how, *more):
        with open(os.path.join(cls.template, "said"), "w", encoding="utf-8") as said, \
             subprocess.Popen([PLATTER, "emulate", "truth.json", how, "socket", "--json", "--log",
                               f"emulation{how}.log", "--force", *more], cwd=cls.template, env=cls.environment,
                              text=True, stdout=subprocess.PIPE, stderr=said) as server:
            while "ready" not in cls.read_text("said") and server.poll() is None:
                time.sleep(0.02)
            server.send_signal(signal.SIGTERM)
            cls.take(f"emulate {how}", server.communicate(timeout=60)[0])

    @classmethod
    def run_failures(cls):
        for command in cls.commands:
            cls.run_line(command, "--nonsense", status=USAGE)
        cls.run_line("show nonesuch", status=BAD_INPUT)

    @classmethod
    def write_bytes(cls, name, content):
        path = os.path.join(cls.template, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)

    @classmethod
    def write_file(cls, name, document):
        cls.write_bytes(name, json.dumps(document).encode())

    @classmethod
    def read_text(cls, name):
        with open(os.path.join(cls.template, name), encoding="utf-8") as file:
            return file.read()

    @classmethod
    def read_model(cls, name):
        return json.loads(cls.read_text(name))

    @classmethod
    def files_below(cls, *folders):
        return sorted(os.path.join(base, name) for base, _, found in os.walk(os.path.join(cls.template, *folders))
                      for name in found)

    @classmethod
    def take_file(cls, path):
        where, seen = os.path.relpath(path, cls.template), collections.Counter()
        for number, (name, document) in enumerate(documents_in(path), 1):
            payload = (name, next(iter(document)))
            seen[payload] += 1
            if seen[payload] <= MOST_LINES:
                cls.found.append((f"{where}:{number}", name, document))

    def setUp(self):
        """Nothing is written any more."""

    def test_every_output_is_as_its_schema_says(self):
        for where, name, document in self.found:
            wrong = faults(name, document)
            if wrong:
                with self.subTest(where):
                    self.fail("\n".join(wrong[:5]))

    def test_every_subcommand_that_prints_json_was_tried(self):
        prints = {command for command, options in self.commands.items() if "--json" in options}
        self.assertEqual(prints - self.tried, REMOTE)

    def test_every_schema_had_an_output(self):
        self.assertEqual(names() - {name for _, name, _ in self.found}, ELSEWHERE)

    def test_a_model_inside_of_samples_is_one(self):
        known = [document["facts"]["known"] for _, _, document in self.found if "facts" in document]
        self.assertTrue(known)
        for document in known:
            self.assertEqual(faults("platter-model", document), [])

    def test_what_the_models_schema_refuses_the_program_refuses(self):
        model = next(document for where, _, document in self.found if where == "truth virtual:everything.json")
        self.assertEqual(self.shows(model), OK)
        tried = set()
        for path, whole, member, wrong in beyond_bounds(schema("platter-model"), model):
            kept = whole[member]
            if (path, wrong) in tried:
                continue
            tried.add((path, wrong))
            whole[member] = wrong
            with self.subTest(member=path, value=wrong):
                self.assertEqual(self.shows(model), BAD_INPUT)
            whole[member] = kept
        self.assertGreater(len(tried), 150)

    def shows(self, model):
        self.write_file("wrong.json", model)
        return subprocess.run([PLATTER, "show", "wrong.json", "--brief"], cwd=self.template, capture_output=True,
                              check=False).returncode

    def test_what_is_not_as_it_should_be_is_refused(self):
        """Of every kind of object: a member more; one that is misspelled, left out, of another type."""
        tried = set()
        for where, name, document in self.found:
            if name not in WITHOUT_HEAD and "schema" in document:
                wrong = copy.deepcopy(document)
                wrong["schema"]["name"] += "x"
                self.assertFalse(validator(name).is_valid(wrong), where)
            short, known = shortened(document), len(tried)
            for path, what, wrong in mutants(name, short, tried):
                with self.subTest(where=where, schema=name, member="/".join(path), what=what):
                    self.assertFalse(validator(name).is_valid(wrong))
            if len(tried) > known:
                self.assertEqual(faults(name, short), [], where)  # all is as it was, and a change was needed
        self.assertGreater(len(tried), 5000)


def beyond(shape):
    """Numbers next to those that may be."""
    if "minimum" in shape:
        yield shape["minimum"] - 1
    if "maximum" in shape:
        yield shape["maximum"] + 1
    if "exclusiveMaximum" in shape:
        yield shape["exclusiveMaximum"]


def beyond_bounds(shape, value, path=()):
    """(path, object, member, a number that it may not have) of a model; error and samples of the first number only."""
    if "$ref" in shape:
        name = shape["$ref"].rpartition("/")[2]
        yield from beyond_bounds(schema("platter-model")["$defs"][name], value,
                                 ("measured",) if name == "measured" else path)
    if isinstance(value, list):
        for element in value[:1]:
            yield from beyond_bounds(shape["items"], element, path)
    for member, below in shape.get("properties", {}).items():
        if isinstance(value, dict) and member in value:
            if isinstance(value[member], (int, float)) and not isinstance(value[member], bool):
                for wrong in beyond(below):
                    yield (*path, member), value, member, wrong
            yield from beyond_bounds(below, value[member], (*path, member))


def shortened(document):
    """Lists with their first three elements."""
    if isinstance(document, dict):
        return {name: shortened(value) for name, value in document.items()}
    if isinstance(document, list):
        return [shortened(value) for value in document[:3]]
    return document


def objects_in(part, path=()):
    if isinstance(part, dict):
        yield path, part
        for name, value in part.items():
            yield from objects_in(value, (*path, name))
    elif isinstance(part, list):
        for value in part:
            yield from objects_in(value, path)


def of_another_type(value):
    if isinstance(value, (bool, int, float)):
        return str(value)
    return 7 if isinstance(value, (str, list, dict)) else []


def may_be_left_out(name, path, whole):
    member = path[-1]
    if name == "platter-model" and (isinstance(whole[member], dict) and "value" in whole[member] or
                                    path[0] in MANY_LEFT_OUT):
        return True
    return member in MAY_BE_LEFT_OUT.get(name, ())


def kind_of(name, path, whole):
    """What stands for this object: the same wherever one of its kind is."""
    if name == "platter-model":
        return (name, "measured") if "value" in whole else (name, *path)
    if name == "platter-calibration" and len(path) > 2:  # eight comparisons, by reference
        name, path = "platter-comparison", path[3:]
    return (name, *path, frozenset(whole))


def changes_of(name, path, whole):
    """(member, what, the object so changed)."""
    named = members_named_in(name)  # others are the keys of maps
    members = [member for member in whole if member in named]
    if members:
        yield "stranger", "one more", {**whole, "stranger": 1}
    for member in members:
        yield member, "misspelled", {key + "x" if key == member else key: value for key, value in whole.items()}
        yield member, "another type", {**whole, member: of_another_type(whole[member])}
        if not may_be_left_out(name, (*path, member), whole):
            yield member, "left out", {key: value for key, value in whole.items() if key != member}


def mutants(name, document, tried):
    """(path, what, document) of what `tried` does not have yet: changed for as long as it is looked at."""
    for path, whole in objects_in(document):
        kept = dict(whole)
        for member, what, changed in changes_of(name, path, kept):
            kind = (*kind_of(name, path, kept), member, what)
            if kind in tried or any(name == of and path[:len(place)] == place for of, place in OPEN):
                continue
            tried.add(kind)
            whole.clear()
            whole.update(changed)
            yield (*path, member), what, document
        whole.clear()
        whole.update(kept)


def without_words(part):
    if isinstance(part, dict):
        return {name: without_words(value) for name, value in part.items() if name != "description"}
    return [without_words(value) for value in part] if isinstance(part, list) else part


class Schemas(unittest.TestCase):
    def test_each_is_a_schema_that_says_what_it_is_of(self):
        for name in names() | {SHARED}:
            with self.subTest(name):
                one = schema(name)
                jsonschema.Draft202012Validator.check_schema(one)
                self.assertEqual(one["$schema"], "https://json-schema.org/draft/2020-12/schema")
                self.assertEqual(one["$id"], f"https://platter.example/schemas/{name}.json")
                self.assertTrue(one["description"])

    def test_definitions_are_there_and_used(self):
        used = collections.defaultdict(set)
        for name in names() | {SHARED}:
            for place in references(name):
                used[place].add(name)
        told = {(name, f"/$defs/{part}") for name in names() | {SHARED} for part in schema(name).get("$defs", {})}
        self.assertEqual(set(used), told)
        for (name, part), users in used.items():
            if name == SHARED:
                self.assertTrue(len(users) > 1 or users == {SHARED}, f"{part}: only {users} refers to it")

    def test_the_models_stands_alone(self):
        self.assertEqual(set(needed("platter-model")), {"platter-model"})

    def test_there_is_one_for_each_name_and_no_other(self):
        self.assertEqual(names(), written_names() | WITHOUT_HEAD)

    def test_what_two_of_them_share_is_told_once(self):
        told = {}
        for name in names() | {SHARED}:
            for inner in inner_schemas(schema(name)):
                if len(inner.get("properties", ())) > 2 and "$ref" not in inner:
                    shape = json.dumps(without_words(inner), sort_keys=True)
                    with self.subTest(name, members=sorted(inner["properties"])):
                        self.assertEqual(told.setdefault(shape, name), name)

    def test_the_document_names_each(self):
        rows = re.findall(r"^\| ((?:`platter-[a-z-]+`(?:, )?)+) \|", self.document(), re.MULTILINE)
        self.assertEqual(sorted(re.findall(r"platter-[a-z-]+", " ".join(rows))), sorted(names()))

    @staticmethod
    def document():
        with open(os.path.join(FOLDER, "README.md"), encoding="utf-8") as file:
            return file.read()

    def test_what_the_readme_has_typed_finds_a_fault(self):
        with open(os.path.join(FOLDER, "README.md"), encoding="utf-8") as file:
            [command] = re.findall(r"^    python3 -c '.*?' /\S+ drive\.json$", file.read(), re.MULTILINE | re.DOTALL)
        command = textwrap.dedent(command).replace("/usr/share/platter/schemas", "installed")
        command = command.replace("python3", sys.executable, 1)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(FOLDER, os.path.join(folder, "installed"))
            with open(os.path.join(folder, "installed/platter-model.json"), "w", encoding="utf-8") as file:
                json.dump(schema("platter-model"), file)
            place = os.path.join(folder, "drive.json")
            model = subprocess.run([PLATTER, "truth", "virtual:hp-c2247", "--json", "-o", place], check=True, text=True,
                                   capture_output=True).stdout
            shown = subprocess.run([PLATTER, "show", place, "--json"], check=True, text=True, capture_output=True).stdout
            for text in (model, shown):  # the second needs definitions
                for written, status in ((text, 0), (text.replace('"heads"', '"haeds"'), 1)):
                    with open(place, "w", encoding="utf-8") as file:
                        file.write(written)
                    done = subprocess.run(["sh", "-c", command], cwd=folder, text=True, capture_output=True, check=False)
                    self.assertEqual(done.returncode, status, done.stderr)


if __name__ == "__main__":
    unittest.main()
