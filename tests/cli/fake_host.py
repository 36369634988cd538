"""A host's sysfs and proc, as far as platter asks them who uses a drive."""

import os


class FakeHost:
    def __init__(self, root):
        self.root = root
        self.write("proc/self/mountinfo", "30 21 8:1 / /home rw - ext4 /dev/sda1 rw\n")
        self.write("proc/swaps", "Filename\n")

    def write(self, name, text=""):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def link(self, name, target):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink(os.path.join(self.root, target), path)

    def add_disk(self, number, block=""):
        """/dev/sgN, and its block device where the sd driver has one."""
        device = f"sys/devices/0:0:{number}:0"
        for name, text in (("type", "0"), ("scsi_level", "6"), ("vendor", "SEAGATE"), ("model", f"DISK{number}"),
                           ("rev", "0005"), (f"scsi_generic/sg{number}/dev", f"21:{number}")):
            self.write(f"{device}/{name}", text + "\n")
        self.link(f"sys/class/scsi_device/0:0:{number}:0/device", device)
        if not block:
            return
        self.write(f"{device}/block/{block}/size", "17783240\n")
        self.write(f"{device}/block/{block}/dev", f"8:{16 * number}\n")
        self.link(f"sys/class/block/{block}", f"{device}/block/{block}")

    def add_partition(self, disk, name, number):
        self.write(f"sys/class/block/{disk}/{name}/partition", "1\n")
        self.write(f"sys/class/block/{disk}/{name}/dev", number + "\n")
        self.link(f"sys/class/block/{name}", f"sys/class/block/{disk}/{name}")
