#!/usr/bin/env python3
"""make_folder.py N DIR [--seed S] [--damaged K]: a registry folder of N entries, as publish would have made them.

The models are those of virtual drives with another identity, method, date and demerits for each; what the map and the
rotation say stays. Two runs make the same bytes. PLATTER_BINARY names the program that writes the first model (else `platter`).
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
ARTIFACT = "application/vnd.platter.drive.v1"
CONFIG = "application/vnd.platter.drive.config.v1+json"
MODEL = "application/vnd.platter.model.v1+json"
VENDORS = (("SEAGATE", "ST{}NM00{:02d}", "SN"), ("HGST", "HUS72{}ALE6{:02d}", "A"), ("WDC", "WD{}FYYZ-01U{:02d}", "01.01"),
           ("TOSHIBA", "MG04ACA{}{:02d}", "FK"), ("IBM", "DNES-{}{:02d}", "SA"), ("QUANTUM", "ATLAS10K{}-{:02d}", "UC"),
           ("FUJITSU", "MAS{}{:02d}NP", "0"))
WORKLOADS = ("random", "sequential", "tpcc", "financial1", "websearch1")
DRIVES = ("quantum-atlas10k", "seagate-cheetah9lp", "seagate-barracuda4lp", "ibm-ultrastar18es", "hp-c2247")


def canonical(value):
    """RFC 8785, for documents whose numbers Python writes as ECMAScript does."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


class Folder:
    def __init__(self, path):
        self.path = path
        self.blobs = os.path.join(path, "blobs", "sha256")
        os.makedirs(self.blobs)
        os.makedirs(os.path.join(path, "drives"))

    def put(self, media_type, content, **annotations):
        name = digest(content)
        with open(os.path.join(self.blobs, name[7:]), "wb") as file:
            file.write(content)
        descriptor = {"mediaType": media_type, "digest": name, "size": len(content)}
        if annotations:
            descriptor["annotations"] = {key.replace("_", "."): value for key, value in annotations.items()}
        return descriptor

    def layout(self, drive, manifest):
        folder = os.path.join(self.path, "drives", drive)
        os.mkdir(folder)
        os.symlink("../../blobs", os.path.join(folder, "blobs"))
        with open(os.path.join(folder, "oci-layout"), "wb") as file:
            file.write(b'{"imageLayoutVersion":"1.0.0"}')
        entries = [dict(manifest, artifactType=ARTIFACT, annotations={"org.opencontainers.image.ref.name": tag})
                   for tag in ("v1", "latest")]
        index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": entries,
                 "annotations": {"vnd.platter.tag.v1": manifest["digest"]}}
        with open(os.path.join(folder, "index.json"), "wb") as file:
            file.write(canonical(index))


class Base:
    """A virtual drive's model in canonical form, member by member as text, and the annotations that publish gives it."""

    def __init__(self, drive, scratch):
        platter = os.environ.get("PLATTER_BINARY", "platter")

        def run(*words):
            return subprocess.run((platter, *words), check=True, capture_output=True, text=True).stdout

        model, registry = scratch + ".model.json", scratch + ".registry"
        run("truth", f"virtual:{drive}", "-o", model)
        reference = run("publish", model, "--registry", registry).split()[0]
        text = run("registry", "pull", reference, "--registry", registry).strip()
        self.annotations = json.loads(run("registry", "show", reference, "--registry", registry, "--json"))["annotations"]
        self.model = json.loads(text)
        self.members = {}
        decoder, at = json.JSONDecoder(), 1
        while text[at - 1] != "}":
            name, at = decoder.raw_decode(text, at)
            begin = at + 1
            _, at = decoder.raw_decode(text, begin)
            self.members[name] = text[begin:at]
            at += 1
        os.remove(model)
        shutil.rmtree(registry)

    def text(self, **changed):
        members = dict(self.members, **{name: canonical(value).decode() for name, value in changed.items()})
        return ("{" + ",".join(f'"{name}":{members[name]}' for name in sorted(members)) + "}").encode()


def figure(chosen, least, most):
    """That Python and ECMAScript write alike: 8, not 8.0."""
    number = round(chosen.uniform(least, most), 3)
    return int(number) if number == int(number) else number


def entries(count, seed, bases):
    chosen = random.Random(seed)
    for number in range(count):
        base = chosen.choice(bases)
        model = base.model
        vendor, form, firmware = chosen.choice(VENDORS)
        size = chosen.choice((300, 450, 600, 1000, 2000, 3000, 4000, 6000, 8000))
        identity = dict(model["identity"], vendor=vendor, product=form.format(size, chosen.randrange(40)),
                        revision=f"{firmware}{chosen.randrange(10):02d}",
                        serial=f"{chosen.choice('ZWKS')}{number:06d}{chosen.randrange(36 ** 2):03X}")
        identity["name"] = f"{vendor} {identity['product']}"
        method = chosen.choices(("characterized", "imported"), (4, 1))[0]
        date = f"20{chosen.randrange(20, 27)}-{chosen.randrange(1, 13):02d}-{chosen.randrange(1, 29):02d}T12:00:00Z"
        demerits = [{"workload": workload, "requests": 10000, "drive_mean_ms": 8,
                     "demerit_ms": figure(chosen, 0.05, 0.9),
                     "demerit_percent": figure(chosen, 0.6, 9), "folded_phase_share": 0.93}
                    for workload in WORKLOADS[:chosen.choice((0, 1, 1, 2, 5))]]
        changed = {"identity": identity, "provenance": dict(model["provenance"], method=method, date=date),
                   "validity": dict(model["validity"], demerits=demerits)}
        said = {key: value for key, value in base.annotations.items() if key != "vnd.platter.standing"}
        said.update({"org.opencontainers.image.title": identity["name"], "org.opencontainers.image.created": date,
                     "vnd.platter.vendor": vendor, "vnd.platter.product": identity["product"],
                     "vnd.platter.revision": identity["revision"], "vnd.platter.serial": identity["serial"],
                     "vnd.platter.method": method,
                     "vnd.platter.drive": digest(canonical([vendor, identity["product"], identity["serial"], ""]))})
        if demerits:
            said["vnd.platter.demerits"] = canonical(
                [{key: value for key, value in demerit.items() if key != "drive_mean_ms"}
                 for demerit in demerits]).decode()
        words = f"{vendor} {identity['product']} {identity['serial']}".lower()
        yield "".join(c if c.isalnum() else "-" for c in words), base.text(**changed), said


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--damaged", type=int, default=0, help="the manifests of so many are cut short")
    options = parser.parse_args()
    bases = [Base(drive, options.folder.rstrip("/")) for drive in DRIVES]
    folder = Folder(options.folder)
    folder.put(CONFIG, b"{}")
    for number, (drive, made, said) in enumerate(entries(options.count, options.seed, bases)):
        layer = folder.put(MODEL, made, org_opencontainers_image_title="model.json")
        manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "artifactType": ARTIFACT,
                    "config": {"mediaType": CONFIG, "digest": digest(b"{}"), "size": 2}, "layers": [layer],
                    "annotations": said}
        descriptor = folder.put(MANIFEST, canonical(manifest))
        folder.layout(drive, descriptor)
        if number < options.damaged:
            os.truncate(os.path.join(folder.blobs, descriptor["digest"][7:]), 10)


if __name__ == "__main__":
    main()
