// What goes wrong with a drive that an experiment has to know apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "model/error.h"
#include "scsi/advice.h"
#include "scsi/sense.h"

namespace platter::scsi {

// The drive reported an error that the experiment did not ask for. Some are worth
// catching: `lbn` says where, another place may do.
class DriveError : public Error {
 public:
  enum class Kind : std::uint8_t {
    failed,
    refused,     // as it was asked: another form of the command, or none, may do
    came_short,  // GOOD, again and again, with fewer bytes than were asked for
  };
  DriveError(ExitStatus status, const std::string& sentence, std::optional<Sense> s,
             std::uint64_t at_lbn, std::uint32_t count, Kind what = Kind::failed)
      : Error(status, sentence), sense(std::move(s)), lbn(at_lbn), blocks(count), kind(what) {}
  // Of these blocks, or of this one try: another place, or another time, may do.
  bool may_do_elsewhere() const {
    return sense &&
           (sense->key == SenseKey::medium_error || sense->key == SenseKey::hardware_error ||
            sense->key == SenseKey::aborted_command) &&
           advice_on(sense, Status::check_condition).affects != Affects::whole_drive;
  }
  bool refused() const { return kind == Kind::refused; }
  bool came_short() const { return kind == Kind::came_short; }
  std::optional<Sense> sense;
  std::uint64_t lbn;
  std::uint32_t blocks;
  Kind kind;
};

// A write failed, or may have: nothing more is written in this run (Guard::why_writes_ended), and
// what was written has to be looked after. Thrown once, by whatever command found it out.
class WriteFailed : public Error {
 public:
  using Error::Error;
};

// Another drive stands in the place of the one that was identified: it is not written to, and no
// setting of it is changed.
class AnotherDrive : public Error {
 public:
  using Error::Error;
};

// A drive that does not take back what it once had as its own settings. what() says what to do,
// where nobody knows more than that.
class NotTakenBack : public Error {
 public:
  explicit NotTakenBack(const std::string& fact)
      : Error(ExitStatus::drive_error,
              fact + "; run platter restore, or power the drive off and on"),
        fact_(fact) {}
  const std::string& fact() const { return fact_; }

 private:
  std::string fact_;
};

}  // namespace platter::scsi
