#!/usr/bin/env python3
"""Published models go to an OCI registry (Debian's docker-registry, here on 127.0.0.1 only) through
skopeo and come back: same digests, and the registry that they come back to verifies."""

import hashlib
import json
import os
import subprocess

from oci_server import PLATTER, WithOciServer, main


class ThroughAnOciRegistry(WithOciServer):
    def publish_two_versions(self):
        self.platter("truth", "virtual:quantum-atlas10k", "-o", "one.json")
        with open(self.folder + "/one.json", encoding="utf-8") as file:
            model = json.load(file)
        model["seek"]["points"][-1]["time_ms"] += 0.125
        with open(self.folder + "/two.json", "w", encoding="utf-8") as file:
            json.dump(model, file)
        with open(self.folder + "/report.html", "w", encoding="utf-8") as file:
            file.write("<html></html>")
        return [json.loads(self.platter("publish", name, "--attach", "report.html", "--registry", "home", "--json"))
                for name in ("one.json", "two.json")]

    def test_there_and_back(self):
        first, second = self.publish_two_versions()
        drive = first["reference"].rpartition(":")[0]
        remote = f"docker://{self.host}/drives/{drive}"
        for tag in ("v1", "v2", "latest"):
            self.skopeo("copy", "-q", f"oci:home/drives/{drive}:{tag}", f"{remote}:{tag}",
                        "--dest-tls-verify=false")
        for tag, published in (("v1", first), ("v2", second), ("latest", second)):
            raw = self.skopeo("inspect", "--raw", "--tls-verify=false", f"{remote}:{tag}")
            self.assertEqual(json.loads(raw)["artifactType"], "application/vnd.platter.drive.v1")
            digest = "sha256:" + hashlib.sha256(raw.encode()).hexdigest()
            self.assertEqual(digest, published["digest"])

        # into a new registry with a layout of skopeo's own, and with blobs shared
        os.makedirs(self.folder + "/plain/drives")
        os.makedirs(self.folder + "/shared/drives")
        os.makedirs(self.folder + "/shared/blobs/sha256")
        for home, options in (("plain", []), ("shared", ["--dest-shared-blob-dir", "shared/blobs"])):
            for tag in ("v1", "v2"):
                self.skopeo("copy", "-q", "--src-tls-verify=false", *options, f"{remote}:{tag}",
                            f"oci:{home}/drives/{drive}:{tag}")
            self.platter("registry", "verify", "--registry", home)
            listed = json.loads(self.platter("registry", "list", "--registry", home, "--json"))
            self.assertEqual([(entry["reference"], entry["digest"]) for entry in listed["models"]],
                             [(one["reference"], one["digest"]) for one in (first, second)])
            self.platter("registry", "pull", second["reference"], "-o", "pulled.json",
                         "--files", "pulled", "--registry", home)
            self.platter("diff", "two.json", "pulled.json")
            self.assertEqual(os.listdir(self.folder + "/pulled"), ["report.html"])
            again = json.loads(self.platter("publish", "pulled.json", "--attach", "report.html", "--registry", home,
                                            "--json"))
            self.assertEqual((again["digest"], again["added"]), (second["digest"], False))

    def test_a_version_that_was_lost_comes_back(self):
        first, second = self.publish_two_versions()
        drive = first["reference"].rpartition(":")[0]
        remote = f"docker://{self.host}/{drive}:v1"
        self.skopeo("copy", "-q", f"oci:home/drives/{drive}:v1", remote, "--dest-tls-verify=false")
        os.remove(self.folder + "/home/blobs/sha256/" + first["model_digest"].partition(":")[2])
        done = subprocess.run([PLATTER, "registry", "verify", "--registry", self.folder + "/home"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 6)
        self.assertIn(first["model_digest"].partition(":")[2], done.stdout)
        self.skopeo("copy", "-q", "--src-tls-verify=false", remote, f"oci:home/drives/{drive}:v1")
        self.platter("registry", "verify", "--registry", "home")
        self.assertEqual(json.loads(self.platter("registry", "show", drive, "--registry", "home",
                                                 "--json"))["digest"], second["digest"])


if __name__ == "__main__":
    main("skopeo", "docker-registry")
