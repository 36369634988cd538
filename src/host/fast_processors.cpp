#include "host/fast_processors.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "model/error.h"
#include "model/file.h"
#include "model/quietly.h"

namespace platter::host {
namespace {

// As it is there; nothing of before this start of the machine counts.
Journal journal_in(const RunsFolder& runs, const std::string& root) {
  const std::string boot = this_boot(root), path = runs.journal().string();
  if (!model::is_file(path)) return {boot, {}};
  Journal journal = read_host_journal(path);
  if (journal.boot != boot) journal.found.clear();
  journal.boot = boot;
  return journal;
}

// Where it stays, what somebody chooses from now on would be taken for what a run set.
std::optional<std::string> remove_journal(const RunsFolder& runs) {
  std::error_code failed;
  std::filesystem::remove(runs.journal(), failed);
  if (!failed) return std::nullopt;
  return fmt::format(
      "{} cannot be removed: {}; remove it by hand, nothing is left to put back from it",
      runs.journal().string(), failed.message());
}

// Only what is as a run set it: what somebody chose since is theirs.
PutBack put_back(const Journal& journal, const std::string& root) {
  PutBack done;
  for (const Governor& now : governors(root)) {
    const auto found = std::ranges::find(journal.found, now.policy, &Governor::policy);
    if (found == journal.found.end() || found->name == now.name) continue;
    if (now.name != kFastest)
      done.changed.push_back(now);
    else if (const auto why = set_governor(*found, root))
      done.failed.push_back(fmt::format("the governor of {} cannot be set back to {}: {}",
                                        found->policy, found->name, *why));
    else
      done.back.push_back(*found);
  }
  return done;
}

PutBack put_back_and_forget(const RunsFolder& runs, const std::string& root) {
  PutBack done = put_back(journal_in(runs, root), root);
  if (done.failed.empty()) done.journal_stays = remove_journal(runs);
  return done;
}

}  // namespace

std::vector<std::string> PutBack::troubles() const {
  std::vector<std::string> all = failed;
  if (!changed.empty())
    all.push_back(
        fmt::format("the governor was set to {} by somebody else meanwhile, and is left so",
                    in_words(changed)));
  if (journal_stays) all.push_back(*journal_stays);
  return all;
}

FastProcessors::FastProcessors(const std::string& root) : root_(root), runs_(root) {
  try {
    set_all();
  } catch (const Error& error) {
    troubles_.emplace_back(error.what());
  }
}

// The journal first: what is set and stands in none would stay.
void FastProcessors::set_all() {
  const std::vector<Governor> now = governors(root_);
  if (now.empty()) {
    troubles_.emplace_back(
        "the governor was not set: this kernel has no cpufreq, or does not show it");
    return;
  }
  const model::Descriptor change = runs_.begin_change();
  if (change.get() < 0) {
    all_fast_ = std::ranges::all_of(now, [](const Governor& g) { return g.name == kFastest; });
    if (!all_fast_)
      troubles_.push_back(
          fmt::format("the governor stays {}: {} cannot be written, where it would "
                      "be kept for putting it back; run platter as root",
                      in_words(now), runs_.path().string()));
    return;
  }
  Journal journal = journal_in(runs_, root_);
  bool news = false;
  for (const Governor& governor : now) {
    if (governor.name == kFastest) continue;
    const auto known = std::ranges::find(journal.found, governor.policy, &Governor::policy);
    if (known == journal.found.end())
      journal.found.push_back(governor);
    else
      known->name = governor.name;  // what somebody chose last
    news = true;
  }
  if (news) write_host_journal(journal, runs_.journal().string());
  member_ = runs_.join();
  found_ = journal.found;
  all_fast_ = true;
  for (const Governor& governor : now) {
    if (governor.name == kFastest) continue;
    if (const auto why = set_governor({governor.policy, kFastest}, root_)) {
      all_fast_ = false;
      troubles_.push_back(
          fmt::format("the governor of {} stays {}: {}", governor.policy, governor.name, *why));
    }
  }
}

std::vector<std::string> FastProcessors::end() {
  if (member_.get() < 0) return {};
  try {
    const model::Descriptor change = runs_.begin_change();
    member_ = model::Descriptor();
    if (change.get() < 0) return put_back({{}, found_}, root_).troubles();  // the folder is gone
    if (!runs_.nobody_measures()) return {};                                // the last one does it
    return put_back_and_forget(runs_, root_).troubles();
  } catch (const Error& error) {
    return {error.what()};
  }
}

FastProcessors::~FastProcessors() {
  model::quietly([this] { static_cast<void>(end()); });
}

namespace {

// Held while nobody else may begin; no descriptor: nothing was left, or a run goes on.
model::Descriptor left_alone(const RunsFolder& runs) {
  if (!model::is_file(runs.journal().string())) return model::Descriptor();
  model::Descriptor change = runs.begin_change();
  const bool left = runs.nobody_measures() && model::is_file(runs.journal().string());
  return left ? std::move(change) : model::Descriptor();
}

}  // namespace

std::optional<PutBack> put_back_what_was_left(const std::string& root) {
  const RunsFolder runs(root);
  const model::Descriptor change = left_alone(runs);
  if (change.get() < 0) return std::nullopt;
  return put_back_and_forget(runs, root);
}

std::optional<std::string> left_host_journal(const std::string& root) {
  const RunsFolder runs(root);
  if (left_alone(runs).get() < 0) return std::nullopt;
  return runs.journal().string();
}

}  // namespace platter::host
