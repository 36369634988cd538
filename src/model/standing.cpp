#include "model/standing.h"

namespace platter::model {

std::string standing_of(const Provenance& provenance, const Validity& validity) {
  if (provenance.method != kDerivedMethod) return "";
  return validity.demerits.empty() ? "derived, not validated" : "derived";
}

std::string with_standing(const std::string& name, const Provenance& provenance,
                          const Validity& validity) {
  const std::string standing = standing_of(provenance, validity);
  return standing.empty() ? name : name + " (" + standing + ")";
}

// As noise/host_delay.cpp begins it.
std::string noise_of_host(const Provenance& provenance) {
  for (const std::string& note : provenance.notes)
    if (note.starts_with("the host is too noisy: ")) return note;
  return "";
}

}  // namespace platter::model
