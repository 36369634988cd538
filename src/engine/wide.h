// 128-bit integers, for products of times and ratios that must not lose a bit.
#pragma once

namespace platter::engine {

__extension__ typedef unsigned __int128 Uint128;
__extension__ typedef __int128 Int128;

}  // namespace platter::engine
