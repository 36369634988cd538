"""No output destroys anything (docs/outputs.md): every option that names one, of every subcommand that
the program's own --help tells, against inputs, strangers' files and other drives' measurements; and a
standard output that cannot be written."""

import dataclasses
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile

import unittest

from fake_kernel import fake_kernel
from harness import BAD_INPUT, DIFFERS, OK, OUTPUT, PLATTER, REFUSED, USAGE, PlatterTest, leaves, checked

DRIVE = "virtual:mine.json?seed=3"
NOTES = "what I must not forget\n"


@dataclasses.dataclass(frozen=True)
class Output:
    """An option that names a file, or a folder (then `file` is one that is written there)."""
    command: str  # {out} is what the option names
    inputs: tuple = ()
    ending: str = ""
    file: str = ""
    quick: bool = True  # else only what is refused before the work is tried
    status: int = OK


OUTPUTS = {
    "calibrate --output": Output("calibrate truth.json --with drive.csv --only rotation --most-replayed 0 -o {out}",
                                 ("truth.json", "drive.csv")),
    "characterize --output": Output(f"characterize {DRIVE} -o {{out}} --samples s.jsonl", ("mine.json",),
                                    quick=False),
    "characterize --samples": Output(f"characterize {DRIVE} -o c.json --samples {{out}}", ("mine.json",),
                                     quick=False),
    "compare --plot": Output("compare drive.csv model.csv --plot {out}", ("drive.csv", "model.csv"), ".svg"),
    "cosim --log": Output("cosim truth.json --log {out} --kernel kernel -- true", ("truth.json",), quick=False),
    "cosim --report": Output("cosim truth.json --report {out} --kernel kernel -- true", ("truth.json",),
                             quick=False),
    "derive --output": Output("derive truth.json --set head_switch=/2 -o {out}", ("truth.json",)),
    "emit disksim --output": Output("emit disksim truth.json --name x -o {out}", ("truth.json",),
                                    file="x.seek"),
    "emit table --output": Output("emit table truth.json -o {out}", ("truth.json",)),
    "emulate --log": Output("emulate truth.json --nbd s --log {out}", ("truth.json",), quick=False),
    "estimate --output": Output("estimate mine.samples.jsonl -o {out}", ("mine.samples.jsonl",)),
    "import disksim --output": Output("import disksim disksim/x.parv -o {out}",
                                      ("disksim/x.parv", "disksim/x.diskspecs", "disksim/x.model",
                                       "disksim/x.seek")),
    "plot --output": Output("plot cdf drive.csv model.csv -o {out}", ("drive.csv", "model.csv"), ".svg"),
    "registry pull --output": Output("registry pull --registry registry {drive} -o {out}"),
    "registry pull --files": Output("registry pull --registry registry {drive} --files {out}",
                                    file="truth.ptab"),
    "registry site --output": Output("registry site --registry registry -o {out}", file="index.html"),
    "replay --output": Output("replay t.trace --on truth.json --phase-from drive.csv -o {out}",
                              ("t.trace", "truth.json", "drive.csv")),
    "report --output": Output("report truth.json --results results -o {out}",
                              ("truth.json", "results/random.drive.csv")),
    "result export --output": Output("result export drive.csv -o {out}", ("drive.csv",)),
    "show --plots": Output("show truth.json --plots {out}", ("truth.json",), file="zones.svg"),
    "study run --plots": Output("study run study.json -C studied --plots {out}",
                                ("study.json", "truth.json", "t.trace"), file="study-1-mean_ms-by-depth.svg"),
    "study collect --plots": Output("study collect study.json -C studied --plots {out}",
                                    ("study.json", "truth.json", "t.trace"), file="study-1-mean_ms-by-depth.svg"),
    "study collect --output": Output("study collect study.json -C studied -o {out}",
                                     ("study.json", "truth.json", "t.trace"), file="table.csv"),
    "trace convert --output": Output("trace convert t.trace --to spc -o {out}", ("t.trace",)),
    "trace generate --output": Output("trace generate --workload random --requests 20 --for truth.json "
                                      "-o {out}", ("truth.json",)),
    "truth --output": Output(f"truth {DRIVE} -o {{out}}", ("mine.json",)),
    "validate --output": Output(f"validate {DRIVE} truth.json --requests 20 -o {{out}}",
                                ("truth.json", "mine.json"), file="mixed.svg"),
}
# Ways of the above that the table does not show.
MORE = {
    "emit table, csv": Output("emit table truth.json -o {out} --format csv", ("truth.json",), ".csv"),
    "emit table, c": Output("emit table truth.json -o {out} --format c", ("truth.json",), ".h"),
    "replay on a drive": Output(f"replay t.trace --on {DRIVE} -o {{out}}", ("t.trace", "mine.json")),
    "replay, compressed": Output("replay t.trace --on truth.json -o {out}", ("t.trace",), ".csv.zst"),
    "trace convert, compressed": Output("trace convert t.trace --to ascii -o {out}", ("t.trace",), ".gz"),
    "trace convert, hpl": Output("trace convert t.trace --to hpl -o {out}", ("t.trace",)),
    "trace convert, blktrace": Output("trace convert t.trace --to blktrace -o {out}", ("t.trace",)),
    "trace convert, blkparse": Output("trace convert t.trace --to blkparse -o {out}", ("t.trace",)),
    "trace convert, msr": Output("trace convert t.trace --to msr -o {out}", ("t.trace",)),
    "trace convert, hfplayer": Output("trace convert t.trace --to hfplayer -o {out}", ("t.trace",)),
    "trace convert, iolog3": Output("trace convert t.trace --to iolog3 -o {out}", ("t.trace",)),
    "trace convert, validate": Output("trace convert t.trace --to validate -o {out}", ("t.trace",)),
    "plot, pdf": Output("plot ccdf drive.csv --width 84 -o {out}", ("drive.csv",), ".pdf"),
    "plot, eps": Output("plot seeks truth.json -o {out}", ("truth.json",), ".eps"),
    "plot, tex": Output("plot zones truth.json -o {out}", ("truth.json",), ".tex"),
    "compare, png": Output("compare drive.csv model.csv --plot {out}", ("drive.csv",), ".png"),
    "emit disksim, statdefs": Output("emit disksim truth.json --name x -o {out}", ("truth.json",),
                                     file="x.statdefs"),
    "emit disksim, parv": Output("emit disksim truth.json --name x -o {out}", ("truth.json",),
                                 file="x.parv"),
    "validate, the drive's": Output(f"validate {DRIVE} truth.json --requests 20 -o {{out}}",
                                    ("truth.json",), file="random.drive.csv"),
    "validate, the trace": Output(f"validate {DRIVE} truth.json --requests 20 -o {{out}}",
                                  ("truth.json",), file="random.trace"),
}

