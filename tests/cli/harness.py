"""The built program as a user runs it, in a folder of its own. PLATTER_BINARY names the program."""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
ALIEN = os.path.join(os.path.dirname(HERE), "alien")
PLATTER = os.path.abspath(os.environ["PLATTER_BINARY"]) if os.environ.get("PLATTER_BINARY") else ""  # tests go elsewhere
SERVED_DRIVE = os.environ.get("PLATTER_SERVED_DRIVE", "")

OK, USAGE, NO_DEVICE, PERMISSION, REFUSED, BAD_INPUT, PROTOCOL = 0, 2, 3, 4, 5, 6, 7
DRIVE_ERROR, UNSUPPORTED, OUTPUT, MISSING_PROGRAM, DIFFERS, INCOMPLETE = 8, 9, 10, 11, 12, 13
SOME_FAILED, INTERRUPTED = 14, 130


def program_drive(program, *arguments):
    """The device name of a drive written in Python."""
    return "exec:" + shlex.join([sys.executable, "-B", program, *map(str, arguments)])


def served_drive(*arguments):
    """The device name of a virtual drive of a model file, behind exec:."""
    return "exec:" + shlex.join([SERVED_DRIVE, *map(str, arguments)])


def recorded_alien(*arguments):
    """An alien drive that keeps a record of what it was told."""
    return program_drive(os.path.join(HERE, "recorded_drive.py"), *arguments)


def checked(*objects):
    """Lines that end with their checks, as docs/safety.md tells of journals and docs/samples.md of raw samples."""
    text = ""
    for number, one in enumerate(objects, 1):
        line = json.dumps(one, separators=(",", ":"))[:-1]
        line += f',"line":[{number},{len(line.encode())}'
        text += f'{line},"{zlib.crc32(line.encode()):08x}"]}}\n'
    return text


def unchecked(text):
    """What such lines hold."""
    return [{name: value for name, value in json.loads(line).items() if name != "line"} for line in text.splitlines()]


def told_statuses():
    """{status: one of these subcommands ends with it, or None: any}, as platter says."""
    if not PLATTER:
        return {}
    table = subprocess.run([PLATTER, "self", "statuses"], check=True, text=True, capture_output=True).stdout
    rows = re.findall(r"^\| (\d+) \| `\w+` \| (.*) \|$", table, re.MULTILINE)
    told = {}
    for status, when in rows:
        whose = [re.match(r"`[a-z]+`(, `[a-z]+`)*: ", cause) for cause in when.split("<br>")]
        told[int(status)] = {name for of in whose for name in re.findall(r"`(\w+)`", of[0])} if all(whose) else None
    return told


TOLD_STATUSES = told_statuses()


@unittest.skipUnless(PLATTER, "PLATTER_BINARY names no program")
class PlatterTest(unittest.TestCase):
    def setUp(self):
        self.new_folder()

    def new_folder(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.state = os.path.join(self.folder, "state")  # where journals go by default
        self.environment = dict(os.environ, XDG_STATE_HOME=self.state)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)

    def read_json(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def files(self):
        """Every file below the folder, journals included."""
        return sorted(os.path.relpath(os.path.join(base, name), self.folder)
                      for base, _, names in os.walk(self.folder) for name in names)

    def run_platter(self, *arguments, **more):
        more.setdefault("env", self.environment)
        done = subprocess.run([PLATTER, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=600, check=False, **more)
        if done.returncode >= 0 and arguments and arguments[0] != "cosim":  # which has its command's
            self.assertIn(done.returncode, TOLD_STATUSES, done.stderr)
            whose = TOLD_STATUSES[done.returncode]
            self.assertTrue(whose is None or arguments[0] in whose,
                            f"no document says that {arguments[0]} ends with {done.returncode}: {done.stderr}")
        if done.returncode in (OK, REFUSED, INCOMPLETE) and arguments and arguments[0] in ("characterize", "validate"):
            # Without a seed it is another drive each time, and one of some fifty has a poorer model.
            unseeded = [drive for drive in map(str, arguments) if re.search(r"^virtual:[\w-]+(\?(?!.*seed=)|$)", drive)]
            self.assertEqual(unseeded, [], "name a seed")
        return done

    def platter(self, *arguments, status=OK):
        """Standard output of a run that must end with this status."""
        done = self.run_platter(*arguments)
        self.assertEqual(done.returncode, status, f"{arguments}: {done.stderr}")
        return done.stdout

    def platter_json(self, *arguments, status=OK):
        return json.loads(self.platter(*arguments, "--json", status=status))

    def assert_one_sentence(self, done, status, *words):
        """A failure as docs/exit-statuses.md wants it; `words` are what the sentence must name."""
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        # A run of more than five seconds also tells how far it is.
        said = re.sub(r"^\[[ \d]+ %\] .*\n", "", done.stderr, flags=re.MULTILINE)
        self.assertRegex(said, r"\Aplatter: [^\n]+\n\Z")
        for word in words:
            self.assertIn(word, done.stderr)

    def fails(self, status, words, *arguments, **more):
        """The run fails so, and leaves no file that was not there before."""
        words = [words] if isinstance(words, str) else words
        before = self.files()
        done = self.run_platter(*arguments, **more)
        with self.subTest(arguments=arguments):
            self.assert_one_sentence(done, status, *words)
            self.assertEqual(self.files(), before)
        return done


def leaves(*command):
    """{subcommand: its options} of all that have none below them, as --help tells."""
    text = subprocess.run([PLATTER, *command, "--help"], check=True, text=True, capture_output=True).stdout
    if command:
        below = re.findall(r"^  ([a-z0-9][a-z0-9-]*) ", text.partition("Subcommands:")[2], re.MULTILINE)
    else:  # two or three to a line
        below = ", ".join(re.findall(r"^  ([a-z]+(?:, [a-z]+)*)  ", text, re.MULTILINE)).split(", ")
    if not below:
        options = text.partition("Options:")[2].partition("Examples:")[0]
        return {" ".join(command): re.findall(r"^ +(?:-\w,)?(--[a-z-]+)", options, re.MULTILINE)}
    return {name: options for word in below for name, options in leaves(*command, word).items()}
