#include "source_folder.h"

std::string source_folder() { return PLATTER_SOURCE_DIR; }
