#!/usr/bin/env python3
"""A remote's index of many made-up entries, written here without platter: its size, and what refreshing it takes, the
first time and after one entry more. Bytes are those that docker-registry says it sent. Needs skopeo, zstd, openssl.

    bench/registry/remote_index.py --platter build/release/platter [--entries 100000] [--signed]
"""

import argparse
import base64
import hashlib
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/registry"))
from oci_server import free_port  # noqa: E402

DIGITS = "0123456789abcdef"


def canonical(document):
    return json.dumps(document, separators=(",", ":"), sort_keys=True).encode()


def made_up_digest(chance):
    return f"sha256:{chance.getrandbits(256):064x}"


def entry(number, chance, signed, place):
    vendor = chance.choice(["seagate", "hgst", "wdc", "toshiba", "quantum", "ibm"])
    product, serial = f"ST{chance.randrange(400)}NM{chance.randrange(10)}", f"{chance.getrandbits(40):08X}"
    rpm, blocks = chance.choice([5400, 5900, 7200, 10000, 15000]), chance.randrange(10**8, 10**10)
    demerits = [{"workload": name, "requests": 5000, "relative": round(chance.uniform(0.001, 0.1), 6)}
                for name in ("random", "sequential")]
    line = {"tag": f"{vendor}-{product}-{serial}-{number}.v1".lower(), "digest": made_up_digest(chance),
            "files": ["model.json", "model.ptab"],
            "annotations": {"org.opencontainers.image.title": f"{vendor} {product}",
                            "org.opencontainers.image.created": f"2026-0{chance.randrange(1, 10)}-11T10:{chance.randrange(10, 60)}:00Z",
                            "vnd.platter.drive": made_up_digest(chance), "vnd.platter.vendor": vendor,
                            "vnd.platter.product": product, "vnd.platter.revision": f"SN{chance.randrange(10, 99)}",
                            "vnd.platter.serial": serial, "vnd.platter.blocks": str(blocks),
                            "vnd.platter.block_bytes": "512", "vnd.platter.method": "characterized",
                            "vnd.platter.rpm": f"{rpm}.{chance.randrange(10)}", "vnd.platter.tool_version": "0.1.0",
                            "vnd.platter.demerits": json.dumps(demerits, separators=(",", ":"))}}
    if signed:
        payload = {"critical": {"identity": {"docker-reference": place},
                                "image": {"docker-manifest-digest": line["digest"]},
                                "type": "cosign container image signature"}, "optional": {"creator": "platter"}}
        line["signatures"] = [{"payload": canonical(payload).decode(),
                               "signature": base64.b64encode(chance.randbytes(71)).decode()}]
    return line


class Layout:
    def __init__(self, folder):
        self.folder, self.tags = folder, {}
        os.makedirs(folder + "/blobs/sha256")
        with open(folder + "/oci-layout", "w", encoding="utf-8") as file:
            file.write('{"imageLayoutVersion":"1.0.0"}')

    def put(self, content, kind, **annotations):
        hexadecimal = hashlib.sha256(content).hexdigest()
        with open(f"{self.folder}/blobs/sha256/{hexadecimal}", "wb") as file:
            file.write(content)
        described = {"mediaType": kind, "digest": "sha256:" + hexadecimal, "size": len(content)}
        return dict(described, annotations=annotations["annotations"]) if annotations else described

    def tag(self, name, manifest):
        self.tags[name] = dict(manifest, annotations={"org.opencontainers.image.ref.name": name})
        with open(self.folder + "/index.json", "wb") as file:
            file.write(canonical({"schemaVersion": 2, "manifests": list(self.tags.values())}))


MANIFEST = "application/vnd.oci.image.manifest.v1+json"


