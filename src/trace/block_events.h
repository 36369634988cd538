// The events of Linux' block layer, as blktrace records and blkparse prints them, made into
// requests: each is issued (D) and later completed (C), which gives its service time.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "trace/line.h"
#include "trace/record.h"
#include "trace/skips.h"

namespace platter::trace {

struct BlockEvent {
  enum class Action : std::uint8_t { queue, issue, requeue, complete };
  Action action = Action::issue;
  Nanoseconds time_ns = 0;
  std::uint32_t device = 0;  // major << 20 | minor
  std::uint64_t sector = 0;  // of 512 bytes
  std::uint64_t bytes = 0;
  bool write = false, failed = false;
  Place time{}, lbn{}, blocks{};
};

std::string device_text_of_linux(std::uint32_t device);              // "8:16"
bool is_device_of_linux(std::string_view text);                      // "8,16"
std::uint32_t device_of_linux(const Line& line, std::size_t field);  // of "8,16"

class BlockEvents {
 public:
  // `queued`: requests are what was queued (Q), not what was issued (D).
  explicit BlockEvents(bool queued) : queued_(queued), pending_(kLeast), chains_(kLeast) {}

  // What became of an event.
  enum class Use : std::uint8_t {
    begins,      // a request
    of_another,  // that began before
    of_none,     // of no request that is known: it began before the trace, or is lost
    takes_back,  // a request that will be issued anew
  };
  Use add(const BlockEvent& event);
  void end() { ended_ = true; }

  // The next request in the order of arrival, once its service time is known or waited for in vain.
  bool take(Record& record);
  Place place(Part part) const;  // of the one taken last

 private:
  struct Key {
    std::uint64_t byte = 0;  // the first yet to complete
    std::uint32_t device = 0;
    bool write = false;
    bool operator==(const Key&) const = default;
  };
  struct Pending {
    Record record{};
    Place time{}, lbn{}, blocks{};
    std::optional<Nanoseconds> issued_ns{};
    Key key{};
    std::uint64_t open_bytes = 0;
    std::uint64_t next_alike = 0;  // behind it in its chain
    bool settled = false;
  };
  static constexpr std::size_t kLeast = 256;  // requests that there is room for, a power of two

  Use begin(const BlockEvent& event);
  Use issue(const BlockEvent& event);
  Use requeue(const BlockEvent& event);
  Use complete(const BlockEvent& event);

  static Key key_of(const BlockEvent& event);
  std::size_t size() const { return end_ - first_; }
  Pending& pending(std::uint64_t number) { return pending_[number & (pending_.size() - 1)]; }
  std::uint64_t& chain_of(const Key& key);
  std::uint64_t find(const Key& key);
  void open(std::uint64_t number);
  void close(std::uint64_t number);
  void make_room();

  bool queued_, ended_ = false;
  // A ring of the requests from first_ to before end_, in the order of arrival, numbered from 1.
  // Those that are not complete, of each key one, hang in chains by a hash of their keys; 0 ends
  // one.
  std::vector<Pending> pending_;
  std::vector<std::uint64_t> chains_;
  std::uint64_t first_ = 1, end_ = 1;
  Nanoseconds now_ns_ = 0;
  bool taken_ = false;  // first_ is the request taken last
};

// Counts an event that is no request of its own.
void count(Skips& skips, BlockEvents::Use use, const Place& place);

// The other way: each request is queued and issued when it arrives, and completed after its service
// time; all in the order of time.
class BlockEventWriter : public RecordWriter {
 public:
  void append(std::string& out, const Request& request) final;
  void end(std::string& out) final;

 protected:
  virtual void put(std::string& out, BlockEvent::Action action, Nanoseconds time_ns,
                   const Request& request) = 0;

 private:
  struct Completion {
    Nanoseconds time_ns = 0;
    std::uint64_t number = 0;
    Request request{};
    bool operator<(const Completion& other) const {  // the earliest is on top
      return std::pair(other.time_ns, other.number) < std::pair(time_ns, number);
    }
  };

  void complete_until(std::string& out, Nanoseconds time_ns);

  std::priority_queue<Completion> completions_;
  std::uint64_t number_ = 0;
};

}  // namespace platter::trace
