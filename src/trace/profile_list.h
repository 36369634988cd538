// The catalogue of workloads for people and for programs.
#pragma once

#include <span>
#include <string>

#include "trace/profiles.h"

namespace platter::trace {

std::string list_text(std::span<const Profile> profiles);
std::string list_json(std::span<const Profile> profiles);

}  // namespace platter::trace
