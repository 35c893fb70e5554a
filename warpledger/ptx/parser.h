// PTX text to a Module: names resolved, operands and types checked against the opcode table.
#pragma once

#include <memory>
#include <string>

#include "warpledger/base/result.h"
#include "warpledger/ptx/module.h"

namespace warpledger::ptx {

/// The module of `source`, or what is wrong with it: a fault in the syntax ends the reading, faults
/// of operands and versions are collected (at most 20). What the ISA does not have is refused by
/// name; a form that cannot run yet is accepted, its tier says so.
[[nodiscard]] Result<Module> parse(std::shared_ptr<const Source> source);
[[nodiscard]] Result<Module> parse(std::string name, std::string text);

}  // namespace warpledger::ptx
