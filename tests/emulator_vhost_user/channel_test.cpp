// Messages in pieces, and what is none.
#include "emulator/vhost_user/channel.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "catch.h"
#include "emulator/vhost_user/message.h"

using namespace platter::emulator;

namespace {

struct Sockets {
  Sockets() { REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0); }
  ~Sockets() {
    close(ends[0]);
    close(ends[1]);
  }
  void say(const std::string& bytes) const {
    REQUIRE(::send(ends[1], bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  }
  int ends[2] = {-1, -1};
};

std::string said(std::uint32_t kind, std::uint32_t flags, const std::string& payload) {
  const std::array<std::uint32_t, 3> header{kind, flags,
                                            static_cast<std::uint32_t>(payload.size())};
  return std::string(reinterpret_cast<const char*>(header.data()), sizeof header) + payload;
}

}  // namespace

TEST_CASE("channel: a message in any pieces is the message", "[channel]") {
  const std::string whole = said(9, 1, "abcdefgh") + said(3, 1, "") + said(8, 1, "12345678");
  for (std::size_t piece = 1; piece < whole.size(); ++piece) {
    const Sockets sockets;
    Inbox inbox;
    std::vector<Message> got;
    for (std::size_t at = 0; at < whole.size(); at += piece) {
      sockets.say(whole.substr(at, piece));
      while (inbox.look(sockets.ends[0]) == Inbox::Found::message) got.push_back(inbox.take());
    }
    CHECK(inbox.look(sockets.ends[0]) == Inbox::Found::not_yet);
    REQUIRE(got.size() == 3);
    CHECK(got[0].kind == MessageKind::set_vring_addr);
    CHECK(got[0].bytes == 8);
    CHECK(got[0].payload[7] == 'h');
    CHECK(got[1].bytes == 0);
    CHECK(got[2].payload[0] == '1');
    shutdown(sockets.ends[1], SHUT_WR);
    CHECK(inbox.look(sockets.ends[0]) == Inbox::Found::end);
  }
}

TEST_CASE("channel: what is no message", "[channel]") {
  for (const std::string& wrong : {said(1, 2, ""), said(1, 1, std::string(1025, 'x'))}) {
    const Sockets sockets;
    Inbox inbox;
    sockets.say(wrong);
    CHECK_THROWS_AS(inbox.look(sockets.ends[0]), BrokenGuest);
  }
  for (const std::size_t cut : {1u, 11u, 12u, 19u}) {
    const Sockets sockets;
    Inbox inbox;
    sockets.say(said(8, 1, "12345678").substr(0, cut));
    CHECK(inbox.look(sockets.ends[0]) == Inbox::Found::not_yet);
    shutdown(sockets.ends[1], SHUT_WR);
    CHECK_THROWS_AS(inbox.look(sockets.ends[0]), BrokenGuest);
  }
}

// holds: emulators.md: A message or request in pieces
TEST_CASE("channel: a peer that does not read is not waited for", "[channel]") {
  const Sockets sockets;
  Outbox outbox;
  Message message;
  message.append(std::uint64_t{1});
  std::size_t put = 0;
  do {
    outbox.put(message);
    ++put;
    REQUIRE(outbox.send(sockets.ends[0]));
  } while (outbox.is_empty());
  std::size_t bytes = 0;
  std::array<char, 4096> got{};
  while (bytes < put * 20) {
    const ssize_t now = recv(sockets.ends[1], got.data(), got.size(), MSG_DONTWAIT);
    if (now > 0) bytes += static_cast<std::size_t>(now);
    REQUIRE(outbox.send(sockets.ends[0]));
  }
  CHECK(outbox.is_empty());
  CHECK(bytes == put * 20);
}
