#!/usr/bin/env python3
"""Published models in the hands of the programs that others use: cosign, oras and skopeo beside Debian's docker-registry
on this machine, each way round. Prints one line for each thing tried; docs/registry.md has the result.

    bench/registry/peers.py [--platter PROGRAM] [--peers FOLDER]

FOLDER has cosign 2, oras 1.2 and skopeo 1.18, as in Debian 13; else those of PATH are taken. About a minute."""

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Failed(Exception):
    pass


class Peers:
    def __init__(self, folder, platter, peers):
        self.folder, self.platter_program, self.peers, self.done = folder, platter, peers, []
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.host = f"127.0.0.1:{listener.getsockname()[1]}"
        self.repository = f"{self.host}/storage/drives"
        self.environment = dict(os.environ, COSIGN_PASSWORD="", HOME=folder, XDG_CONFIG_HOME=folder + "/config",
                                XDG_DATA_HOME=folder + "/data")

    def serve(self):
        config = os.path.join(self.folder, "config.yml")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"version": "0.1", "log": {"level": "error"},
                       "storage": {"filesystem": {"rootdirectory": self.folder + "/served"}},
                       "http": {"addr": self.host}}, file)
        program = shutil.which("docker-registry") or os.path.join(ROOT, "build/tools/usr/bin/docker-registry")
        server = subprocess.Popen([program, "serve", config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(100):
            try:
                urllib.request.urlopen(f"http://{self.host}/v2/", timeout=5).close()
                return server
            except OSError:
                time.sleep(0.1)
        raise Failed("docker-registry does not answer")

    def program(self, name):
        own = os.path.join(self.peers or "/nonexistent", name)
        found = own if os.path.exists(own) else shutil.which(name)
        if not found:
            raise Failed(f"there is no {name}; name its folder with --peers")
        return found

    def run(self, *command):
        program = self.platter_program if command[0] == "platter" else self.program(command[0])
        return subprocess.run([program, *command[1:]], cwd=self.folder, env=self.environment, capture_output=True,
                              text=True, check=False, timeout=300)

    def does(self, *command):
        done = self.run(*command)
        if done.returncode != 0:
            raise Failed(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout + done.stderr

    def holds(self, what, true):
        print(("yes  " if true else "NO   ") + what)
        self.done.append(bool(true))

    def refuses(self, what, words, *command):
        done = self.run(*command)
        said = done.stdout + done.stderr
        self.holds(what, done.returncode != 0 and words in said)
        if done.returncode == 0 or words not in said:
            print("     " + said.strip()[-300:])

    def publish(self, name):
        self.does("platter", "truth", "virtual:" + name, "-o", name + ".json")
        return self.does("platter", "publish", name + ".json").split()[0]

    def with_cosign(self, signed, unsigned):
        """Signed by platter, verified by cosign; and the other way round."""
        at = lambda reference: f"{self.repository}:{reference.replace(':', '.')}"
        verify = ("cosign", "verify", "--key", "me.pub", "--insecure-ignore-tlog", "--allow-insecure-registry")
        said = self.does(*verify, at(signed))
        self.holds("cosign verifies what platter signed", "docker-manifest-digest" in said)
        self.refuses("cosign refuses what nobody signed", "no signatures", *verify, at(unsigned))
        self.does("cosign", "generate-key-pair", "--output-key-prefix", "theirs")
        self.does("cosign", "sign", "--key", "theirs.key", "--tlog-upload=false", "--allow-insecure-registry", "--yes",
                  at(unsigned))
        self.does("platter", "registry", "trust", "add", "them", "theirs.pub")
        pulled = self.does("platter", "registry", "pull", "lab/" + unsigned.replace(":", "."), "-o", "pulled.json",
                           "--require-signature")
        self.holds("platter verifies what cosign signed", "signed by them" in pulled)
        self.does("cosign", "sign", "--key", "theirs.key", "--tlog-upload=false", "--allow-insecure-registry", "--yes",
                  at(signed))
        self.holds("a second signature leaves the first", "docker-manifest-digest" in self.does(*verify, at(signed)))

    def with_policy(self, signed, unsigned):
        """containers-policy.json(5) and containers-registries.d(5), as skopeo and podman obey them."""
        os.makedirs(self.folder + "/registries.d", exist_ok=True)
        with open(self.folder + "/registries.d/lab.yaml", "w", encoding="utf-8") as file:
            json.dump({"docker": {self.host: {"use-sigstore-attachments": True}}}, file)
        with open(self.folder + "/policy.json", "w", encoding="utf-8") as file:
            rule = {"type": "sigstoreSigned", "keyPath": self.folder + "/me.pub",
                    "signedIdentity": {"type": "matchRepository"}}
            json.dump({"default": [{"type": "reject"}], "transports": {"docker": {self.repository: [rule]}}}, file)
        copy = lambda reference, to: ("skopeo", "--policy", "policy.json", "--registries.d", "registries.d", "copy",
                                      "--src-tls-verify=false", "docker://" + self.repository + ":" +
                                      reference.replace(":", "."), "oci:" + to + ":x")
        self.does(*copy(signed, "taken"))
        self.holds("skopeo's policy sigstoreSigned takes what platter signed", os.path.exists(self.folder + "/taken"))
        self.refuses("skopeo's policy sigstoreSigned rejects what nobody signed", "signature was required",
                     *copy(unsigned, "rejected"))

    def with_oras(self, signed):
        tags = self.does("oras", "repo", "tags", "--plain-http", self.repository)
        self.holds("oras lists the entry", signed.replace(":", ".") in tags.split())
        self.does("oras", "pull", "--plain-http", "-o", "by-oras", self.repository + ":" + signed.replace(":", "."))
        self.does("platter", "registry", "pull", signed, "-o", "own.json")
        with open(self.folder + "/by-oras/model.json", encoding="utf-8") as theirs, \
             open(self.folder + "/own.json", encoding="utf-8") as own:
            self.holds("oras pulls the model, byte for byte", theirs.read().strip() == own.read().strip())

    def all(self):
        self.does("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "me.ec")
        self.does("openssl", "pkcs8", "-topk8", "-nocrypt", "-in", "me.ec", "-out", "me.pem")
        self.does("openssl", "ec", "-in", "me.ec", "-pubout", "-out", "me.pub")
        signed, unsigned = self.publish("quantum-atlas10k"), self.publish("hp-c2247")
        self.does("platter", "registry", "remote", "add", "lab", "oci://" + self.repository, "--key", "me.pub",
                  "--plain-http")
        self.does("platter", "registry", "push", signed, "lab", "--sign", "me.pem")
        self.does("platter", "registry", "push", unsigned, "lab")
        self.with_policy(signed, unsigned)
        self.with_oras(signed)
        self.with_cosign(signed, unsigned)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platter", default=os.path.join(ROOT, "build/release/platter"))
    parser.add_argument("--peers", help="the folder of cosign, oras and skopeo")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        peers = Peers(folder, os.path.abspath(arguments.platter), arguments.peers)
        try:
            server = peers.serve()
            try:
                peers.all()
            finally:
                server.terminate()
                server.wait()
        except Failed as failed:
            sys.exit(f"peers: {failed}")
    sys.exit(0 if all(peers.done) else 1)


if __name__ == "__main__":
    main()
