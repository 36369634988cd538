"""The drives of a host, and whether they are in use: also those of which nobody can tell."""

import unittest

from fake_host import FakeHost
from harness import PlatterTest


class Devices(PlatterTest):
    def setUp(self):
        super().setUp()
        host = FakeHost(self.path("host"))
        host.add_disk(0, "sda")
        host.add_partition("sda", "sda1", "8:1")
        host.add_disk(1, "sdb")
        host.add_disk(2)  # a member of a controller's RAID, say

    def test_a_drive_without_a_block_device_is_not_called_free(self):
        drives = self.platter_json("devices", "--host-root", self.path("host"))["drives"]
        self.assertEqual({drive["device"]: drive["use"] for drive in drives},
                         {"/dev/sda": "used", "/dev/sdb": "free", "/dev/sg2": "unknown"})
        in_use = {drive["device"]: drive["in_use"] for drive in drives}
        self.assertEqual(in_use["/dev/sda"], "sda1 is mounted on /home")
        self.assertIsNone(in_use["/dev/sdb"])
        self.assertRegex(in_use["/dev/sg2"], "no block device of it, and so nobody can tell")
        text = self.platter("devices", "--host-root", self.path("host"))
        self.assertRegex(text, r"/dev/sda .*  in use: sda1 is mounted on /home\n")
        self.assertRegex(text, r"/dev/sdb .*  free\n")
        self.assertRegex(text, r"/dev/sg2 .*  may be in use: Linux has no block device of it")


if __name__ == "__main__":
    unittest.main()
