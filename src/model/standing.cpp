#include "model/standing.h"

#include "model/finding_kinds.h"

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

std::string noise_of_host(const Provenance& provenance) {
  const Finding* const found = finding_of(provenance, Code::host_too_noisy);
  return found == nullptr ? "" : found->text;
}

}  // namespace platter::model
