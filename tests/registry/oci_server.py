"""Debian's docker-registry on 127.0.0.1 in a temporary folder, with platter and skopeo beside it."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

PLATTER = os.environ.get("PLATTER_BINARY", "")
UNPACKED = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                         "../../build/tools/usr/bin"))  # by scripts/unpack
os.environ["PATH"] += os.pathsep + UNPACKED
SKIPPED = 77  # ctest's SKIP_RETURN_CODE in CMakeLists.txt


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class WithOciServer(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.host = f"127.0.0.1:{free_port()}"
        config = os.path.join(self.folder, "config.yml")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"version": "0.1", "log": {"level": "error"},
                       "storage": {"filesystem": {"rootdirectory": self.folder + "/served"}},
                       "http": {"addr": self.host}}, file)
        with open(self.folder + "/log", "w", encoding="utf-8") as log:
            server = subprocess.Popen(["docker-registry", "serve", config], stdout=log, stderr=log)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        self.wait_for_server(server)

    def wait_for_server(self, server):
        for _ in range(300):
            self.assertIsNone(server.poll(), "docker-registry has ended")
            try:
                urllib.request.urlopen(f"http://{self.host}/v2/", timeout=5).close()
                return
            except OSError:
                time.sleep(0.1)
        self.fail("docker-registry does not answer")

    def run_program(self, *arguments):
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=False,
                              cwd=self.folder)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}{done.stdout}")
        return done.stdout

    def platter(self, *arguments):
        return self.run_program(PLATTER, *arguments)

    def skopeo(self, *arguments):
        # docker-registry 2.8.2 answers 500 now and then where several blobs of a new repository come at once.
        again = ("--retry-times", "3") if arguments[0] == "copy" else ()
        return self.run_program("skopeo", arguments[0], *again, *arguments[1:])


def main(*programs):
    absent = [name for name in programs if not shutil.which(name)]
    if absent or not PLATTER:
        print("skipped: not installed:", *absent, "" if PLATTER else "PLATTER_BINARY")
        sys.exit(SKIPPED)
    unittest.main()
