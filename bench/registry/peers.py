#!/usr/bin/env python3
"""Signed entries of platter in other programs, and theirs in platter: cosign, skopeo's policies, oras, as Debian 13 has
them. They are looked for below --root (packages unpacked by dpkg -x), skopeo of this machine and docker-registry on PATH.

    bench/registry/peers.py --root UNPACKED --platter build/release/platter
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/registry"))
from oci_server import free_port  # noqa: E402


class Bench:
    def __init__(self, folder, root, platter):
        self.folder, self.root, self.program = folder, root, platter
        self.failed = 0
        self.environment = dict(os.environ, COSIGN_PASSWORD="", XDG_CONFIG_HOME=folder + "/config", HOME=folder)

    def run(self, *words):
        return subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              timeout=120, check=False)

    def peer(self, name, *words):
        """A program of Debian 13, with its own loader and libraries where it has any."""
        loader = self.root + "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"
        program = f"{self.root}/usr/bin/{name}"
        if not os.path.exists(loader):
            return self.run(program, *words)
        return self.run(loader, "--library-path", self.root + "/usr/lib/x86_64-linux-gnu", program, *words)

    def platter(self, *words):
        done = self.run(self.program, *words)
        if done.returncode != 0:
            raise SystemExit(f"platter {words}: {done.stderr}")
        return done.stdout + done.stderr

    def expect(self, what, good, done=None):
        self.failed += not good
        said = (done.stderr or done.stdout).strip().splitlines() if done else []
        print(("yes  " if good else "NO   ") + what + (f": {said[-1][:160]}" if said else ""), flush=True)


def serve(bench):
    host = f"127.0.0.1:{free_port()}"
    with open(bench.folder + "/config.yml", "w", encoding="utf-8") as file:
        json.dump({"version": "0.1", "log": {"level": "error"}, "http": {"addr": host},
                   "storage": {"filesystem": {"rootdirectory": bench.folder + "/served"}}}, file)
    server = subprocess.Popen(["docker-registry", "serve", bench.folder + "/config.yml"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    for _ in range(100):
        try:
            urllib.request.urlopen(f"http://{host}/v2/", timeout=5).close()
            return server, host
        except OSError:
            time.sleep(0.1)
    raise SystemExit("docker-registry does not answer")


def try_all(bench, host):
    place = host + "/storage/drives"
    for name in ("me", "other"):
        bench.run("openssl", "ecparam", "-genkey", "-name", "prime256v1", "-noout", "-out", name + ".pem")
        bench.run("openssl", "pkey", "-in", name + ".pem", "-pubout", "-out", name + ".pub")
    bench.platter("registry", "remote", "add", "lab", "oci://" + place, "--plain-http", "--registry", "home")
    drives = []
    for drive in ("quantum-atlas10k", "hp-c2247", "seagate-cheetah9lp"):
        bench.platter("truth", "virtual:" + drive, "-o", "model.json")
        drives.append(json.loads(bench.platter("publish", "model.json", "--registry", "home", "--json"))["reference"])
        os.remove(bench.folder + "/model.json")
    signed, unsigned, by_cosign = [drive.replace(":", ".") for drive in drives]
    bench.platter("registry", "push", signed, "lab", "--sign", "me.pem", "--registry", "home")
    bench.platter("registry", "push", unsigned, "lab", "--registry", "home")
    bench.platter("registry", "push", by_cosign, "lab", "--registry", "home")

    verify = ("verify", "--insecure-ignore-tlog", "--allow-http-registry", "--key")
    done = bench.peer("cosign", *verify, "me.pub", f"{place}:{signed}")
    bench.expect("cosign verifies what platter signed", done.returncode == 0, done)
    done = bench.peer("cosign", *verify, "other.pub", f"{place}:{signed}")
    bench.expect("cosign refuses it by another key", done.returncode != 0, done)
    done = bench.peer("cosign", *verify, "me.pub", f"{place}:{unsigned}")
    bench.expect("cosign refuses what is unsigned", done.returncode != 0, done)

    with open(bench.folder + "/policy.json", "w", encoding="utf-8") as file:
        json.dump({"default": [{"type": "reject"}], "transports": {"docker": {place: [
            {"type": "sigstoreSigned", "keyPath": bench.folder + "/me.pub",
             "signedIdentity": {"type": "matchRepository"}}]}}}, file)
    os.makedirs(bench.folder + "/registries.d")
    with open(bench.folder + "/registries.d/here.yaml", "w", encoding="utf-8") as file:
        file.write(f"docker:\n  {place}:\n    use-sigstore-attachments: true\n")
    copy = ("--policy", "policy.json", "--registries.d", "registries.d", "copy", "--src-tls-verify=false")
    done = bench.peer("skopeo", *copy, f"docker://{place}:{signed}", "dir:signed")
    bench.expect("skopeo's sigstoreSigned takes what platter signed", done.returncode == 0, done)
    done = bench.peer("skopeo", *copy, f"docker://{place}:{unsigned}", "dir:unsigned")
    bench.expect("skopeo's sigstoreSigned rejects what is unsigned", done.returncode != 0, done)

    bench.peer("cosign", "generate-key-pair")
    done = bench.peer("cosign", "sign", "--key", "cosign.key", "--tlog-upload=false", "--allow-http-registry", "-y",
                      f"{place}:{by_cosign}")
    bench.expect("cosign signs an entry", done.returncode == 0, done)
    bench.platter("registry", "trust", "add", "cosigner", "cosign.pub")
    bench.platter("registry", "remote", "add", "lab", "oci://" + place, "--plain-http", "--registry", "away")
    done = bench.run(bench.program, "registry", "pull", "lab/" + by_cosign, "-o", "pulled.json", "--require-signature",
                     "--registry", "away")
    bench.expect("platter verifies what cosign signed", done.returncode == 0 and "cosigner" in done.stderr, done)

    done = bench.peer("oras", "repo", "tags", "--plain-http", place)
    bench.expect("oras lists the tags", signed in done.stdout.split(), done)
    done = bench.peer("oras", "pull", "--plain-http", "-o", "by-oras", f"{place}:{signed}")
    bench.expect("oras pulls the model", os.path.exists(bench.folder + "/by-oras/model.json"), done)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", required=True, help="where Debian 13's cosign, oras and skopeo are unpacked")
    parser.add_argument("--platter", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder, os.path.abspath(options.root), os.path.abspath(options.platter))
        for name, words in (("cosign", ("version",)), ("skopeo", ("--version",)), ("oras", ("version",))):
            done = bench.peer(name, *words)
            print(name, [line for line in (done.stdout + done.stderr).splitlines() if "ersion" in line][:1])
        server, host = serve(bench)
        try:
            try_all(bench, host)
        finally:
            server.terminate()
            server.wait()
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
