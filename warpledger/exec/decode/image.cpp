#include "warpledger/exec/decode/image.h"

#include <fmt/core.h>

#include <cstring>

#include "warpledger/base/units.h"
#include "warpledger/exec/memory/address.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec {
namespace {

using ptx::InitialValue;
using ptx::Space;
using ptx::Variable;

Diagnostic fault_at(const ptx::Module& module, Span span, std::string message, std::string code) {
  Diagnostic diagnostic{.message = std::move(message), .code = std::move(code)};
  if (span.begin != span.end) diagnostic.at = module.source->locate(span);
  return diagnostic;
}

}  // namespace

Result<Image> Image::load(const ptx::Module& module, DeviceMemory& memory) {
  Image image;
  image.module_ = &module;
  image.memory_ = &memory;
  image.addresses_.assign(module.variables.size(), 0);
  for (uint32_t i = 0; i < module.variables.size(); ++i) WL_TRY_STATUS(image.place(i));
  // Compiled code reads vectors of 64 bytes of which not all are asked for (jit/warp_context.h).
  image.constants_.reserve(image.constants_.size() + 64);
  for (uint32_t i = 0; i < module.variables.size(); ++i) WL_TRY_STATUS(image.initialize(i));
  return image;
}

Status Image::place(uint32_t index) {
  const Variable& variable = module_->variables[index];
  if (variable.space != Space::kGlobal && variable.space != Space::kConst) return {};
  if (variable.linkage == ptx::Linkage::kExtern) return {};  // refused where it is used
  if (variable.space == Space::kGlobal) {
    WL_TRY(addresses_[index], memory_->allocate(variable.bytes(), std::string(variable.name)));
    return {};
  }
  const auto offset = static_cast<uint64_t>(round_up(static_cast<int64_t>(constants_.size()),
                                                     std::max<int64_t>(1, variable.alignment())));
  addresses_[index] = offset;
  constants_.resize(offset + variable.bytes());
  return {};
}

std::byte* Image::bytes_of(uint32_t index, uint64_t bytes) {
  const Variable& variable = module_->variables[index];
  if (variable.space == Space::kGlobal) return memory_->find(addresses_[index], bytes);
  return constants_.data() + addresses_[index];
}

// Values fill the variable in order; braces only group. What is not given is zero.
Status Image::initialize(uint32_t index) {
  const Variable& variable = module_->variables[index];
  if (variable.initial.empty()) return {};
  if (variable.space != Space::kGlobal && variable.space != Space::kConst) return {};
  const auto element = static_cast<uint64_t>(ptx::bits(variable.type)) / 8;
  uint64_t at = 0;
  for (const InitialValue& value : variable.initial) {
    if (value.kind == InitialValue::Kind::kOpen || value.kind == InitialValue::Kind::kClose)
      continue;
    uint64_t bits = value.value;
    if (value.kind == InitialValue::Kind::kVariable) {
      const Space space = module_->variables[value.index].space;
      if (space != Space::kGlobal && space != Space::kConst) {
        return fault_at(
            *module_, variable.span,
            fmt::format("'{}' is initialized with an address that is not known before the launch",
                        variable.name),
            "unsupported-initializer");
      }
      bits += addresses_[value.index];
      if (value.is_generic) bits = to_generic(space, bits);
    } else if (value.kind == InitialValue::Kind::kFunction) {
      bits = kCodeBase + kCodeStep * module_->functions[value.index].definition;
    } else if (value.kind == InitialValue::Kind::kFloat64 && element == 4) {
      double wide = 0;
      std::memcpy(&wide, &bits, sizeof wide);
      const auto narrow = static_cast<float>(wide);
      bits = 0;
      std::memcpy(&bits, &narrow, sizeof narrow);
    }
    if (value.mask != 0) {  // one byte of an address
      bits = (bits & value.mask) >> __builtin_ctzll(value.mask);
    }
    if (at + element > variable.bytes()) break;
    std::memcpy(bytes_of(index, variable.bytes()) + at, &bits, element);
    at += element;
  }
  return {};
}

std::optional<uint32_t> Image::function_at(uint64_t address) const {
  const uint64_t index = (address - kCodeBase) / kCodeStep;
  if (address < kCodeBase || address % kCodeStep != 0 || index >= module_->functions.size())
    return {};
  return static_cast<uint32_t>(index);
}

}  // namespace warpledger::exec
