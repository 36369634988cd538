"""platter fleet: drives of one product side by side, and a drive against its earlier model."""

import json
import os
import re
import unittest

import fleet_drives
from harness import BAD_INPUT, DIFFERS, INCOMPLETE, SOME_FAILED, PlatterTest

ODD = {1: "slow head", 4: "long seeks", 6: "zones that differ"}


class Fleet(PlatterTest):
    def characterize(self, drives, folder):
        self.platter("truth", fleet_drives.BASE, "-o", "base.json", "--force")
        base = self.read_json("base.json")
        for number, what in drives.items():
            fleet_drives.write(self.path(f"drive{number}.json"), fleet_drives.drive(base, number, what))
        self.platter("characterize", *(f"virtual:drive{number}.json" for number in drives), "-o", folder + "/",
                     "--precision", "high", "--progress", "none")

    def test_planted_outliers_of_eight_drives_are_found_and_nothing_else(self):
        self.characterize({number: ODD.get(number) for number in range(8)}, "models")
        told = self.platter_json("fleet", "models", status=DIFFERS)
        self.assertEqual(told["outliers"], len(ODD))
        found = {}
        for finding in told["products"][0]["findings"]:
            found.setdefault(finding["drive"], set()).add(finding["what"])
        self.assertEqual(sorted(map(sorted, found.values())), sorted([what] for what in ODD.values()))
        done = self.run_platter("fleet", "models")
        self.assertIn("8 drives of 1 product; 3 outliers", done.stdout)
        self.assertIn("zones that differ: ", done.stdout)
        self.assertIn("3 of 8 drives stand out", done.stderr)
        drives = [name for name in self.files() if name.startswith("models/") and name.endswith(".json")]
        self.platter("report", *drives, "-o", "fleet.html")
        with open(self.path("fleet.html"), encoding="utf-8") as file:
            report = file.read()
        self.assertEqual(set(re.findall(r"<li><b>(.*?)</b>: ", report)), set(found))
        for finding in told["products"][0]["findings"]:
            self.assertIn(f"{finding['what']}: {finding['figure']} ", report)

    def test_of_four_drives_nothing_is_told(self):
        self.characterize({number: ODD.get(number) for number in range(4)}, "models")
        self.assertIn("4 drives, too few to tell outliers (5 are needed)", self.platter("fleet", "models"))
        told = self.platter_json("fleet", "models")
        self.assertEqual((told["outliers"], told["products"][0]["too_few"]), (0, True))

    def test_a_drive_against_its_earlier_model(self):
        self.characterize({0: None}, "first")
        self.characterize({0: "slow head"}, "later")
        for folder in ("first", "later"):
            model = next(name for name in self.files() if name.startswith(folder + "/") and name.endswith(".json"))
            drive = self.platter("publish", model, "--registry", "reg").split(":")[0]
            if folder == "first":
                self.fails(BAD_INPUT, "has no earlier version", "fleet", "reg", "--drive", drive)
        told = self.platter_json("fleet", "reg", "--drive", drive, status=DIFFERS)
        self.assertEqual([(step["from"], step["to"]) for step in told["steps"]], [(drive + ":v1", drive + ":v2")])
        self.assertEqual([change["path"] for change in told["steps"][0]["measured"]], ["head_switch"])
        self.assertIn("head_switch: ", self.run_platter("fleet", "reg", "--drive", drive).stdout)

    def test_a_version_is_compared_with_those_before_it(self):
        self.platter("truth", fleet_drives.BASE, "-o", "base.json")
        model = self.read_json("base.json")
        for switch_ms in (0.7, 0.8, 0.9, 1.0):
            model["head_switch"]["value"] = switch_ms
            fleet_drives.write(self.path("next.json"), model)
            reference = self.platter("publish", "next.json", "--registry", "reg").split()[0]
        drive = reference.split(":")[0]
        digest = self.platter_json("registry", "show", drive + ":v2", "--registry", "reg")["digest"]
        for named, steps in ((drive, [("v1", "v2"), ("v2", "v3"), ("v3", "v4")]), (drive + ":v2", [("v1", "v2")]),
                             (drive + "@" + digest, [("v1", "v2")]), (drive + ".v3", [("v1", "v2"), ("v2", "v3")])):
            told = self.platter_json("fleet", "reg", "--drive", named, status=DIFFERS)
            self.assertEqual([(step["from"], step["to"]) for step in told["steps"]],
                             [(f"{drive}:{before}", f"{drive}:{after}") for before, after in steps])
        self.fails(BAD_INPUT, "has no earlier version", "fleet", "reg", "--drive", drive + ":v1")
        self.fails(BAD_INPUT, "is not in the registry", "fleet", "reg", "--drive", drive + ":v7")

    def test_a_model_that_cannot_be_read_is_left_out_and_named(self):
        self.characterize({number: ODD.get(number) for number in range(8)}, "models")
        self.write("models/a-cut.json", '{"schema": ')
        self.write("models/notes.json", '{"notes": []}')
        told = self.platter_json("fleet", "models", status=SOME_FAILED)
        self.assertEqual((told["outliers"], len(told["products"][0]["drives"])), (len(ODD), 8))
        self.assertEqual([(out["name"], out["status"]) for out in told["left_out"]],
                         [("models/a-cut.json", BAD_INPUT), ("models/notes.json", BAD_INPUT)])
        done = self.run_platter("fleet", "models")
        self.assertRegex(done.stdout, "(?m)^left out: models/a-cut.json: .*\nleft out: models/notes.json: ")
        self.assertRegex(done.stderr, "3 of 8 drives stand out; 2 of 10 models left out .*a-cut.json")
        os.mkdir(self.path("broken"))
        os.rename(self.path("models/notes.json"), self.path("broken/notes.json"))
        self.fails(BAD_INPUT, "none of its 1 models can be read: broken/notes.json", "fleet", "broken")

    def test_a_published_model_that_is_damaged_is_left_out_and_named(self):
        self.platter("truth", fleet_drives.BASE, "-o", "base.json")
        model = self.read_json("base.json")
        references = []
        for serial, switch_ms in (("A", 0.7), ("B", 0.7), ("B", 0.8), ("B", 0.9)):
            model["identity"]["serial"] = serial
            model["head_switch"]["value"] = switch_ms
            fleet_drives.write(self.path("next.json"), model)
            references.append(self.platter("publish", "next.json", "--registry", "reg").split()[0])
        shown = self.platter_json("registry", "show", references[2], "--registry", "reg")
        digest = next(layer["digest"] for layer in shown["layers"] if layer["title"] == "model.json")
        self.write("reg/blobs/sha256/" + digest.split(":")[1], "{}")
        drive = references[2].split(":")[0]
        told = self.platter_json("fleet", "reg", "--drive", drive, status=SOME_FAILED)
        self.assertEqual([(step["from"], step["to"]) for step in told["steps"]], [(references[1], references[3])])
        self.assertEqual([out["name"] for out in told["left_out"]], [references[2]])

    def test_firmware_makes_products_where_asked(self):
        self.platter("truth", fleet_drives.BASE, "-o", "base.json")
        base = self.read_json("base.json")
        self.platter("publish", "base.json", "--registry", "reg")
        base["identity"].update(serial="OTHER", revision="NEW")
        fleet_drives.write(self.path("other.json"), base)
        self.platter("publish", "other.json", "--registry", "reg")
        self.assertEqual(len(self.platter_json("fleet", "reg")["products"]), 1)
        self.assertEqual([product["revision"] for product in self.platter_json(
            "fleet", "reg", "--by-firmware")["products"]], ["NEW", "VIRT"])

    def test_no_models(self):
        self.fails(BAD_INPUT, "is no folder", "fleet", "nowhere")
        os.mkdir(self.path("empty"))
        self.fails(BAD_INPUT, "holds no models", "fleet", "empty")

    def test_files_of_one_drive_count_once(self):
        os.mkdir(self.path("folder"))
        for name in ("a", "b"):
            self.platter("truth", fleet_drives.BASE, "-o", f"folder/{name}.json")
        told = self.platter_json("fleet", "folder")
        self.assertEqual([len(product["drives"]) for product in told["products"]], [1])

    def test_only_this_very_drive(self):
        self.platter("truth", fleet_drives.BASE, "-o", "base.json")
        base = self.read_json("base.json")
        base["identity"]["serial"] = "BROTHER"
        fleet_drives.write(self.path("brother.json"), base)
        ask = ("registry", "match", fleet_drives.BASE, "--registry", "reg")
        self.platter("publish", "brother.json", "--registry", "reg")
        self.platter(*ask)
        self.fails(INCOMPLETE, "no published model is of this very drive", *ask, "--this-drive")
        own = self.platter("publish", "base.json", "--registry", "reg").split()[0]
        told = json.loads(self.platter(*ask, "--this-drive", "--json"))
        self.assertEqual([model["reference"] for model in told["models"]], [own])


if __name__ == "__main__":
    unittest.main()