def write_index(layout, lines, number, place):
    parts = {digit: [] for digit in DIGITS}
    for line in lines:
        parts[line["annotations"]["vnd.platter.drive"][7]].append(line)
    layers = []
    for digit in DIGITS:
        text = b"".join(canonical(line) + b"\n" for line in sorted(parts[digit], key=lambda line: line["tag"]))
        packed = subprocess.run(["zstd", "-19", "-T2", "-q", "-c"], input=text, capture_output=True, check=True).stdout
        layers.append(layout.put(packed, "application/vnd.platter.index.entries.v1+zstd",
                                 annotations={"vnd.platter.drive": digit}))
    manifest = layout.put(canonical({
        "schemaVersion": 2, "mediaType": MANIFEST, "artifactType": "application/vnd.platter.index.v1",
        "config": layout.put(b"{}", "application/vnd.platter.index.config.v1+json"), "layers": layers,
        "annotations": {"vnd.platter.index.number": str(number), "vnd.platter.index.entries": str(len(lines)),
                        "org.opencontainers.image.created": "2026-01-02T03:04:05Z"}}), MANIFEST)
    layout.tag("index", manifest)
    payload = canonical({"critical": {"identity": {"docker-reference": place},
                                      "image": {"docker-manifest-digest": manifest["digest"]},
                                      "type": "cosign container image signature"}, "optional": {}})
    signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", layout.folder + "/../key.pem"], input=payload,
                               capture_output=True, check=True).stdout
    layer = layout.put(payload, "application/vnd.dev.cosign.simplesigning.v1+json", annotations={
        "dev.cosignproject.cosign/signature": base64.b64encode(signature).decode()})
    signed = layout.put(canonical({"schemaVersion": 2, "mediaType": MANIFEST, "layers": [layer],
                                   "config": layout.put(b"{}", "application/vnd.oci.image.config.v1+json")}), MANIFEST)
    layout.tag(manifest["digest"].replace(":", "-") + ".sig", signed)
    for tag in layout.tags:
        subprocess.run(["skopeo", "copy", "-q", "--dest-tls-verify=false", f"oci:{layout.folder}:{tag}",
                        f"docker://{place}:{tag}"], check=True)
    return sum(layer["size"] for layer in layers)


def bytes_sent(log):
    with open(log, encoding="utf-8", errors="replace") as file:
        return sum(int(size) for size in re.findall(r'"GET \S+ HTTP/1.1" 200 (\d+)', file.read()))


def measure(options, folder):
    place = f"127.0.0.1:{free_port()}/drives"
    with open(folder + "/config.yml", "w", encoding="utf-8") as file:
        json.dump({"version": "0.1", "log": {"level": "error"}, "http": {"addr": place.partition("/")[0]},
                   "storage": {"filesystem": {"rootdirectory": folder + "/served"}}}, file)
    with open(folder + "/log", "w", encoding="utf-8") as log:
        server = subprocess.Popen(["docker-registry", "serve", folder + "/config.yml"], stdout=log,
                                  stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                urllib.request.urlopen(f"http://{place.partition('/')[0]}/v2/", timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)
        subprocess.run("openssl ecparam -genkey -name prime256v1 -noout -out key.pem && "
                       "openssl pkey -in key.pem -pubout -out key.pub", shell=True, cwd=folder, check=True)
        platter = [os.path.abspath(options.platter), "registry"]
        home = ["--registry", folder + "/home"]
        subprocess.run([*platter, "remote", "add", "lab", "oci://" + place, "--key", folder + "/key.pub",
                        "--plain-http", *home], check=True)
        chance, layout = random.Random(1), Layout(folder + "/layout")
        lines = [entry(number, chance, options.signed, place) for number in range(options.entries)]
        for number, what in ((1, "first refresh"), (2, "with one entry more"), (2, "with none")):
            size = write_index(layout, lines, number, place)
            before, begun, used = bytes_sent(folder + "/log"), time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run([*platter, "refresh", "lab", "--json", *home], capture_output=True, text=True,
                                  check=False)
            if done.returncode:
                raise SystemExit(done.stderr)
            wall, after = time.time() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
            said = json.loads(done.stdout)
            print(f"{what}: index {size / 1e6:.2f} MB, {said['entries']} entries, {said['changed_parts']} parts new, "
                  f"{(bytes_sent(folder + '/log') - before) / 1e6:.3f} MB sent, {wall:.1f} s, CPU {cpu:.1f} s", flush=True)
            if number == 1:
                lines.append(entry(options.entries, chance, options.signed, place))
    finally:
        server.terminate()
        server.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platter", required=True)
    parser.add_argument("--entries", type=int, default=100000)
    parser.add_argument("--signed", action="store_true", help="each entry bears a signature")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(options, folder)


if __name__ == "__main__":
    main()
