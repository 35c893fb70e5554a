#include "warpledger/layout/emit.h"

#include <fmt/format.h>

#include "warpledger/layout/notation/notation.h"

namespace warpledger {
namespace {

using namespace convert;

constexpr std::string_view kLane =
    "  unsigned lane;\n  asm(\"mov.u32 %0, %laneid;\" : \"=r\"(lane));\n";

/// Prints the operations of one program. `type` is the C type of a variable.
class Printer {
 public:
  Printer(const Program& program, std::string type, std::string combine)
      : program_(program), type_(std::move(type)), combine_(std::move(combine)) {}

  [[nodiscard]] std::string body() {
    std::string text;
    for (const Operation& operation : program_.operations) {
      text += std::visit([&](const auto& o) { return print(o); }, operation);
    }
    for (size_t o = 0; o < program_.outputs.size(); ++o) {
      text += fmt::format("  y[{}] = {};\n", o, name(program_.outputs[o]));
    }
    return (uses_lane_ ? std::string(kLane) : "") + text;
  }

 private:
  [[nodiscard]] std::string name(Variable variable) const {
    return variable < program_.inputs ? fmt::format("x[{}]", variable)
                                      : fmt::format("v{}", variable);
  }
  [[nodiscard]] std::string declare(Variable to) const {
    return fmt::format("  const {} {} = ", type_, name(to));
  }
  std::string lane_formula(const LinearMap& map, uint64_t flip, std::string_view output) {
    uses_lane_ = true;
    const std::string formula = notation::formula_of(map, output);
    return flip == 0 ? formula : fmt::format("({}) ^ {}", formula, flip);
  }

  std::string print(const ShuffleXor& o) const {
    return declare(o.to) +
           fmt::format("__shfl_xor_sync(0xffffffffu, {}, {});\n", name(o.from), o.mask);
  }
  std::string print(const Shuffle& o) {
    return declare(o.to) +
           fmt::format("__shfl_sync(0xffffffffu, {}, {});\n", name(o.from),
                       lane_formula(o.source, static_cast<uint64_t>(o.flip), "lane"));
  }
  std::string print(const Select& o) {
    uses_lane_ = true;
    const bool single = (o.mask & (o.mask - 1)) == 0;
    const std::string test = single ? fmt::format("(lane & {})", o.mask)
                                    : fmt::format("(__popc(lane & {}) & 1)", o.mask);
    return declare(o.to) + fmt::format("{} ? {} : {};\n", test, name(o.if_odd), name(o.if_even));
  }
  std::string print(const Transpose& o) const {
    return fmt::format(
        "  unsigned {0};\n  asm(\"movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;\" : \"=r\"({0}) : "
        "\"r\"({1}));\n",
        name(o.to), name(o.from));
  }
  std::string print(const PickBytes& o) const {
    return declare(o.to) +
           fmt::format("__byte_perm({}, {}, 0x{:x});\n", name(o.low), name(o.high), o.selector);
  }
  std::string print(const Combine& o) const {
    return declare(o.to) + fmt::format(fmt::runtime(combine_), name(o.a), name(o.b)) + ";\n";
  }
  std::string print(const WarpBarrier&) const { return "  __syncwarp();\n"; }
  std::string print(const StoreShared& o) {
    std::string words;
    for (const Variable from : o.from) words += (words.empty() ? "" : ", ") + name(from);
    const std::string at = lane_formula(o.address, o.flip, "offset");
    if (o.from.size() == 1) {
      return fmt::format("  *reinterpret_cast<{}*>(shared + ({})) = {};\n", scalar(o.bytes), at,
                         words);
    }
    const auto n = o.from.size();
    return fmt::format("  *reinterpret_cast<uint{}*>(shared + ({})) = make_uint{}({});\n", n, at, n,
                       words);
  }
  std::string print(const LoadShared& o) {
    const std::string at = lane_formula(o.address, o.flip, "offset");
    if (o.to.size() == 1) {
      return declare(o.to[0]) +
             fmt::format("*reinterpret_cast<const {}*>(shared + ({}));\n", scalar(o.bytes), at);
    }
    const std::string vector = fmt::format("w{}", o.to[0]);
    std::string text =
        fmt::format("  const uint{} {} = *reinterpret_cast<const uint{}*>(shared + ({}));\n",
                    o.to.size(), vector, o.to.size(), at);
    for (size_t w = 0; w < o.to.size(); ++w)
      text += declare(o.to[w]) + fmt::format("{}.{};\n", vector, "xyzw"[w]);
    return text;
  }

