#include "jobs/exit_statuses.h"

#include <fmt/format.h>

namespace platter::jobs {
namespace {

std::string names(const std::vector<const char*>& subcommands) {
  std::string text;
  for (const char* name : subcommands)
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", name);
  return text;
}

}  // namespace

const std::vector<StatusMeaning>& status_meanings() {
  static const std::vector<const char*> kOfDrives = {"inspect", "characterize", "replay",
                                                     "validate", "restore"};
  static const std::vector<StatusMeaning> kAll = {
      {ExitStatus::ok, "ok", {{{}, "everything that was asked for was done"}}},
      {ExitStatus::internal,
       "internal",
       {{{},
         "a defect of platter itself: please report it with the sentence and the command line"}}},
      {ExitStatus::usage,
       "usage",
       {{{},
         "the command line is wrong: an unknown option, a value out of range, two options that "
         "exclude each other, an output that is an input ([outputs.md](outputs.md))"}}},
      {ExitStatus::no_device,
       "no_device",
       {{{}, "the device does not exist, cannot be started, or is no disk drive"}}},
      {ExitStatus::permission,
       "permission",
       {{{}, "the device, file or folder may not be opened by this user"}}},
      {ExitStatus::refused,
       "refused",
       {{{},
         "a file that platter did not make, or a measurement of another drive, is where an output "
         "would go, and `--force` is not given ([outputs.md](outputs.md))"},
        {kOfDrives,
         "the device is mounted or held, or nobody can tell (`--not-in-use`), or it is locked, or "
         "is another drive than the journal's by what it holds, or still has the settings of a run "
         "that was cut off, or its blocks not looked after, or a journal in the folder cannot be "
         "read, or the run was not allowed to do what it would need (`--allow-writes`)"},
        {{"characterize"},
         "`--resume` is given samples of another drive, or of one that is not as it was"},
        {{"characterize", "estimate"},
         "a better model of the drive is where the model would go, and `--force` is not given; "
         "what "
         "was measured is written beside it"},
        {{"emulate"}, "a socket exists or is served, or the contents are in use"},
        {{"registry", "publish"},
         "what the key of a remote did not sign, or an index that is older than one that was seen; "
         "no signature where one is required; a tag that moved or would; a key, or a folder of "
         "keys, that others may change"}}},
      {ExitStatus::bad_input,
       "bad_input",
       {{{},
         "a file (a model, a trace, a result, a parameter set) or a folder is not what it should "
         "be, or cannot be opened, and the sentence names the place"}}},
      {ExitStatus::protocol,
       "protocol",
       {{kOfDrives,
         "the drive, or the program behind `exec:`, answers what its protocol does not allow, or "
         "hangs up"}}},
      {ExitStatus::drive_error,
       "drive_error",
       {{kOfDrives,
         "the drive reports an error that stops the run: not ready, a medium error, a command that "
         "should have worked, settings that it does not take back (the sentence names the "
         "journal)"},
        {{"restore"}, "lines of the journal are damaged; all others were put right"}}},
      {ExitStatus::unsupported,
       "unsupported",
       {{{},
         "the drive, or the model, lacks what is needed, or what it shows makes no sense to "
         "measure"}}},
      {ExitStatus::output,
       "output",
       {{{},
         "a result cannot be written, and nothing half-written is left behind: also where the "
         "standard output is full or closed; a safety journal "
         "that cannot be written, or, with all results there, not removed"}}},
      {ExitStatus::missing_program,
       "missing_program",
       {{{"show", "compare", "plot", "study"}, "gnuplot is not installed"},
        {{"validate"},
         "there is no program that `--disksim` names, or it does not run the model's DiskSim "
         "files"},
        {{"emulate"}, "nbdkit is not installed, or the plugin for it was not built"},
        {{"cosim"},
         "what the kernel is built of is not installed, platter's parts of the guest are not "
         "there, or "
         "the command is no program"},
        {{"registry"}, "skopeo is not installed"}}},
      {ExitStatus::differs,
       "differs",
       {{{"diff", "registry"}, "the two models differ by more than their errors"},
        {{"fleet"}, "a drive stands out, or, with `--drive`, has changed"},
        {{"emulate"}, "with `--check-log`, a time of the log is not the engine's"}}},
      {ExitStatus::incomplete,
       "incomplete",
       {{{"characterize", "estimate"},
         "the run ended by itself without a map of the drive, without positions, the cache or a "
         "stage that it announced, or its own check refutes the model; the model is written and "
         "says what is missing"},
        {{"study"}, "`collect`: points are missing; the table is of those that are there"},
        {{"registry"}, "`match --this-drive`: no published model is of this very drive"}}},
      {ExitStatus::some_failed,
       "some_failed",
       {{{"emit", "inspect", "publish", "registry", "show", "trace"},
         "of several drives, models or traces, not each could be done; each has a sentence, and "
         "the others are done"},
        {{"characterize"},
         "of several drives, not each has a whole model; the summary has each drive's own status "
         "and sentence"},
        {{"validate"},
         "the DiskSim that `--disksim` names gave no answer to a workload; all else is written"},
        {{"study"}, "not each point has a result; the table has the others' status and sentence"},
        {{"fleet"},
         "not each model can be read; the others are compared, and the summary says which are left "
         "out and why"},
        {{"restore"},
         "of several journals, not each was put right; the summary has each one's own status and "
         "sentence"}}},
      {ExitStatus::unwritten,
       "unwritten",
       {{{"characterize"},
         "too little of a zoned drive is written for a model of it: nothing lies above the write "
         "pointers of its zones that could be timed"}}},
      {ExitStatus::interrupted,
       "interrupted",
       {{{}, "stopped by a signal"},
        {{"characterize", "replay", "validate"}, "the drive's settings were restored first"},
        {{"characterize"},
         "from the layout on what was measured is written, and `--resume` goes on with it"},
        {{"study"}, "what is computed is kept, and the same command goes on with the rest"}}}};
  return kAll;
}

std::string status_table() {
  std::string text = "| status | name | when |\n|---|---|---|\n";
  for (const StatusMeaning& meaning : status_meanings()) {
    std::string when;
    for (const StatusCause& cause : meaning.causes)
      when += (when.empty() ? "" : "<br>") +
              (cause.subcommands.empty() ? "" : names(cause.subcommands) + ": ") + cause.when;
    text += fmt::format("| {} | `{}` | {} |\n", static_cast<int>(meaning.status), meaning.name,
                        when);
  }
  return text;
}

}  // namespace platter::jobs
