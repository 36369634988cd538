// A disk drive for SST (sst-core 15 or later): "platter.Drive". It takes DriveRequest at its port
// "host" and gives each back as it came, when the drive has completed it; the order is the drive's.
// README.md builds it.
#pragma once

#include <platter.h>

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "sst/core/component.h"
#include "sst/core/event.h"
#include "sst/core/link.h"

namespace platter_sst {

class DriveRequest : public SST::Event {
 public:
  std::uint64_t lbn = 0;  // in the drive's blocks
  std::uint32_t blocks = 1;
  bool write = false;
  std::uint64_t id = 0;  // the sender's own

  void serialize_order(SST::Core::Serialization::serializer& ser) override {
    Event::serialize_order(ser);
    SST_SER(lbn);
    SST_SER(blocks);
    SST_SER(write);
    SST_SER(id);
  }
  ImplementSerializable(platter_sst::DriveRequest);
};

class Drive : public SST::Component {
 public:
  SST_ELI_REGISTER_COMPONENT(Drive, "platter", "Drive", SST_ELI_ELEMENT_VERSION(1, 0, 0),
                             "A disk drive by libplatter", COMPONENT_CATEGORY_MEMORY)
  SST_ELI_DOCUMENT_PARAMS({"table", "the drive: a file of 'platter emit table'", nullptr})
  SST_ELI_DOCUMENT_PORTS({"host", "DriveRequest, there and back", {"platter_sst.DriveRequest"}})

  Drive(SST::ComponentId_t id, SST::Params& params);
  ~Drive() override;

 private:
  void take(SST::Event* event);     // from the host
  void wake_up(SST::Event* event);  // a completion may be due
  void submit_what_waits();
  void arm();
  void check(platter_status status);

  platter_table* table_ = nullptr;
  platter_engine* engine_ = nullptr;
  SST::Link* host_ = nullptr;
  SST::Link* wake_ = nullptr;
  std::deque<DriveRequest*> waiting_;            // the drive's queue is full
  std::map<std::uint32_t, DriveRequest*> sent_;  // by tag
  std::uint32_t next_tag_ = 0;
};

}  // namespace platter_sst
