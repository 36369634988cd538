"""The list of planted bugs (bench/planted_bugs.py) falls behind the rooms, or the code: that is found."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench"))

from planted_bugs import lost_places, rooms_with_sources, short_of_bugs


def bug(file, search="x"):
    return {"room": "engine", "what": "a bug", "file": file, "search": search, "replace": ""}


class PlantedBugs(unittest.TestCase):
    def test_a_room_that_lacks_bugs_is_found(self):
        bugs = [bug("registry/store.cpp"), bug("registry/trust/keys.cpp"), bug("registry/trust/keys.cpp")]
        [said] = short_of_bugs(["registry", "registry/trust"], bugs)
        self.assertTrue(said.startswith("registry has 1 planted bugs; add to bench/planted_bugs.json"), said)

    def test_rooms_are_those_of_the_architecture_that_have_sources(self):
        rooms = rooms_with_sources()
        for room in ("src/engine", "emit/table", "emulator/pace", "registry", "registry/remote", "lib"):
            self.assertIn(room, rooms)
        self.assertNotIn("schemas", rooms)

    def test_a_bug_whose_text_is_gone_or_there_twice_is_found(self):
        self.assertEqual(len(lost_places([bug("src/engine/engine.cpp", "no such text"), bug("src/engine/engine.cpp", "e"),
                                          bug("src/nonesuch.cpp")])), 3)


if __name__ == "__main__":
    unittest.main()
