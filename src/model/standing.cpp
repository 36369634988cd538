#include "model/standing.h"

#include <algorithm>

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
  const std::string_view too_noisy = kind_of(Code::host_too_noisy).name;
  const auto found = std::ranges::find(provenance.findings, too_noisy, &Finding::code);
  return found == provenance.findings.end() ? "" : found->text;
}

}  // namespace platter::model
