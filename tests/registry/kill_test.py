"""Sixteen processes publish at once, and a hundred of them are killed at random moments: no entry is torn, none that was
acknowledged is lost, and a search knows all of them without a rebuild."""

import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

PLATTER = os.environ["PLATTER_BINARY"]
AT_ONCE = 16
KILLED = 100
SEED = int(os.environ.get("KILL_SEED", random.randrange(10 ** 6)))


class Kill(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="platter-kill-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.registry = os.path.join(self.folder, "registry")
        made = os.path.join(self.folder, "model.json")
        subprocess.run((PLATTER, "truth", "virtual:hp-c2247", "-o", made), check=True, capture_output=True)
        with open(made, encoding="utf-8") as file:
            self.model = json.load(file)
        self.made = 0

    def next_model(self, chosen):
        """A new drive, or a new version of one of a few."""
        self.made += 1
        serial = f"FEW{chosen.randrange(5)}" if chosen.random() < 0.5 else f"NEW{self.made}"
        identity = dict(self.model["identity"], serial=serial)
        path = os.path.join(self.folder, f"{self.made}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(dict(self.model, identity=identity, provenance=dict(self.model["provenance"], seed=self.made)), file)
        return path

    def start(self, chosen):
        return subprocess.Popen((PLATTER, "publish", self.next_model(chosen), "--registry", self.registry), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def entries(self, *verb):
        out = subprocess.run((PLATTER, "registry", *verb, "--registry", self.registry, "--json"), check=True,
                             capture_output=True, text=True).stdout
        listed = json.loads(out)
        self.assertEqual(listed["problems"], [])
        return {(entry["reference"], entry["digest"], entry["latest"]) for entry in listed["models"]}

    def test_no_acknowledged_entry_is_lost(self):
        print(f"KILL_SEED={SEED}", flush=True)
        chosen = random.Random(SEED)
        first = self.start(chosen)
        begun = time.monotonic()
        acknowledged = set(self.finish(first)[0])
        usual = time.monotonic() - begun
        killed, running = 0, []
        while killed < KILLED:
            while len(running) < AT_ONCE:
                running.append((self.start(chosen), time.monotonic() + chosen.random() * usual * AT_ONCE))
            time.sleep(0.001)
            for publisher, end in list(running):
                if publisher.poll() is None and time.monotonic() < end:
                    continue
                running.remove((publisher, end))
                publisher.kill()
                references, died = self.finish(publisher)
                killed += died
                acknowledged.update(references)
                if died and chosen.random() < 0.1:  # and somebody looks on
                    self.assertLessEqual(acknowledged, {entry[:2] for entry in self.entries("list")})
        for publisher, _ in running:
            acknowledged.update(self.finish(publisher)[0])
        self.assertGreater(len(acknowledged), AT_ONCE)
        found = self.entries("list")
        self.assertLessEqual(acknowledged, {entry[:2] for entry in found})
        subprocess.run((PLATTER, "registry", "rebuild-index", "--registry", self.registry), check=True, capture_output=True)
        self.assertEqual(found, self.entries("list"))
        for reference, digest in acknowledged:
            self.assertEqual(len(self.entries("search", digest)), 1, reference)
        verified = subprocess.run((PLATTER, "registry", "verify", "--registry", self.registry), capture_output=True, text=True)
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)

    def finish(self, publisher):
        """The entries that it acknowledged, and whether it was killed before it ended."""
        out, err = publisher.communicate()
        died = publisher.returncode == -signal.SIGKILL
        self.assertIn(publisher.returncode, (0, -signal.SIGKILL), err)
        lines = out.split("\n")
        whole = len(lines) == 3 and not lines[2]
        self.assertTrue(whole or died, out)
        return ([(lines[0], lines[1])] if whole else []), died


if __name__ == "__main__":
    unittest.main()
