"""Drives with manners: tables of replies (table.h) in front of good drives, and what the program made of them."""

import collections
import functools
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../cli"))

from harness import OK, PlatterTest  # noqa: E402

QUIRK_DRIVE, TRUST_DRIVE = os.environ.get("QUIRK_DRIVE", ""), os.environ.get("TRUST_DRIVE", "")

BLOCKS = 11928  # of the small drives
WRITES = {0x0A, 0x2A, 0x8A}
READS = {0x08, 0x28, 0x88}
SELECTS = {0x15, 0x55}
PASS_THROUGHS = {0x85, 0xA1}
SET_FEATURES = 0xEF
IDENTIFY = ["85" + " ??" * 13 + " EC", "A1" + " ??" * 8 + " EC"]

Sent = collections.namedtuple("Sent", "time tag cdb bytes rule")


def lbn_and_blocks(cdb):
    """Of a READ, WRITE or VERIFY; (0, 0) of others."""
    if cdb[0] in (0x08, 0x0A):
        return int.from_bytes(cdb[1:4], "big") & 0x1FFFFF, cdb[4] or 256
    if cdb[0] in (0x28, 0x2A, 0x2F):
        return int.from_bytes(cdb[2:6], "big"), int.from_bytes(cdb[7:9], "big")
    if cdb[0] in (0x88, 0x8A, 0x8F):
        return int.from_bytes(cdb[2:10], "big"), int.from_bytes(cdb[10:14], "big")
    return 0, 0


# Rules.

def rule(cdb, **effect):
    return {"cdb": cdb, **effect}


def refuses(*opcodes, sense="05 20 00", **more):
    """Refused, and nothing of it done."""
    return [rule(opcode, sense=sense, as_tur=True, **more) for opcode in opcodes]


def text(string, width=None):
    """Left-aligned, in hex."""
    return string.encode("ascii").ljust(width or len(string)).hex()


def ata_text(string, width):
    """As IDENTIFY DEVICE has it: two characters to a word, the first in its upper byte."""
    raw = string.encode("ascii").ljust(width)
    return b"".join(raw[i + 1:i + 2] + raw[i:i + 1] for i in range(0, width, 2)).hex()


def name_of(vendor, product, revision="0001"):
    """Standard INQUIRY data with another name."""
    return rule("12 00", poke={"8": text(vendor, 8), "16": text(product, 16), "32": text(revision, 4)})


def vpd(page, payload):
    return rule(f"12 01 {page:02X}", data=f"00{page:02x}{len(payload) // 2:04x}" + payload)


def serial(number):
    return vpd(0x80, text(number))


def capacity_10(blocks, block_bytes=512):
    return rule("25", data=f"{blocks - 1:08x}{block_bytes:08x}")


def capacity_16(last, block_bytes=512, rest="00" * 20):
    return rule("9E ?0", data=f"{last:016x}{block_bytes:08x}" + rest)


def identify(**words):
    """IDENTIFY DEVICE with other words, in VPD page 89h, too: serial=, revision=, model= (texts), blocks=,
    w106=0x6003, ..."""
    poke = {"510": "0000"}  # no checksum
    places = {"serial": (20, 20), "revision": (46, 8), "model": (54, 40)}
    for name, value in words.items():
        if name in places:
            poke[str(places[name][0])] = ata_text(value, places[name][1])
        elif name == "blocks":
            poke["120"] = min(value, 0x0FFFFFFF).to_bytes(4, "little").hex()
            poke["200"] = value.to_bytes(8, "little").hex()
        else:
            poke[str(2 * int(name[1:]))] = value.to_bytes(2, "little").hex()
    in_page = {str(60 + int(offset)): value for offset, value in poke.items()}
    return [rule(pattern, poke=poke) for pattern in IDENTIFY] + [rule("12 01 89", poke=in_page)]


# The program.

def each(cases, sample=None):
    """A method becomes one test for each of {name: argument}. Of `sample` others than so many run by QUIRKS=all
    only; which ones is another matter each day."""
    def made(method):
        method.cases, method.sample = cases, sample
        return method
    return made


