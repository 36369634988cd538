#include "cli/examples.h"

#include <array>
#include <map>
#include <string>

namespace platter::cli {
namespace {

using Two = std::array<const char*, 2>;

const std::map<std::string, Two> kExamples = {
    {"devices", {"platter devices", "platter devices --json"}},
    {"inspect", {"platter inspect /dev/sg0", "platter inspect virtual:quantum-atlas10k --json"}},
    {"characterize",
     {"platter characterize /dev/sg0 -o drive.json",
      "platter characterize /dev/sda /dev/sdb --allow-writes 0-1e6 -o drives/"}},
    {"estimate",
     {"platter estimate drive.samples.jsonl -o again.json",
      "platter estimate drive.samples.jsonl -o again.json --force"}},
    {"truth",
     {"platter truth virtual:quantum-atlas10k -o truth.json",
      "platter truth virtual:random-7 -o truth.json"}},
    {"import disksim",
     {"platter import disksim drive.parv -o drive.json",
      "platter import disksim drive.parv -o drive.json --force"}},
    {"derive",
     {"platter derive drive.json --set rotation.rpm=x2 -o fast.json",
      "platter derive drive.json --set seek.time_ms=/2 --name agile -o agile.json"}},
    {"emit disksim",
     {"platter emit disksim drive.json -o disksim",
      "platter emit disksim drive.json -o disksim --layout g4 --force"}},
    {"emit table",
     {"platter emit table drive.json -o drive.ptab",
      "platter emit table drive.json -o drive.h --format c"}},
    {"emit summary", {"platter emit summary drive.json", "platter emit summary drive.json --json"}},
    {"emit 86box", {"platter emit 86box drive.json", "platter emit 86box quantum-atlas10k.json"}},
    {"emulate",
     {"platter emulate drive.json --nbd disk.sock",
      "platter emulate drive.json --vhost-user disk.sock --log answers.log"}},
    {"cosim",
     {"platter cosim drive.json -- dd if=/dev/sda of=/dev/null count=100",
      "platter cosim drive.json --seed 3 --report run.json -- mkfs.ext4 -q /dev/sda"}},
    {"show", {"platter show drive.json", "platter show drive.json --plots ."}},
    {"diff", {"platter diff drive.json truth.json", "platter diff drive.json truth.json --all"}},
    {"layout",
     {"platter layout drive.json --lbn 0 123456", "platter layout drive.json --pbn 100,2,7"}},
    {"compare",
     {"platter compare drive.csv model.csv", "platter compare drive.csv model.csv --plot cdf.svg"}},
    {"plot",
     {"platter plot cdf drive.csv model.csv -o cdf.pdf --width 84",
      "platter plot seeks drive.json -o seeks.svg --log-axis"}},
    {"calibrate",
     {"platter calibrate drive.json --with drive.csv -o refined.json",
      "platter calibrate drive.json --with drive.csv --only positioning -o new.json"}},
    {"replay",
     {"platter replay random.trace --on virtual:quantum-atlas10k -o drive.csv",
      "platter replay random.trace --on drive.json --phase-from drive.csv -o m.csv"}},
    {"result show", {"platter result show drive.csv", "platter result show drive.csv --json"}},
    {"result export",
     {"platter result export drive.csv.zst -o drive.csv",
      "platter result export drive.csv -o drive.csv.zst --force"}},
    {"trace generate",
     {"platter trace generate --workload random --for drive.json -o random.trace",
      "platter trace generate --workload mixed --for drive.json -o mixed.trace"}},
    {"trace convert",
     {"platter trace convert usr_0.csv.gz --to ascii -o usr_0.trace.zst",
      "platter trace convert random.trace --to iolog3 -o random.log"}},
    {"trace lint",
     {"platter trace lint usr_0.csv.gz", "platter trace lint random.trace --limit 5"}},
    {"trace stats",
     {"platter trace stats random.trace", "platter trace stats usr_0.csv.gz --json"}},
    {"validate",
     {"platter validate virtual:quantum-atlas10k drive.json -o validation",
      "platter validate virtual:quantum-atlas10k drive.json --allow-writes all -o v"}},
    {"report",
     {"platter report drive.json -o report.html",
      "platter report drive.json --results validation -o report.html"}},
    {"study run",
     {"platter study run depths.json --jobs 4 --plots .",
      "platter study run depths.json -C /shared/depths --part 3/20"}},
    {"study plan",
     {"platter study plan depths.json --parts 20",
      "platter study plan depths.json --parts 20 --least 5m --json"}},
    {"study collect",
     {"platter study collect depths.json", "platter study collect depths.json --plots ."}},
    {"study slurm",
     {"platter study slurm depths.json --parts 20",
      "platter study slurm depths.json -C /shared/depths --parts 100 --jobs 4"}},
    {"restore",
     {"platter restore ~/.local/state/platter/*.journal",
      "platter restore DRIVE.journal --device /dev/sg0"}},
    {"publish",
     {"platter publish drives/*.json --attach-beside",
      "platter publish drive.json --samples drive.samples.jsonl --attach random.json"}},
    {"fleet", {"platter fleet", "platter fleet models --drive quantum-atlas-10k"}},
    {"registry list", {"platter registry list", "platter registry list --registry models --json"}},
    {"registry site",
     {"platter registry site -o pages", "platter registry site --registry models -o pages"}},
    {"registry search",
     {"platter registry search atlas",
      "platter registry search seagate --rpm 7200 --demerit 'random:<2%'"}},
    {"registry show",
     {"platter registry show quantum-atlas-10k", "platter registry show quantum-atlas-10k:v1"}},
    {"registry pull",
     {"platter registry pull quantum-atlas-10k -o drive.json",
      "platter registry pull quantum-atlas-10k -o drive.json --files ."}},
    {"registry match",
     {"platter registry match /dev/sda", "platter registry match virtual:quantum-atlas10k"}},
    {"registry diff",
     {"platter registry diff quantum-atlas-10k:v1 quantum-atlas-10k:v2",
      "platter registry diff quantum-atlas-10k:v1 quantum-atlas-10k --all"}},
    {"registry import",
     {"platter registry import layout", "platter registry import /media/stick/registry"}},
    {"registry prune",
     {"platter registry prune quantum-atlas-10k:v1", "platter registry prune --keep 2 --dry-run"}},
    {"registry gc", {"platter registry gc --dry-run", "platter registry gc"}},
    {"registry verify", {"platter registry verify", "platter registry verify quantum-atlas-10k"}},
    {"registry rebuild-index",
     {"platter registry rebuild-index", "platter registry rebuild-index --registry models"}},
    {"registry sign",
     {"platter registry sign quantum-atlas-10k --key ~/.config/platter/me.pem",
      "platter registry sign quantum-atlas-10k:v1 --key me.pem"}},
    {"registry trust add",
     {"platter registry trust add alice alice.pub", "platter registry trust add me me.pub"}},
    {"registry trust list", {"platter registry trust list", "platter registry trust list --json"}},
    {"registry trust remove",
     {"platter registry trust remove alice", "platter registry trust remove me"}},
    {"registry remote add",
     {"platter registry remote add lab oci://example.org/drives --key lab.pub",
      "platter registry remote add here oci://localhost:5000/drives --plain-http"}},
    {"registry remote list",
     {"platter registry remote list", "platter registry remote list --json"}},
    {"registry remote remove",
     {"platter registry remote remove lab", "platter registry remote remove here"}},
    {"registry push",
     {"platter registry push quantum-atlas-10k lab --sign ~/.config/platter/me.pem",
      "platter registry push --all lab"}},
    {"registry refresh", {"platter registry refresh lab", "platter registry refresh lab --json"}},
    {"registry index",
     {"platter registry index lab --key lab.pem",
      "platter registry index lab --key 'pkcs11:token=lab;object=index'"}},
};

void add(CLI::App& app, const std::string& path) {
  const auto found = kExamples.find(path);
  if (found != kExamples.end()) {
    std::string text = app.get_footer();
    if (!text.empty()) text += "\n\n";
    text += "Examples:";
    for (const char* example : found->second) text += "\n  " + std::string(example);
    app.footer(text);
  }
  for (CLI::App* sub : app.get_subcommands({}))
    if (!sub->get_name().empty())
      add(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name());
}

}  // namespace

void add_examples(CLI::App& app) { add(app, ""); }

}  // namespace platter::cli
