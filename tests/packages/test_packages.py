"""The Debian packages, as who installs them meets them: lintian, a bare root of the running release with them, what
README and the quick start have typed there, and nothing left after they were purged."""

import os
import platform
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
NAMES = ("platter", "libplatter1", "libplatter-dev", "python3-platter", "platter-doc")
# What a user of them has besides: a compiler for the example in C, what draws and pages.
TOOLS = ("gcc", "libc6-dev", "pkg-config", "openssl", "man-db", "gnuplot-nox")
MIRROR = os.environ.get("PLATTER_MIRROR", "http://deb.debian.org/debian")
PROGRAMS = ("debootstrap", "lintian", "unshare")
READY = os.geteuid() == 0 and all(shutil.which(program) for program in PROGRAMS)
# Where users, dpkg and others keep what is theirs.
NOT_OURS = ("/dev", "/home", "/proc", "/root", "/sys", "/tmp", "/var/cache", "/var/lib/apt", "/var/lib/dpkg", "/var/log")

# The root's own /proc, /dev and /tmp are mounted for one command alone: nothing of them outlives it.
PRIVATE = ("--mount", "--propagation", "private")
ENTER = """set -e
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
exec chroot "$@"
"""


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def run(*command, **more):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=1800,
                          **more)
    if done.returncode != 0:
        raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def quickstart_commands():
    """The quick start behind its build, with the installed program."""
    _, build, commands = read("quickstart").partition("platter=build/release/platter\n")
    assert build, "quickstart names its program otherwise"
    return "set -euo pipefail\nplatter=platter\n" + commands


@unittest.skipUnless(READY, f"it takes root and {', '.join(PROGRAMS)}")
class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run(os.path.join(ROOT, "scripts/package"))
        folder = os.path.join(ROOT, "build/package/packages")
        cls.files = {name.partition("_")[0]: os.path.join(folder, name) for name in os.listdir(folder)
                     if name.endswith(".deb")}

    def field(self, package, name):
        return run("dpkg-deb", "-f", self.files[package], name).strip()

    def test_they_are_split_as_others_are(self):
        self.assertEqual(sorted(self.files), sorted(NAMES))
        version = self.field("libplatter1", "Version")
        for package in ("platter", "libplatter-dev", "python3-platter"):
            self.assertIn(f"libplatter1 (= {version})", self.field(package, "Depends"))
        for package in NAMES:
            self.assertEqual(self.field(package, "Version"), version)
            self.assertNotEqual(self.field(package, "Section"), "devel")  # CPack's own
        with tempfile.TemporaryDirectory() as control:
            run("dpkg-deb", "-e", self.files["libplatter1"], control)
            with open(os.path.join(control, "shlibs"), encoding="utf-8") as file:
                self.assertIn("libplatter 1 libplatter1", file.read())
            with open(os.path.join(control, "triggers"), encoding="utf-8") as file:
                self.assertIn("ldconfig", file.read())

    def test_lintian_finds_no_error(self):
        for name in NAMES:
            with self.subTest(name):
                run("lintian", "--allow-root", "--fail-on", "error", "--profile", "debian", self.files[name])

    def test_installed_used_and_purged(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Root(os.path.join(folder, "root"))
            for path in self.files.values():
                shutil.copy(path, root.path("home"))
            root.prepare()
            before = root.names()
            root.inside("sh", "-c", "dpkg -i /home/*.deb")
            self.assertGreater(len(root.names() - before), 50)
            self.use(root)
            root.inside("dpkg", "--purge", *NAMES)
            self.assertEqual(root.names() - before, set())
            self.assertEqual(before - root.names(), set())

    def use(self, root):
        verdict = root.as_user(quickstart_commands())
        self.assertRegex(verdict, r"Verdict: atlas10k .*: good")
        self.assertRegex(root.as_user("platter --version"), r"\Aplatter \d+\.\d+\.\d+")
        self.tour(root)
        self.assertIn("/usr/share/platter/schemas/platter-model.json", root.names())
        if any(path.startswith("/usr/share/man/man1/platter.1") for path in root.names()):
            self.assertIn("NAME", root.as_user("MANPAGER=cat man platter"))

    def tour(self, root):
        documents = ["README.md", *(f"docs/howto-{name}.md" for name in ("paper", "file-system", "fleet"))]
        for path in ("tests/packages/tour.py", "tests/cli/nbd_client.py", *documents):
            shutil.copy(os.path.join(ROOT, path), root.path("home"))
        typed = " ".join("/home/" + os.path.basename(document) for document in documents)
        said = root.as_user(f"python3 -B /home/tour.py --in tour {typed}")
        self.assertRegex(said, r"(?m)^\d+ commands, \d+ ended with 11, 0 wrong$")
        # Python compiles modules that root imports, and their package removes that.
        root.inside("python3", "-c", "import platter")


class Root:
    """A bare root of the running release: a copy of one that is kept."""

    def __init__(self, folder):
        self.folder = folder
        release = platform.freedesktop_os_release()["VERSION_CODENAME"]
        bare = os.path.join(ROOT, "build/on-debian", f"{release}-bare")
        if not os.path.exists(bare):
            shutil.rmtree(bare + ".part", ignore_errors=True)
            run("unshare", *PRIVATE, "debootstrap", "--variant=minbase", release, bare + ".part", MIRROR)
            os.rename(bare + ".part", bare)
        run("cp", "--archive", bare, folder)
        shutil.copy("/etc/resolv.conf", self.path("etc/resolv.conf"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def inside(self, *command):
        return run("unshare", *PRIVATE, "sh", "-c", ENTER, "enter", self.folder, *command,
                   env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive",
                        "LC_ALL": "C.UTF-8"})

    def as_user(self, script):
        return self.inside("su", "-", "user", "-c", script)

    def prepare(self):
        """All that the packages depend on, but not the packages; a user."""
        self.inside("apt-get", "update")
        planned = self.inside("sh", "-c", "apt-get install --simulate --no-install-recommends /home/*.deb")
        needed = [name for name in re.findall(r"^Inst (\S+)", planned, re.MULTILINE) if name not in NAMES]
        self.inside("apt-get", "install", "-y", "--no-install-recommends", *needed, *TOOLS)
        self.inside("useradd", "--create-home", "--shell", "/bin/bash", "user")

    def names(self):
        """Every file and folder, but for what is others'."""
        found = set()
        for where, folders, files in os.walk(self.folder):
            inside = where.removeprefix(self.folder)
            folders[:] = [name for name in folders if f"{inside}/{name}" not in NOT_OURS]
            found |= {f"{inside}/{name}" for name in folders + files}
        return found


if __name__ == "__main__":
    unittest.main()
