"""Every kind of document that comes from outside: valid ones, made by the program itself, what of them may be damaged
and how, and the subcommands that take them. What attacks the readers (mutants.py, bench/budget) attacks all of these;
tests/cli/test_budget.py fails where a subcommand, or a trace format, is in neither list."""

import hashlib
import json
import os
import re
import shutil
import stat
import struct
import subprocess
import time

import damage

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DRIVE = "virtual:hp-c2247"

# Subcommands that read no document of others, or only one that another kind's reader reads.
WITHOUT_DOCUMENTS = {
    "devices": "asks the kernel",
    "examples": "prints",
    "version": "prints",
    "registry remote remove": "removes a folder by its name",
    "registry trust remove": "removes a file by its name",
}

# Of each kind the commands; FILE is the document's name in the folder of the attack.
MODEL = [
    "show FILE", "show --json FILE", "layout FILE --lbn 0 1000", "layout FILE --all-tracks", "layout FILE --pbn 3,1,2",
    "diff FILE model.json", "diff valid.json FILE", "diff --all FILE FILE", "emit table FILE -o x.ptab",
    "emit table FILE --format csv -o x.csv",
    "emit disksim FILE -o disksim", "emit summary FILE", "emit 86box FILE",
    "plot seeks FILE -o x.svg", "plot seeks FILE model.json -o x.pdf --log-axis --script", "plot zones FILE -o x.svg",
    "inspect virtual:FILE",
    "replay t.trace --on FILE -o x.csv", "replay t.trace --on FILE --array raid5 FILE FILE -o x.csv",
    "replay t.trace --on virtual:FILE -o x.csv --allow-writes all", "derive FILE --set identity.heads=9 -o x.json",
    "trace generate --workload random --requests 50 --for FILE -o x.trace", "publish FILE --registry r",
    "report FILE model.json -o x.html", "fleet of", "validate DEVICE FILE -o v --requests 20",
    "validate virtual:FILE model.json -o v --requests 20", "calibrate FILE --with r.csv -o x.json --most-replayed 0",
    "truth virtual:FILE -o x.json", "emulate FILE --check-log run.log", "study plan names.json -C s --parts 2",
    "study run names.json -C s", "study collect names.json -C s", "study slurm names.json -C s --parts 2",
    "registry match virtual:FILE --registry registry", "import disksim given/PART --with FILE -o x.json",
    "restore run.journal --device virtual:FILE --yes", "cosim FILE -- true"]
TRACE = ["trace lint FILE", "trace stats FILE", "trace convert FILE --to ascii -o x.trace",
         "trace convert FILE --round --reorder 3 --to msr -o x.csv", "replay FILE --fit wrap --on model.json -o x.csv",
         "trace stats --json FILE"]
RESULT = ["result show FILE", "result export FILE -o x.csv", "result export FILE -o x.csv.zst", "compare FILE FILE",
          "replay long.trace --on model.json --phase-from FILE -o x.csv",
          "calibrate model.json --with FILE -o x.json --most-replayed 1", "report model.json --results of -o x.html",
          "plot cdf FILE FILE -o x.svg", "plot ccdf FILE -o x.png --log-axis", "study run with.json -C s"]
# A run works for as long as was asked for, within its budget: here for a part.
STUDY = ["study plan FILE -C s --parts 3", "study run FILE -C s --part 1/50000", "study collect FILE -C s --plots p",
         "study slurm FILE -C s --parts 3"]
REGISTRY = ["registry verify --registry registry", "registry list --registry registry",
            "registry show ENTRY --registry registry", "registry pull ENTRY --registry registry -o x.json",
            "registry verify ENTRY --registry registry", "registry search hp --registry registry",
            "publish model.json --attach drive.ptab --registry registry", "registry import registry --registry other",
            "registry prune --keep 1 --registry registry", "registry gc --registry registry",
            "registry rebuild-index --registry registry", "registry site --registry registry -o site",
            "registry diff ENTRY ENTRY --registry registry",
            "registry match " + DRIVE + " --registry registry", "fleet registry",
            "registry sign ENTRY --key key.pem --registry registry", "fleet --drive ENTRY registry",
            "registry push ENTRY lab --registry registry", "study run published.json -C s --registry registry"]
