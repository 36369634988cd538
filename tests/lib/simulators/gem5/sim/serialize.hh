#pragma once
#include "sim/sim_object.hh"
#define SERIALIZE_CONTAINER(member) cp.member = member
#define UNSERIALIZE_CONTAINER(member) member = cp.member
