#!/usr/bin/env python3
"""Models go to a remote and come to somebody else, signed; who changes something on the way is found out."""

import base64
import glob
import hashlib
import json
import os
import sqlite3
import shutil
import subprocess
import sys

from oci_server import PLATTER, WithOciServer, main

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli"))
from schemas import faults  # noqa: E402  pylint: disable=wrong-import-position

REFUSED, BAD_INPUT = 5, 6


def checked(text):
    """What a JSON text says, held against its schema."""
    document = json.loads(text)
    wrong = faults(document["schema"]["name"], document)
    assert not wrong, wrong
    return document


class Remote(WithOciServer):
    def setUp(self):
        super().setUp()
        os.environ["XDG_CONFIG_HOME"] = self.folder + "/config"
        for name in ("me", "curator", "stranger"):
            self.run_program("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256",
                             "-out", name + ".pem")
            self.run_program("openssl", "pkey", "-in", name + ".pem", "-pubout", "-out", name + ".pub")
        self.place = self.host + "/storage/drives"
        for home in ("mine", "yours"):
            self.platter("registry", "remote", "add", "lab", "oci://" + self.place, "--key", "curator.pub",
                         "--plain-http", "--registry", home)
        self.platter("truth", "virtual:quantum-atlas10k", "-o", "one.json")
        with open(self.folder + "/report.html", "w", encoding="utf-8") as file:
            file.write("<html></html>")
        self.published = self.publish("one.json", "--attach", "report.html")
        self.drive = self.published["reference"].partition(":")[0]

    def publish(self, *files, home="mine"):
        return json.loads(self.platter("publish", *files, "--registry", home, "--json"))

    def variant(self, name, more_ms):
        with open(self.folder + "/one.json", encoding="utf-8") as file:
            model = json.load(file)
        model["seek"]["points"][-1]["time_ms"] += more_ms
        with open(self.folder + "/" + name, "w", encoding="utf-8") as file:
            json.dump(model, file)
        return name

    def registry(self, *arguments, home="mine"):
        return self.platter("registry", *arguments, "--registry", home)

    def refused(self, status, sentence, *arguments, home="yours"):
        done = subprocess.run([PLATTER, "registry", *arguments, "--registry", home], capture_output=True,
                              text=True, timeout=120, check=False, cwd=self.folder)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(sentence, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)

    def pull(self, tag, *options):
        done = subprocess.run([PLATTER, "registry", "pull", "lab/" + tag, "-o", "pulled.json", "--force", *options,
                               "--registry", "yours"], capture_output=True, text=True, timeout=120, check=False,
                              cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def push(self, *options):
        return checked(self.registry("push", *options, "--json"))["entries"]

    def signature_tag(self, digest=None):
        return (digest or self.published["digest"]).replace(":", "-") + ".sig"

    def served_blob(self, digest):
        hexadecimal = digest.partition(":")[2]
        return f"{self.folder}/served/docker/registry/v2/blobs/sha256/{hexadecimal[:2]}/{hexadecimal}/data"

    def served_raw(self, tag):
        return self.skopeo("inspect", "--raw", "--tls-verify=false", f"docker://{self.place}:{tag}").encode()

    def test_push_and_pull_as_somebody_else(self):
        self.platter("registry", "trust", "add", "me", "me.pub")
        pushed = self.push(self.published["reference"], "lab", "--sign", "me.pem")
        self.assertEqual(pushed, [{"reference": f"lab/{self.drive}.v1", "digest": self.published["digest"],
                                   "sent": True, "signatures_sent": True}])
        again = self.push("--all", "lab")
        self.assertEqual([(one["sent"], one["signatures_sent"]) for one in again], [(False, False)])

        said = self.pull(self.drive + ".v1", "--files", "files", "--require-signature")
        self.assertIn(f"is signed by me; here it is {self.drive}:v1", said)
        self.platter("diff", "one.json", "pulled.json")
        self.assertEqual(os.listdir(self.folder + "/files"), ["report.html"])
        shown = checked(self.registry("show", self.drive, "--json", home="yours"))
        self.assertEqual(shown["digest"], self.published["digest"])
        self.registry("verify", home="yours")
        self.assertIn("signed by me", self.pull(self.drive + ".v1"))  # again: nothing is added
        self.registry("pull", self.drive + ".v1", "-o", "local.json", "--require-signature", home="yours")

    def test_skopeo_and_openssl_alone(self):
        self.push(self.published["reference"], "lab", "--sign", "me.pem")
        tags = json.loads(self.skopeo("list-tags", "--tls-verify=false", "docker://" + self.place))["Tags"]
        self.assertEqual(sorted(tags), sorted([self.drive + ".v1", self.signature_tag()]))
        raw = self.served_raw(self.drive + ".v1")
        self.assertEqual("sha256:" + hashlib.sha256(raw).hexdigest(), self.published["digest"])
        self.skopeo("copy", "-q", "--src-tls-verify=false", f"docker://{self.place}:{self.signature_tag()}",
                    "dir:signatures")
        with open(self.folder + "/signatures/manifest.json", encoding="utf-8") as file:
            layer = json.load(file)["layers"][0]
        with open(self.folder + "/signature", "wb") as file:
            file.write(base64.b64decode(layer["annotations"]["dev.cosignproject.cosign/signature"]))
        payload = "signatures/" + layer["digest"].partition(":")[2]
        self.assertIn("Verified OK", self.run_program("openssl", "dgst", "-sha256", "-verify", "me.pub", "-signature",
                                                      "signature", payload))
        with open(os.path.join(self.folder, payload), encoding="utf-8") as file:
            critical = json.load(file)["critical"]
        self.assertEqual(critical["image"]["docker-manifest-digest"], self.published["digest"])
        self.assertEqual(critical["identity"]["docker-reference"], self.place)

    def test_a_second_signature_joins_the_first(self):
        for name in ("me", "stranger"):
            self.platter("registry", "trust", "add", name, name + ".pub")
        self.push(self.published["reference"], "lab", "--sign", "me.pem")
        self.pull(self.drive + ".v1")
        self.registry("sign", self.drive, "--key", "stranger.pem", home="yours")
        self.registry("push", self.drive, "lab", home="yours")
        self.assertIn("signed by me and stranger", self.pull(self.drive + ".v1"))
        # who has not seen the second does not take it away
        self.assertFalse(self.push(self.published["reference"], "lab")[0]["signatures_sent"])
        self.assertIn("signed by me and stranger", self.pull(self.drive + ".v1"))

    # holds: registry.md: with `--require-signature`
    def test_an_unsigned_entry_and_one_of_a_stranger(self):
        self.platter("registry", "trust", "add", "me", "me.pub")
        self.push(self.published["reference"], "lab")
        tag = f"lab/{self.drive}.v1"
        self.refused(REFUSED, "is unsigned, and a signature by a trusted key is required", "pull", tag, "-o",
                     "refused.json", "--require-signature")
        self.add_again()
        self.assertIn("is unsigned", self.pull(self.drive + ".v1"))
        self.push(self.published["reference"], "lab", "--sign", "stranger.pem")
        self.refused(REFUSED, "is signed by an unknown key, and", "pull", tag, "-o", "refused.json",
                     "--require-signature")
        self.assertFalse(os.path.exists(self.folder + "/refused.json"))
        self.assertIn("signed by an unknown key", self.pull(self.drive + ".v1"))
        self.registry("remote", "remove", "lab", home="yours")
        self.registry("remote", "add", "lab", "oci://" + self.place, "--plain-http", "--require-signature",
                      home="yours")
        self.refused(REFUSED, "is required", "pull", tag, "-o", "refused.json")

    # holds: registry.md: with `--require-signature`
    def test_a_signature_of_another_digest(self):
        self.platter("registry", "trust", "add", "me", "me.pub")
        other = self.publish(self.variant("two.json", 0.125))
        self.push(self.published["reference"], "lab", "--sign", "me.pem")
        self.push(other["reference"], "lab")
        self.skopeo("copy", "-q", "--src-tls-verify=false", "--dest-tls-verify=false",
                    f"docker://{self.place}:{self.signature_tag()}",
                    f"docker://{self.place}:{self.signature_tag(other['digest'])}")
        self.refused(REFUSED, "a signature of another digest", "pull", f"lab/{self.drive}.v2", "-o", "refused.json",
                     "--require-signature")

    def refused_where_changed(self, tag, digest, words, status, sentence):
        with open(self.served_blob(digest), "rb+") as file:
            whole = file.read()
            file.seek(whole.index(words.encode()))
            file.write(b"1" if words.startswith("0") else b"0")
        self.refused(status, sentence, "pull", tag, "-o", "refused.json")
        with open(self.served_blob(digest), "wb") as file:
            file.write(whole)

    # holds: registry.md: what is damaged
    def test_what_was_changed_on_the_server(self):
        self.platter("registry", "trust", "add", "me", "me.pub")
        self.push(self.published["reference"], "lab", "--sign", "me.pem")
        manifest = json.loads(self.served_raw(self.drive + ".v1"))
        signatures = json.loads(self.served_raw(self.signature_tag()))
        tag = f"lab/{self.drive}.v1"
        layer, annotation = manifest["layers"][0]["digest"], manifest["annotations"]["vnd.platter.vendor"]
        payload = signatures["layers"][0]["digest"]
        damaged = ((layer, "identity", 10, "skopeo ended with status"),
                   (self.published["digest"], layer[-8:], 10, "skopeo ended with status"),
                   (self.published["digest"], annotation, BAD_INPUT, "is damaged there, and not pulled"),
                   (payload, "docker-manifest-digest", 10, "skopeo ended with status"))
        self.add_again()
        for row in damaged:
            self.refused_where_changed(tag, *row)
        self.add_again("--key", "curator.pub")
        for digest, words, status, sentence in damaged:
            if digest == self.published["digest"]:  # another manifest, which nobody signed
                status, sentence = REFUSED, "is unsigned, and no index"
            self.refused_where_changed(tag, digest, words, status, sentence)
        self.assertEqual(glob.glob(self.folder + "/yours/blobs/sha256/*"), [])
        self.assertIn("signed by me", self.pull(self.drive + ".v1", "--require-signature"))

    # holds: registry.md: what is damaged
    def test_a_model_of_another_drive_under_a_name(self):
        self.push(self.published["reference"], "lab", "--sign", "curator.pem")
        self.skopeo("copy", "-q", "--src-tls-verify=false", "--dest-tls-verify=false",
                    f"docker://{self.place}:{self.drive}.v1", f"docker://{self.place}:some-other-drive.v1")
        self.refused(REFUSED, "is a model of another drive", "pull", "lab/some-other-drive.v1", "-o", "refused.json")
        self.assertEqual(glob.glob(self.folder + "/yours/drives/*"), [])

    def test_what_publish_would_refuse_is_told(self):
        with open(self.folder + "/one.json", encoding="utf-8") as file:
            model = json.load(file)
        model["identity"]["serial"] = "odd"
        model["seek"]["points"][0]["time_ms"] = 0
        with open(self.folder + "/odd.json", "w", encoding="utf-8") as file:
            json.dump(model, file)
        odd = self.publish("odd.json", "--force", "seek-positive")["reference"].replace(":", ".")
        self.push(odd, "lab", "--sign", "curator.pem")
        self.assertIn("publish would refuse it", self.pull(odd))

    def test_the_key_of_a_remote_counts_for_what_came_from_it(self):
        self.push(self.published["reference"], "lab", "--sign", "curator.pem")
        self.assertIn("signed by lab", self.pull(self.drive + ".v1"))
        self.registry("pull", self.drive, "-o", "local.json", "--require-signature", home="yours")
        listed = json.loads(self.registry("list", "--json", home="yours"))["models"]
        self.assertEqual([model["signature"] for model in listed], ["signed by lab"])

    # holds: registry.md: a tag that moved
    def test_a_tag_never_moves(self):
        self.push(self.published["reference"], "lab")
        shutil.copy(self.folder + "/mine/serial.key", self.folder + "/yours/serial.key")  # one stand-in for both
        theirs = self.publish(self.variant("two.json", 0.125), home="yours")
        self.assertEqual(theirs["reference"], self.published["reference"])
        self.refused(REFUSED, "tags never move", "push", theirs["reference"], "lab")
        self.assertEqual(hashlib.sha256(self.served_raw(self.drive + ".v1")).hexdigest(),
                         self.published["digest"].partition(":")[2])
        # v1 is another model here: what comes is the next version
        self.add_again()
        self.assertIn(f"here it is {self.drive}:v2", self.pull(self.drive + ".v1"))
        self.registry("verify", home="yours")

    def test_what_is_not_there(self):
        self.refused(BAD_INPUT, "is not there", "pull", "lab/nothing.v1", "-o", "refused.json")
        self.refused(BAD_INPUT, "is no remote", "pull", "nowhere/nothing.v1", "-o", "refused.json")
        self.refused(2, "names no model of a remote", "pull", "lab/nothing", "-o", "refused.json")
        self.refused(2, "names no repository", "remote", "add", "x", "https://example.org/drives")
        self.refused(REFUSED, "is the name of another remote", "remote", "add", "lab", "oci://example.org/drives")
        self.registry("remote", "add", "away", "oci://127.0.0.1:1/drives", "--plain-http", home="yours")
        self.refused(10, "connection refused", "pull", "away/nothing.v1", "-o", "refused.json")

    def assert_counts(self, answer, **expected):
        self.assertEqual({name: answer[name] for name in expected}, expected)

    def index(self):
        return checked(self.registry("index", "lab", "--key", "curator.pem", "--json"))

    def refresh(self, home="yours"):
        return checked(self.registry("refresh", "lab", "--json", home=home))

    def copy_tag(self, tag, to):
        self.skopeo("copy", "-q", "--src-tls-verify=false", "--dest-tls-verify=false",
                    f"docker://{self.place}:{tag}", f"docker://{self.place}:{to}")

    def known_entries(self, home="yours"):
        with sqlite3.connect(f"file:{self.folder}/{home}/remotes/lab/search.sqlite?mode=ro", uri=True) as table:
            return table.execute("SELECT count(*) FROM entries").fetchone()[0]

    def test_an_index_is_refreshed_part_by_part(self):
        self.platter("registry", "trust", "add", "me", "me.pub")
        self.push(self.published["reference"], "lab", "--sign", "me.pem")
        self.assert_counts(self.index(), number=1, entries=1, added=1)
        self.assert_counts(self.refresh(), number=1, entries=1, changed_parts=16, verified=True)
        self.assert_counts(self.refresh(), changed_parts=0, fetched_bytes=0)
        other = self.publish(self.variant("two.json", 0.125))
        self.push(other["reference"], "lab")
        self.assert_counts(self.index(), number=2, entries=2, added=1)
        self.assert_counts(self.refresh(), number=2, entries=2, changed_parts=1)
        self.assertEqual(self.known_entries(), 2)
        found = json.loads(self.registry("search", "atlas", "--rpm", "10k", "--json", home="yours"))["models"]
        self.assertEqual([(model["reference"], model["digest"], model["signature"]) for model in found],
                         [(f"lab/{self.drive}.v1", self.published["digest"], "signed by me"),
                          (f"lab/{self.drive}.v2", other["digest"], "unsigned")])
        self.assertEqual(json.loads(self.registry("search", "atlas", "--local", "--json", home="yours"))["models"], [])
        near = json.loads(self.registry("match", "virtual:quantum-atlas10k", "--json", home="yours"))["models"]
        self.assertEqual([(model["reference"], model["closeness"]) for model in near],
                         [(f"lab/{self.drive}.v2", "same product and firmware"),
                          (f"lab/{self.drive}.v1", "same product and firmware")])
        self.assertIn("is signed by me", self.pull(self.drive + ".v1"))

    # holds: registry.md: an old index
    def test_an_old_index(self):
        self.push(self.published["reference"], "lab")
        old = self.index()["digest"]
        self.copy_tag("index", "kept")
        self.assert_counts(self.index(), number=1, digest=old)  # it would say the same
        self.push(self.publish(self.variant("two.json", 0.125))["reference"], "lab")
        self.assert_counts(self.index(), number=2)
        self.assertEqual(self.refresh()["number"], 2)
        self.copy_tag("kept", "index")
        self.assertEqual("sha256:" + hashlib.sha256(self.served_raw("index")).hexdigest(), old)
        self.refused(REFUSED, "has the number 1, and 2 was seen before", "refresh", "lab")
        self.assertEqual(self.known_entries(), 2)
        # whoever has the key writes the next one, whatever lies under the tag
        self.assert_counts(self.index(), number=3)
        self.assertEqual(self.refresh()["number"], 3)
        self.copy_tag(self.drive + ".v1", "index")
        self.assert_counts(checked(self.registry("index", "lab", "--key", "curator.pem", "--above", "7", "--json")),
                           number=8, entries=2)
        self.assertEqual(self.refresh()["number"], 8)

    # holds: registry.md: another's index
    def test_an_index_of_another_remote_of_the_same_curator(self):
        self.push(self.published["reference"], "lab")
        self.index()
        tags = ("index", self.signature_tag("sha256:" + hashlib.sha256(self.served_raw("index")).hexdigest()))
        for tag in tags:  # through a folder: docker-registry may answer 500 where it is to mount a blob
            self.skopeo("copy", "-q", "--src-tls-verify=false", f"docker://{self.place}:{tag}", f"dir:{tag}")
            self.skopeo("copy", "-q", "--dest-tls-verify=false", f"dir:{tag}",
                        f"docker://{self.host}/storage/others:{tag}")
        self.registry("remote", "add", "other", f"oci://{self.host}/storage/others", "--key", "curator.pub",
                      "--plain-http", home="yours")
        self.refused(REFUSED, "is not signed by the key of other", "refresh", "other")

    def test_a_table_of_a_remote_that_was_damaged(self):
        self.push(self.published["reference"], "lab")
        self.index()
        self.refresh()
        for content in (b"", b"no table"):
            with open(self.folder + "/yours/remotes/lab/search.sqlite", "wb") as file:
                file.write(content)
            self.assert_counts(self.refresh(), changed_parts=0)
            self.assertEqual(self.known_entries(), 1)

    # holds: registry.md: another's index
    def test_an_index_by_somebody_else(self):
        self.push(self.published["reference"], "lab")
        self.refused(REFUSED, "the key is not that of the remote", "index", "lab", "--key", "stranger.pem")
        self.registry("remote", "remove", "lab")
        self.registry("remote", "add", "lab", "oci://" + self.place, "--key", "stranger.pub", "--plain-http")
        self.registry("index", "lab", "--key", "stranger.pem")
        self.refused(REFUSED, "is not signed by the key of lab but signed by an unknown key", "refresh", "lab")
        self.assertFalse(os.path.exists(self.folder + "/yours/remotes/lab/search.sqlite"))

    # holds: registry.md: with a key of the remote
    def test_an_index_that_was_changed_on_the_way(self):
        self.push(self.published["reference"], "lab")
        self.index()
        signed = self.served_raw("index")
        self.skopeo("copy", "-q", "--src-tls-verify=false", f"docker://{self.place}:index", "dir:index")
        with open(self.folder + "/index/manifest.json", "wb") as file:
            file.write(signed.replace(b'"vnd.platter.index.number":"1"', b'"vnd.platter.index.number":"9"'))
        self.skopeo("copy", "-q", "--dest-tls-verify=false", "dir:index", f"docker://{self.place}:index")
        self.refused(REFUSED, "is not signed by the key of lab but unsigned", "refresh", "lab")
        with open(self.folder + "/index/manifest.json", "wb") as file:
            file.write(signed)
        self.skopeo("copy", "-q", "--dest-tls-verify=false", "dir:index", f"docker://{self.place}:index")
        filled = max(json.loads(signed)["layers"], key=lambda layer: layer["size"])["digest"]
        with open(self.served_blob(filled), "rb+") as file:
            file.seek(30)
            file.write(b"#")
        self.refused(10, "skopeo ended with status", "refresh", "lab")

    # holds: registry.md: a tag that moved
    def test_a_tag_that_was_moved_behind_the_index(self):
        self.push(self.published["reference"], "lab")
        self.index()
        self.refresh()
        other = self.publish(self.variant("two.json", 0.125))
        self.push(other["reference"], "lab")
        self.copy_tag(self.drive + ".v2", self.drive + ".v1")
        self.refused(REFUSED, "was moved: the remote's index names", "pull", f"lab/{self.drive}.v1", "-o",
                     "refused.json")

    # holds: registry.md: of a remote with a key
    def test_an_entry_of_a_remote_with_a_key_that_nobody_vouches_for(self):
        self.push(self.published["reference"], "lab")
        self.index()
        tag = f"lab/{self.drive}.v1"
        no_index = "is unsigned, and no index that the key of lab signed and that was fetched here names it"
        self.refused(REFUSED, no_index, "pull", tag, "-o", "refused.json")
        self.refresh()
        self.assertIn("is unsigned", self.pull(self.drive + ".v1"))
        other = self.publish(self.variant("two.json", 0.125))
        self.push(other["reference"], "lab", "--sign", "stranger.pem")
        self.refused(REFUSED, "is signed by an unknown key, and no index", "pull", f"lab/{self.drive}.v2", "-o",
                     "refused.json")
        self.assertFalse(os.path.exists(self.folder + "/refused.json"))
        self.assertEqual(len(json.loads(self.registry("list", "--local", "--json", home="yours"))["models"]), 1)

    def add_again(self, *options, home="yours"):
        self.registry("remote", "remove", "lab", home=home)
        self.registry("remote", "add", "lab", "oci://" + self.place, "--plain-http", *options, home=home)

    # holds: registry.md: at the first contact
    def test_a_remote_that_nobody_has_pushed_to(self):
        self.refused(REFUSED, "is not there, and of a remote with a key nothing counts", "refresh", "lab")
        self.assert_counts(self.index(), number=1, entries=0)  # so a fleet may begin
        self.assert_counts(self.refresh(), number=1, entries=0, verified=True)

    def test_a_remote_without_a_key_that_nobody_has_pushed_to(self):
        self.add_again()
        self.assert_counts(self.refresh(), number=0, entries=0)

    # holds: registry.md: without a key
    def test_a_remote_without_an_index(self):
        self.push(self.published["reference"], "lab")
        self.add_again()
        self.assert_counts(self.refresh(), number=0, entries=1, verified=False)
        self.assertEqual(self.known_entries(), 1)
        self.index()
        self.assert_counts(self.refresh(), number=1, verified=False)

    def unsigned_index(self, number):
        """What anybody may push: the index that is there, with this number, and no signature."""
        self.skopeo("copy", "-q", "--src-tls-verify=false", f"docker://{self.place}:index", "dir:index")
        with open(self.folder + "/index/manifest.json", "rb") as file:
            manifest = json.load(file)
        manifest["annotations"]["vnd.platter.index.number"] = number
        with open(self.folder + "/index/manifest.json", "w", encoding="utf-8") as file:
            json.dump(manifest, file)
        self.skopeo("copy", "-q", "--dest-tls-verify=false", "dir:index", f"docker://{self.place}:index")

    # holds: registry.md: a curator knows
    # holds: registry.md: with a key of the remote
    def test_nothing_of_an_unsigned_index_is_used(self):
        self.push(self.published["reference"], "lab")
        self.assert_counts(self.index(), number=1)
        self.assertEqual(self.refresh()["number"], 1)
        for at, number in enumerate(("999999999999", "1000000000000", "no number")):
            self.unsigned_index(number)
            self.refused(REFUSED, "is not signed by the key of lab but unsigned", "refresh", "lab")
            # what the curator wrote he knows himself
            self.assert_counts(self.index(), number=at + 2)
            self.assert_counts(self.refresh(), number=at + 2, verified=True, problems=[])
        # nor by a curator of whose numbers nothing is left
        shutil.rmtree(self.folder + "/mine/curated")
        self.unsigned_index("999999999999")
        self.assert_counts(self.index(), number=1)
        self.refused(REFUSED, "has the number 1, and 4 was seen before", "refresh", "lab")
        # nor by one who added the remote without its key
        self.add_again(home="mine")
        self.unsigned_index("999999999999")
        self.assert_counts(self.index(), number=2)

    # holds: registry.md: an old index
    def test_a_number_that_another_index_had(self):
        self.push(self.published["reference"], "lab")
        self.index()
        self.refresh()
        shutil.rmtree(self.folder + "/mine/curated")  # a curator who lost his record, and a remote that hides the index
        self.unsigned_index("7")
        self.push(self.publish(self.variant("two.json", 0.125))["reference"], "lab")
        self.assert_counts(self.index(), number=1, entries=2)
        self.refused(REFUSED, "has the number 1 that another index had before", "refresh", "lab")
        self.assertEqual(self.known_entries(), 1)
        self.registry("index", "lab", "--key", "curator.pem", "--above", "1")
        self.assert_counts(self.refresh(), number=2, entries=2)

    # holds: registry.md: who hides the index
    def test_who_hides_the_index_moves_no_tag(self):
        self.push(self.published["reference"], "lab")
        self.index()
        self.push(self.publish(self.variant("two.json", 0.125))["reference"], "lab")
        self.copy_tag(self.drive + ".v2", self.drive + ".v1")
        self.unsigned_index("7")
        self.assert_counts(self.index(), number=2, entries=2, added=1)
        self.refresh()
        self.refused(REFUSED, "was moved: the remote's index names " + self.published["digest"], "pull",
                     f"lab/{self.drive}.v1", "-o", "refused.json")

    # holds: registry.md: a curator knows
    def test_a_curator_goes_on_though_the_remote_was_removed_here(self):
        self.push(self.published["reference"], "lab")
        self.index()
        self.unsigned_index("7")
        self.add_again("--key", "curator.pub", home="mine")
        index = self.index()
        self.assert_counts(index, number=2)
        records = glob.glob(self.folder + "/mine/curated/*.json")
        self.assertEqual(len(records), 1)
        with open(records[0], encoding="utf-8") as file:
            self.assert_counts(checked(file.read()), place=self.place, given=2, sent=2, digest=index["digest"])

    # holds: registry.md: at the first contact
    def test_stripped_before_the_first_refresh(self):
        self.push(self.published["reference"], "lab", "--sign", "me.pem")
        self.index()
        tag = self.served_raw("index")
        shutil.rmtree(self.folder + "/served/docker/registry/v2/repositories/storage/drives/_manifests/tags/" +
                      self.signature_tag("sha256:" + hashlib.sha256(tag).hexdigest()))
        self.refused(REFUSED, "is not signed by the key of lab but unsigned", "refresh", "lab")
        shutil.rmtree(self.folder + "/served/docker/registry/v2/repositories/storage/drives/_manifests/tags/index")
        self.refused(REFUSED, "is not there, and of a remote with a key nothing counts", "refresh", "lab")
        self.assertFalse(os.path.exists(self.folder + "/yours/remotes/lab/search.sqlite"))
        self.assertEqual(json.loads(self.registry("list", "--json", home="yours"))["models"], [])

    # holds: registry.md: with a key of the remote
    def test_something_else_under_the_tag_of_the_index_is_unsigned_first(self):
        self.push(self.published["reference"], "lab")
        self.copy_tag(self.drive + ".v1", "index")
        self.refused(REFUSED, "is not signed by the key of lab but unsigned", "refresh", "lab")

    # holds: registry.md: a leap of a signed
    def test_a_leap_of_a_signed_number_is_told_and_numbers_end(self):
        self.push(self.published["reference"], "lab")
        self.index()
        self.refresh()
        self.registry("index", "lab", "--key", "curator.pem", "--above", "999999999998")
        problems = self.refresh()["problems"]
        self.assertEqual(len(problems), 1)
        self.assertIn("has the number 999999999999 after 1, a step that no curator takes", problems[0])
        self.assertEqual(self.refresh()["problems"], [])
        self.registry("index", "lab", "--key", "curator.pem", "--above", "999999999999")
        other = self.publish(self.variant("two.json", 0.125))
        self.push(other["reference"], "lab")
        self.refused(REFUSED, "its numbers are used up", "index", "lab", "--key", "curator.pem", home="mine")

    # holds: registry.md: without a key
    def test_without_a_key_numbers_bind_nobody(self):
        self.push(self.published["reference"], "lab")
        self.index()
        self.unsigned_index("999999999999")
        self.add_again()
        self.assertIn("and is the first seen, a step", self.refresh()["problems"][0])
        self.assert_counts(self.index(), number=2)
        again = self.refresh()
        self.assert_counts(again, number=2, verified=False)
        self.assertIn("has the number 2, and had 999999999999 before; nobody signed either", again["problems"][0])

    # holds: registry.md: keys and folders of keys
    def test_keys_that_others_may_change(self):
        self.platter("registry", "trust", "add", "me", "me.pub")
        self.push(self.published["reference"], "lab", "--sign", "me.pem")
        self.index()
        tag = f"lab/{self.drive}.v1"
        for path, arguments in (("curator.pem", ("index", "lab", "--key", "curator.pem")),
                                ("me.pem", ("sign", self.drive, "--key", "me.pem")),
                                ("me.pem", ("push", self.drive, "lab", "--sign", "me.pem")),
                                ("config/platter/trust", ("pull", tag, "-o", "refused.json")),
                                ("config/platter/trust", ("list",)),
                                ("config/platter/trust/me.pub", ("show", self.drive)),
                                ("mine/remotes/lab/remote.json", ("refresh", "lab")),
                                ("mine/remotes/lab/remote.json", ("pull", tag, "-o", "refused.json")),
                                ("mine/remotes/lab", ("remote", "list"))):
            path = os.path.join(self.folder, path)
            before = os.stat(path).st_mode
            os.chmod(path, 0o777)
            self.refused(REFUSED, "may be written by everybody (mode 0777)", *arguments, home="mine")
            self.refused(REFUSED, "chmod go-w", *arguments, home="mine")
            os.chmod(path, before)
            self.registry(*arguments)

    def test_a_remote_whose_key_others_may_change_counts_for_nothing(self):
        self.push(self.published["reference"], "lab", "--sign", "curator.pem")
        os.chmod(self.folder + "/mine/remotes/lab/remote.json", 0o666)
        done = subprocess.run([PLATTER, "registry", "list", "--json", "--registry", "mine"], capture_output=True,
                              text=True, timeout=120, check=False, cwd=self.folder)
        self.assertEqual([model["signature"] for model in json.loads(done.stdout)["models"]],
                         ["signed by an unknown key"])
        self.assertIn("until then its key counts for nothing", done.stderr)


if __name__ == "__main__":
    main("skopeo", "docker-registry", "openssl")
