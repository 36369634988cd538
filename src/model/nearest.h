// The name that was meant by one that is not there.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace platter::model {

// The nearest of the names: one that begins with what was typed, or that differs from it in at most
// a third of its letters (insertions, deletions, replacements, neighbours exchanged). nullopt: none
// is so near.
std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> names);

// "did you mean NAME? " with what stands around the name, or nothing.
std::string did_you_mean(std::string_view typed, std::span<const std::string> names,
                         const std::string& before = {}, const std::string& behind = {});

}  // namespace platter::model
