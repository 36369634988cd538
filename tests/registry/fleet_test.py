#!/usr/bin/env python3
"""examples/fleet: six drives of two "hosts" by GNU parallel into a registry; what is done is not done again."""

import json
import os
import shutil
import subprocess
import sys

from oci_server import PLATTER, SKIPPED, WithOciServer, main

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "../../examples/fleet")
sys.path.append(os.path.join(HERE, "../cli"))
import fleet_drives  # noqa: E402  pylint: disable=wrong-import-position


class Recipes(WithOciServer):
    def setUp(self):
        super().setUp()
        self.platter("truth", fleet_drives.BASE, "-o", "base.json")
        with open(self.folder + "/base.json", encoding="utf-8") as file:
            base = json.load(file)
        for number in range(6):
            fleet_drives.write(f"{self.folder}/{number}.json", fleet_drives.drive(base, number))
        os.mkdir(self.folder + "/reg")
        with open(self.folder + "/reg/serial.key", "w", encoding="ascii") as file:
            file.write("5" * 64 + "\n")
        self.platter("registry", "remote", "add", "lab", f"oci://{self.host}/storage/drives", "--plain-http",
                     "--registry", "reg")
        with open(self.folder + "/drives", "w", encoding="utf-8") as file:
            file.writelines(f": virtual:{self.folder}/{number}.json\n" for number in range(6))

    def recipe(self, name, *arguments, status=0, **environment):
        done = subprocess.run([os.path.join(EXAMPLES, name), *arguments], cwd=self.folder, capture_output=True,
                              text=True, timeout=300, check=False, env=dict(
                                  os.environ, PLATTER=PLATTER, FLEET_REGISTRY=self.folder + "/reg",
                                  FLEET_MODELS=self.folder + "/models", **environment))
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done.stdout + done.stderr

    def test_six_drives_by_parallel(self):
        told = self.recipe("parallel.sh", "drives")
        self.assertEqual(told.count(": pushed "), 6, told)
        runs = len(os.listdir(self.folder + "/models"))
        told = self.recipe("parallel.sh", "drives")
        self.assertEqual(told.count(": is done: lab/"), 6, told)
        self.assertEqual(len(os.listdir(self.folder + "/models")), runs)
        # what another host has pushed is done too; it has the fleet's key
        shutil.move(self.folder + "/reg", self.folder + "/theirs")
        os.mkdir(self.folder + "/reg")
        shutil.copy(self.folder + "/theirs/serial.key", self.folder + "/reg/serial.key")
        self.platter("registry", "remote", "add", "lab", f"oci://{self.host}/storage/drives", "--plain-http",
                     "--registry", "reg")
        self.assertIn("is done: lab/", self.recipe("characterize.sh", f"virtual:{self.folder}/3.json"))

    def test_published_and_not_pushed_is_only_pushed(self):
        device = f"virtual:{self.folder}/2.json"
        self.platter("characterize", device, "-o", "m.json", "--progress", "none")
        reference = self.platter("publish", "m.json", "--registry", "reg").split()[0]
        self.assertIn(f"pushed {reference}", self.recipe("characterize.sh", device))
        self.assertFalse(os.path.exists(self.folder + "/models"))

    def test_without_the_key_nothing_is_done(self):
        os.remove(self.folder + "/reg/serial.key")
        told = self.recipe("characterize.sh", f"virtual:{self.folder}/2.json", status=5)
        self.assertIn("has no serial.key", told)

    def test_a_drive_that_fails_stops_no_other(self):
        with open(self.folder + "/drives", "w", encoding="utf-8") as file:
            file.write(f": virtual:{self.folder}/none.json\n: virtual:{self.folder}/1.json\n")
        told = self.recipe("parallel.sh", "drives", status=1)
        self.assertEqual(told.count(": pushed "), 1, told)

    def test_the_job_of_kubernetes_mounts_what_it_uses(self):
        try:
            import yaml  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("no python3-yaml")
        with open(EXAMPLES + "/kubernetes.yaml", encoding="utf-8") as file:
            job = yaml.safe_load(file)
        self.assertEqual((job["apiVersion"], job["kind"]), ("batch/v1", "Job"))
        spec = job["spec"]["template"]["spec"]
        self.assertIn(spec["restartPolicy"], ("Never", "OnFailure"))
        container = spec["containers"][0]
        self.assertEqual({mount["name"] for mount in container["volumeMounts"]},
                         {volume["name"] for volume in spec["volumes"]})
        device = container["args"][0].split()[-1]
        self.assertIn(device, [mount["mountPath"] for mount in container["volumeMounts"]])
        with open(EXAMPLES + "/characterize.sh", encoding="utf-8") as file:
            script = file.read()
        for variable in container["env"]:
            self.assertIn(variable["name"], script)


if __name__ == "__main__":
    if not shutil.which("parallel"):
        print("no parallel on PATH", file=sys.stderr)
        sys.exit(SKIPPED)
    main()
