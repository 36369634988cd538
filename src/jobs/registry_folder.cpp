#include "jobs/registry_folder.h"

#include "model/printable.h"
#include "model/say.h"

namespace platter::jobs {

void say(const std::string& sentence) { model::say("platter: {}\n", model::printable(sentence)); }

}  // namespace platter::jobs
