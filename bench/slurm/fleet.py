#!/usr/bin/env python3
"""A fleet on the loopback Slurm: forty virtual drives on two nodes, a node killed in the middle, their models in a
docker-registry; then what platter fleet finds among them. Passes when each drive has one model there and the four
planted outliers, and no other, are found. Needs what cluster.py does, skopeo and docker-registry.

    bench/slurm/fleet.py --binary build/release/platter [--drives N] [--seed N]
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from cluster import Cluster, missing

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.path += [os.path.join(ROOT, "tests/cli"), os.path.join(ROOT, "tests/registry")]
import fleet_drives  # noqa: E402  pylint: disable=wrong-import-position
from oci_server import free_port  # noqa: E402  pylint: disable=wrong-import-position

SKIPPED = 77


class Run:
    def __init__(self, options, folder, cluster):
        self.binary, self.folder, self.cluster = os.path.abspath(options.binary), folder, cluster
        self.host = f"127.0.0.1:{free_port()}"
        self.registry = folder + "/reg"

    def platter(self, *words, check=True):
        done = subprocess.run([self.binary, *words], cwd=self.folder, capture_output=True, text=True, check=False)
        if check and done.returncode:
            raise SystemExit(f"platter {' '.join(words)}: {done.stderr}")
        return done.stdout

    def serve(self):
        with open(self.folder + "/config.yml", "w", encoding="utf-8") as file:
            json.dump({"version": "0.1", "log": {"level": "error"},
                       "storage": {"filesystem": {"rootdirectory": self.folder + "/served"}},
                       "http": {"addr": self.host}}, file)
        server = subprocess.Popen(["docker-registry", "serve", self.folder + "/config.yml"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://{self.host}/v2/", timeout=5).close()
                return server
            except OSError:
                time.sleep(0.1)
        raise SystemExit("docker-registry does not answer")

    def tags(self):
        try:
            with urllib.request.urlopen(f"http://{self.host}/v2/storage/drives/tags/list", timeout=30) as answer:
                return [tag for tag in json.load(answer)["tags"] or [] if tag != "index"]
        except urllib.error.HTTPError:
            return []

    def make_drives(self, count, seed):
        """{serial number: trouble} of the outliers; a line "NODE DEVICE" for each drive in the file `drives`."""
        self.platter("truth", fleet_drives.BASE, "-o", "base.json")
        with open(self.folder + "/base.json", encoding="utf-8") as file:
            base = json.load(file)
        planted = {int(count * (2 * i + 1) / 8): what for i, what in enumerate(fleet_drives.OUTLIERS)}
        odd = {}
        with open(self.folder + "/drives", "w", encoding="utf-8") as drives:
            for number in range(count):
                made = fleet_drives.drive(base, number, planted.get(number), seed)
                fleet_drives.write(f"{self.folder}/drive{number:02}.json", made)
                node = self.cluster.nodes[number % len(self.cluster.nodes)]
                drives.write(f"{node} virtual:{self.folder}/drive{number:02}.json\n")
                if number in planted:
                    odd[made["identity"]["serial"]] = planted[number]
        return odd

    def submit(self):
        environment = dict(self.cluster.environment, PLATTER=self.binary, FLEET_REGISTRY=self.registry,
                           FLEET_MODELS=self.folder + "/models", FLEET_LOG=self.folder + "/fleet-%j.log")
        subprocess.run([ROOT + "/examples/fleet/slurm.sh", "drives"], cwd=self.folder, env=environment, check=True,
                       capture_output=True)

    def found(self):
        """{reference's drive: troubles} by platter fleet on a registry that has all from the remote."""
        self.platter("registry", "remote", "add", "lab", f"oci://{self.host}/storage/drives", "--plain-http",
                     "--registry", "all")
        shutil.copy(self.registry + "/serial.key", self.folder + "/all/serial.key")
        for tag in self.tags():
            self.platter("registry", "pull", "lab/" + tag, "-o", "/dev/null", "--force", "--registry", "all")
        told = json.loads(self.platter("fleet", "all", "--json", check=False))
        drives = {}
        for product in told["products"]:
            for finding in product["findings"]:
                drives.setdefault(finding["drive"], set()).add(finding["what"])
        return told, drives


def expected(run, odd):
    """The same, by what was planted: the name of each outlier's reference is asked of the registry."""
    drives = {}
    for name in sorted(os.listdir(run.folder)):
        if not name.startswith("drive") or not name.endswith(".json"):
            continue
        with open(f"{run.folder}/{name}", encoding="utf-8") as file:
            serial = json.load(file)["identity"]["serial"]
        if serial in odd:
            told = json.loads(run.platter("registry", "match", f"virtual:{run.folder}/{name}", "--this-drive", "--json",
                                          "--registry", "all"))
            drives[told["models"][0]["reference"]] = {odd[serial]}
    return drives


def measure(run, options):
    os.mkdir(run.registry)
    with open(run.registry + "/serial.key", "w", encoding="ascii") as file:
        file.write("7" * 64 + "\n")
    run.platter("registry", "remote", "add", "lab", f"oci://{run.host}/storage/drives", "--plain-http",
                "--registry", "reg")
    odd = run.make_drives(options.drives, options.seed)
    began = time.monotonic()
    run.submit()
    run.cluster.until(lambda: len(run.tags()) >= options.drives // 4, "a quarter is pushed", 600)
    victim = run.cluster.nodes[0]
    killed = [job for job, node in run.cluster.running().items() if node == victim]
    run.cluster.kill_node(victim)
    print(f"{victim} killed with job {', '.join(killed) or 'none'} after {time.monotonic() - began:.0f} s,"
          f" {len(run.tags())} models pushed")
    run.cluster.start_node(victim)
    run.cluster.wait_for_all(1800)
    first = len(run.tags())
    run.submit()  # once more: all is done
    run.cluster.wait_for_all(1800)
    tags = run.tags()
    print(f"{first} models of {options.drives} drives after {time.monotonic() - began:.0f} s, and {len(tags)} when all"
          f" were submitted again; {len(os.listdir(run.folder + '/models'))} runs were begun")
    drives = {tag.rpartition(".v")[0] for tag in tags}
    told, found = run.found()
    wanted = expected(run, odd)
    print(f"{told['outliers']} outliers by {told['looks']} looks; planted and found: "
          f"{sum(found.get(drive) == what for drive, what in wanted.items())} of {len(wanted)}")
    for drive, what in sorted(found.items()):
        print(f"  {drive}: {', '.join(sorted(what))}")
    good = len(tags) == len(drives) == options.drives == first and found == wanted
    if not good:
        for name in sorted(os.listdir(run.folder)):
            if name.startswith("fleet-"):
                with open(f"{run.folder}/{name}", encoding="utf-8") as file:
                    print(f"-- {name}: {file.read().strip()[-300:]}")
    return 0 if good else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--drives", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    absent = missing() or next((f"no {name} on PATH" for name in ("skopeo", "docker-registry")
                                if not shutil.which(name)), "")
    if absent:
        print(absent, file=sys.stderr)
        return SKIPPED
    with Cluster(nodes=2, cpus=1) as cluster, tempfile.TemporaryDirectory(prefix="fleet-") as folder:
        run = Run(options, folder, cluster)
        server = run.serve()
        try:
            return measure(run, options)
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    sys.exit(main())
