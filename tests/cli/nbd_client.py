"""A client of an NBD server on a Unix socket, one request at a time: what the tests of emulated drives need of one."""

import socket
import struct

READ, WRITE, FLUSH = 0, 1, 3
FUA = 1


class HungUp(Exception):
    """The server closed the connection."""


class NbdClient:
    def __init__(self, path, export=""):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        try:
            self.shake_hands(path, export)
        except BaseException:
            self.socket.close()
            raise
        self.handle = 0

    def shake_hands(self, path, export):
        self.socket.connect(path)
        magic, option_magic, _ = struct.unpack(">QQH", self.receive(18))
        assert (magic, option_magic) == (0x4E42444D41474943, 0x49484156454F5054)
        self.socket.sendall(struct.pack(">I", 3))  # fixed newstyle, no zeros
        name = export.encode()
        self.socket.sendall(struct.pack(">QII", option_magic, 1, len(name)) + name)
        self.bytes, self.flags = struct.unpack(">QH", self.receive(10))

    def receive(self, size):
        data = b""
        while len(data) < size:
            try:
                part = self.socket.recv(size - len(data))
            except ConnectionError:
                part = b""
            if not part:
                raise HungUp
            data += part
        return data

    def send(self, kind, offset=0, size=0, data=b"", flags=0):
        self.handle += 1
        try:
            self.socket.sendall(struct.pack(">IHHQQI", 0x25609513, flags, kind, self.handle, offset, size) + data)
        except ConnectionError as error:
            raise HungUp from error

    def answer(self, size=0):
        magic, error, handle = struct.unpack(">IIQ", self.receive(16))
        assert (magic, handle) == (0x67446698, self.handle)
        if error:
            raise OSError(error, "the server's answer")
        return self.receive(size)

    def read(self, offset, size):
        self.send(READ, offset, size)
        return self.answer(size)

    def write(self, offset, data, through=False):
        self.send(WRITE, offset, len(data), data, FUA if through else 0)
        self.answer()

    def flush(self):
        self.send(FLUSH)
        self.answer()

    def close(self):
        self.socket.close()
