"""Guests and clients of emulated drives that are not trusted: whatever one of them does, others are served, the memory
of the server is bounded, and a signal ends it."""

import fcntl
import os
import shutil
import signal
import socket
import struct
import threading
import time
import unittest

import nbd_client
import vhost_client
from harness import OK
from nbd_client import FUA, NbdClient, READ, WRITE
from test_emulate import LOAD, PATIENCE_S, Served
from vhost_client import (COMMANDS, DATA, GET_FEATURES, GET_VRING_BASE, GUEST, Guest, HungUp, INDIRECT, NEXT, USER,
                          message)

BLOCKS = 65535
BIG = BLOCKS * 512
MOST_KB = 600_000
MOST_S = 10  # a second is promised, on a machine that does nothing else
READ_ONE = bytes([0x28, 0, 0, 0, 0, 5, 0, 0, 1, 0])
READ_BIG, WRITE_BIG = (struct.pack(">BBIBHB", opcode, 0, 0, 0, BLOCKS, 0) for opcode in (0x28, 0x2A))
FULL = struct.pack("<Q", 2**64 - 2)


def status_of(process, key):
    with open(f"/proc/{process}/status", encoding="ascii", errors="replace") as file:
        return next(line.split()[1] for line in file if line.startswith(key + ":"))


def processor_s(process):
    with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_hung_up(connection):
    """Whether the server closes it; what it says before is not looked at."""
    try:
        while connection.recv(65536):
            pass
    except ConnectionError:
        pass
    return True


class Hostile(Served):
    OPTION = ""

    @classmethod
    def setUpClass(cls):
        cls.seen = []  # of each state: seconds until an honest one was served, until the end; KB

    @classmethod
    def tearDownClass(cls):
        if cls.seen:
            served, ended, memory = zip(*cls.seen)
            print(f"{cls.__name__}: {len(cls.seen)} states; an honest one was served in at most {max(served):.2f} s "
                  f"({sum(s > 1 for s in served)} above 1 s), ended in at most {max(ended):.2f} s "
                  f"({sum(s > 1 for s in ended)} above 1 s), at most {max(memory) // 1000} MB", flush=True)

    def start(self, *more, **streams):
        name = f"s{len(self.servers)}"
        path = self.path(name)
        server = self.serve("m.json", self.OPTION, name, "--speed", 1000, "--ordinary", *more, ready=False, **streams)
        self.wait_for(lambda: self.listens(path) or server.poll() is not None)
        return server, path

    @staticmethod
    def listens(path):
        with socket.socket(socket.AF_UNIX) as connection:
            return connection.connect_ex(path) == 0

    def process_of(self, server):
        return server.pid

    def check_state(self, name, act, *more):
        """In that state an honest one is served, and a signal ends the server."""
        server, path = self.start(*more)
        self.held, self.doings = [], []
        self.addCleanup(self.let_go, self.held, self.doings)
        act(path)
        begun = time.monotonic()
        self.check_honest(path)
        served_s = time.monotonic() - begun
        self.check_after(name, server)
        most_kb = int(status_of(self.process_of(server), "VmHWM"))
        begun = time.monotonic()
        self.end(server)
        ended_s = time.monotonic() - begun
        print(f"{name}: served in {served_s:.2f} s, ended in {ended_s:.2f} s, {most_kb // 1000} MB", flush=True)
        self.seen.append((served_s, ended_s, most_kb))
        self.assertLess(most_kb, MOST_KB)
        self.assertLess(served_s, MOST_S)
        self.assertLess(ended_s, MOST_S)
        self.assertFalse(os.path.exists(path))
        self.let_go(self.held, self.doings)

    @staticmethod
    def let_go(held, doings):
        for end in doings:
            end()
        for each in held:
            each.close()
        held.clear()
        doings.clear()

    def check_after(self, name, server):
        pass

    def hold(self, what):
        self.held.append(what)
        return what

    def connection(self, path, said=b""):
        connection = self.hold(socket.socket(socket.AF_UNIX))
        connection.settimeout(PATIENCE_S)
        connection.connect(path)
        if said:
            connection.sendall(said)
        return connection

    def meanwhile(self, run):
        """In a thread, as long as this state lasts."""
        ends = threading.Event()
        thread = threading.Thread(target=run, args=[ends], daemon=True)
        thread.start()

        def end():
            ends.set()
            thread.join()

        self.doings.append(end)

    def drip(self, connection, said):
        """Byte by byte, as long as the server takes them."""

        def run(ends):
            try:
                for byte in said:
                    connection.send(bytes([byte]))
                    if ends.wait(0.02):
                        return
            except OSError:
                pass

        self.meanwhile(run)

    def vanish(self, path, said=b""):
        for _ in range(100):
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(path)
                connection.sendall(said)

    def flood(self, connection, said, for_s=1):
        """Until the server takes no more, or has hung up; what it answers is not read."""
        connection.setblocking(False)
        end = time.monotonic() + for_s
        while time.monotonic() < end:
            try:
                connection.send(said)
            except BlockingIOError:
                time.sleep(0.01)
            except ConnectionError:
                return


    def check_unread_reports(self):
        """A report at each SIGUSR1, into a pipe of one page that is full: there is none at the end, and no wait."""
        read_end, write_end = os.pipe()
        self.addCleanup(os.close, read_end)
        os.write(write_end, bytes(fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, 4096)))
        server, path = self.start(stdout=write_end)
        os.close(write_end)
        self.check_honest(path)
        for _ in range(3):
            server.send_signal(signal.SIGUSR1)
            time.sleep(0.1)
            self.check_honest(path)
        begun = time.monotonic()
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(PATIENCE_S), OK)
        self.assertLess(time.monotonic() - begun, MOST_S)
        self.assertIn("nobody reads the report", self.said())


