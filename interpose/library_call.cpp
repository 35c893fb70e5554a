#include "interpose/library_call.h"

#include <fmt/core.h>

namespace warpledger::cuda {
namespace {

/// Empty: the device may use all of it, or will be able to when the graph runs.
std::string fault_of(Memory& memory, const Operand& operand) {
  const auto address = reinterpret_cast<uint64_t>(operand.data);
  if (operand.bytes == 0 || memory.is_reserved(address)) return {};
  if (!memory.is_device(address)) return fmt::format("{:#x} is not in device memory", address);
  const Status status = memory.check(address, operand.bytes);
  return status ? "" : status.error().message;
}

Error check(Core& core, const LibraryCall& call) {
  for (const Operand& operand : call.operands) {
    const std::string fault = fault_of(core.memory(), operand);
    if (fault.empty()) continue;
    Core::say(fmt::format("{}: {} ({} bytes): {}", call.name, operand.name, operand.bytes, fault));
    return Error::kIllegalAddress;
  }
  return Error::kNone;
}

void compute(void* data) {
  const auto& call = *static_cast<const LibraryCall*>(data);
  call.compute();
  Core::get().report().add_library_call(call.library);
}

}  // namespace

Error run_library_call(const void* handle, LibraryCall call) {
  Core& core = Core::get();
  const std::lock_guard lock(core.lock());
  if (core.sticky() != Error::kNone) return core.sticky();
  Stream* const stream = core.timeline().find(handle);
  if (stream == nullptr) return Error::kInvalidHandle;
  if (const Error error = check(core, call); error != Error::kNone) return error;
  Operator work{.flops = call.flops, .pipe = call.pipe};
  for (const Operand& operand : call.operands) work.bytes += static_cast<double>(operand.bytes);
  const double seconds = estimate_seconds(core.gpu(), work);
  const bool waits = call.waits && stream->capture == nullptr;
  const auto owner = std::make_shared<LibraryCall>(std::move(call));
  const Error error =
      core.submit(*stream, HostWork{compute, owner.get(), seconds, owner, owner->name});
  return error == Error::kNone && waits ? core.synchronize(*stream) : error;
}

void refuse_library_call(const char* name) {
  Core::say(std::string(name) + " is not supported (docs/math-libraries.md)");
}

}  // namespace warpledger::cuda
