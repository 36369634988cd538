"""`platter characterize` in a guest, through the kernel's SCSI layer: the model that the drive gives without one. Long."""

import json
import os
import re
import subprocess

from guest import DRIVE, GuestTest
from harness import PLATTER

NEAR_MS = 0.003


class Characterize(GuestTest):
    def knots(self, path):
        """The seek distances that a run measured; between them a curve is drawn."""
        model = self.read_json(path)
        return {f"{name}[{point['cylinders']}]" for name in ("seek", "outward_seek", "write_seek")
                for point in model.get(name, {}).get("points", [])}

    def test_the_model_is_the_one_without_a_kernel(self):
        model = json.loads(self.platter("truth", DRIVE + "?imperfections=none"))
        model["firmware"] = {**(model.get("firmware") or {}), "task_set": 20}  # commands, then TASK SET FULL
        model["queue"]["policy"]["value"] = 8  # shortest positioning time first
        self.write("m.json", json.dumps(model))
        os.mkdir(self.path("shared"))
        self.succeeds(PLATTER, "characterize", "/dev/sg0", "-o", "shared/guest.json", models=("m.json",),
                      options=("--share", "shared"))
        self.platter("characterize", "virtual:m.json", "-o", "virtual.json")
        for name, wanted in (("depth", 20), ("policy", 8)):
            self.assertEqual(self.read_json("shared/guest.json")["queue"][name]["value"], wanted)
        told = subprocess.run([PLATTER, "diff", "shared/guest.json", "virtual.json", "--json"], cwd=self.folder, text=True,
                              capture_output=True, check=False).stdout
        shared = self.knots("shared/guest.json") & self.knots("virtual.json")
        self.assertGreater(len(shared), 100)
        period_ms = model["rotation"]["period"]["value"] / 1e6
        compared, worst = 0, (0, "")
        for figure in json.loads(told)["differences"]:
            path, guest, virtual = figure["path"], figure["a"], figure["b"]
            if re.match(r"\w*seek\[", path) and path not in shared:
                continue
            if guest is None and virtual is None:
                continue
            compared += 1
            self.assertIsNotNone(guest, figure)
            self.assertIsNotNone(virtual, figure)
            difference = abs(guest - virtual)
            if figure["unit"] == "ms":
                worst = max(worst, (difference, path))
            elif figure["unit"] == "rev":
                worst = max(worst, (difference * period_ms, path))
            elif figure["unit"] == "ns":
                worst = max(worst, (difference / 1e6, path))
            else:
                self.assertEqual(guest, virtual, figure)
        self.assertLess(worst[0], NEAR_MS, worst)
        print(f"{compared} figures, {len(shared)} seeks among them; times differ by {1e3 * worst[0]:.3f} us at most, "
              f"{worst[1]}; {self.report['simulated_seconds']:.1f} s simulated in {self.report['wall_seconds']:.1f} s")
