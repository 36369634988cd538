"""What the campaigns that characterize drives and hold the models against the truth have in common."""

import json
import os
import subprocess
import sys

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests")
ALIEN = os.path.join(TESTS, "alien", "alien.py")


def run(*command):
    """Standard output of a command that must end well."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[:4])}: {done.stderr.strip()}")
    return done.stdout


def wrapped(rev):
    """A difference of angles in revolutions, from -1/2 to 1/2."""
    return (rev + 0.5) % 1.0 - 0.5


def load(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return json.load(file)


def is_alien(drive):
    return drive.startswith("alien:")


def device(drive, seed):
    """A virtual drive by name, or alien:VARIANT, with the noise and phase of a seed."""
    if is_alien(drive):
        return f"exec:python3 -B {ALIEN} --variant {drive[len('alien:'):]} --seed {seed}"
    return f"virtual:{drive}?imperfections=default&seed={seed}"


def everywhere(platter, of):
    """All blocks of a device, as --allow-writes takes them."""
    return f"0-{json.loads(run(platter, 'inspect', of, '--json'))['identity']['blocks'] - 1}"


def characterized(platter, drive, seed, file):
    """The model of a run with writes allowed everywhere, also in a file."""
    return characterized_device(platter, device(drive, seed), seed, file)


def characterized_device(platter, of, seed, file):
    run(platter, "characterize", of, "-o", file, "--force", "--seed", str(seed),
        "--allow-writes", everywhere(platter, of))
    return load(file)


def truth_of(platter, drive, file):
    """What a drive is; the alien's has a form of its own."""
    if is_alien(drive):
        run("python3", "-B", ALIEN, "--variant", drive[len("alien:"):], "--truth", file, "--truth-only")
    else:
        run(platter, "truth", f"virtual:{drive}", "-o", file)
    return load(file)


def table(heading, rows):
    """As Markdown."""
    lines = ["| " + " | ".join(heading) + " |", "|" + "---|" * len(heading)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


class InFolder:
    """A program that is run in a folder, and the files that it leaves there."""

    def __init__(self, binary, folder):
        self.binary, self.folder = os.path.abspath(binary), folder

    def run(self, *words, good=(0,)):
        done = subprocess.run([self.binary, *words], capture_output=True, text=True, cwd=self.folder)
        if done.returncode not in good:
            sys.exit(f"{' '.join(words)}: status {done.returncode}\n{done.stderr}")
        return done.stdout

    def load(self, name):
        return load(self.folder, name)
