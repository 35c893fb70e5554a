// The names of what module.h declares, for headers that hand it on and do not look inside.
#pragma once

namespace warpledger::ptx {

struct Cfg;
struct Function;
struct Instruction;
struct Module;

}  // namespace warpledger::ptx
