// A folder for a test's files, which goes with the test.
#pragma once

#include "model/leftovers.h"

struct JobsFolder : platter::model::TemporaryFolder {
  JobsFolder() : TemporaryFolder(platter::model::temporary_name("platter-jobs")) {}
};
