// The few names of SST that examples/sst uses, as a clock of events that tests can run.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

#include "sst/core/event.h"
#include "sst/core/link.h"

#define SST_ELI_ELEMENT_VERSION(...)
#define SST_ELI_REGISTER_COMPONENT(...)
#define SST_ELI_DOCUMENT_PARAMS(...)
#define SST_ELI_DOCUMENT_PORTS(...)
#define CALL_INFO 0, "", ""

namespace SST {

using ComponentId_t = std::uint64_t;

struct Params : std::map<std::string, std::string> {
  template <class T>
  T find(const std::string& name, const T& otherwise) const {
    return count(name) ? at(name) : otherwise;
  }
};

struct Output {
  [[noreturn]] void fatal(int, const char*, const char*, int status, const char* format,
                          ...) const {
    va_list arguments;
    va_start(arguments, format);
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
    std::exit(status);
  }
};

class Component {
 public:
  explicit Component(ComponentId_t) {}
  virtual ~Component() = default;

 protected:
  Link* configureLink(const std::string&, Event::HandlerBase* handler) {
    host.there = handler;
    return &host;
  }
  Link* configureSelfLink(const std::string&, const std::string&, Event::HandlerBase* handler) {
    self.back = handler;
    return &self;
  }
  SimTime_t getCurrentSimTimeNano() const { return Clock::now_ns; }
  Output getSimulationOutput() const { return {}; }

 public:
  Link host, self;  // not SST's: the test is at the other end
};

}  // namespace SST