def chosen(cases, sample):
    names = sorted(cases)
    if sample is None or os.environ.get("QUIRKS") == "all":
        return set(names)
    today = int(time.time() // 86400)
    return {names[(today * sample + i) % len(names)] for i in range(sample)}


def skipped(test):
    test.skipTest("not in today's sample: QUIRKS=all runs it")


class QuirkTest(PlatterTest):
    kept = tempfile.TemporaryDirectory()  # models of drives without manners, made once
    models = {}
    made_of = {}  # how the model at a path was made: the device or what its table has, and the options

    def __init_subclass__(cls, **more):
        super().__init_subclass__(**more)
        for name, method in list(vars(cls).items()):
            if not hasattr(method, "cases"):
                continue
            delattr(cls, name)
            runs = chosen(method.cases, method.sample)
            for case, argument in method.cases.items():
                test = functools.partialmethod(method, argument) if case in runs else skipped
                setattr(cls, f"{name}__{re.sub('[^0-9A-Za-z]+', '_', case)}", test)

    def new_folder(self):
        """QUIRK_KEEP names a folder where tables, logs and models stay, for a look at one case."""
        super().new_folder()
        if "QUIRK_KEEP" in os.environ:
            self.folder = os.path.join(os.environ["QUIRK_KEEP"], self.id())
            os.makedirs(self.folder)
            self.state = self.path("state")
            self.environment["XDG_STATE_HOME"] = self.state

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not (QUIRK_DRIVE and TRUST_DRIVE):
            raise unittest.SkipTest("QUIRK_DRIVE and TRUST_DRIVE name no programs")

    def quirk(self, replies, base="trust:small", name="quirk"):
        """The device's name; what it was told is in the log of that name."""
        table = self.write(name + ".json", json.dumps({"replies": replies}))
        return "exec:" + shlex.join([QUIRK_DRIVE, "--table", table, "--log", self.path(name + ".log"), base])

    def trust(self, *build, store="store"):
        """A drive that keeps what it holds."""
        return "exec:" + shlex.join([TRUST_DRIVE, "--store", self.path(store + ".store"), *build])

    def contents_that_differ(self, store="store", view="media"):
        said = subprocess.run([TRUST_DRIVE, "--store", self.path(store + ".store"), "--check", view],
                                      check=True, text=True, capture_output=True).stdout
        return json.loads(said)

    def sent(self, name="quirk"):
        """The commands of all runs so far."""
        commands = []
        with open(self.path(name + ".log"), encoding="ascii") as file:
            for line in file:
                words = line.split()
                if words[0] != "->":
                    commands.append(Sent(int(words[0]), int(words[1]), bytes.fromhex(words[2]),
                                         int(words[3]), int(words[4])))
        return commands

    def forget(self, name="quirk"):
        if os.path.exists(self.path(name + ".log")):
            os.unlink(self.path(name + ".log"))

    def features_set(self, name="quirk"):
        return [s for s in self.sent(name) if s.cdb[0] in PASS_THROUGHS and
                (s.cdb[14] if s.cdb[0] == 0x85 else s.cdb[9]) == SET_FEATURES]

    def journals(self):
        return glob.glob(os.path.join(self.state, "**", "*.journal"), recursive=True)

    def inspect(self, device, status=OK):
        return self.platter_json("inspect", device, status=status)

    def ends_with_a_sentence(self, done, statuses, *words):
        """Of these statuses; `words` are regular expressions of what the sentence says."""
        self.assertIn(done.returncode, statuses, done.stderr + done.stdout)
        said = re.sub(r"^\[[ \d]+ %\] .*\n", "", done.stderr, flags=re.MULTILINE)
        self.assertRegex(said, r"platter: [^\n]+\n\Z")
        for word in words:
            self.assertRegex(said, word)

    def run_characterize(self, device, *options, output="drive.json"):
        self.made_of[self.path(output)] = (device, options)
        return self.run_platter("characterize", device, *options, "-o", output)

    def characterize(self, device, *options, status=OK, output="drive.json"):
        """(model, what it said); whatever it is, nothing stays behind."""
        done = self.run_characterize(device, *options, output=output)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(self.journals(), [], done.stderr)
        self.assertNotIn("could not be put back", done.stderr)
        return (self.read_json(output) if status == OK else None), done.stderr

    def reference(self, replies=(), base="trust:small", options=()):
        """Path of the model of a drive without the manners in question."""
        key = json.dumps([list(replies), base, list(options)])
        if key not in self.models:
            path = os.path.join(self.kept.name, f"{len(self.models)}.json")
            self.platter("characterize", self.quirk(list(replies), base, "reference"), *options, "-o", path)
            self.models[key] = path
            self.made_of[path] = ((list(replies), base), options)
        return self.models[key]

    def again(self, path, seed):
        """Path of the model made as the one at `path`, with other random choices; none of its commands is in the
        logs of the test."""
        kept = f"{path}.{seed}.json"
        if not os.path.exists(kept):
            device, options = self.made_of[path]
            if isinstance(device, tuple):
                device = self.quirk(*device, "reference")
            device = re.sub(r"(--log \S+)", r"\1.again", device)
            self.platter("characterize", device, *options, "--seed", str(seed), "-o", kept)
        return kept

    def told_apart(self, reference, output):
        """{path: figure} that are in one model alone, or further apart than chance brings two runs."""
        said = json.loads(self.run_platter("diff", reference, output, "--json").stdout)
        return {figure["path"]: figure for figure in said["differences"] if is_apart(figure)}

    def same_in_another_run(self, figure, reference, output):
        """Chance may leave a figure open, with its reason, that other random choices measure: then that one is
        compared. What is open whatever is drawn stays a difference: the drive's manner made it."""
        lacks = output if figure["b"] is None else reference
        if not reason_of(lacks, figure["path"]):
            return False
        for seed in OTHER_SEEDS:
            again = self.again(lacks, seed)
            if not reason_of(again, figure["path"]):
                pair = (reference, again) if lacks == output else (again, output)
                return figure["path"] not in self.told_apart(*pair)
        return False

    def assert_same(self, reference, output="drive.json", leave_out=r"^$", only_there=False):
        """The layout as it is; each figure in both or in none, and no further apart than chance brings two runs.
        `only_there`: of a drive whose noise moves them, the second alone."""
        output = self.path(output)
        for path, figure in self.told_apart(reference, output).items():
            in_one = (figure["a"] is None) != (figure["b"] is None)
            # Of a drive without noise errors are a nanosecond, and less than what a host's clock tells apart.
            small = not in_one and (only_there or figure["unit"] == "ms" and abs(figure["difference"]) < 2e-4)
            if not small and not re.search(leave_out, path):
                self.assertTrue(in_one and self.same_in_another_run(figure, reference, output), figure)
        if not only_there:
            self.assertEqual(shape(model_at(output)["layout"]), shape(model_at(reference)["layout"]))

    def noted(self, model, *words):
        """A note or finding that has all of these; they are regular expressions."""
        notes = model["provenance"]["notes"] + [found["text"] for found in model["provenance"].get("findings", [])]
        self.assertTrue(any(all(re.search(word, note) for word in words) for note in notes),
                        f"no note has {words}: {notes}")


def model_at(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def reason_of(path, figure):
    """Why the model at `path` lacks a figure; none for those that are points of a curve."""
    node = model_at(path)
    for name in figure.split("."):
        node = node.get(name, {}) if isinstance(node, dict) else {}
    return node.get("reason") or "" if isinstance(node, dict) and node.get("value") is None else ""


OTHER_SEEDS = (2, 3, 4)  # the first is 1
SAME_WITHIN = 6  # errors; of hundreds of figures that are compared some are more than three apart
SAME_WITHOUT_ERROR = 0.01


def is_apart(figure):
    if (figure["a"] is None) != (figure["b"] is None):
        return True
    if figure["within_error"] is not False:
        return False
    if figure["in_errors"] is not None:
        return figure["in_errors"] >= SAME_WITHIN
    return abs(figure["relative"] or 1) >= SAME_WITHOUT_ERROR


def shape(layout):
    """Zones and defects without angles, which are measured."""
    def node(of):
        return {key: value if key != "children" else [node(child) for child in value]
                for key, value in of.items() if "angle" not in key and "skew" not in key and "error" not in key}
    return {"zones": [node(zone) for zone in layout.get("zones", [])],
            "skips": layout.get("skips"), "remaps": layout.get("remaps"), "method": layout.get("method")}