# Options that name no file that is replaced. --journal and --registry name folders in which files get
# names of their own, --folder one of a study's; --contents names a drive's own; --share is the guest's; what --update-model writes has a test below.
OTHER_OPTIONS = set("""
    --pictures --power --shingles --cite --syscall-ns --patience --strict
    --help --version --json --force --seed --budget --precision --episodes --allow-writes --journal --registry --update-model
    --hits-by --hit-threshold-ms --half --from --to --all --lbn --pbn --all-tracks --with --only --set --name
    --dialect --as --program --trace --drive --layout --on --caches --depth --speed --limit --scheduler --ageing --delay-seed --reference-reads
    --phase-from --format --device-number --block-bytes --round --reorder --think-times --time-unit --queued --csv-columns --fit
    --split-by --list --disksim --check
    --workload --for --blocks --requests --within --writes-within --read-share --reads-only --request-kb
    --align-kb --sequential-share --local-share --local-blocks --streams --any-stream --run-requests
    --hot-share --hot-span --rate --think-ms --gap --burst-requests --burst-kb --idle-ms --tables
    --device --overwrite --yes --inspect --not-in-use --serial --results --commands --resume --skip
    --nbd --ublk --vhost-user --contents --check-log --ordinary --write-cache-loss --keep --contents-waiting --contents-limit
    --full-map --no-map --memory --date --cpu-factor --kernel --build-kernel --share --power-cut-at
    --vendor --product --revision --capacity --rpm --form-factor --block-size --method --demerit --annotation --local
    --jobs --share-bus --progress --brief --section --explain --raw --quiet-host --dry-run --attach --attach-beside
    --array --stripe --read-balance --stripe-cache --missing --rebuild --rebuild-window --rebuild-least
    --rebuild-most --rebuild-tick --merge --device-queue --phase-seed
    --key --above --sign --require-signature --plain-http
    --folder --part --parts --least --keep-results --most-requests
    --drive --by-firmware --this-drive --host-queue --stride-kb --line-regex --most-replayed --quality
    --width --height --log-axis --title --labels --greys --script
""".split())

# What a name's ending promises, as its first bytes tell.
PROMISES = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd", ".bz2": b"BZh", ".xz": b"\xfd7zXZ", ".lz4": b"\x04\x22\x4d\x18",
            ".zip": b"PK", ".tgz": b"\x1f\x8b", ".json": b"{", ".html": b"<!", ".pdf": b"%PDF", ".svg": b"<?xml",
            ".png": b"\x89PNG", ".eps": b"%!PS", ".xlsx": b"PK", ".parquet": b"PAR1", ".yaml": b"---", ".ptab": None}

