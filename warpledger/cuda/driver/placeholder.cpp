#include "warpledger/cuda/core.h"
extern "C" int wl_driver_not_here(const char* name) {
  warpledger::cuda::Core::say(std::string(name) + " is not supported under the door (docs/doors.md)");
  return 801;
}
