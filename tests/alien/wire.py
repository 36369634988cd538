"""The external drive protocol, version 2: frames on standard input and output.

The rules of time and of outstanding commands are checked here as strictly as the protocol states
them, so that a tool which breaks one is told which.
"""

import struct
import sys

HELLO = b"SCSIDRV2"
FRAME_LIMIT = 16 * 1024 * 1024

LENGTH = struct.Struct("<I")
REQUEST = struct.Struct("<QIBBBBBBI")
REPLY = struct.Struct("<QIBBHII")

COMMAND, WAIT, RESET, ADVANCE = range(4)
NOTHING = 0xFF  # status of a reply without a completion


class ProtocolError(Exception):
    """The tool sent what the protocol does not allow."""


class Request:
    __slots__ = ("issue_ns", "tag", "kind", "more", "lun", "attribute", "direction",
                 "transfer_length", "cdb", "data")

    def __init__(self, issue_ns=0, tag=0, kind=COMMAND, more=0, lun=0, attribute=0, direction=0,
                 transfer_length=0, cdb=b"", data=b""):
        self.issue_ns = issue_ns
        self.tag = tag
        self.kind = kind
        self.more = more
        self.lun = lun
        self.attribute = attribute
        self.direction = direction
        self.transfer_length = transfer_length
        self.cdb = cdb
        self.data = data


class Reply:
    __slots__ = ("complete_ns", "tag", "status", "sense", "residual", "data")

    def __init__(self, complete_ns, tag=0, status=NOTHING, sense=b"", residual=0, data=b""):
        self.complete_ns = complete_ns
        self.tag = tag
        self.status = status
        self.sense = sense
        self.residual = residual
        self.data = data


def _exactly(stream, count, what):
    got = stream.read(count)
    if len(got) != count:
        raise ProtocolError(f"input ended inside {what}: {len(got)} of {count} bytes")
    return got


def read_request(stream):
    """The next request; None at the end of input."""
    head = stream.read(LENGTH.size)
    if not head:
        return None
    if len(head) != LENGTH.size:
        raise ProtocolError("input ended inside the length of a request")
    (length,) = LENGTH.unpack(head)
    if not REQUEST.size <= length <= FRAME_LIMIT:
        raise ProtocolError(f"length {length} of a request is not in {REQUEST.size}..{FRAME_LIMIT}")
    body = _exactly(stream, length, "a request")
    issue_ns, tag, kind, more, lun, attribute, direction, cdb_length, transfer_length = \
        REQUEST.unpack_from(body)
    if kind > ADVANCE:
        raise ProtocolError(f"kind {kind} is unknown")
    if more > 1 or (more and kind != COMMAND):
        raise ProtocolError(f"more {more} in a request of kind {kind}")
    if direction > 2:
        raise ProtocolError(f"direction {direction} is unknown")
    if attribute > 2:
        raise ProtocolError(f"attribute {attribute} is unknown")
    if cdb_length not in ((6, 10, 12, 16, 32) if kind == COMMAND else (0,)):
        raise ProtocolError(f"cdb_length {cdb_length} in a request of kind {kind}")
    if kind in (WAIT, ADVANCE) and tag != 0:
        raise ProtocolError(f"tag {tag} in a request of kind {kind}")
    if kind == WAIT and issue_ns != 0:
        raise ProtocolError(f"issue_ns {issue_ns} in a request of kind 1")
    expected = REQUEST.size + cdb_length + (transfer_length if direction == 2 else 0)
    if length != expected:
        raise ProtocolError(f"length {length} of a request, its fields need {expected}")
    cdb_end = REQUEST.size + cdb_length
    return Request(issue_ns, tag, kind, more, lun, attribute, direction, transfer_length,
                   body[REQUEST.size:cdb_end], body[cdb_end:])


def pack_request(request):
    body = REQUEST.pack(request.issue_ns, request.tag, request.kind, request.more, request.lun,
                        request.attribute, request.direction, len(request.cdb),
                        request.transfer_length) + request.cdb
    if request.direction == 2:
        body += request.data
    return LENGTH.pack(len(body)) + body


def pack_reply(reply):
    body = REPLY.pack(reply.complete_ns, reply.tag, reply.status, len(reply.sense), 0,
                      reply.residual, len(reply.data))
    return b"".join((LENGTH.pack(len(body) + len(reply.sense) + len(reply.data)), body,
                     reply.sense, reply.data))


def unpack_reply(body):
    complete_ns, tag, status, sense_length, _, residual, data_length = REPLY.unpack_from(body)
    sense_end = REPLY.size + sense_length
    if len(body) != sense_end + data_length:
        raise ProtocolError("a reply's length does not agree with its fields")
    return Reply(complete_ns, tag, status, body[REPLY.size:sense_end], residual, body[sense_end:])


class Session:
    """Answers requests on behalf of a queue; keeps the rules of time and of outstanding tags."""

    def __init__(self, queue):
        self.queue = queue
        self.reported_ns = 0  # the latest time the tool has been told
        self.tags = set()

    def answer(self, request):
        """The reply to one request; None while `more` is set."""
        kind = request.kind
        if kind != WAIT and request.issue_ns < self.reported_ns:
            raise ProtocolError(f"issue_ns {request.issue_ns} lies before {self.reported_ns}, "
                                "which the drive has reported already")
        if kind == COMMAND:
            if request.tag in self.tags:
                raise ProtocolError(f"tag {request.tag} is outstanding already")
            self.tags.add(request.tag)
            self.queue.submit(request)
            if request.more:
                return None
            reply = self.queue.next_completion(None)
        elif kind == WAIT:
            reply = self.queue.next_completion(None)
            if reply is None:
                reply = Reply(self.reported_ns)
        elif kind == ADVANCE:
            reply = self.queue.next_completion(request.issue_ns)
            if reply is None:
                reply = Reply(request.issue_ns)
        else:
            reply = self.queue.reset(request)
            self.tags.clear()
        self.tags.discard(reply.tag)
        self.reported_ns = max(self.reported_ns, reply.complete_ns)
        return reply

    def serve(self, source=None, sink=None, change=None):
        """Speaks the protocol until the input ends. `change` may alter the bytes of a reply."""
        source = source or sys.stdin.buffer
        sink = sink or sys.stdout.buffer
        sink.write(HELLO)
        sink.flush()
        while True:
            request = read_request(source)
            if request is None:
                return
            reply = self.answer(request)
            if reply is None:
                continue
            frame = pack_reply(reply)
            sink.write(change(frame, request, reply) if change else frame)
            sink.flush()
