#include "warpledger/exec/decode/trace_sites.h"

#include <algorithm>
#include <optional>
#include <set>

#include "warpledger/ptx/cfg.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;
using ptx::Space;

std::optional<trace::Kind> kind_of(const ptx::Spelling& spelling) {
  switch (spelling.op()) {
    case Op::kLd:
    case Op::kLdu:
    case Op::kWmmaLoad:
      return trace::Kind::kLoad;
    case Op::kSt:
    case Op::kWmmaStore:
      return trace::Kind::kStore;
    case Op::kAtom:
      return spelling.has(Modifier::kCas) ? trace::Kind::kCompareSwap : trace::Kind::kAtomic;
    case Op::kRed:
      return trace::Kind::kReduction;
    case Op::kCpAsync:
      return trace::Kind::kAsyncCopy;
    case Op::kCpAsyncBulk:
    case Op::kCpAsyncBulkTensor:
      return spelling.has(Modifier::kBulkGroup) ? trace::Kind::kBulkStore : trace::Kind::kBulkCopy;
    case Op::kCpReduceAsyncBulk:
    case Op::kCpReduceAsyncBulkTensor:
      return trace::Kind::kBulkReduction;
    case Op::kLdmatrix:
      return trace::Kind::kLoadMatrix;
    case Op::kStmatrix:
      return trace::Kind::kStoreMatrix;
    case Op::kPrefetch:
    case Op::kPrefetchu:
      return trace::Kind::kPrefetch;
    case Op::kWgmmaMma:
    case Op::kTcgen05Mma:
    case Op::kTcgen05MmaWs:
      return trace::Kind::kMatrixOperand;
    case Op::kTcgen05Ld:
    case Op::kTex:
    case Op::kTld4:
    case Op::kSuld:
      return trace::Kind::kLoad;
    case Op::kTcgen05St:
    case Op::kSust:
      return trace::Kind::kStore;
    case Op::kSured:
      return trace::Kind::kReduction;
    case Op::kTcgen05Cp:
      return trace::Kind::kTensorCopy;
    default:
      return {};
  }
}

/// The sites of what tensor cores do, in the order of interpreter/async/traffic.h; none of others.
trace::Sites tensor_sites(const Step& step, trace::Site site) {
  const Op op = step.spelling().op();
  using trace::Kind;
  const auto in = [&site](trace::Space space, Kind kind) {
    trace::Site one = site;
    one.space = space, one.kind = kind;
    one.width = space == trace::Space::kTensor ? 4 : 16;
    return one;
  };
  const trace::Space shared = trace::Space::kShared, tensor = trace::Space::kTensor;
  const bool a_elsewhere =
      step.operands.size() > 1 && step.operands[1].kind != Value::Kind::kRegister;
  switch (op) {
    case Op::kWgmmaMma:
      if (a_elsewhere) return {in(shared, site.kind)};
      return {in(shared, site.kind), in(shared, site.kind)};
    case Op::kTcgen05Mma:
    case Op::kTcgen05MmaWs:
      return {in(a_elsewhere ? tensor : shared, site.kind), in(shared, site.kind),
              in(tensor, Kind::kMatrixAddend), in(tensor, Kind::kMatrixResult)};
    case Op::kTcgen05Ld:
    case Op::kTcgen05St:
      return {in(tensor, site.kind)};
    case Op::kTcgen05Cp:
      return {in(shared, site.kind), in(tensor, site.kind)};
    default:
      return {};
  }
}

/// The sites of a texture or surface instruction: memory whose layout is known, and arrays.
trace::Sites texel_sites(const Step& step, trace::Site site) {
  const Op op = step.spelling().op();
  const bool is_texture = op == Op::kTex || op == Op::kTld4;
  if (!is_texture && op != Op::kSuld && op != Op::kSust && op != Op::kSured) return {};
  site.space = is_texture ? trace::Space::kTexture : trace::Space::kSurface;
  if (is_texture) site.width = 1;
  trace::Site of_array = site;
  of_array.assumed_layout = true;
  return {site, of_array};
}

bool is_bulk(Op op) {
  return op == Op::kCpAsyncBulk || op == Op::kCpAsyncBulkTensor || op == Op::kCpReduceAsyncBulk ||
         op == Op::kCpReduceAsyncBulkTensor;
}

