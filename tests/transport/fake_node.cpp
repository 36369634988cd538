// An ioctl() of our own stands before the C library's in this program.
#include "fake_node.h"

#include <scsi/sg.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <utility>

namespace platter::transport {
namespace {

std::atomic<const FakeNode::Answers*> node{nullptr};

}  // namespace

FakeNode::FakeNode(Answers answers) : answers_(std::move(answers)) { node = &answers_; }
FakeNode::~FakeNode() { node = nullptr; }

extern "C" int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list list;
  va_start(list, request);
  void* const argument = va_arg(list, void*);
  va_end(list);
  const FakeNode::Answers* const answers = node;
  if (!answers || fd != kFakeNode || request != SG_IO)
    return static_cast<int>(::syscall(SYS_ioctl, fd, request, argument));
  errno = (*answers)(argument);
  return errno == 0 ? 0 : -1;
}

}  // namespace platter::transport
