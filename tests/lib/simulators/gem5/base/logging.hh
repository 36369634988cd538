#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>
#define fatal_if(condition, format, name, sentence)                          \
  do {                                                                       \
    if (condition) {                                                         \
      std::fprintf(stderr, format "\n", std::string(name).c_str(), sentence); \
      std::exit(1);                                                          \
    }                                                                        \
  } while (false)