trace::CacheOperator cache_of(const ptx::Spelling& spelling) {
  if (spelling.has(Modifier::kVolatile)) return trace::CacheOperator::kVolatile;
  if (spelling.get(Slot::kOrder) != Modifier::kNone) return trace::CacheOperator::kVolatile;
  if (spelling.get(Slot::kEvict) == Modifier::kL1NoAllocate)
    return trace::CacheOperator::kNoAllocate;
  switch (spelling.get(Slot::kCache)) {
    case Modifier::kCg:
      return trace::CacheOperator::kGlobal;
    case Modifier::kCs:
      return trace::CacheOperator::kStream;
    case Modifier::kLu:
      return trace::CacheOperator::kLastUse;
    case Modifier::kCv:
      return trace::CacheOperator::kVolatile;
    default:
      return trace::CacheOperator::kDefault;
  }
}

uint8_t width_of(const Step& step) {
  const ptx::Spelling& spelling = step.spelling();
  if (step.move != nullptr) return step.move->width;
  if (spelling.op() == Op::kLdmatrix || spelling.op() == Op::kStmatrix) return 16;
  if (is_bulk(spelling.op())) return 16;
  if (spelling.op() == Op::kCpAsync) return static_cast<uint8_t>(step.operands[2].value);
  const int bits = std::max(8, ptx::bits(spelling.type()));
  return static_cast<uint8_t>(bits / 8 * spelling.vector);
}

bool is_floating(ptx::Type type) {
  return ptx::kind(type) == ptx::TypeKind::kFloat || ptx::kind(type) == ptx::TypeKind::kPacked;
}

bool is_written(const Step& step, size_t operand) {
  const auto& shapes = step.spelling().form->operands;
  return operand < shapes.size() && shapes[operand].written &&
         step.operands[operand].kind != Value::Kind::kIndirect;
}

void add_registers(const Code& code, const Value& value, std::set<uint32_t>& slots) {
  if (value.kind == Value::Kind::kList) {
    for (uint32_t i = 0; i < value.count; ++i) {
      add_registers(code, code.values[value.slot + i], slots);
    }
  } else if (value.kind == Value::Kind::kRegister || value.kind == Value::Kind::kIndirect) {
    slots.insert(value.slot);
  }
}

/// The registers that some instruction reads.
std::set<uint32_t> read_slots(const Code& code) {
  std::set<uint32_t> slots;
  for (const Step& step : code.steps) {
    if (step.guard != UINT32_MAX) slots.insert(step.guard);
    for (size_t i = 0; i < step.operands.size(); ++i) {
      if (!is_written(step, i)) add_registers(code, step.operands[i], slots);
    }
  }
  return slots;
}

/// ptxas turns an atomic whose old value is never read into a reduction, except exchanges.
bool is_reduction(const Code& code, const Step& step, const std::set<uint32_t>& read) {
  const ptx::Spelling& spelling = step.spelling();
  if (spelling.op() != Op::kAtom || spelling.has(Modifier::kCas) || spelling.has(Modifier::kExch)) {
    return false;
  }
  std::set<uint32_t> results;
  add_registers(code, step.operands[0], results);
  return std::none_of(results.begin(), results.end(),
                      [&](uint32_t slot) { return read.contains(slot); });
}

void add_sites(const Code& code, Step& step, const std::set<uint32_t>& read, trace::Sites& sites) {
  auto kind = kind_of(step.spelling());
  const Space space = step.spelling().space();
  if (!kind || space == Space::kParam) return;
  if (is_reduction(code, step, read)) kind = trace::Kind::kReduction;
  if (step.move != nullptr && step.move->by_rows) kind = trace::Kind::kLoadMatrix;
  trace::Site site{.instruction = step.number,
                   .kind = *kind,
                   .cache = cache_of(step.spelling()),
                   .width = width_of(step),
                   .floating = is_floating(step.spelling().type())};
  step.site = static_cast<uint32_t>(sites.size());
  for (const trace::Sites& special : {tensor_sites(step, site), texel_sites(step, site)}) {
    sites.insert(sites.end(), special.begin(), special.end());
    if (!special.empty()) return;
  }
  const bool copies = step.spelling().op() == Op::kCpAsync;
  std::vector<trace::Space> spaces{trace_space(space)};
  const bool bulk = is_bulk(step.spelling().op());
  if (copies) spaces = {trace::Space::kGlobal, trace::Space::kShared};
  if (bulk) spaces = {trace::Space::kGlobal, trace::Space::kShared};
  if (space == Space::kGeneric && !copies && !bulk) {
    spaces = {trace::Space::kGlobal, trace::Space::kShared, trace::Space::kLocal,
              trace::Space::kConstant};
  }
  for (const trace::Space one : spaces) {
    site.space = one;
    sites.push_back(site);
  }
}