  std::string print(const StoreMatrix& o) {
    std::vector<std::string> slots, values;
    for (size_t m = 0; m < o.from.size(); ++m) {
      slots.push_back(fmt::format("%{}", m + 1));
      values.push_back(fmt::format("\"r\"({})", name(o.from[m])));
    }
    return fmt::format(
        "  asm volatile(\"stmatrix.sync.aligned.m8n8.x{}{}.shared.b16 [%0], {{{}}};\" :: "
        "\"r\"(static_cast<unsigned>(__cvta_generic_to_shared(shared + ({})))), {} : "
        "\"memory\");\n",
        o.from.size(), o.transposed ? ".trans" : "", fmt::join(slots, ", "),
        lane_formula(o.address, o.flip, "offset"), fmt::join(values, ", "));
  }
  std::string print(const LoadMatrix& o) {
    std::vector<std::string> slots, values, names;
    for (size_t m = 0; m < o.to.size(); ++m) {
      slots.push_back(fmt::format("%{}", m));
      names.push_back(name(o.to[m]));
      values.push_back(fmt::format("\"=r\"({})", names.back()));
    }
    return fmt::format(
        "  unsigned {};\n  asm volatile(\"ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {{{}}}, "
        "[%{}];\" : {} : "
        "\"r\"(static_cast<unsigned>(__cvta_generic_to_shared(shared + ({})))) : \"memory\");\n",
        fmt::join(names, ", "), o.to.size(), o.transposed ? ".trans" : "", fmt::join(slots, ", "),
        o.to.size(), fmt::join(values, ", "), lane_formula(o.address, o.flip, "offset"));
  }
  static std::string_view scalar(int bytes) {
    return bytes == 1 ? "unsigned char" : bytes == 2 ? "unsigned short" : "unsigned";
  }

  const Program& program_;
  std::string type_, combine_;
  bool uses_lane_ = false;
};

std::string plural(int64_t n, std::string_view word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

std::string price_text(const Price& price) {
  return fmt::format("{}, {}, {} of shared memory, {}", plural(price.instructions, "instruction"),
                     plural(price.wavefronts, "wavefront"), plural(price.shared_bytes, "byte"),
                     plural(price.barriers, "warp barrier"));
}

std::string type_of(const Fragment& fragment) {
  if (fragment.name.ends_with("f64")) return "double";
  return fragment.name.find(".s32") != std::string::npos ? "int" : "float";
}

std::string combine_of(ReduceOperation operation, const std::string& type) {
  if (operation == ReduceOperation::kSum) return "{} + {}";
  const std::string word = operation == ReduceOperation::kMax ? "max" : "min";
  if (type == "float") return fmt::format("f{}f({{}}, {{}})", word);
  return fmt::format("{}{}({{}}, {{}})", type == "double" ? "f" : "", word);
}

}  // namespace

std::string_view to_text(ReduceOperation operation) {
  return operation == ReduceOperation::kMax   ? "max"
         : operation == ReduceOperation::kMin ? "min"
                                              : "sum";
}

std::string emit_conversion(const Route& route, const Fragment& from, const Fragment& to,
                            std::string_view name) {
  const Program& program = route.program;
  std::string text = fmt::format("// {} -> {} by {}: {}.\n// {}.\n", from.name, to.name, route.name,
                                 price_text(route.price), route.explanation);
  text += "// Call it with whole warps.";
  if (program.shared_bytes > 0)
    text +=
        fmt::format(" `shared`: {} bytes of this warp's own, aligned to 16.", program.shared_bytes);
  text += fmt::format(
      "\n__device__ __forceinline__ void {}(const unsigned (&x)[{}], unsigned (&y)[{}]{}) {{\n",
      name, program.inputs, program.outputs.size(),
      program.shared_bytes > 0 ? ", char* shared" : "");
  return text + Printer(program, "unsigned", "").body() + "}\n";
}

std::string emit_reduction(const Reduction& reduction, const Fragment& fragment,
                           ReduceOperation operation, std::string_view name) {
  const std::string type = type_of(fragment);
  const std::string kept = reduction.kept.to().dims()[0].name;
  const Price price = price_of(reduction.program);
  std::string text =
      fmt::format("// {} of each {} of {}: {} in the thread, {}, no shared memory, no barrier.\n",
                  to_text(operation), kept, fragment.name, plural(reduction.in_thread, "operation"),
                  plural(price.shuffles, "shuffle"));
  const LinearMap lanes = restrict_inputs(reduction.kept, {"lane"});
  const std::string base = notation::formula_of(lanes, kept);
  for (size_t o = 0; o < reduction.output_rows.size(); ++o) {
    const int offset = reduction.output_rows[o];
    text += fmt::format("// y[{}] is {} {}{}\n", o, kept, base,
                        offset == 0 ? "" : fmt::format(" + {}", offset));
  }
  text += fmt::format("__device__ __forceinline__ void {}(const {} (&x)[{}], {} (&y)[{}]) {{\n",
                      name, type, reduction.program.inputs, type, reduction.program.outputs.size());
  return text + Printer(reduction.program, type, combine_of(operation, type)).body() + "}\n";
}

std::string emit_store(const Fragment& fragment, std::string_view name) {
  std::string text =
      fmt::format("// Every element of {} to its place in a row-major matrix.\n", fragment.name);
  text += fmt::format(
      "template <class T>\n__device__ __forceinline__ void {}(const T (&x)[{}], T* out, int "
      "stride) {{\n{}",
      name, fragment.elements, kLane);
  if (fragment.threads() > 32) text += "  const unsigned warp = threadIdx.x / 32 % 4;\n";
  text += fmt::format(
      "#pragma unroll\n  for (int i = 0; i < {}; ++i) {{\n    const int row = {};\n    const int "
      "col = {};\n    out[row * stride + col] = x[i];\n  }}\n}}\n",
      fragment.elements, notation::formula_of(fragment.map, "row"),
      notation::formula_of(fragment.map, "col"));
  return text;
}

}  // namespace warpledger
