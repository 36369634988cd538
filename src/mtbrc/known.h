// What the samples so far tell, for experiments that must look while they run: by the same table as
// the model that is made of them.
#pragma once

#include "estimate/estimates.h"
#include "mtbrc/context.h"

namespace platter::mtbrc {

using estimate::Figure;

// To be asked at once: the next sample ends it. `stated`: what earlier stages have, for figures
// that are measured from it.
inline estimate::Estimates known(const Context& context,
                                 const model::DriveModel* stated = nullptr) {
  return {context.samples, context.map, context.rotation, stated};
}

}  // namespace platter::mtbrc