/// Registers that hold, or are computed from, a value that a load of the block has yet to return.
class Pending {
 public:
  Pending(const Code& code) : code_(code) {}

  void visit(Step& step) {
    const bool reads = touches(step);
    const bool is_memory = step.spelling().opcode().memory != ptx::MemoryKind::kNone &&
                           step.spelling().opcode().memory != ptx::MemoryKind::kFence;
    const bool is_barrier = step.spelling().opcode().family == ptx::Family::kBarrier;
    if (waits_for_copies(step) || (is_memory && reads) || (is_barrier && !slots_.empty()))
      mark(step);
    const bool derived = touches(step);
    change_written(step, loads_from_far(step.spelling()) || (derived && !is_memory));
  }
  void end_block(Step& last) {
    if (slots_.empty()) return;
    const bool control = last.spelling().opcode().family == ptx::Family::kControl;
    (control ? last.mark_before : last.mark_after) = true;
    slots_.clear();
  }

 private:
  static bool loads_from_far(const ptx::Spelling& spelling) {
    const Op op = spelling.op();
    if (op == Op::kTex || op == Op::kTld4 || op == Op::kSuld) return true;
    return (op == Op::kLd || op == Op::kLdu) &&
           (spelling.space() == Space::kGlobal || spelling.space() == Space::kLocal ||
            spelling.space() == Space::kGeneric);
  }
  static bool waits_for_copies(const Step& step) {
    return step.spelling().op() == Op::kCpAsyncWaitGroup ||
           step.spelling().op() == Op::kCpAsyncWaitAll ||
           step.spelling().op() == Op::kMbarrierTestWait ||
           step.spelling().op() == Op::kMbarrierTryWait;
  }
  void mark(Step& step) {
    step.mark_before = true;
    slots_.clear();
  }
  bool holds(const Value& value) const {
    if (value.kind == Value::Kind::kList) {
      for (uint32_t i = 0; i < value.count; ++i) {
        if (holds(code_.values[value.slot + i])) return true;
      }
      return false;
    }
    return (value.kind == Value::Kind::kRegister || value.kind == Value::Kind::kIndirect) &&
           slots_.contains(value.slot);
  }
  bool touches(const Step& step) const {
    if (step.guard != UINT32_MAX && slots_.contains(step.guard)) return true;
    for (size_t i = 0; i < step.operands.size(); ++i) {
      if (!is_written(step, i) && holds(step.operands[i])) return true;
    }
    return false;
  }
  void change(const Value& value, bool pending) {
    if (value.kind == Value::Kind::kList) {
      for (uint32_t i = 0; i < value.count; ++i) change(code_.values[value.slot + i], pending);
    } else if (value.kind == Value::Kind::kRegister) {
      if (pending)
        slots_.insert(value.slot);
      else
        slots_.erase(value.slot);
    }
  }
  void change_written(const Step& step, bool pending) {
    for (size_t i = 0; i < step.operands.size(); ++i) {
      if (is_written(step, i)) change(step.operands[i], pending);
    }
  }

  const Code& code_;
  std::set<uint32_t> slots_;
};

}  // namespace

trace::Space trace_space(Space space) {
  switch (space) {
    case Space::kShared:
    case Space::kSharedCluster:
      return trace::Space::kShared;
    case Space::kLocal:
      return trace::Space::kLocal;
    case Space::kConst:
      return trace::Space::kConstant;
    default:
      return trace::Space::kGlobal;
  }
}

void mark_strong_sites(const Code& code, bool has_fences, trace::Sites& sites) {
  for (const Step& step : code.steps) {
    const ptx::Spelling& spelling = step.spelling();
    const Modifier order = spelling.get(Slot::kOrder);
    const bool ordered = order != Modifier::kNone && order != Modifier::kWeak;
    const bool atomic = spelling.op() == Op::kAtom || spelling.op() == Op::kRed;
    if (!atomic && !ordered && !(has_fences && spelling.has(Modifier::kVolatile))) continue;
    for (size_t i = step.site; i < sites.size() && sites[i].instruction == step.number; ++i)
      sites[i].strong = true;
  }
}

void plan_trace(const ptx::Cfg& cfg, Code& code, trace::Sites& sites) {
  const std::set<uint32_t> read = read_slots(code);
  for (Step& step : code.steps) add_sites(code, step, read, sites);
  for (const ptx::Block& block : cfg.blocks) {
    Pending pending(code);
    for (uint32_t pc = block.first; pc < block.end; ++pc) pending.visit(code.steps[pc]);
    if (block.first < block.end) pending.end_block(code.steps[block.end - 1]);
  }
}

}  // namespace warpledger::exec::reference
