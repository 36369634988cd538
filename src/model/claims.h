// What this run reads and what it will write: so that no output is an input, and that what was
// looked at before the work began is what is replaced at its end.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace platter::model {

// An open file is an input of this run; `name` is what a person calls it.
void note_input(int descriptor, const std::string& name);
// The same for a file that will be opened, if it is there.
void note_input(const std::string& path);
// The input that is this very file, by whatever name or link.
std::optional<std::string> input_behind(const std::string& path);

// Remembers what lies at `target` now. False: this run had claimed it before.
bool claim_target(const std::filesystem::path& target);
// What lies at `target` is what lay there when it was claimed; true where it never was.
bool is_as_claimed(const std::filesystem::path& target);
// It was claimed when nothing lay there.
bool was_claimed_free(const std::filesystem::path& target);
// This run has replaced it.
void renew_claim(const std::filesystem::path& target);

}  // namespace platter::model
