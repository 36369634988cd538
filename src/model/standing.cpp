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

}  // namespace platter::model