REMOTE = ["registry refresh lab --registry home", "registry index lab --key key.pem --registry home",
          "registry pull lab/ENTRY --registry home -o x.json", "registry search hp --registry home",
          "registry remote list --registry home"]
KEY = ["registry trust add name FILE", "registry sign ENTRY --key FILE --registry registry",
       "registry remote add two oci://localhost/x --key FILE --registry home"]
KEPT_KEY = ["registry trust list", "registry pull ENTRY --registry registry -o x.json"]


def trace_formats(platter):
    """Every format that platter knows, as it tells itself."""
    said = subprocess.run([platter, "trace", "lint", "--format", "?", "x"], capture_output=True, text=True).stderr
    names = re.findall(r"[a-z0-9]+", re.search(r"none of ([^;]*);", said).group(1))
    if len(names) < 21:
        raise RuntimeError(f"platter names no trace formats: {said}")
    return names


def golden_trace(form):
    """The first of the golden files whose name begins with the format's."""
    folder = os.path.join(ROOT, "tests", "golden", "traces")
    return os.path.join(folder, next(name for name in sorted(os.listdir(folder)) if re.split("[._]", name)[0] == form))


COMPRESSED = {"gzip": ".gz", "zstd": ".zst", "bzip2": ".bz2", "xz": ".xz", "lz4": ".lz4"}
UNKNOWN_UNNAMED = {"csv", "tencent"}  # formats that are not known without --format
COLUMNS = {"csv": " --csv-columns -,time:s,response:s,-,op,offset:sectors,size:sectors,decimal=comma"}