# What each subcommand prints; None: nothing.
PRINTS = {
    "calibrate": "calibrate truth.json --with drive.csv --only rotation --most-replayed 0 -o c.json",
    "characterize": f"characterize {DRIVE} -o c.json",
    "compare": "compare drive.csv model.csv",
    "plot": None,
    "cosim": None,  # what its command prints: tests/cosim
    "derive": "derive truth.json --set head_switch=/2",
    "devices": "devices",
    "diff": "diff truth.json mine.json",
    "emit disksim": "emit disksim truth.json -o d",
    "emit table": "emit table truth.json -o t.ptab",
    "emit summary": "emit summary truth.json",
    "emit 86box": "emit 86box truth.json",
    "emulate": None,  # what it prints: test_emulate.py
    "estimate": "estimate mine.samples.jsonl -o e.json",
    "import disksim": "import disksim disksim/x.parv",
    "fleet": "fleet registry",
    "inspect": f"inspect {DRIVE}",
    "layout": "layout truth.json --lbn 0 77",
    "publish": "publish truth.json --registry registry",
    "registry list": "registry list --registry registry",
    "registry search": "registry search --registry registry c2247",
    "registry show": "registry show --registry registry {drive}",
    "registry site": "registry site --registry registry -o pages",
    "registry pull": "registry pull --registry registry {drive}",
    "registry verify": "registry verify --registry registry",
    "registry match": f"registry match --registry registry {DRIVE}",
    "registry diff": "registry diff --registry registry {drive} {drive}",
    "registry import": "registry import --registry registry registry",
    "registry prune": "registry prune --registry registry --keep 5",
    "registry gc": "registry gc --registry registry",
    "registry rebuild-index": "registry rebuild-index --registry registry",
    "registry push": None,  # tests/registry/remote_test.py, as the next two
    "registry refresh": None,
    "registry index": None,
    "registry sign": "registry sign {drive} --key key.pem --registry registry",
    "registry remote add": None,
    "registry remote list": "registry remote list --registry registry",
    "registry remote remove": None,
    "registry trust add": None,
    "registry trust list": "registry trust list",
    "registry trust remove": None,
    "replay": "replay t.trace --on truth.json -o r.csv --json",
    "report": None,
    "restore": None,  # what it prints: test_safety.py
    "result show": "result show drive.csv",
    "result export": None,
    "show": "show truth.json",
    "trace generate": "trace generate --list",
    "study run": "study run study.json -C studied --json",
    "study plan": "study plan study.json --parts 2 -C studied",
    "study collect": "study collect study.json -C studied --json",
    "study slurm": "study slurm study.json --parts 2 -C studied",
    "trace convert": None,
    "trace lint": "trace lint t.trace",
    "trace stats": "trace stats t.trace",
    "truth": f"truth {DRIVE}",
    "validate": f"validate {DRIVE} truth.json --requests 20 -o v",
}


def changed(model, serial, method):
    copy = json.loads(json.dumps(model))
    copy["identity"]["serial"] = serial
    copy["provenance"]["method"] = method
    return json.dumps(copy)


