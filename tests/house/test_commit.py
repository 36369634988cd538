"""The commit that the program names: of a clone as git says, of a release as `git archive` wrote."""

import os
import subprocess
import tempfile
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
SCRIPT = "cmake/commit.cmake"
PROBE = 'include("${PROJECT_SOURCE_DIR}/cmake/commit.cmake")\nmessage("${PLATTER_COMMIT}|${PLATTER_COMMIT_DATE}")\n'


class Commit(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.clone = os.path.join(holder.name, "clone")
        self.release = os.path.join(holder.name, "release")
        for folder in (os.path.join(self.clone, "cmake"), self.release):
            os.makedirs(folder)
        for name in (SCRIPT, "cmake/commit.txt", ".gitattributes"):
            with open(os.path.join(ROOT, name), encoding="utf-8") as source, \
                 open(os.path.join(self.clone, name), "w", encoding="utf-8") as copy:
                copy.write(source.read())
        self.git("init", "-q")
        self.git("add", ".")
        self.git("-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", "all")

    def git(self, *words):
        return subprocess.run(["git", "-C", self.clone, *words], check=True, capture_output=True).stdout

    def told(self, folder):
        probe = os.path.join(self.release, "probe.cmake")
        with open(probe, "w", encoding="utf-8") as file:
            file.write(PROBE)
        done = subprocess.run(["cmake", f"-DPROJECT_SOURCE_DIR={folder}", "-P", probe], check=True, text=True,
                              capture_output=True)
        return done.stderr.strip()

    def test_a_clone(self):
        self.assertEqual(self.told(self.clone), self.git("log", "-1", "--format=%h|%cD").decode().strip())

    def test_a_release(self):
        expected = self.told(self.clone)
        archive = self.git("archive", "HEAD")
        subprocess.run(["tar", "-x", "-C", self.release], input=archive, check=True)
        self.assertEqual(self.told(self.release), expected)

    def test_files_of_unknown_origin(self):
        subprocess.run(["cp", "-r", os.path.join(self.clone, "cmake"), self.release], check=True)
        self.assertEqual(self.told(self.release), "|")


if __name__ == "__main__":
    unittest.main()
