// LLVM. The context of a warp (warp_context.h), as compiled code reads and
// writes it.
#include "warpledger/exec/jit/emit/emit_value.h"

namespace warpledger::exec::jit {

V place_in_context(Emitter &e, size_t offset) {
  return e.CreatePtrAdd(e.context, e.getInt64(offset));
}

V context_field(Emitter &e, llvm::Type *type, size_t offset, bool invariant) {
  V at = place_in_context(e, offset);
  return invariant ? load_invariant(e, type, at, 4) : e.CreateAlignedLoad(type, at, llvm::Align(4));
}

void set_context_field(Emitter &e, V value, size_t offset) {
  e.CreateAlignedStore(value, place_in_context(e, offset), llvm::Align(4));
}

void put_vector(Emitter &e, V value, size_t offset) {
  e.CreateAlignedStore(value, place_in_context(e, offset), llvm::Align(64));
}

V get_vector(Emitter &e, llvm::Type *type, size_t offset) {
  return e.CreateAlignedLoad(type, place_in_context(e, offset), llvm::Align(64));
}

V load_invariant(Emitter &e, llvm::Type *type, V at, unsigned align) {
  llvm::LoadInst *load = e.CreateAlignedLoad(type, at, llvm::Align(align));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(e.module.getContext(), {}));
  return load;
}

}  // namespace warpledger::exec::jit