class HostileGuests(Hostile):
    OPTION = "--vhost-user"

    # holds: emulators.md: Notices and reports that nobody
    def test_reports_that_nobody_reads(self):
        self.check_unread_reports()

    def check_honest(self, path):
        guest = self.guest(path)
        guest.begin()
        self.assertEqual(guest.do(READ_ONE, into=512), vhost_client.GOOD)

    # A descriptor that always says that it is readable costs no processor: a second is watched.
    def check_after(self, name, server):
        if not name.startswith("a kick"):
            return
        before = processor_s(server.pid)
        time.sleep(1)
        self.assertLess(processor_s(server.pid) - before, 0.7, name)

    def guest(self, path, **more):
        return self.hold(Guest(path, **more))

    def full_pipe(self):
        read_end, write_end = os.pipe()
        os.set_blocking(write_end, False)
        try:
            while True:
                os.write(write_end, bytes(4096))
        except BlockingIOError:
            os.set_blocking(write_end, True)
        self.addCleanup(os.close, read_end)
        self.addCleanup(os.close, write_end)
        return write_end

    def sockets(self):
        ends = socket.socketpair()
        for end in ends:
            self.addCleanup(end.close)
        return ends

    def full_socket(self):
        kept, full = self.sockets()
        full.setblocking(False)
        try:
            while True:
                full.send(bytes(4096))
        except BlockingIOError:
            full.setblocking(True)
        self.assertGreaterEqual(kept.fileno(), 0)
        return full.fileno()

    def closed_socket(self):
        kept, closed = self.sockets()
        closed.close()
        return kept.fileno()

    def closed_pipe(self, kept):
        ends = os.pipe()
        os.close(ends[1 - kept])
        self.addCleanup(os.close, ends[kept])
        return ends[kept]

    def full_eventfd(self, flags=0):
        descriptor = os.eventfd(0, flags)
        os.write(descriptor, FULL)
        self.addCleanup(os.close, descriptor)
        return descriptor

    def called_by(self, path, descriptor):
        guest = self.guest(path)
        guest.begin(call=descriptor).offer(READ_ONE, into=512, times=20)
        self.wait_for(guest.answers)

    def kicked_by(self, path, descriptor):
        self.guest(path).begin(kick=descriptor).meet()

    def setUp(self):
        super().setUp()
        self.held, self.doings = [], []

    # holds: emulators.md: A descriptor that a program
    def test_descriptors_that_are_none(self):
        """Files, which may wait for a program or a device, and are always readable; and a socket whose end may wait for
        another host."""
        server, path = self.start()
        with open(self.write("text", "a letter"), "rb") as file, open("/dev/zero", "rb") as device, \
                socket.socket() as other:
            for kind in (vhost_client.SET_VRING_KICK, vhost_client.SET_VRING_CALL):
                for descriptor, why in ((file, "no eventfd, pipe or Unix socket"), (device, "a device"),
                                        (other, "another host")):
                    guest = Guest(path)
                    guest.say(kind, struct.pack("<Q", COMMANDS), [descriptor.fileno()])
                    self.assertTrue(is_hung_up(guest.socket))
                    guest.close()
                    self.assertIn(why, self.said())
        self.check_honest(path)
        self.end(server)

    def refilled(self, path):
        """Emptied and filled again all the time, so that there is room when the server looks."""
        descriptor = self.full_eventfd(os.EFD_NONBLOCK)
        guest = self.guest(path)
        guest.begin(call=descriptor)

        def run(ends):
            while not ends.is_set():
                os.set_blocking(descriptor, False)
                try:
                    os.read(descriptor, 8)
                    os.write(descriptor, FULL)
                except BlockingIOError:
                    pass
                os.set_blocking(descriptor, True)

        self.meanwhile(run)
        guest.offer(READ_ONE, into=512, times=500)

    def overlapping(self, path):
        guest = self.guest(path)
        guest.begin(regions=[(GUEST, guest.bytes, USER, 0), (GUEST + 0x1000, 0x1000, USER + 0x1000, 0x2000)])
        guest.do(READ_ONE, into=512)

    def mapping_nothing(self, path):
        """Rings where there is no memory, and kicks."""
        for regions in ([], [(GUEST, 0, USER, 0)], [(GUEST, 2**40, USER, 0)], [(GUEST, 4096, USER, 2**64 - 4096)]):
            guest = self.guest(path)
            try:
                guest.begin(regions=regions)
                guest.put()
            except HungUp:
                pass
            self.assertTrue(is_hung_up(guest.socket))
        guest = self.guest(path)
        guest.say(vhost_client.SET_VRING_KICK, struct.pack("<Q", COMMANDS), [guest.kick])
        guest.put()

    def huge_and_sparse(self, path):
        """A terabyte that is nowhere, of which all is named."""
        guest = self.guest(path)
        os.ftruncate(guest.file, 2**40)
        guest.begin(regions=[(GUEST, 2**40, USER, 0)]).do(READ_ONE, into=512)

    def mapping_again(self, path):
        """New memory under what is outstanding, again and again."""
        guest = self.guest(path, data=BIG)
        guest.begin().offer(READ_BIG, into=BIG, times=64)
        try:
            for _ in range(50):
                guest.share_memory()
        except HungUp:
            pass

    def jumping(self, path):
        """Indices of the ring that no driver has: far on, and back."""
        for jump in (40000, -2, 2 * vhost_client.ENTRIES):
            guest = self.guest(path)
            guest.begin().do(READ_ONE, into=512)
            guest.offered = (guest.offered + jump) & 0xFFFF
            guest.put()
            self.assertTrue(is_hung_up(guest.socket))

    def many_with_descriptors(self, path):
        """Half messages, each with as many descriptors as one has: more than a shell gives a program in all."""
        for _ in range(60):
            connection = self.connection(path)
            socket.send_fds(connection, [message(GET_FEATURES, bytes(100))[:50]], [0] * 31)

    def many_big_readers(self, path):
        for _ in range(20):
            self.guest(path).begin().offer(READ_BIG, into=BIG, times=16, piece=1 << 17)

    def little_room(self, path):
        """What a command moves is bounded by its CDB, too."""
        self.big(path, READ_BIG, into=512)

    def stopping_often(self, path):
        """It stops the queue and starts it, and hangs up, with much outstanding each time."""
        for _ in range(20):
            guest = Guest(path, data=BIG)
            guest.begin().offer(READ_BIG, into=BIG, times=8)
            for _ in range(10):
                guest.say(GET_VRING_BASE, struct.pack("<II", COMMANDS, 0))
            guest.close()

    def cut_off(self, path):
        guest = self.guest(path)
        guest.begin().meet()
        guest.offer(READ_ONE, into=512)
        os.ftruncate(guest.file, 0)
        os.write(guest.kick, struct.pack("<Q", 1))
        self.assertTrue(is_hung_up(guest.socket))
        self.assertIn("cut off", self.said())

    def cut_off_later(self, path):
        """The rings stay, what a WRITE names goes."""
        guest = self.guest(path, data=BIG)
        guest.begin().meet()
        os.ftruncate(guest.file, DATA + BIG // 2)
        guest.offer(WRITE_BIG, out=BIG)
        self.assertTrue(is_hung_up(guest.socket))

    def looping_chain(self, path):
        guest = self.guest(path)
        guest.begin()
        for i in range(2):
            guest.descriptor(16 * i, GUEST + DATA, 64, NEXT, 1 - i)
        guest.put()
        self.assertTrue(is_hung_up(guest.socket))

    def tables_of_nonsense(self, path):
        for content in (b"\xff" * 4096, os.urandom(4096), struct.pack("<QIHH", GUEST + DATA, 4096, INDIRECT, 0) * 256):
            guest = self.guest(path)
            guest.begin()
            guest.memory[DATA:DATA + 4096] = content
            guest.descriptor(0, GUEST + DATA, 4096, INDIRECT)
            guest.put(head=0)
            self.assertTrue(is_hung_up(guest.socket))

    def big(self, path, cdb, **data):
        guest = self.guest(path, data=BIG)
        guest.begin().offer(cdb, times=1024, **data)
        self.wait_for(guest.answers)

    def big_writes(self, path):
        self.big(path, WRITE_BIG, out=BIG)

    def big_reads(self, path):
        self.big(path, READ_BIG, into=BIG)

    def never_ending(self, path):
        """Its ring is never empty."""
        guest = self.guest(path)
        guest.begin().offer(READ_ONE, into=512, times=vhost_client.ENTRIES)

        def run(ends):
            while not ends.is_set():
                guest.put(guest.answers())

        self.meanwhile(run)

    def deaf(self, path):
        self.flood(self.connection(path), message(GET_FEATURES))

    def stopping(self, path):
        """A queue is stopped while much is outstanding, and then the guest goes."""
        guest = Guest(path, data=BIG)
        guest.begin().offer(READ_BIG, into=BIG, times=64)
        self.wait_for(guest.answers)
        guest.say(GET_VRING_BASE, struct.pack("<II", COMMANDS, 0))
        guest.close()

    def gone_in_flight(self, path):
        guest = Guest(path)
        guest.begin().offer(READ_ONE, into=512, times=64)
        guest.close()

    def many_that_stay(self, path):
        for _ in range(200):
            self.connection(path)

    def many_descriptors(self, path):
        connection = self.connection(path)
        with open("/dev/null", "rb") as null:
            try:
                for byte in message(GET_FEATURES, bytes(1000)):
                    socket.send_fds(connection, [bytes([byte])], [null.fileno()] * 30)
            except ConnectionError:
                pass
        self.assertTrue(is_hung_up(connection))

    STATES = (
        # holds: emulators.md: A guest that does not take
        ("a full eventfd to call", lambda self, path: self.called_by(path, self.full_eventfd())),
        # holds: emulators.md: A guest that does not take
        ("a full pipe to call", lambda self, path: self.called_by(path, self.full_pipe())),
        # holds: emulators.md: A guest that does not take
        ("a full socket to call", lambda self, path: self.called_by(path, self.full_socket())),
        # holds: emulators.md: A guest that does not take
        ("a closed pipe to call", lambda self, path: self.called_by(path, self.closed_pipe(1))),
        # holds: emulators.md: A guest that does not take
        ("a closed socket to call", lambda self, path: self.called_by(path, self.closed_socket())),
        # holds: emulators.md: A guest that does not take
        ("an eventfd to call that is filled between look and write", refilled),
        # holds: emulators.md: A guest that does not take
        ("a kick by a closed pipe", lambda self, path: self.kicked_by(path, self.closed_pipe(0))),
        # holds: emulators.md: A guest that does not take
        ("a kick by a closed socket", lambda self, path: self.kicked_by(path, self.closed_socket())),
        # holds: emulators.md: A guest that does not take
        ("a kick that is always readable",
         lambda self, path: self.kicked_by(path, self.full_eventfd(os.EFD_SEMAPHORE))),
        # holds: emulators.md: A message or request in pieces
        ("half a header", lambda self, path: self.connection(path, message(GET_FEATURES)[:6])),
        # holds: emulators.md: A message or request in pieces
        ("half a body", lambda self, path: self.connection(path, message(GET_FEATURES, bytes(100))[:50])),
        # holds: emulators.md: A message or request in pieces
        ("byte by byte", lambda self, path: self.drip(self.connection(path), message(GET_FEATURES, bytes(900)))),
        ("memory that overlaps", overlapping),
        # holds: emulators.md: Indices that jump
        ("memory that is not there", mapping_nothing),
        ("a terabyte of sparse memory", huge_and_sparse),
        ("memory that is mapped again and again", mapping_again),
        # holds: emulators.md: Indices that jump
        ("indices that jump", jumping),
        # holds: emulators.md: Memory that is cut off
        ("memory that is cut off", cut_off),
        # holds: emulators.md: Memory that is cut off
        ("memory that is cut off under a WRITE", cut_off_later),
        # holds: emulators.md: Indices that jump
        ("a chain that loops", looping_chain),
        # holds: emulators.md: Indices that jump
        ("tables of nonsense", tables_of_nonsense),
        # holds: emulators.md: The outstanding commands of all guests
        ("1,024 big WRITEs of the same memory", big_writes),
        # holds: emulators.md: The outstanding commands of all guests
        ("1,024 big READs into the same memory", big_reads),
        # holds: emulators.md: The outstanding commands of all guests
        ("20 guests with 16 big READs each", many_big_readers),
        # holds: emulators.md: The outstanding commands of all guests
        ("1,024 big READs into 512 bytes", little_room),
        # holds: emulators.md: A queue that is always full
        ("a ring that is never empty", never_ending),
        # holds: emulators.md: A message or request in pieces
        ("answers that nobody reads", deaf),
        # holds: emulators.md: A queue that is always full
        ("a queue that is stopped under much", stopping),
        # holds: emulators.md: A queue that is always full
        ("queues that stop and start, and go", stopping_often),
        ("gone with 64 in flight", gone_in_flight),
        ("100 that come and go", lambda self, path: self.vanish(path, message(GET_FEATURES))),
        ("60 with 31 descriptors in half a message", many_with_descriptors),
        # holds: emulators.md: Who comes and says nothing
        ("200 that stay and say nothing", many_that_stay),
        ("more descriptors than any message has", many_descriptors),
    )

    # holds: emulators.md: Whatever one guest or client
    def test_states(self):
        for name, act in self.STATES:
            with self.subTest(name):
                self.check_state(name, lambda path, act=act: act(self, path))


@unittest.skipUnless(LOAD and shutil.which("nbdkit"), "nbdkit or the plugin is not there")
class HostileClients(Hostile):
    OPTION = "--nbd"

    def process_of(self, server):
        return self.child_of(server)

    def check_honest(self, path):
        client = self.client(path, held=False)
        client.write(4096, b"x" * 4096)
        self.assertEqual(client.read(4096, 4096), b"x" * 4096)
        client.close()

    def client(self, path, held=True):
        """Once the server listens."""
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                client = NbdClient(path)
                return self.hold(client) if held else client
            except (nbd_client.HungUp, ConnectionError):
                self.assertLess(time.monotonic(), end, self.said())
                time.sleep(0.02)

    @staticmethod
    def request(kind, size, data=b"", flags=0, offset=0):
        return struct.pack(">IHHQQI", 0x25609513, flags, kind, 1, offset, size) + data

    def silent(self, path):
        self.client(path)
        for said in (b"", struct.pack(">I", 3), struct.pack(">IQII", 3, 0x49484156454F5054, 7, 2**20)):
            self.connection(path, said)

    def dripping(self, path):
        self.drip(self.client(path).socket, self.request(WRITE, 4096, bytes(4096)))

    def dripping_negotiation(self, path):
        self.drip(self.connection(path), struct.pack(">IQII", 3, 0x49484156454F5054, 7, 500) + bytes(500))

    def deaf(self, path):
        """It asks for much, and reads none of it."""
        self.flood(self.client(path).socket, self.request(READ, 1 << 20) * 16)

    def deaf_and_greedy(self, path):
        self.flood(self.client(path).socket, self.request(READ, 4 << 20) * 16)

    def gone_and_deaf(self, path):
        """It goes while many answers wait for it, and once it says nonsense before."""
        for nonsense in (b"", bytes(28), b"") * 5:
            client = self.client(path, held=False)
            self.flood(client.socket, self.request(READ, 1 << 20) * 64, 0.2)
            client.socket.setblocking(False)
            try:
                client.socket.send(nonsense)
            except (BlockingIOError, BrokenPipeError):
                pass
            client.close()

    def huge(self, path):
        """Lengths beyond what any request may have; nothing of it is answered but by an error."""
        client = self.client(path)
        for kind, size in ((READ, 2**32 - 512), (READ, 64 << 20), (READ, 32 << 20)):
            for _ in range(80):
                client.send(kind, 0, size)
                with self.assertRaises(OSError):
                    client.answer(size)

    def huge_writes(self, path):
        client = self.client(path)
        data = bytes(64 << 20)
        for _ in range(4):
            client.send(WRITE, 0, len(data), data)
            with self.assertRaises(OSError):
                client.answer()

    def half_a_write(self, path):
        self.client(path).socket.sendall(self.request(WRITE, 64 << 20, bytes(1000)))

    def gone_in_flight(self, path):
        client = self.client(path)
        client.socket.sendall(b"".join(self.request(READ, 4 << 20, offset=i << 22) for i in range(64)))
        client.close()
        self.held.remove(client)

    @staticmethod
    def option(number, data=b"", size=None):
        return struct.pack(">QII", 0x49484156454F5054, number, len(data) if size is None else size) + data

    def half_negotiated(self, path):
        """Structured replies, and what goes with them, asked for and left there."""
        structured = struct.pack(">I", 3) + self.option(8)
        context = struct.pack(">II", 0, 1) + struct.pack(">I", 15) + b"base:allocation"
        go = struct.pack(">IH", 0, 0)
        for said in (structured, structured + self.option(10, context), structured + self.option(10, context)[:30],
                     structured + self.option(7, go)[:18], structured + self.option(7, b"", 2**32 - 1),
                     structured + self.option(3) * 200, structured + self.option(5)[:10]):
            self.connection(path, said)

    def structured_and_deaf(self, path):
        """Where each answer has pieces, and none is read."""
        context = struct.pack(">II", 0, 1) + struct.pack(">I", 15) + b"base:allocation"
        said = self.option(8) + self.option(10, context) + self.option(7, struct.pack(">IH", 0, 0))
        connection = self.connection(path, struct.pack(">I", 3) + said)
        self.flood(connection, self.request(READ, 1 << 20) * 8 + self.request(7, 1 << 30) * 8)

    def many_huge(self, path):
        """64 at once, of 64 MiB each."""
        self.flood(self.client(path).socket, self.request(READ, 64 << 20) * 64)

    def gone_in_a_payload(self, path):
        for _ in range(100):
            client = self.client(path, held=False)
            client.socket.sendall(self.request(WRITE, 4 << 20, bytes(1 << 16)))
            client.close()

    def many_whole(self, path):
        """Each has said all that it has to say, but for a request."""
        for _ in range(50):
            self.client(path)

    def through(self, path):
        """Flushes and writes through, many at once, and gone."""
        client = self.client(path)
        client.socket.sendall(self.request(WRITE, 4096, bytes(4096), FUA) * 200 + self.request(3, 0) * 200)

    def many_that_stay(self, path):
        self.client(path)
        for _ in range(100):
            self.connection(path)

    def many_that_go(self, path):
        self.client(path)
        self.vanish(path, struct.pack(">I", 3))

    STATES = (
        # holds: emulators.md: Who comes and says nothing
        ("clients that never finish their negotiation", silent),
        # holds: emulators.md: A message or request in pieces
        ("structured replies negotiated by half", half_negotiated),
        # holds: emulators.md: A message or request in pieces
        ("structured replies that nobody reads", structured_and_deaf),
        # holds: emulators.md: A message or request in pieces
        ("a request byte by byte", dripping),
        # holds: emulators.md: A message or request in pieces
        ("a negotiation byte by byte", dripping_negotiation),
        # holds: emulators.md: A message or request in pieces
        ("answers that nobody reads", deaf),
        # holds: emulators.md: The requests of an NBD connection
        ("the largest answers, and nobody reads them", deaf_and_greedy),
        ("15 that go before they read their answers", gone_and_deaf),
        # holds: emulators.md: The requests of an NBD connection
        ("huge lengths", huge),
        # holds: emulators.md: The requests of an NBD connection
        ("64 huge reads at once", many_huge),
        # holds: emulators.md: The requests of an NBD connection
        ("huge writes", huge_writes),
        # holds: emulators.md: A message or request in pieces
        ("half a write", half_a_write),
        ("100 that vanish in the middle of a write", gone_in_a_payload),
        # holds: emulators.md: Who comes and says nothing
        ("50 that stay and ask for nothing", many_whole),
        ("gone with 64 in flight", gone_in_flight),
        ("400 writes through and flushes, unread", through),
        # holds: emulators.md: Who comes and says nothing
        ("100 that stay and say nothing", many_that_stay),
        ("100 that come and go", many_that_go),
    )

    # holds: emulators.md: Whatever one guest or client
    def test_states(self):
        for name, act in self.STATES:
            with self.subTest(name):
                self.check_state(name, lambda path, act=act: act(self, path))

    # holds: emulators.md: The requests of an NBD connection
    def test_zeros_of_gigabytes_are_no_data(self):
        """Where a cache may lose them they are data, but not all at once."""

        def act(path):
            client = self.client(path)
            quarter = client.bytes // 4 // 512 * 512
            client.socket.sendall(self.request(6, quarter, offset=quarter) * 64)  # not where the honest one is
            time.sleep(0.5)

        self.check_state("zeros of gigabytes", act, "--write-cache-loss")

    # holds: emulators.md: Notices and reports that nobody
    def test_notices_that_nobody_reads(self):
        """Each refused request is told of on standard error: here a pipe of one page."""
        read_end, write_end = os.pipe()
        fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, 4096)
        server, path = self.start(stderr=write_end)
        os.close(write_end)
        client = self.client(path, held=False)
        for _ in range(300):
            client.send(READ, 1, 1)
            with self.assertRaises(OSError):
                client.answer(1)
        self.check_honest(path)
        client.close()
        self.end(server)
        os.close(read_end)

    # holds: emulators.md: Notices and reports that nobody
    def test_reports_that_nobody_reads(self):
        self.check_unread_reports()

    # holds: emulators.md: Requests go with
    def test_requests_go_with_their_client(self):
        """At the drive's own speed: 64 requests of 4 MiB would keep it for minutes."""
        server = self.serve("m.json", "--nbd", "s", "--log", "log", "--ordinary", ready=False)
        path = self.path("s")
        client = self.client(path, held=False) if os.path.exists(path) else None
        self.wait_for(lambda: os.path.exists(path))
        client = client or self.client(path, held=False)
        client.socket.sendall(b"".join(self.request(READ, 4 << 20, offset=i << 22) for i in range(64)))
        time.sleep(0.2)
        client.close()
        self.check_honest(path)
        self.end(server)
        with open(self.path("log"), encoding="utf-8") as log:
            withdrawn = sum(line.startswith("0 a ") for line in log)
        self.assertGreater(withdrawn, 0)
        self.assertEqual(self.checked("m.json", "--check-log", "log")["differ"], 0)


if __name__ == "__main__":
    unittest.main()