class Documents:
    """Valid documents, made once in a folder. `all[kind]` is (the files that an attack needs, which of them may be
    damaged and how, the commands)."""

    def __init__(self, platter, folder):
        self.platter, self.folder = platter, folder
        self.environment = dict(os.environ, XDG_STATE_HOME=os.path.join(folder, "state"),
                                XDG_CONFIG_HOME=os.path.join(folder, "config"),
                                PATH=os.path.join(HERE, "bin") + os.pathsep + os.environ["PATH"])
        self.all = {}
        for make in (self.model, self.traces, self.table, self.disksim, self.results, self.studies, self.samples,
                     self.journal, self.host_journal, self.registry, self.remote, self.emulation_log, self.episodes, self.contents,
                     self.keys):
            make()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run(self, *words, **more):
        done = subprocess.run([self.platter, *words], cwd=self.folder, capture_output=True, text=True,
                              env=self.environment, **more)
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def write(self, name, content):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def model(self):
        run = self.run
        run("truth", DRIVE, "-o", "model.json")
        shutil.copy(self.path("model.json"), self.path("valid.json"))
        for name, workload in (("t.trace", "mixed"), ("s.trace", "sequential")):
            run("trace", "generate", "--workload", workload, "--for", "model.json", "--requests", "60", "-o", name)
        run("trace", "generate", "--workload", "mixed", "--for", "model.json", "--requests", "800", "-o", "long.trace")
        run("replay", "long.trace", "--on", DRIVE, "--allow-writes", "all", "-o", "r.csv")
        run("emit", "disksim", "model.json", "-o", "given")
        part = next(name for name in os.listdir(self.path("given")) if name.endswith(".model"))
        self.write("names.json", study(models=["model.json"], traces=["s.trace"]))
        run("study", "run", "names.json", "-C", "s")
        os.mkdir(self.path("of"))
        os.symlink("../model.json", self.path("of", "one.json"))
        shutil.copy(self.path("valid.json"), self.path("of", "two.json"))
        files = ["model.json", "valid.json", "t.trace", "s.trace", "r.csv", "names.json", "of", "run.log",
                 "given", "registry", "run.journal", "s"]
        self.all["model"] = (files, [("model.json", "json")], [c.replace("DEVICE", DRIVE).replace("PART", part) for c in MODEL])

    def table(self):
        self.run("emit", "table", "model.json", "-o", "drive.ptab")
        self.write("table-study.json", study(models=["drive.ptab"], traces=["s.trace"]))
        self.all["table"] = (["drive.ptab", "t.trace", "s.trace", "table-study.json", "run.log"], [("drive.ptab", "bytes")], [
            "show FILE", "layout FILE --lbn 0 77", "layout FILE --pbn 3,1,2", "replay t.trace --on FILE -o x.csv",
            "study run table-study.json -C s", "emulate FILE --check-log run.log",
            f"validate {DRIVE} FILE -o v --requests 20"])

    def disksim(self):
        self.run("emit", "disksim", "model.json", "-o", "disksim")
        files = sorted(name for name in os.listdir(self.path("disksim"))
                       if name.endswith((".parv", ".diskspecs", ".model", ".seek")))
        for name in files:
            shutil.copy(self.path("disksim", name), self.folder)
        g4 = os.path.join(ROOT, "tests", "golden", "disksim", "g4-serpentine")
        g4_files = [n for n in sorted(os.listdir(g4)) if n.endswith((".diskspecs", ".model", ".seek"))]
        g4_files += [n for n in sorted(os.listdir(g4)) if n.endswith(".parv")][-1:]
        for name in g4_files:
            shutil.copy(os.path.join(g4, name), self.folder)
        maps = os.path.join(ROOT, "tests", "golden", "layout", "synthetic")
        g2_files = ["g2holes.model", "g2holes.map"]
        for name in g2_files:
            shutil.copy(os.path.join(maps, name), self.folder)
        for form, its in (("disksim", files), ("disksim-g4", g4_files), ("disksim-g2", g2_files)):
            top = next(n for ext in (".parv", ".model") for n in its if n.endswith(ext))
            self.all[form] = (its + ["s.trace"], [(name, "lines") for name in its], [
                f"import disksim {top} -o x.json", f"import disksim {top} --check",
                *([f"replay s.trace --on {top} -o x.csv"] if top.endswith(".parv") else [])])

    def traces(self):
        for form in trace_formats(self.platter):
            name = f"trace.{form}"
            try:
                self.run("trace", "convert", "s.trace" if form == "spc" else "t.trace", "--to", form, "-o", name)
            except RuntimeError:  # what is not written, or has no times of service, or of arrival
                shutil.copy(golden_trace(form), self.path(name))
            with open(self.path(name), "rb") as file:
                kind = "bytes" if b"\0" in file.read() else "lines"
            more = COLUMNS.get(form, "")
            named = f"FILE --format {form}" + more
            self.all[f"trace-{form}"] = ([name, "model.json"], [(name, kind)], [
                *([] if form in UNKNOWN_UNNAMED else ["trace lint FILE", "trace stats FILE"]),
                *(command.replace("FILE", named) for command in TRACE)])
        for form, end in COMPRESSED.items():
            name = "trace.ascii" + end
            self.run("trace", "convert", "trace.ascii", "--to", "ascii", "-o", name)
            self.all[f"trace-{form}"] = ([name, "model.json"], [(name, "bytes")], TRACE)

    def results(self):
        os.mkdir(self.path("v"))
        self.write("with.json", study(models=["model.json"], traces=["s.trace"],
                                      options={"calibrate_with": ["RESULT"]}))
        for form, name in (("result-csv", "result.csv"), ("result-zstd", "result.csv.zst")):
            self.run("replay", "long.trace", "--on", DRIVE, "--allow-writes", "all", "-o", name)
            self.write(form + ".json", study(models=["model.json"], traces=["s.trace"],
                                             options={"calibrate_with": [name]}))
            self.all[form] = ([name, "model.json", "long.trace", "s.trace", form + ".json"],
                              [(name, "lines" if form.endswith("csv") else "bytes")],
                              [command.replace("with.json", form + ".json") for command in RESULT
                               if "--results" not in command])
        self.run("validate", DRIVE, "model.json", "-o", "validated", "--requests", "20")
        name = next(n for n in sorted(os.listdir(self.path("validated"))) if n.endswith(".csv"))
        self.all["validation"] = (["model.json", "validated"], [
            (f"validated/{n}", "json" if n.endswith(".json") else "bytes") for n in
            sorted(os.listdir(self.path("validated"))) if n.endswith((".json", ".csv"))][:8] or [name], [
                "report model.json --results validated -o x.html", "publish model.json --attach FILE --registry r"])

    def studies(self):
        self.write("study.json", study(
            models=["model.json", {"file": "model.json", "name": "quick", "derive": {"rotation.period": "/2"}}],
            traces=["s.trace", {"workload": "random", "requests": 30, "seed": 2, "request_kb": 4, "rate": 50}],
            options={"scheduler": ["fcfs", "sptf"], "depth": [1, 4], "limit": 20},
            plots=[{"x": "depth", "y": "mean_ms", "series": "scheduler", "panel": ["model", "trace"]}]))
        self.write("arrays.json", study(
            models=[{"array": "raid5", "name": "five", "stripe_kb": 64, "stripe_cache": 256, "missing": 1, "rebuild": 1,
                     "members": ["model.json", "model.json", {"file": "model.json", "name": "other",
                                                              "derive": {"head_switch": "*2"}}]}],
            traces=["s.trace"], options={"limit": 10}))
        files = ["model.json", "s.trace", "study.json", "arrays.json", "s"]
        self.all["study"] = (files, [("study.json", "json")], STUDY)
        self.all["array"] = (files, [("arrays.json", "json")], STUDY)
        self.write("points.json", study(models=["model.json"], traces=["s.trace"],
                                        options={"depth": [1, 2, 4], "limit": 10}))
        self.run("study", "run", "points.json", "-C", "points")
        kept = sorted(os.path.relpath(os.path.join(base, name), self.folder)
                      for base, _, names in os.walk(self.path("points")) for name in names)
        self.all["points"] = (["model.json", "s.trace", "points.json", "points"],
                              [(name, kind) for name in kept if name.endswith(".json")
                               for kind in ("checked", "json")], [
                                  f"study {verb} points.json -C points" for verb in ("run", "collect", "plan --parts 2")])

    def samples(self):
        self.run("characterize", f"{DRIVE}?seed=1", "--allow-writes", "0-100000", "-o", "whole.json",
                 "--samples", "run.jsonl", "--journal", self.folder)
        with open(self.path("run.jsonl"), "rb") as file:
            lines = file.read().splitlines(True)
        self.write("part.jsonl", b"".join(lines[:len(lines) // 2]))
        kinds = ("checked", "lines", "bytes")
        self.all["samples"] = (["run.jsonl", "whole.json"], [("run.jsonl", kind) for kind in kinds], [
            "estimate FILE -o x.json", "publish whole.json --samples FILE --registry r"])
        self.all["samples-begun"] = (["part.jsonl"], [("part.jsonl", kind) for kind in kinds], [
            f"characterize {DRIVE}?seed=1 --resume FILE -o x.json --budget 600 --allow-writes 0-100000"])

    def journal(self):
        """Of a run that is killed once it has written something down."""
        folder = self.path("journals")
        process = subprocess.Popen([self.platter, "characterize", DRIVE, "--allow-writes", "0-2000", "--journal", folder,
                                    "-o", "x.json"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        kept = b""
        while process.poll() is None and kept.count(b"\n") < 6:
            time.sleep(0.002)
            for name in os.listdir(folder) if os.path.isdir(folder) else ():
                try:
                    with open(os.path.join(folder, name), "rb") as file:
                        kept = max(kept, file.read(), key=len)
                except FileNotFoundError:
                    pass
        process.kill()
        process.wait()
        if not kept:
            raise RuntimeError("no journal was seen")
        self.write("run.journal", kept)
        self.all["journal"] = (["run.journal"], [("run.journal", kind) for kind in ("checked", "lines", "bytes")], [
            f"restore FILE --device {DRIVE}", f"restore FILE --device {DRIVE} --yes", "restore FILE --inspect"])

    def host_journal(self):
        said = json.dumps({"schema": {"name": "platter-host-journal", "version": "1.0"}, "platter": "0.1.0", "boot": "x",
                           "governors": {"policy0": "powersave", "policy1": "ondemand"}})
        self.write("root/proc/sys/kernel/random/boot_id", "x\n")
        for policy in ("policy0", "policy1"):
            self.write(f"root/sys/devices/system/cpu/cpufreq/{policy}/scaling_governor", "performance\n")
        name = "root/run/platter/host.journal"
        self.write(name, damage.checked_line(said[:-1].encode(), 1) + b"\n")
        self.all["host-journal"] = (["root"], [(name, kind) for kind in ("checked", "checked", "bytes")],
                                    ["restore FILE --host-root root", "restore FILE --inspect"])

    def registry(self):
        self.run("publish", "model.json", "--attach", "drive.ptab", "--registry", "registry")
        self.run("registry", "list", "--registry", "registry")
        files = sorted(os.path.relpath(os.path.join(base, name), self.folder)
                       for base, _, names in os.walk(self.path("registry")) for name in names)
        self.entry = os.listdir(self.path("registry", "drives"))[0]
        self.write("published.json", study(models=["registry:" + self.entry], traces=["s.trace"]))
        self.write("registry/remotes/lab/remote.json", json.dumps(
            {"schema": {"name": "platter-remote", "version": "1.0"}, "place": "example.org/drives", "key": "",
             "require_signature": False, "plain_http": False}))
        subprocess.run("openssl ecparam -genkey -name prime256v1 -noout -out key.pem && "
                       "openssl pkey -in key.pem -pubout -out key.pub", shell=True, cwd=self.folder, check=True)
        self.all["registry"] = (["registry", "model.json", "drive.ptab", "s.trace", "published.json", "key.pem"], [
            (f, "bytes" if f.endswith("sqlite") else "json") for f in files if not f.endswith("lock")],
            [command.replace("ENTRY", self.entry) for command in REGISTRY])

    def remote(self):
        """What skopeo brings: bin/skopeo takes it from the folder `remote`, an image layout for each tag."""
        self.run("registry", "remote", "add", "lab", "oci://example.org/drives", "--registry", "home")
        manifest, blobs = {}, {}
        layout = json.loads(open(self.path("registry", "drives", self.entry, "index.json"), encoding="utf-8").read())
        for described in layout["manifests"]:
            manifest[described["annotations"]["org.opencontainers.image.ref.name"]] = described
        source = self.path("registry", "blobs", "sha256")
        for name in os.listdir(source):
            with open(os.path.join(source, name), "rb") as file:
                blobs[name] = file.read()
        self.tags(f"{self.entry}.v1", {**manifest["v1"]}, blobs)
        annotations = json.loads(blobs[manifest["v1"]["digest"][7:]])["annotations"]
        line = {"tag": f"{self.entry}.v1", "digest": manifest["v1"]["digest"], "files": ["model.json"],
                "annotations": annotations, "signatures": [{"payload": "{}", "signature": "AAAA"}]}
        self.index([line])
        described = {"schemaVersion": 2, "config": blob_of(blobs, b"{}"), "layers": [
            dict(blob_of(blobs, simple_signing(manifest["v1"]["digest"])),
                 annotations={"dev.cosignproject.cosign/signature": "AAAA"})]}
        signed = blob_of(blobs, json.dumps(described).encode())
        signed["mediaType"] = "application/vnd.oci.image.manifest.v1+json"
        self.tags(manifest["v1"]["digest"].replace(":", "-") + ".sig", signed, blobs)
        files = sorted(os.path.relpath(os.path.join(base, name), self.folder)
                       for base, _, names in os.walk(self.path("remote")) for name in names)
        commands = [command.replace("ENTRY", self.entry + ".v1") for command in REMOTE]
        self.all["remote"] = (["remote", "home", "key.pem"],
                              [(f, "json") for f in files if "/index/" not in f], commands)
        self.all["remote-index"] = (["remote", "home", "key.pem"],
                                    [(f, "json") for f in files if "/index/" in f], commands[:2])

    def index(self, lines, number=1, entries=None, part=None):
        """The index of the remote; `part` packs the lines of one digit."""
        write_index(self.path("remote"), lines, number, entries, part)

    def tags(self, tag, manifest, blobs):
        put_tag(self.path("remote"), tag, manifest, blobs)

    def emulation_log(self):
        with open(self.path("model.json"), "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        lines = [json.dumps({"schema": {"name": "platter-emulation-log", "version": "1.0"}, "platter": "0.1.0",
                             "requests": "blocks",
                             "drives": [{"model_sha256": digest, "scheduler": 0, "depth": 8, "ageing": 0.0}]})]
        for i in range(30):
            lines += [f"0 s {i} {1000 * i} 8 {i % 2} {i * 40000000}", f"0 t {i} {i * 40000000 + 20000000}"]
        self.write("run.log", "\n".join([*lines, "0 f 2000000000 2000000000", "0 p 3000000000", ""]))
        commands = [{"schema": {"name": "platter-emulation-log", "version": "1.0"}, "requests": "commands",
                     "drives": [{"model_sha256": digest, "seed": 1}]}]
        text = json.dumps(commands[0]) + "\n" + "".join(
            f"0 c {i} {i * 10**8} 0 0 4096 2800{i * 5000:08x}00000800 -\n0 t {i} {i * 10**8 + 10**7} 0 0 0\n"
            for i in range(20))
        self.write("commands.log", text)
        self.all["emulation-log"] = (["model.json", "run.log", "commands.log"], [
            (name, kind) for name in ("run.log", "commands.log") for kind in ("lines", "bytes")],
            ["emulate model.json --check-log FILE"])

    def episodes(self):
        head = {"schema": {"name": "platter-episodes", "version": "1.0"}}
        every = [{"what": "stall", "from_s": 0.5, "for_s": 0.25, "every_s": 1},
                 {"what": "throttle", "factor": 2.5, "of": "read", "requests": [3, 900]},
                 {"what": "slow", "delay_ms": {"distribution": "exponential", "mean": 20}, "probability": 0.5},
                 {"what": "slow", "delay_ms": {"distribution": "uniform", "from": 1, "to": 2}, "of": "flush"},
                 {"what": "fail", "lbns": [1000, 1007], "of": "write"}, {"what": "stuck", "every_nth": 100}]
        self.write("bad.json", json.dumps({**head, "seed": 7, "episodes": every}))
        with open(self.path("run.log"), encoding="utf-8") as file:
            log = json.loads(file.readline())
        with open(self.path("bad.json"), "rb") as file:
            log["drives"][0]["episodes_sha256"] = hashlib.sha256(file.read()).hexdigest()
        self.write("episodes.log", json.dumps(log) + "\n0 s 0 7 8 0 5\n0 t 0 20000000\n0 e 0 3 slow 27000000\n")
        self.all["episodes"] = (["model.json", "bad.json", "episodes.log"], [("bad.json", "json"), ("bad.json", "bytes")], [
            "emulate model.json --check-log episodes.log --episodes FILE", "cosim model.json --episodes FILE -- true"])

    def contents(self):
        with open(self.path("model.json"), encoding="utf-8") as file:
            blocks = json.load(file)["identity"]["blocks"]
        pages = (blocks * 512 + 4095) // 4096
        with open(self.path("contents"), "wb") as file:
            file.truncate(blocks * 512)
        names = ("ext4", "ext2", "xfs", "btrfs")
        for name in names:
            with open(self.path(name), "wb") as file:
                file.truncate(blocks * 512 + (pages + 32767) // 32768 * 4096 + 4096)
                for at, its in pieces_of(os.path.join(ROOT, "tests", "fuzz", "corpus", "file-systems", name)):
                    file.seek(at)
                    file.write(its)
        self.all["contents"] = (["model.json", "contents", *names], [(name, "holes") for name in names], [
            "emulate model.json --nbd --ordinary --contents contents",
            "emulate model.json --vhost-user --ordinary --contents generated:FILE",
            "emulate model.json --nbd --ordinary --contents generated:FILE --keep **/x"])

    def keys(self):
        self.write("config/platter/keys/mine.pem", open(self.path("key.pub"), "rb").read())
        self.all["key"] = (["key.pem", "key.pub", "registry", "home"], [("key.pub", "lines"), ("key.pem", "lines")],
                           [command.replace("ENTRY", self.entry) for command in KEY])
        kept = "config/platter/keys/mine.pem"
        self.all["kept-key"] = ([kept, "registry"], [(kept, "lines")],
                                [command.replace("ENTRY", self.entry) for command in KEPT_KEY])


# ---------------------------------------------------------------- pieces of them

def pieces_of(path):
    """What tests/fuzz/file_systems_seeds.py wrote: (byte of the drive, bytes)."""
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        page, place, size = struct.unpack("<IHH", data[at:at + 3] + b"\0" + data[at + 3:at + 7])
        yield page * 4096 + place, data[at + 7:at + 7 + size]
        at += 7 + size


def study(**more):
    return json.dumps({"schema": {"name": "platter-study", "version": "1.0"}, **more})


def blob_of(blobs, content, kind="application/octet-stream"):
    name = hashlib.sha256(content).hexdigest()
    blobs[name] = content
    return {"mediaType": kind, "digest": "sha256:" + name, "size": len(content)}


def simple_signing(digest):
    return json.dumps({"critical": {"identity": {"docker-reference": "example.org/drives"},
                                    "image": {"docker-manifest-digest": digest},
                                    "type": "cosign container image signature"}, "optional": {}}).encode()


def put_tag(remote, tag, manifest, blobs):
    """An image layout of one tag, and of every blob."""
    folder = os.path.join(remote, tag)
    os.makedirs(os.path.join(folder, "blobs", "sha256"), exist_ok=True)
    for name, content in blobs.items():
        with open(os.path.join(folder, "blobs", "sha256", name), "wb") as file:
            file.write(content)
    entry = dict(manifest, annotations={"org.opencontainers.image.ref.name": tag})
    with open(os.path.join(folder, "index.json"), "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 2, "manifests": [entry]}, file)


def packed(text):
    return subprocess.run(["zstd", "-19", "-q", "-c"], input=text, capture_output=True, check=True).stdout


def write_index(remote, lines, number=1, entries=None, parts=None):
    """A remote's index of these lines; parts[digit] are the bytes of a part instead."""
    blobs, layers, kind = {}, [], "application/vnd.oci.image.manifest.v1+json"
    for digit in "0123456789abcdef":
        its = [line for line in lines if line["annotations"]["vnd.platter.drive"][7] == digit]
        text = b"".join(json.dumps(line, separators=(",", ":"), sort_keys=True).encode() + b"\n" for line in its)
        content = (parts or {}).get(digit) or packed(text)
        layers.append(dict(blob_of(blobs, content, "application/vnd.platter.index.entries.v1+zstd"),
                           annotations={"vnd.platter.drive": digit}))
    manifest = {"schemaVersion": 2, "mediaType": kind, "artifactType": "application/vnd.platter.index.v1",
                "config": blob_of(blobs, b"{}", "application/vnd.platter.index.config.v1+json"), "layers": layers,
                "annotations": {"vnd.platter.index.number": str(number),
                                "vnd.platter.index.entries": str(len(lines) if entries is None else entries),
                                "org.opencontainers.image.created": "2026-01-02T03:04:05Z"}}
    put_tag(remote, "index", blob_of(blobs, json.dumps(manifest).encode(), kind), blobs)


def copy_to(folder, base, names):
    """What an attack needs, in its own folder; what its kind was made without is left out."""
    for name in names:
        source, there = os.path.join(base, name), os.path.join(folder, name)
        if os.path.isdir(source):
            shutil.copytree(source, there, symlinks=True)
        elif os.path.exists(source):
            os.makedirs(os.path.dirname(there), exist_ok=True)
            if os.stat(source).st_size > 1 << 24:  # with holes
                subprocess.run(["cp", "--sparse=always", source, there], check=True)
            else:
                shutil.copy(source, there)
    os.chmod(folder, stat.S_IRWXU)
