// Every spelling of ld, ldu and st: the bytes it moves, by its type, width and space.
#include <fmt/core.h>

#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/semantics/spellings.h"

namespace warpledger::exec {
namespace {

using ptx::Space;

constexpr int kBytes = 64;

/// Byte i of the memory that is read: both signs among the first bytes of each size.
uint8_t pattern(int i) { return static_cast<uint8_t>(0x81 + 37 * i); }

// A register name for element `i` of that many bits; bytes and halves are read into words.
std::string element(int bits, int i) {
  return fmt::format("{}{}", bits == 128 ? "%q" : bits == 64 ? "%rd" : "%r", 16 + i);
}
std::string vector_of(const ptx::Spelling& s) {
  const int bits = ptx::bits(s.type());
  if (s.vector == 1) return element(bits, 0);
  std::string text = "{";
  for (int i = 0; i < s.vector; ++i) text += (i == 0 ? "" : ", ") + element(bits, i);
  return text + "}";
}

// The operand [..] of an access to the 64 bytes of the space.
std::string place_of(Space space) {
  switch (space) {
    case Space::kShared:
    case Space::kSharedCluster:
      return "[tile]";
    case Space::kLocal:
      return "[box]";
    case Space::kConst:
      return "[table]";
    case Space::kParam:
      return "[p1]";
    default:
      return "[%rd1]";
  }
}

// Copies the global buffer into the space before a load, or the space into it after a store.
std::string copy(Space space, bool back) {
  if (space == Space::kGlobal || space == Space::kGeneric || space == Space::kConst ||
      space == Space::kParam)
    return "";
  const std::string name = space == Space::kLocal ? "local" : "shared";
  const std::string variable = space == Space::kLocal ? "box" : "tile";
  std::string text;
  for (int i = 0; i < kBytes; i += 4) {
    text += back ? fmt::format("ld.{}.u32 %r0, [{}+{}]; st.global.u32 [%rd1+{}], %r0;\n", name,
                               variable, i, i)
                 : fmt::format("ld.global.u32 %r0, [%rd1+{}]; st.{}.u32 [{}+{}], %r0;\n", i, name,
                               variable, i);
  }
  return text;
}

std::string module_of(const std::string& body) {
  std::string table, text = ".version 9.0\n.target sm_100a\n.address_size 64\n";
  for (int i = 0; i < kBytes; ++i) table += fmt::format("{}{}", i == 0 ? "" : ", ", pattern(i));
  text += ".const .align 32 .b8 table[64] = {" + table + "};\n";
  text += ".visible .entry k(.param .u64 p0, .param .align 32 .b8 p1[64])\n{\n";
  text += ".reg .b32 %r<32>; .reg .b64 %rd<32>; .reg .b128 %q<32>; .reg .b64 %policy;\n";
  text += ".shared .align 32 .b8 tile[64]; .local .align 32 .b8 box[64];\n";
  text += "ld.param.u64 %rd1, [p0]; createpolicy.fractional.L2::evict_last.b64 %policy;\n";
  return text + body + "ret;\n}\n";
}

struct Run {
  std::string fault;
  std::vector<uint8_t> buffer;
};
Run run(const std::string& body) {
  TestMachine machine(module_of(body), "load_store.ptx");
  std::vector<uint8_t> bytes(2 * kBytes);
  for (int i = 0; i < kBytes; ++i) bytes[static_cast<size_t>(i)] = pattern(i);
  const uint64_t buffer = machine.put(bytes);
  std::vector<std::byte> params(96);
  std::memcpy(params.data(), &buffer, sizeof buffer);
  std::memcpy(params.data() + 32, bytes.data(), kBytes);
  Run result{.fault = machine.run({.kernel = "k", .params = params})};
  if (result.fault.empty()) result.buffer = machine.get<uint8_t>(buffer, 2 * kBytes);
  return result;
}

std::string policy(const ptx::Spelling& s) {
  return s.has(ptx::Modifier::kL2CacheHint) ? ", %policy" : "";
}

// Eight and sixteen bits arrive in 32-bit registers, extended by the sign of the type.
void check_load(const std::string& text, const ptx::Spelling& s) {
  const int bits = ptx::bits(s.type()), kept = std::max(32, bits);
  std::string body = copy(s.space(), false) + text + " " + vector_of(s) + ", " +
                     place_of(s.space()) + policy(s) + ";\n";
  for (int i = 0; i < s.vector; ++i)
    body += fmt::format("st.global.b{} [%rd1+{}], {};\n", kept, kBytes + i * kept / 8,
                        element(bits, i));
  const Run done = run(body);
  ASSERT_EQ(done.fault, "") << text;
  const bool is_signed = ptx::kind(s.type()) == ptx::TypeKind::kSigned;
  for (int i = 0; i < s.vector; ++i) {
    for (int byte = 0; byte < kept / 8; ++byte) {
      const bool negative = is_signed && (pattern((i + 1) * bits / 8 - 1) & 0x80) != 0;
      const uint8_t want = byte < bits / 8 ? pattern(i * bits / 8 + byte) : negative ? 0xff : 0;
      EXPECT_EQ(done.buffer[static_cast<size_t>(kBytes + i * kept / 8 + byte)], want)
          << text << " element " << i << " byte " << byte;
    }
  }
}

// The first bytes of the space become those that stand 32 further on; the others stay.
void check_store(const std::string& text, const ptx::Spelling& s) {
  const int bits = ptx::bits(s.type()), size = bits / 8;
  std::string body = copy(s.space(), false);
  for (int i = 0; i < s.vector; ++i)
    body += fmt::format("ld.global.b{} {}, [%rd1+{}];\n", bits, element(bits, i), 32 + i * size);
  body += text + " " + place_of(s.space()) + ", " + vector_of(s) + policy(s) + ";\n";
  const Run done = run(body + copy(s.space(), true));
  ASSERT_EQ(done.fault, "") << text;
  for (int i = 0; i < kBytes; ++i) {
    const uint8_t want = i < size * s.vector ? pattern(32 + i) : pattern(i);
    EXPECT_EQ(done.buffer[static_cast<size_t>(i)], want) << text << " byte " << i;
  }
}

// A kernel cannot write its parameters: st.param is of device functions (program_test.cpp).
TEST(LoadStore, EverySpellingMovesItsBytes) {
  int count = 0;
  for (const std::string& text : spellings(kLoadStoreOps)) {
    ptx::SpellingFault fault;
    const auto s = ptx::decode_spelling(text, fault);
    ASSERT_TRUE(s) << text;
    const bool too_wide = ptx::bits(s->type()) * s->vector > 256;
    if (too_wide || (s->space() == Space::kParam && s->op() == Op::kSt)) continue;
    (s->op() == Op::kSt ? check_store : check_load)(text, *s);
    ++count;
    ASSERT_FALSE(HasFailure()) << text;
  }
  EXPECT_GT(count, 200);
}

// Every width with every type, generic and by name: the combinations that compilers use most.
TEST(LoadStore, EveryVectorOfEveryType) {
  for (const char* type : {"b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64",
                           "u64", "s64", "f64", "b128"}) {
    for (const char* vector : {"", ".v2", ".v4"}) {
      for (const char* space : {"", ".global", ".shared", ".local"}) {
        const std::string rest = std::string(space) + vector + "." + type;
        ptx::SpellingFault fault;
        const std::string load = "ld" + rest, store = "st" + rest;
        const auto s = ptx::decode_spelling(load, fault);
        ASSERT_TRUE(s) << load;
        if (ptx::bits(s->type()) * s->vector > 128) continue;
        check_load(load, *s);
        check_store(store, *ptx::decode_spelling(store, fault));
        ASSERT_FALSE(HasFailure()) << rest;
      }
    }
  }
}

}  // namespace
}  // namespace warpledger::exec
