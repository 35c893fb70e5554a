// Every spelling of atom and red: old value, new value, by host arithmetic on edge cases.
#include <fmt/core.h>

#include <cmath>

#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/semantics/spellings.h"
#include "warpledger/exec/semantics/variant.h"

namespace warpledger::exec {
namespace {

using ptx::Modifier;
using ptx::Space;

float as_float(uint64_t bits) {
  const auto low = static_cast<uint32_t>(bits);
  float value = 0;
  std::memcpy(&value, &low, sizeof value);
  return value;
}
template <class T>
uint64_t as_bits(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
double as_double(uint64_t bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Halves by hand: operands are small integers, so that sums are exact.
double half_value(const TypeInfo& t, uint64_t bits) {
  const int fraction = t.format.fraction_bits,
            code = static_cast<int>(bits >> fraction & ((1u << t.format.exponent_bits) - 1));
  const double m =
      code == 0 ? 0 : 1 + static_cast<double>(bits & ((1u << fraction) - 1)) / (1 << fraction);
  const double v = std::ldexp(m, code - t.format.bias());
  return (bits >> 15 & 1) != 0 ? -v : v;
}
uint64_t half_bits(const TypeInfo& t, double v) {
  if (v == 0) return 0;
  int e = 0;
  const double m = std::frexp(std::abs(v), &e) * 2 - 1;
  const auto fraction = static_cast<uint64_t>(m * (1 << t.format.fraction_bits));
  return (v < 0 ? 0x8000u : 0u) |
         static_cast<uint64_t>(e - 1 + t.format.bias()) << t.format.fraction_bits | fraction;
}

uint64_t updated(const ptx::Spelling& s, const TypeInfo& t, uint64_t old, uint64_t b, uint64_t c) {
  const bool is_min = s.has(Modifier::kMin), is_max = s.has(Modifier::kMax);
  if (s.has(Modifier::kExch)) return b;
  if (s.has(Modifier::kCas)) return old == b ? c : old;
  if (s.has(Modifier::kAnd)) return old & b;
  if (s.has(Modifier::kOr)) return old | b;
  if (s.has(Modifier::kXor)) return old ^ b;
  if (s.has(Modifier::kInc)) return old >= b ? 0 : old + 1;
  if (s.has(Modifier::kDec)) return old == 0 || old > b ? b : old - 1;
  if (t.element_bits == 16 && t.is_float) {
    const double x = half_value(t, old), y = half_value(t, b);
    return half_bits(t, is_min ? std::min(x, y) : is_max ? std::max(x, y) : x + y);
  }
  if (t.is_float && t.bits == 32) return as_bits(as_float(old) + as_float(b));
  if (t.is_float) return as_bits(as_double(old) + as_double(b));
  const int shift = 64 - t.bits;
  const auto x = static_cast<int64_t>(old << shift) >> shift,
             y = static_cast<int64_t>(b << shift) >> shift;
  const bool less = t.is_signed ? x < y : old < b;
  if (is_min) return less ? old : b;
  if (is_max) return less ? b : old;
  return old + b;
}

struct Triple {
  uint64_t old, b, c;
};
std::vector<Triple> cases_of(const TypeInfo& t) {
  if (t.is_float && t.element_bits == 16) {
    const uint64_t one = half_bits(t, 1), three = half_bits(t, 3), minus = half_bits(t, -2);
    return {{one, three, 0}, {minus, one, 0}, {three, minus, 0}, {one, one, 0}};
  }
  if (t.is_float && t.bits == 32)
    return {{as_bits(1.0f), as_bits(0x1p-24f), 0},
            {as_bits(-1.5f), as_bits(1.5f), 0},
            {as_bits(3e38f), as_bits(3e38f), 0}};
  if (t.is_float) return {{as_bits(1.0), as_bits(0x1p-53), 0}, {as_bits(-2.5), as_bits(1e300), 0}};
  const uint64_t all = t.mask(), top = uint64_t{1} << (t.bits - 1);
  return {{all, 1, 7}, {0, all, 7}, {top, top - 1, 7}, {5, 5, all}, {6, 5, all}, {5, 6, all}};
}

std::string register_of(const TypeInfo& t, const std::string& name, int i) {
  return fmt::format("%{}{}{}", t.bits == 16 ? "h" : t.bits == 32 ? "r" : "d", name, i);
}
std::string list_of(const ptx::Spelling& s, const TypeInfo& t, const std::string& name) {
  if (s.vector == 1) return register_of(t, name, 0);
  std::string text = "{";
  for (int i = 0; i < s.vector; ++i) text += (i == 0 ? "" : ", ") + register_of(t, name, i);
  return text + "}";
}

void check(const std::string& text, const ptx::Spelling& s, const Triple& one) {
  const TypeInfo t = type_info(s.type());
  const int size = t.bits / 8;
  const bool shared = s.space() == Space::kShared || s.space() == Space::kSharedCluster;
  // Packed types: both elements take part; elements of a vector differ.
  const auto spread = [&](uint64_t v) { return t.count == 2 ? v << 16 | v : v; };
  std::string body =
      ".reg .b16 %ha<8>, %hb<8>, %hc<8>; .reg .b32 %ra<8>, %rb<8>, %rc<8>; .reg .b64 %da<8>, "
      "%db<8>, %dc<8>, %rd<4>, %policy;\n"
      ".shared .align 32 .b8 tile[64]; ld.param.u64 %rd0, [p0]; mov.b64 %policy, 0;\n";
  for (int i = 0; i < s.vector; ++i) {
    body += fmt::format("mov.b{0} {1}, {2:#x}; mov.b{0} {3}, {4:#x}; mov.b{0} {5}, {6:#x};\n",
                        t.bits, register_of(t, "a", i), spread(one.old), register_of(t, "b", i),
                        spread(one.b), register_of(t, "c", i), spread(one.c));
    body += fmt::format("st.{}.b{} [{}+{}], {};\n", shared ? "shared" : "global", t.bits,
                        shared ? "tile" : "%rd0", i * size, register_of(t, "a", i));
  }
  const bool answers = s.op() == Op::kAtom;
  body += text + " " + (answers ? list_of(s, t, "a") + ", " : "") + (shared ? "[tile]" : "[%rd0]") +
          ", " + list_of(s, t, "b") + (s.has(Modifier::kCas) ? ", " + list_of(s, t, "c") : "") +
          (s.has(Modifier::kL2CacheHint) ? ", %policy" : "") + ";\n";
  for (int i = 0; i < s.vector; ++i) {
    body += fmt::format(
        "ld.{0}.b{1} {2}, [{3}+{4}]; st.global.b{1} [%rd0+{5}], {2}; st.global.b{1} [%rd0+{6}], "
        "{7};\n",
        shared ? "shared" : "global", t.bits, register_of(t, "c", i), shared ? "tile" : "%rd0",
        i * size, 64 + i * size, 128 + i * size, register_of(t, "a", i));
  }
  TestMachine machine(kernel_text(body + "ret;", 1, "sm_90", "8.6"));
  const uint64_t out = machine.put(std::vector<uint8_t>(192));
  ASSERT_EQ(machine.run({.kernel = "k", .params = TestMachine::pack(out)}), "") << text;
  const auto bytes = machine.get<uint8_t>(out, 192);
  for (int i = 0; i < s.vector; ++i) {
    uint64_t now = 0, old = 0;
    std::memcpy(&now, bytes.data() + 64 + i * size, static_cast<size_t>(size));
    std::memcpy(&old, bytes.data() + 128 + i * size, static_cast<size_t>(size));
    EXPECT_EQ(now, spread(updated(s, t, one.old, one.b, one.c)) & t.mask())
        << text << std::hex << " " << one.old << " " << one.b;
    EXPECT_EQ(old, spread(one.old) & t.mask()) << text;
  }
}

TEST(Atomic, EverySpellingUpdatesAndAnswers) {
  int count = 0;
  for (const std::string& text : spellings(kAtomicOps)) {
    ptx::SpellingFault fault;
    const auto s = ptx::decode_spelling(text, fault);
    ASSERT_TRUE(s) << text;
    const TypeInfo t = type_info(s->type());
    if (t.bits > 64 || t.bits * s->vector > 128) continue;  // 128 bits: below; .v8.f16x2 is not PTX
    for (const Triple& one : cases_of(t)) check(text, *s, one);
    ++count;
    ASSERT_FALSE(HasFailure()) << text;
  }
  EXPECT_GT(count, 200);
}

// Each operation with each of its types, in both spaces and generic.
TEST(Atomic, EveryOperationOfEveryType) {
  const std::pair<const char*, std::vector<const char*>> operations[] = {
      {"add",
       {"u32", "s32", "u64", "f32", "f64", "noftz.f16", "noftz.f16x2", "noftz.bf16",
        "noftz.bf16x2"}},
      {"min", {"u32", "s32", "u64", "s64"}},
      {"max", {"u32", "s32", "u64", "s64"}},
      {"inc", {"u32"}},
      {"dec", {"u32"}},
      {"and", {"b32", "b64"}},
      {"or", {"b32", "b64"}},
      {"xor", {"b32", "b64"}},
      {"exch", {"b32", "b64"}},
      {"cas", {"b16", "b32", "b64"}}};
  for (const auto& [operation, types] : operations) {
    for (const char* type : types) {
      for (const char* space : {"", ".global", ".shared"}) {
        for (const char* opcode : {"atom", "red"}) {
          const std::string text = std::string(opcode) + space + "." + operation + "." + type;
          ptx::SpellingFault fault;
          const auto s = ptx::decode_spelling(text, fault);
          if (!s) continue;  // red has neither exch nor cas
          for (const Triple& one : cases_of(type_info(s->type()))) check(text, *s, one);
          ASSERT_FALSE(HasFailure()) << text;
        }
      }
    }
  }
}

std::vector<uint64_t> run_wide(const std::string& body) {
  TestMachine machine(
      kernel_text(".reg .b128 %q<4>; .reg .b64 %rd<12>; .shared .align 16 .b8 tile[16];\n"
                  "ld.param.u64 %rd0, [p0]; ld.global.v2.u64 {%rd1,%rd2}, [%rd0]; ld.global.v2.u64 "
                  "{%rd3,%rd4}, [%rd0+16];\n"
                  "mov.b128 %q0, {%rd1,%rd2}; mov.b128 %q1, {%rd3,%rd4};\n" +
                      body + "ret;",
                  1, "sm_90", "8.6"));
  const uint64_t out = machine.put(std::vector<uint64_t>{1, 2, 3, 4, 0, 0});
  EXPECT_EQ(machine.run({.kernel = "k", .params = TestMachine::pack(out)}), "");
  return machine.get<uint64_t>(out, 6);
}

TEST(Atomic, OneHundredAndTwentyEightBits) {
  using Words = std::vector<uint64_t>;
  for (const char* order :
       {"", ".relaxed.gpu", ".acq_rel.sys", ".acquire.cta", ".release.cluster"}) {
    const std::string exchange =
        "atom" + std::string(order) +
        ".global.exch.b128 %q2, [%rd0], %q1; st.global.b128 [%rd0+32], %q2;";
    EXPECT_EQ(run_wide(exchange), (Words{3, 4, 3, 4, 1, 2}));
    const std::string compare = "atom" + std::string(order) +
                                ".cas.b128 %q2, [%rd0], %q0, %q1; st.global.b128 [%rd0+32], %q2;";
    EXPECT_EQ(run_wide(compare), (Words{3, 4, 3, 4, 1, 2}));
  }
  // Equal in the low half only.
  EXPECT_EQ(run_wide("mov.u64 %rd5, 9; mov.b128 %q3, {%rd1,%rd5}; atom.cas.b128 %q2, [%rd0], %q3, "
                     "%q1; st.global.b128 [%rd0+32], %q2;"),
            (Words{1, 2, 3, 4, 1, 2}));
  EXPECT_EQ(
      run_wide("st.shared.b128 [tile], %q0; atom.shared.exch.b128 %q2, [tile], %q1; ld.shared.b128 "
               "%q3, [tile]; st.global.b128 [%rd0], %q3; st.global.b128 [%rd0+32], %q2;"),
      (Words{3, 4, 3, 4, 1, 2}));
}

TEST(Atomic, F32FlushesSubnormalsInGlobalMemoryOnly) {
  for (const auto& [space, want] : {std::pair{"global", 0u}, {"shared", 3u}}) {
    TestMachine machine(
        kernel_text(fmt::format(".reg .b32 %r<4>; .reg .b64 %rd<2>; .shared .align 4 .b8 tile[4]; "
                                "ld.param.u64 %rd0, [p0]; mov.b32 %r0, 1; mov.b32 %r1, 2;\n"
                                "st.{0}.b32 [{1}], %r0; red.{0}.add.f32 [{1}], %r1; ld.{0}.b32 "
                                "%r2, [{1}]; st.global.b32 [%rd0], %r2; ret;",
                                space, space == std::string("global") ? "%rd0" : "tile")));
    const uint64_t out = machine.put(std::vector<uint32_t>(1));
    ASSERT_EQ(machine.run({.kernel = "k", .params = TestMachine::pack(out)}), "");
    EXPECT_EQ(machine.get<uint32_t>(out, 1)[0], want) << space;
  }
}

}  // namespace
}  // namespace warpledger::exec