class Case(PlatterTest):
    """Each test works on a copy of the same files."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.template = os.path.join(holder.name, "template")
        os.mkdir(cls.template)

        def platter(line):
            return subprocess.run([PLATTER, *line.split()], cwd=cls.template, check=True, text=True,
                                  capture_output=True).stdout

        def write(name, content):
            with open(os.path.join(cls.template, name), "w", encoding="utf-8") as file:
                file.write(content)

        platter("truth virtual:hp-c2247 -o truth.json")
        with open(os.path.join(cls.template, "truth.json"), encoding="utf-8") as file:
            truth = json.load(file)
        write("mine.json", changed(truth, "MINE", "characterized"))
        write("theirs.json", changed(truth, "THEIRS", "characterized"))
        platter("characterize virtual:mine.json -o whole.json --samples mine.samples.jsonl")
        platter("trace generate --workload random --requests 400 --reads-only --for truth.json -o t.trace")
        platter("replay t.trace --on virtual:mine.json -o drive.csv")
        platter("replay t.trace --on virtual:theirs.json -o theirs.csv")
        platter("replay t.trace --on truth.json -o model.csv")
        platter("emit disksim truth.json --name x -o disksim")
        platter("emit table truth.json -o truth.ptab")
        write("study.json", json.dumps({"schema": {"name": "platter-study", "version": "1.0"}, "models": ["truth.json"],
                                        "traces": ["t.trace"], "options": {"depth": [1, 4]},
                                        "plots": [{"x": "depth", "y": "mean_ms"}]}))
        platter("study run study.json -C studied")
        os.mkdir(os.path.join(cls.template, "results"))
        for name, copy in (("drive.csv", "random.drive.csv"), ("model.csv", "random.truth.csv")):
            shutil.copy(os.path.join(cls.template, name), os.path.join(cls.template, "results", copy))
        cls.published = platter("publish truth.json --attach truth.ptab --registry registry").split()[0]
        os.environ["XDG_CONFIG_HOME"] = os.path.join(cls.template, "config")
        subprocess.run(["openssl", "ecparam", "-genkey", "-name", "prime256v1", "-noout", "-out", "key.pem"],
                       cwd=cls.template, check=True)
        subprocess.run(["openssl", "pkey", "-in", "key.pem", "-pubout", "-out", "key.pub"], cwd=cls.template, check=True)
        platter("registry trust add me key.pub")
        platter("registry remote add lab oci://localhost/drives --key key.pub --registry registry")
        samples = {"schema": {"name": "platter-samples", "version": "6.0"}, "drive": "0123456789abcdef"}
        write("theirs.jsonl", checked(samples))
        write("kernel", fake_kernel())
        write("left.journal", checked({"schema": {"name": "platter-journal", "version": "2.0"}}))

    def new_folder(self):
        super().new_folder()
        shutil.copytree(self.template, self.folder, dirs_exist_ok=True, symlinks=True)

    def words(self, line, out=""):
        return [word.format(out=out, drive=self.published) for word in line.split()]

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()


class Table(Case):
    def place(self, row):
        """What the option names, and the file that it is about."""
        if not row.file:
            return "out" + row.ending, "out" + row.ending
        os.mkdir(self.path("out"))
        return "out", os.path.join("out", row.file)

    def rows(self):
        for row in (*OUTPUTS.values(), *MORE.values()):
            self.new_folder()
            yield row

    def refused(self, row, file, out, status, *more):
        before, files = self.content(file), self.files()
        done = self.run_platter(*self.words(row.command, out), *more)
        self.assert_one_sentence(done, status, os.path.basename(file))
        self.assertEqual(self.content(file), before)
        self.assertEqual(self.files(), files)
        return done

    def test_every_option_has_a_row(self):
        found = {f"{command} {option}" for command, options in leaves().items() for option in options
                 if option not in OTHER_OPTIONS} - {"show --plot", "publish --samples"}  # in the terminal; an input
        self.assertEqual(found, set(OUTPUTS))
        self.assertEqual(set(leaves()), set(PRINTS))
        for command, options in leaves().items():
            if command == "publish":  # its --force names a rule
                continue
            writes = any(row.startswith(command + " --") for row in OUTPUTS)
            self.assertEqual("--force" in options, writes, command)

    # holds: safety.md: A result never overwrites
    def test_an_input_is_no_output(self):
        for row in self.rows():
            for name in row.inputs:
                for link in (os.symlink, os.link):
                    self.new_folder()
                    out, file = self.place(row)
                    link(self.path(name), self.path(file))
                    done = self.refused(row, file, out, USAGE)
                    self.assertIn(os.path.basename(name), done.stderr)
                if row.file or row.ending:
                    continue
                for direct in (name, "./" + name):
                    self.refused(row, name, direct, USAGE)

    # holds: safety.md: A result never overwrites
    def test_a_strangers_file_is_left_alone(self):
        for row in self.rows():
            out, file = self.place(row)
            self.write(file, NOTES)
            self.refused(row, file, out, REFUSED)
            if row.quick:
                self.platter(*self.words(row.command, out), "--force")
                self.assertNotEqual(self.content(file), NOTES.encode())

    def test_what_platter_made_is_made_again(self):
        for row in self.rows():
            if not row.quick:
                continue
            out, file = self.place(row)
            self.write(file, "")  # as mktemp does
            self.platter(*self.words(row.command, out))
            first = self.content(file)
            self.assertTrue(first)
            self.platter(*self.words(row.command, out))
            self.assertTrue(self.content(file))

    def test_other_drives_measurements_are_left_alone(self):
        for row in self.rows():
            for name in ("theirs.json", "theirs.csv", "theirs.jsonl"):
                self.new_folder()
                out, file = self.place(row)
                shutil.copy(self.path(name), self.path(file))
                self.refused(row, file, out, REFUSED)

    def test_a_journal_is_left_alone_even_by_force(self):
        for row in self.rows():
            out, file = self.place(row)
            shutil.copy(self.path("left.journal"), self.path(file))
            self.refused(row, file, out, REFUSED, "--force")

    def test_what_is_no_file(self):
        for row in self.rows():
            if row.file or not row.quick:
                continue
            for device, status in (("/dev/null", OK), ("/dev/full", OUTPUT)):
                out = "device" + row.ending
                if os.path.lexists(self.path(out)):
                    os.remove(self.path(out))
                os.symlink(device, self.path(out))
                self.platter(*self.words(row.command, out), status=status)
                self.assertTrue(os.path.islink(self.path(out)))

    def test_what_a_name_promises_is_written_or_it_is_refused(self):
        for row in self.rows():
            for ending in (".json.gz", ".JSON.ZIP", *PROMISES):
                out = "named" + ending
                begins = PROMISES["." + ending.lower().rpartition(".")[2]]
                if not row.quick and ending in (".json", ".html"):
                    continue
                with self.subTest(f"{row.command} {out}"):
                    before = self.files()
                    done = self.run_platter(*self.words(row.command, out))
                    if done.returncode == OK:
                        if begins is None:
                            begins = self.content(out)[:4] + b"PTAB" if self.content(out)[4:8] == b"PTAB" else b"no table"
                        self.assertTrue(self.content(out).startswith(begins), self.content(out)[:32])
                        os.remove(self.path(out))
                    else:
                        self.assert_one_sentence(done, USAGE, out)
                        self.assertEqual(self.files(), before)

    def test_one_meaning_of_a_hyphen(self):
        for row in self.rows():
            if row.ending.startswith(".") and row.ending not in (".csv", ".h"):
                continue  # figures, and what is compressed: a name says which
            with self.subTest(row.command):
                if row.file or not row.quick:
                    self.refused_hyphen(row)
                    continue
                before = self.files()
                done = subprocess.run([PLATTER, *self.words(row.command, "-")], cwd=self.folder, capture_output=True,
                                      check=False)
                self.assertEqual(done.returncode, OK, done.stderr)
                self.assertEqual(self.files(), before)
                self.platter(*self.words(row.command, "out" + row.ending))
                written = self.content("out" + row.ending)
                self.assertEqual(done.stdout[:64], written[:64])
                # A file's head has room for what is known at the end, in blanks.
                self.assertLess(abs(len(done.stdout.replace(b" ", b"")) - len(written.replace(b" ", b""))), 64)

    def refused_hyphen(self, row):
        before = self.files()
        self.assert_one_sentence(self.run_platter(*self.words(row.command, "-")), USAGE, "-")
        self.assertEqual(self.files(), before)

    def test_a_hyphen_is_the_standard_input(self):
        for line, name in (("show - --brief", "truth.json"), ("diff - truth.json", "truth.json"),
                           ("derive - --set head_switch=/2", "truth.json"), ("emit table - -o -", "truth.json"),
                           ("trace stats -", "t.trace"), ("replay - --on truth.json", "t.trace"),
                           ("replay t.trace --on -", "truth.json"), ("result show -", "drive.csv"),
                           ("compare - model.csv", "drive.csv")):
            with self.subTest(line):
                with open(self.path(name), "rb") as file, subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE) as pipe:
                    through = subprocess.run([PLATTER, *line.split()], cwd=self.folder, stdin=pipe.stdout,
                                             capture_output=True, check=False)
                with open(self.path(name), "rb") as file:
                    direct = subprocess.run([PLATTER, *line.split()], cwd=self.folder, stdin=file, capture_output=True,
                                            check=False)
                self.assertEqual((through.returncode, direct.returncode), (OK, OK), through.stderr + direct.stderr)
                self.assertEqual(through.stdout, direct.stdout)
        self.fails(BAD_INPUT, "standard input", "diff", "-", "-")

    # holds: exit-statuses.md: Behind a failure
    # holds: exit-statuses.md: What was not done
    def test_where_nothing_can_be_written(self):
        for row in self.rows():
            out = "/proc/nonesuch" if row.file else "/proc/nonesuch" + row.ending
            before = self.files()
            self.platter(*self.words(row.command, out), status=OUTPUT)
            self.assertEqual(self.files(), before)


class Rules(Case):
    def test_a_measurement_is_replaced_by_one_of_its_drive(self):
        self.platter("replay", "t.trace", "--on", DRIVE, "-o", "drive.csv", "--limit", 5)
        self.platter("replay", "t.trace", "--on", DRIVE, "-o", "drive.csv")
        self.fails(REFUSED, "cannot be made again", "replay", "t.trace", "--on", "truth.json", "-o", "drive.csv")
        self.fails(REFUSED, "another drive", "replay", "t.trace", "--on", DRIVE, "-o", "theirs.csv")
        os.rename(self.path("theirs.json"), self.path("model.csv"))
        self.fails(REFUSED, "cannot be made again", "replay", "t.trace", "--on", DRIVE, "-o", "model.csv")
        self.platter("replay", "t.trace", "--on", DRIVE, "-o", "theirs.csv", "--force")

    def test_without_a_serial_number_nobody_can_tell(self):
        # Blanks: without any a virtual drive makes one up.
        self.write("nobody.json", changed(self.read_json("mine.json"), " ", "characterized"))
        self.platter("replay", "t.trace", "--on", "virtual:nobody.json", "-o", "r.csv")
        self.fails(REFUSED, "serial number", "replay", "t.trace", "--on", "virtual:nobody.json", "-o", "r.csv")

    def test_a_run_replaces_its_own_and_no_others(self):
        self.platter("characterize", DRIVE, "-o", "c.json", "--seed", 1)
        head = json.loads(self.content("c.samples.jsonl").split(b"\n")[0])
        self.assertEqual(head["schema"]["name"], "platter-samples")
        again = self.run_platter("characterize", "virtual:theirs.json", "-o", "c.json")
        self.assert_one_sentence(again, REFUSED, "c.json", "another drive")
        self.fails(REFUSED, "c.samples.jsonl", "characterize", "virtual:theirs.json", "-o", "other.json",
                   "--samples", "c.samples.jsonl")
        self.platter("characterize", DRIVE, "-o", "c.json", "--seed", 1)  # another one may be poorer

    def test_a_run_that_may_end_early_writes_beside_a_whole_model_only_where_it_may(self):
        self.platter("characterize", DRIVE, "-o", "c.json")
        for beside in ("c.partial.json", "c.partial.samples.jsonl"):
            self.write(beside, NOTES)
            self.fails(REFUSED, beside, "characterize", DRIVE, "-o", "c.json")
            self.assertEqual(self.content(beside), NOTES.encode())
            os.unlink(self.path(beside))

    def test_where_a_run_keeps_its_samples_as_it_goes_is_checked_like_its_outputs(self):
        running = "c.running.samples.jsonl"
        self.write(running, NOTES)
        self.fails(REFUSED, running, "characterize", DRIVE, "-o", "c.json")
        self.assertEqual(self.content(running), NOTES.encode())
        shutil.copy(self.path("theirs.jsonl"), self.path(running))
        self.fails(REFUSED, "another drive", "characterize", DRIVE, "-o", "c.json")
        shutil.copy(self.path("mine.samples.jsonl"), self.path(running))
        self.fails(REFUSED, "--resume " + running, "characterize", DRIVE, "-o", "c.json")
        self.platter("characterize", DRIVE, "-o", "c.json", "--force")
        self.assertNotIn(running, self.files())
        before = set(self.files())
        self.platter("characterize", DRIVE, "-o", "n.json", "--samples", "/dev/null")
        self.platter("characterize", DRIVE, "-o", "/dev/null", "--samples", "n.jsonl")
        self.assertEqual(set(self.files()) - before, {"n.json", "n.jsonl"})

    def test_text_of_other_programs_is_read_with_its_mark(self):
        """Parameter files, models and studies in UTF-8 with a mark and in UTF-16; what is compressed is named."""
        plain = json.loads(self.platter("import", "disksim", "disksim/x.parv"))
        for encoding in ("utf-8-sig", "utf-16", "utf-16-be"):
            with self.subTest(encoding):
                for name in ("x.parv", "x.diskspecs", "x.model", "x.seek"):
                    text = self.content(f"disksim/{name}").decode()
                    with open(self.path(name), "w", encoding=encoding, newline="") as file:
                        file.write(text)
                self.assertEqual(json.loads(self.platter("import", "disksim", "x.parv"))["seek"], plain["seek"])
                with open(self.path("wide.json"), "w", encoding=encoding) as file:
                    file.write(self.content("truth.json").decode())
                self.platter("diff", "wide.json", "truth.json")
                with open(self.path("wide-study.json"), "w", encoding=encoding) as file:
                    file.write(self.content("study.json").decode())
                self.platter("study", "plan", "wide-study.json", "--parts", "2", "-C", "studied")
        subprocess.run(["gzip", "-k", "truth.json"], cwd=self.folder, check=True)
        self.fails(BAD_INPUT, "compressed with gzip", "show", "truth.json.gz")

    def test_derive_writes_over_its_own_input_by_force(self):
        self.fails(USAGE, "truth.json", "derive", "truth.json", "--set", "head_switch=/2", "-o", "truth.json")
        self.platter("derive", "truth.json", "--set", "head_switch=/2", "-o", "truth.json", "--force")
        self.assertEqual(self.read_json("truth.json")["provenance"]["method"], "derived")
        self.fails(USAGE, "t.trace", "trace", "convert", "t.trace", "--to", "spc", "-o", "t.trace", "--force")

    def test_the_standard_input_is_an_input(self):
        with open(self.path("t.trace"), encoding="utf-8") as file:
            self.fails(USAGE, "standard input", "trace", "convert", "-", "--to", "spc", "-o", "t.trace",
                       stdin=file)

    def test_what_a_registry_holds_is_no_output(self):
        [blob] = [name for name in self.files() if "blobs/sha256" in name
                  and b'"platter-model"' in self.content(name)]
        self.fails(USAGE, "read by this run", "registry", "pull", "--registry", "registry", self.published,
                   "-o", blob)

    def test_two_outputs_want_two_files(self):
        self.fails(USAGE, "c.json", "characterize", DRIVE, "-o", "c.json", "--samples", "./c.json")

    def test_a_drive_is_no_file(self):
        node = self.path("disk")
        try:
            os.mknod(node, 0o600 | 0o060000, os.makedev(7, 199))
        except PermissionError:
            self.skipTest("may not make device nodes")
        for force in ([], ["--force"]):
            done = self.run_platter("truth", DRIVE, "-o", "disk", *force)
            self.assert_one_sentence(done, REFUSED, "disk", "is a device")

    def test_update_model_changes_its_own_input(self):
        before = self.read_json("truth.json")
        self.platter("validate", DRIVE, "truth.json", "--requests", 20, "-o", "v", "--update-model")
        after = self.read_json("truth.json")
        self.assertEqual(len(after["validity"]["demerits"]), 2)
        self.assertEqual(after["identity"], before["identity"])


class Validation(Case):
    def heads(self, folder):
        return {name: json.loads(self.content(os.path.join(folder, name)).split(b"\n")[0][2:])
                for name in sorted(os.listdir(self.path(folder))) if name.endswith(".csv")}

    def test_each_has_a_file_whatever_the_models_are_called(self):
        os.mkdir(self.path("sub"))
        for name in ("drive.json", "sub/drive.json", "sub/truth.json", "sub/x.drive.json"):
            shutil.copy(self.path("truth.json"), self.path(name))
        models = ("truth.json", "drive.json", "sub/drive.json", "sub/truth.json", "sub/x.drive.json")
        self.platter("validate", DRIVE, *models, "--requests", 20, "-o", "v")
        heads = self.heads("v")
        self.assertEqual(len(heads), 2 * (1 + len(models)))
        drives = [name for name, head in heads.items() if head["target"] == "drive"]
        self.assertEqual(drives, ["mixed.drive.csv", "random.drive.csv"])
        self.assertEqual(heads["random.drive.csv"]["name"], DRIVE)
        self.platter("report", "drive.json", "--results", "v", "-o", "report.html")
        page = self.content("report.html").decode()
        self.assertIn(DRIVE, page)
        self.assertIn("drive.json.csv"[:-4], page)
        self.platter("validate", DRIVE, *models, "--requests", 20, "-o", "v")
        self.assertEqual(list(self.heads("v")), list(heads))


# holds: exit-statuses.md: What was not done
class StandardOutput(Case):
    """Full or closed it is status 10 with a sentence, for every subcommand that prints; who reads the beginning only
    hears nothing of it."""

    def lines(self):
        yield from ["--help", "--version", "trace generate --help"]
        for command, line in PRINTS.items():
            if line and command != "characterize":
                yield line

    def lost(self, line, **streams):
        done = subprocess.run([PLATTER, *self.words(line)], cwd=self.folder, env=self.environment, text=True,
                              stderr=subprocess.PIPE, check=False, **streams)
        with self.subTest(line=line):
            self.assertEqual(done.returncode, OUTPUT, done.stderr)
            self.assertRegex(done.stderr, r"platter: the standard output cannot be written[^\n]*\n\Z")

    def test_full(self):
        for line in self.lines():
            with open("/dev/full", "w", encoding="utf-8") as full:
                self.lost(line, stdout=full)

    def test_a_pipe_that_nobody_reads(self):
        for line in self.lines():
            reading, writing = os.pipe()
            os.close(reading)
            done = self.run_closed(writing, *self.words(line))
            with self.subTest(line=line):
                self.assertEqual(done.returncode, -signal.SIGPIPE, done.stderr)
                self.assertNotIn("standard output", done.stderr)

    def test_a_pipe_that_nobody_reads_any_more_as_the_output(self):
        reading, writing = os.pipe()
        os.close(reading)
        done = self.run_closed(writing, "trace", "generate", "--workload", "random", "--for", "truth.json",
                               "--requests", "100000", "-o", "/dev/stdout")
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, ""))

    def run_closed(self, writing, *arguments):
        done = subprocess.run([PLATTER, *arguments], cwd=self.folder, env=self.environment, text=True,
                              stdout=writing, stderr=subprocess.PIPE, check=False)
        os.close(writing)
        return done

    def test_closed(self):
        for line in self.lines():
            self.lost(line, preexec_fn=lambda: os.close(1))

    def test_the_file_is_whole_all_the_same(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.lost("emit table truth.json -o t.ptab", stdout=full)
        self.assertEqual(self.content("t.ptab"), self.content("truth.ptab"))

    def test_a_standard_error_that_is_full_or_closed_ends_nothing(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for streams in ({"stderr": full}, {"preexec_fn": lambda: os.close(2)}):
                done = subprocess.run([PLATTER, "replay", "t.trace", "--on", "truth.json", "-o", "r.csv"],
                                      cwd=self.folder, stdout=subprocess.PIPE, check=False, **streams)
                self.assertEqual(done.returncode, OK)


class HostileTexts(Case):
    """No control byte of a file reaches a terminal or a file's name."""

    TEXTS = ("\x1b]0;owned\x07\x1b[2J", "\u009b31mred", "two\nplatter: all is well", "a\rb\tc\x7f",
             "../../etc/passwd", "x" * 5000, "\u202egnp.exe", "\u0085next")

    def hostile(self, text):
        model = self.read_json("mine.json")
        for member in ("name", "vendor", "product", "revision", "serial"):
            model["identity"][member] = text
        model["provenance"].update(source=text, notes=[text], date=text, method=text)
        model["layout"]["reason"] = text
        model["head_switch"].update(reason=text)
        self.write("hostile.json", json.dumps(model))

    def shown(self, *arguments):
        done = subprocess.run([PLATTER, *map(str, arguments)], cwd=self.folder, env=self.environment,
                              capture_output=True, check=False)
        for stream in (done.stdout, done.stderr):
            self.assertFalse(set(stream) & ({*range(0x20)} - {0x0a} | {0x7f}), (arguments, stream[:300]))
            text = stream.decode()
            self.assertNotRegex(text, "[\u0080-\u009f\u202e]")
            self.assertNotRegex(text, r"(?m)^platter: all is well")
        return done

    def test_whatever_is_shown(self):
        for text in self.TEXTS:
            self.hostile(text)
            for line in ("show hostile.json", "show hostile.json --json", "diff hostile.json truth.json",
                         "diff hostile.json truth.json --json", "inspect virtual:hostile.json",
                         "emit table hostile.json -o h.ptab", "show h.ptab", "show h.ptab --json",
                         "emit disksim hostile.json -o h", "publish hostile.json --registry hostiles",
                         "registry list --registry hostiles", "registry search --registry hostiles a",
                         "truth virtual:hostile.json", "derive hostile.json --set head_switch=/2",
                         "replay t.trace --on hostile.json -o h.csv --force", "result show h.csv",
                         "compare h.csv model.csv", "compare drive.csv h.csv --json",
                         "report hostile.json -o h.html", "show hostile.json --plots p"):
                with self.subTest(text=text[:30], line=line):
                    done = self.shown(*line.split())
                    self.assertIn(done.returncode, (OK, DIFFERS), done.stderr)
            shown = json.loads(self.shown("show", "hostile.json", "--json").stdout)
            self.assertEqual(shown["identity"]["name"], text)
            for name in self.files():
                self.assertRegex(name, r"\A[\x20-\x7e]{1,300}\Z")
            page = self.content("h.html").decode() + self.content("p/zones.svg").decode()
            self.assertNotRegex(page, "[\x00-\x08\x0b-\x1f\x7f-\x9f]")
            for name in ("h", "p", "hostiles"):
                shutil.rmtree(self.path(name))
            os.remove(self.path("h.csv"))
            os.remove(self.path("h.ptab"))

    def test_what_is_wrong_with_a_file_is_one_line(self):
        for text in ("\x1b[2J", "a\nplatter: all is well", "\u009b"):
            self.write("bad.json", json.dumps({"schema": {"name": text}}))
            self.write("bad.trace", f"0.5 0 {text} 8 1\n")
            for arguments in (("show", "bad.json"), ("trace", "lint", "bad.trace"), ("show", text)):
                done = self.shown(*arguments)
                self.assertEqual(done.returncode, BAD_INPUT, done.stderr)


if __name__ == "__main__":
    unittest.main()
