// profile/: what Nsight Compute would say of a launch. The rooms of this wing:
//
//   value/     the Profile: what was found out about a launch, as plain values   (this room)
//   metrics/   a Profile -> ncu's metrics, sections, pages
//   time/      counters -> cycles and seconds
//   advice/    what to do about it: findings, verdicts, the first screen
//   limits/    what a kernel may cost: the budgets of `check`
//   file/      profiles as JSON, in report files and stores
//   sampling/  which blocks stand for a grid that is too large
//   run/       a question -> a Profile: the front door
//
// This room knows no executor, no cache and no formula. Every number has its fidelity.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "warpledger/gpu/gpu.h"
#include "warpledger/gpu/launch.h"
#include "warpledger/memory/memory.h"
#include "warpledger/memory/schedule.h"
#include "warpledger/profile/value/launches.h"
#include "warpledger/sm/states.h"

namespace warpledger::profile {

/// What the compiler gave the kernel.
struct Resources {
  int64_t registers = 0;
  int64_t static_shared_bytes = 0;
  int64_t barriers = 0;
  int64_t local_bytes = 0;     // stack frame per thread: arrays and spills
  int64_t live_registers = 0;  // most that the machine code holds at once; 0: not known
  Fidelity fidelity = Fidelity::kAssumed;
  std::string source = {};  // "ptxas", "--regs", "no ptxas: 32 registers assumed"
  friend bool operator==(const Resources&, const Resources&) = default;
};

/// A line of the user's source; `line` 0: not known.
struct SourceLine {
  std::string file = {};
  uint32_t line = 0;
  friend auto operator<=>(const SourceLine&, const SourceLine&) = default;
};

/// The line whose results warps wait for longest, and the same SM where nobody waits for them:
/// loads that start early enough. What they ask of pipes and memory stays.
struct AwaitedLine {
  SourceLine source = {};
  double share = 0;   // of all warp cycles
  double cycles = 0;  // without these waits; sm::States::cycles is with them
  friend bool operator==(const AwaitedLine&, const AwaitedLine&) = default;
};

/// What a PTX instruction keeps busy (pipes.h); a division of integers becomes a sequence of
/// machine instructions.
enum class Pipe : uint8_t {
  kNone,
  kAlu,
  kFma,
  kMultiply,
  kWideMultiply,
  kXu,
  kFp64,
  kTensor,
  kBarrier,
  kLsu,
  kUnsignedDivision,
  kSignedDivision,
  kLongDivision,  // of 64 bits
};

/// One PTX instruction of the kernel or of what it calls, and how often it ran.
struct CodeLine {
  static constexpr uint32_t kNoGuard = UINT32_MAX;
  std::string text = {};    // "ld.global.nc.f32 %f5, [%rd12];"
  Pipe pipe = Pipe::kNone;  // not kept in JSON: the text says it
  uint32_t ptx_line = 0;    // in the PTX
  SourceLine source = {};
  SourceLine inner = {};    // the line of a CUDA header that was inlined at `source`, if any
  std::string sass = {};    // opcodes that ptxas made of it: "LDG.E, IMAD"; "" when not known
  uint64_t executions = 0;  // by warps
  uint64_t lanes = 0;       // that executed it
  uint64_t issued = 0;      // machine instructions that warps issued for it; 0 when not known
  // The conditional branch that decides which lanes run it (guard.h), as a place in Profile::code,
  // and whether that branch keeps lanes in a loop.
  uint32_t guard = kNoGuard;
  bool guard_is_loop = false;
  friend bool operator==(const CodeLine&, const CodeLine&) = default;
};

/// A memory instruction, in one space. Its counters are Counters::sites at the same index.
struct Instruction {
  trace::Site site;                      // site.instruction: its place in Profile::code
  std::vector<std::string> arrays = {};  // that sampled blocks were seen to touch
  std::string fate = {};                 // what ptxas made of it, where that is not one of the same
  double run_bytes = 0;   // mean bytes side by side that a watched request asks; 0: none was seen
  bool is_spill = false;  // registers that ptxas spilled: PTX does not have it (spills.h)
};

/// A buffer of the launch.
struct Array {
  std::string name = {};
  uint64_t bytes = 0;
  bool is_host = false;  // pinned or registered memory of the host: reached over the bus
  friend bool operator==(const Array&, const Array&) = default;
};

/// What one warp (warp 0 of block 0) asked of one array from one line: how often the same words.
struct WarpSample {
  SourceLine source = {};
  std::string array = {};
  trace::Kind kind = trace::Kind::kLoad;
  uint64_t requests = 0;
  uint64_t lanes = 0;             // lanes that asked, over all requests
  uint64_t addresses = 0;         // distinct ones of each request, added up
  uint64_t unique_addresses = 0;  // over all requests of the warp
  friend bool operator==(const WarpSample&, const WarpSample&) = default;
};

/// One request of a warp, as an example of what an instruction asks: its lanes' addresses (global:
/// device addresses, shared: offsets in the block's window).
struct AccessExample {
  uint32_t instruction = 0;  // its place in Profile::instructions
  uint32_t mask = 0;
  std::array<uint64_t, trace::kLanes> address = {};  // valid in the lanes of `mask`
  friend bool operator==(const AccessExample&, const AccessExample&) = default;
};

/// What the SMs executed, as far as the PTX decides it (ptxas may make more or fewer of it).
struct Execution {
  uint64_t ctas = 0, warps = 0;
  uint64_t warp_instructions = 0, thread_instructions = 0;
  uint64_t shuffles = 0;            // warp instructions of shfl
  uint64_t thread_index_reads = 0;  // warps x components of threadIdx that the kernel reads
  uint64_t branches = 0, divergent_branches = 0, barriers = 0;
  double batches = 0;  // per warp: loads that are in flight together (trace.h), in watched blocks
  friend bool operator==(const Execution&, const Execution&) = default;
};

/// Warp instructions by what they keep busy (pipes.h); `tensor` is multiply-adds of tensor cores,
/// weighed as FP16 ones.
struct PipeWork {
  uint64_t alu = 0, fma = 0, multiply = 0, wide_multiply = 0, xu = 0, fp64 = 0, tensor = 0;
  uint64_t uniform = 0, barriers = 0, lsu = 0;
  friend bool operator==(const PipeWork&, const PipeWork&) = default;
};

/// Machine instructions by threads: of warps' executions the active ones, those that were not
/// predicated off, and these by what the instruction does (sass/operation.h).
struct ThreadWork {
  uint64_t active = 0, on = 0;
  uint64_t fp16 = 0, fp32 = 0, fp64 = 0, memory = 0;
  friend bool operator==(const ThreadWork&, const ThreadWork&) = default;
};

/// Machine instructions that the SMs executed, by the SASS witness.
struct Machine {
  uint64_t instructions = 0;
  std::map<std::string, uint64_t> opcodes = {};  // without modifiers: "LDG", "IMAD"
  PipeWork pipes = {};
  uint64_t branches = 0;
  uint64_t spill_requests = 0;
  uint64_t lsu_other = 0;  // SHFL, and S2R of what a thread is: they pass the load/store unit
  std::map<uint32_t, PipeWork> divisions = {};  // of integers, by their place in Profile::code
  std::optional<ThreadWork> threads = {};       // modeled; reports of older versions have none
  std::map<uint32_t, double> shares = {};  // of blocks that PTX does not tell of (slow_paths.h)
  Fidelity fidelity = Fidelity::kModeled;
  friend bool operator==(const Machine&, const Machine&) = default;
};

/// Machine code as far as time depends on it: blocks with what the scheduler is told to wait for.
/// Not kept in JSON.
struct ProgramInstruction {
  enum class Result : uint8_t {
    kFixed,  // known to ptxas: nothing to wait for
    kFar,    // global and local memory
    kShared,
    kShuffle,
    kSpecial,   // special functions and conversions
    kSystem,    // special registers
    kConstant,  // constant memory by register
    kDouble,    // FP64 where it has few lanes
    kTensor,
  };
  /// Of shared memory, in groups: LDGSTS, LDGDEPBAR, and DEPBAR, which waits for all groups but
  /// the youngest.
  enum class Copies : uint8_t { kNone, kStart, kCommit, kAwait };
  Result result = Result::kFixed;
  Copies copies = Copies::kNone;
  uint8_t groups_left = 0;                            // kAwait: so many of the youngest
  uint8_t stall = 1, sets = 7, reads = 7, waits = 0;  // sass::Control
  bool is_barrier = false;
  uint32_t number = UINT32_MAX;  // of its PTX instruction, in Profile::code
};
struct ProgramBlock {
  uint64_t executions = 0;  // by warps
  std::vector<uint32_t> predecessors = {};
  std::vector<ProgramInstruction> code = {};
};
using Program = std::vector<ProgramBlock>;

/// Cycles and seconds; filled by a model of time.
struct Timing {
  double elapsed_cycles = 0;  // of the SM clock
  double active_cycles = 0;   // mean over SMs
  double resident_warps = 0;  // mean over SMs and active cycles
  // What the model made it of (time/path.h), for those who want to see why.
  double path_cycles = 0, path_waits = 0, path_barriers = 0, dram_latency = 0;
  double sm_hertz = 0, l2_hertz = 0, dram_hertz = 0;
  [[nodiscard]] double seconds() const { return elapsed_cycles / sm_hertz; }
  friend bool operator==(const Timing&, const Timing&) = default;
};

/// How the caches were treated and the CTAs ordered.
struct Policy {
  bool flush_caches = true;  // ncu's --cache-control all
  memory::Schedule schedule = {};
};

/// How a profile came about that did not run every block (sampling.h).
struct SampleNote {
  uint64_t simulated = 0;    // blocks that went through the memory model
  uint64_t counted = 0;      // blocks whose requests and instructions stand for all
  double exact_seconds = 0;  // what all blocks were estimated to take
  friend bool operator==(const SampleNote&, const SampleNote&) = default;
};

/// Of a launch whose blocks all ran, when the caches saw its beginning alone (prefix.h).
struct PrefixNote {
  uint64_t modeled = 0;      // accesses that the caches saw
  uint64_t counted = 0;      // all of them
  double exact_seconds = 0;  // what all of them were estimated to take
  friend bool operator==(const PrefixNote&, const PrefixNote&) = default;
};

/// One of two threads that race, and its line.
struct RaceSide {
  std::string access = {};  // "read", "write", "atomic"
  SourceLine source = {};
  uint32_t ptx_line = 0;
  std::array<uint32_t, 3> block = {}, thread = {};
  friend bool operator==(const RaceSide&, const RaceSide&) = default;
};

/// Two lines whose threads touch the same bytes, with nothing that orders them (race/).
struct RacePair {
  std::string hazard = {};  // "write-after-read"
  trace::Space space = trace::Space::kShared;
  std::string name = {};  // of the variable or array; "" when it has none
  uint64_t offset = 0;    // of a byte that both touch, in it; in the block's window without one
  RaceSide first, second;
  uint64_t count = 0;  // accesses of threads that race with the other line
  friend bool operator==(const RacePair&, const RacePair&) = default;
};

struct RaceCheck {
  bool shared = false, global = false;  // what was checked
  std::string unchecked = {};           // why shared memory was not
  uint64_t blocks = 0;                  // that were checked
  uint64_t left_alone = 0;              // of these, from a barrier of part of a warp on not
  std::vector<RacePair> found = {};
  friend bool operator==(const RaceCheck&, const RaceCheck&) = default;
};

/// Profile::no_machine when the user wanted none.
inline constexpr std::string_view kNoSass = "--no-sass";

struct Profile {
  std::string version = {};        // of warpledger
  std::string file = {};           // what was profiled
  std::string source_folder = {};  // where the compiler found the kernel's source; may be ""
  std::string kernel = {};         // as the PTX names it
  std::string gpu_request = {};    // as the user named the GPU
  Gpu gpu = {};
  Launch launch = {};
  LaunchStatistics statistics = {};
  Resources resources = {};
  Policy policy = {};
  std::string engine = {};  // "compiled", "interpreted", "interpreted: why"
  Execution execution = {};
  std::vector<CodeLine> code = {};  // by number of the instruction
  std::vector<Instruction> instructions = {};
  std::vector<Array> arrays = {};
  std::vector<WarpSample> samples = {};
  std::vector<AccessExample> examples = {};  // the most wasteful global and shared instruction
  memory::Counters counters = {};            // the default order
  // The same launch, interleaved otherwise, or from parts of the sample: the band.
  std::vector<memory::Counters> other_orders = {};
  std::optional<SampleNote> sampled = {};  // absent: every block was run
  std::optional<PrefixNote> prefix = {};   // absent: the caches saw all that ran
  std::optional<Machine> machine = {};     // absent: the PTX's instructions are counted
  std::string no_machine = {};             // why it is absent
  Program program = {};                    // empty without machine code
  std::optional<Timing> timing = {};
  // Of one SM; absent without machine code. By place in `code`, and one more at the end: what
  // ptxas made for no line.
  std::optional<sm::States> states = {};
  std::optional<AwaitedLine> awaited = {};  // absent: warps wait for no line for long
  std::string no_states = {};               // why they are absent, or what they leave out
  std::string output = {};                  // of device-side printf
  RaceCheck races = {};
  Launches launches = {};      // of a program: those that it stands for
  double compile_seconds = 0;  // of this run, to native code; not kept in JSON

  /// Of what follows from addresses alone.
  [[nodiscard]] Fidelity counted_as() const {
    return sampled ? Fidelity::kModeled : Fidelity::kExact;
  }
  [[nodiscard]] const CodeLine& code_of(const Instruction& instruction) const {
    return code[instruction.site.instruction];
  }
};

/// The kernel's name and parameters as ncu prints them: "k(const float *, int)".
[[nodiscard]] std::string shown_name(const std::string& mangled);

/// The same for headings: template arguments and parameters of a long name become "...". A name
/// that the demangler refuses is cut to what can be read of it: "cutlass::Kernel<...>(...)".
[[nodiscard]] std::string short_name(const std::string& mangled);

/// What a kernel takes: "const float *", "int". Empty when the name does not say.
[[nodiscard]] std::vector<std::string> parameter_types(const std::string& mangled);

/// "matmul.cu:12", or "" when unknown.
[[nodiscard]] std::string to_text(const SourceLine& line);

}  // namespace warpledger::profile
