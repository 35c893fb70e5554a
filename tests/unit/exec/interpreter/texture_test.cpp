// Every spelling of tex, tld4, txq, suld, sust, sured and suq: the texels it reads or writes, or
// that it is refused by name.
#include "warpledger/exec/decode/texture.h"

#include <fmt/format.h>

#include <bit>
#include <map>

#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/semantics/spellings.h"
#include "warpledger/exec/numeric/convert.h"

namespace warpledger::exec {
namespace {

using ptx::Modifier;
using ptx::Slot;

constexpr uint32_t kSide = 8;
constexpr uint32_t kX = 2, kY = 3, kZ = 4;  // the texel that is read; kZ is the layer, too

/// Channel c of texel (x, y, z).
uint32_t texel(uint32_t x, uint32_t y, uint32_t z, uint32_t c) {
  return 4 * (x + kSide * (y + kSide * z)) + c;
}

struct Shape {
  uint32_t dimensions = 1;
  bool is_layered = false, is_known = true;
};
Shape shape_of(const ptx::Spelling& s) {
  switch (s.get(Slot::kGeometry)) {
    case Modifier::k1d:
      return {1};
    case Modifier::k2d:
      return {2};
    case Modifier::k3d:
      return {3};
    case Modifier::kA1d:
      return {1, true};
    case Modifier::kA2d:
      return {2, true};
    default:
      return {.is_known = false};
  }
}

/// A texture of 32-bit channels whose texels are texel(), and a kernel over it.
struct Bench {
  Bench(const std::string& body, const Shape& shape, TexelKind kind)
      : machine(kernel_text(kRegisters + body + "ret;", 2, "sm_80", "8.4"), "texture.ptx") {
    texture.format = {.channels = 4, .bits = 32, .kind = kind};
    texture.dimensions = static_cast<uint8_t>(shape.dimensions);
    texture.is_layered = shape.is_layered;
    const uint32_t height = shape.dimensions > 1 ? kSide : 1;
    const uint32_t depth = shape.dimensions > 2 || shape.is_layered ? kSide : 1;
    std::vector<uint32_t> texels;
    for (uint32_t z = 0; z < depth; ++z)
      for (uint32_t y = 0; y < height; ++y)
        for (uint32_t i = 0; i < 4 * kSide; ++i) {
          const uint32_t value = texel(i / 4, y, z, i % 4);
          texels.push_back(kind == TexelKind::kFloat
                               ? std::bit_cast<uint32_t>(static_cast<float>(value))
                               : value);
        }
    texture.base = packed_box(machine.put(texels), kSide, height, depth, texture.format);
  }
  std::string run() {
    const TextureBytes record = encode(texture);
    const uint64_t handle = machine.put(std::vector<std::byte>(record.begin(), record.end()));
    out = machine.put(std::vector<uint64_t>(4));
    return machine.run({.kernel = "k", .params = TestMachine::pack(handle, out)});
  }
  /// Where the chosen texel begins.
  [[nodiscard]] uint64_t address() const {
    const bool deep = texture.dimensions > 2 || texture.is_layered;
    return texture.base.address + (deep ? kZ * texture.base.slice : 0) +
           (texture.dimensions > 1 ? kY * texture.base.pitch : 0) + kX * 16;
  }
  static constexpr const char* kRegisters =
      ".reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .f32 %f<8>;\n"
      "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1];\n";
  TestMachine machine;
  Texture texture;
  uint64_t out = 0;
};

void expect_named(const std::string& text, const std::string& fault, const char* name) {
  EXPECT_NE(fault.find(name), std::string::npos) << text << ": " << fault;
}

std::string listed(const std::vector<std::string>& parts) {
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

/// The operand [handle, {...}] for coordinates that are given as text.
std::string place(const Shape& shape, const std::string& x, const std::string& y,
                  const std::string& z) {
  std::vector<std::string> parts;
  if (shape.is_layered) parts.push_back(std::to_string(kZ));
  parts.push_back(x);
  if (shape.dimensions > 1 || !shape.is_known) parts.push_back(y);
  if (shape.dimensions > 2) parts.push_back(z);
  while (parts.size() > 2 && parts.size() < 4) parts.push_back(parts.back());
  return "[%rd1, " + listed(parts) + "]";
}

TexelKind kind_of(const ptx::Spelling& s) {
  switch (s.types[0]) {
    case ptx::Type::kU32:
      return TexelKind::kUnsigned;
    case ptx::Type::kS32:
      return TexelKind::kSigned;
    default:
      return TexelKind::kFloat;
  }
}

// The texels 2, 3, 4 by whole numbers, or by fractions inside of them.
void check_tex(const std::string& text, const ptx::Spelling& s) {
  const Shape shape = shape_of(s);
  const bool packs = text.find("f16x2") != std::string::npos;
  const bool halves = !packs && text.find(".f16.") != std::string::npos;
  const bool whole = text.ends_with(".s32");
  std::string body;
  std::vector<std::string> to;
  for (int i = 0; i < (packs ? 2 : 4); ++i)
    to.push_back(fmt::format("%{}{}", halves ? 'h' : 'r', i));
  body = text + " " + listed(to) + ", " +
         (whole ? place(shape, "2", "3", "4")
                : place(shape, "0f40200000", "0f40600000", "0f40900000"));
  if (s.has(Modifier::kLevel)) body += whole ? ", 0" : ", 0f00000000";
  if (s.has(Modifier::kGrad)) {
    const std::string zero = whole ? "0" : "0f00000000";
    const std::string steps = shape.dimensions == 1   ? listed({zero})
                              : shape.dimensions == 2 ? listed({zero, zero})
                                                      : listed({zero, zero, zero, zero});
    body += ", " + steps + ", " + steps;
  }
  body += ";\n";
  for (size_t i = 0; i < to.size(); ++i)
    body += fmt::format("st.global.b{} [%rd2+{}], {};\n", halves ? 16 : 32, 4 * i, to[i]);
  Bench bench(body, shape, kind_of(s));
  const std::string fault = bench.run();
  if (!shape.is_known) return expect_named(text, fault, "textures are not supported");
  ASSERT_EQ(fault, "") << text;
  for (uint32_t c = 0; c < 4; ++c) {
    const uint32_t z = shape.dimensions > 2 || shape.is_layered ? kZ : 0;
    const uint32_t value = texel(kX, shape.dimensions > 1 ? kY : 0, z, c);
    float got = 0;
    if (packs || halves) {
      const uint64_t at = bench.out + (packs ? 2 * c : 4 * c);
      const uint64_t f32 =
          numeric::convert(numeric::kF32, numeric::kF16, bench.machine.get<uint16_t>(at, 1)[0]);
      got = std::bit_cast<float>(static_cast<uint32_t>(f32));
    } else {
      const uint32_t bits = bench.machine.get<uint32_t>(bench.out + 4 * c, 1)[0];
      got = kind_of(s) == TexelKind::kFloat ? std::bit_cast<float>(bits) : static_cast<float>(bits);
    }
    EXPECT_EQ(got, static_cast<float>(value)) << text << " channel " << c;
  }
}

// The four texels around the corner (3, 4), counterclockwise from the lower left one.
void check_gather(const std::string& text, const ptx::Spelling& s) {
  const Shape shape = shape_of(s);
  std::string body = text + " {%r0, %r1, %r2, %r3}, " +
                     place(shape, "0f40400000", "0f40800000", "0f40800000") + ";\n";
  for (int i = 0; i < 4; ++i) body += fmt::format("st.global.b32 [%rd2+{}], %r{};\n", 4 * i, i);
  Bench bench(body, shape, kind_of(s));
  const std::string fault = bench.run();
  if (!shape.is_known) return expect_named(text, fault, "textures are not supported");
  ASSERT_EQ(fault, "") << text;
  const uint32_t channel = s.has(Modifier::kR)   ? 0
                           : s.has(Modifier::kG) ? 1
                           : s.has(Modifier::kB) ? 2
                                                 : 3;
  const uint32_t x[] = {2, 3, 3, 2}, y[] = {4, 4, 3, 3};
  const auto got = bench.machine.get<uint32_t>(bench.out, 4);
  for (size_t i = 0; i < 4; ++i) {
    const uint32_t value = texel(x[i], y[i], shape.is_layered ? kZ : 0, channel);
    const bool is_float = kind_of(s) == TexelKind::kFloat;
    EXPECT_EQ(got[i], is_float ? std::bit_cast<uint32_t>(static_cast<float>(value)) : value)
        << text << " texel " << i;
  }
}

// What is known of a texture of 8 x 8 x 8; the rest is refused by name.
void check_query(const std::string& text, const ptx::Spelling& s) {
  std::string body = text + " %r0, [%rd1]" + (s.has(Modifier::kLevel) ? ", 0" : "") +
                     ";\nst.global.b32 [%rd2], %r0;\n";
  Bench bench(body, {3}, TexelKind::kFloat);
  const std::string fault = bench.run();
  const std::map<Modifier, uint32_t> known = {
      {Modifier::kWidth, 8},     {Modifier::kHeight, 8},          {Modifier::kDepth, 8},
      {Modifier::kArraySize, 0}, {Modifier::kNumMipmapLevels, 1}, {Modifier::kNormalizedCoords, 0}};
  const auto found = known.find(s.get(Slot::kQuery));
  if (found == known.end() || s.has(Modifier::kLevel)) {
    EXPECT_NE(fault.find("is not supported"), std::string::npos) << text << fault;
  } else {
    EXPECT_EQ(fault, "") << text;
    EXPECT_EQ(bench.machine.get<uint32_t>(bench.out, 1)[0], found->second) << text;
  }
}

std::string register_of(int bits, int i) {
  return fmt::format("%{}{}", bits == 64 ? "rd" : bits == 32 ? "r" : "h", 4 + i);
}
std::string registers_of(int bits, int count) {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back(register_of(bits, i));
  return listed(all);
}
/// Eight-bit values are in 16-bit registers.
int held(int bits) { return std::max(16, bits); }

// x counts bytes: the chosen texel begins at byte 32 of its row.
void check_load(const std::string& text, const ptx::Spelling& s) {
  const int bits = ptx::bits(s.type()), size = bits / 8;
  std::string body =
      text + " " + registers_of(bits, s.vector) + ", " + place(shape_of(s), "32", "3", "4") + ";\n";
  for (int i = 0; i < s.vector; ++i)
    body += fmt::format("st.global.b{} [%rd2+{}], {};\n", bits, i * size, register_of(bits, i));
  Bench bench(body, shape_of(s), TexelKind::kUnsigned);
  ASSERT_EQ(bench.run(), "") << text;
  const auto bytes = static_cast<size_t>(size * s.vector);
  EXPECT_EQ(bench.machine.get<uint8_t>(bench.out, bytes),
            bench.machine.get<uint8_t>(bench.address(), bytes))
      << text;
}

void check_store(const std::string& text, const ptx::Spelling& s) {
  const int bits = ptx::bits(s.type()), size = bits / 8;
  std::string body;
  for (int i = 0; i < s.vector; ++i)
    body += fmt::format("mov.b{} {}, {};\n", held(bits), register_of(bits, i), 17 + i);
  body +=
      text + " " + place(shape_of(s), "32", "3", "4") + ", " + registers_of(bits, s.vector) + ";\n";
  Bench bench(body, shape_of(s), TexelKind::kUnsigned);
  const std::string fault = bench.run();
  if (s.has(Modifier::kP)) return expect_named(text, fault, "sust.p");
  ASSERT_EQ(fault, "") << text;
  for (int i = 0; i < s.vector; ++i) {
    uint64_t got = 0;
    const auto bytes = bench.machine.get<uint8_t>(bench.address() + static_cast<uint64_t>(i * size),
                                                  static_cast<size_t>(size));
    std::memcpy(&got, bytes.data(), bytes.size());
    EXPECT_EQ(got, static_cast<uint64_t>(17 + i)) << text;
  }
}

uint64_t reduced(const ptx::Spelling& s, int64_t old, int64_t operand) {
  const bool is_signed = ptx::kind(s.type()) == ptx::TypeKind::kSigned;
  const bool is_less =
      is_signed ? operand < old : static_cast<uint64_t>(operand) < static_cast<uint64_t>(old);
  const int64_t made = s.has(Modifier::kAdd)   ? old + operand
                       : s.has(Modifier::kMin) ? (is_less ? operand : old)
                       : s.has(Modifier::kMax) ? (is_less ? old : operand)
                       : s.has(Modifier::kAnd) ? (old & operand)
                                               : (old | operand);
  return static_cast<uint64_t>(made);
}

void check_reduction(const std::string& text, const ptx::Spelling& s) {
  const int bits = ptx::bits(s.type());
  const std::string operand = register_of(bits, 0);
  Bench bench(fmt::format("mov.b{} {}, -6;\n{} {}, {};\n", bits, operand, text,
                          place(shape_of(s), "32", "3", "4"), operand),
              shape_of(s), TexelKind::kUnsigned);
  const auto read = [&] {
    const auto words = bench.machine.get<uint32_t>(bench.address(), 2);
    return bits == 32 ? words[0] : words[0] | uint64_t{words[1]} << 32;
  };
  const auto old = static_cast<int64_t>(read());
  const std::string fault = bench.run();
  if (s.has(Modifier::kP)) return expect_named(text, fault, "sured.p");
  ASSERT_EQ(fault, "") << text;
  // -6 of 32 bits is not below 0 where the type has no sign.
  const bool is_signed = ptx::kind(s.type()) == ptx::TypeKind::kSigned;
  const int64_t minus_six = bits == 32 && !is_signed ? int64_t{0xfffffffa} : -6;
  const uint64_t mask = bits == 32 ? 0xffffffffu : ~uint64_t{0};
  EXPECT_EQ(read(), reduced(s, old, minus_six) & mask) << text;
}

TEST(TextureOpcodes, EverySpellingReachesItsTexelsOrIsRefusedByName) {
  using Check = void (*)(const std::string&, const ptx::Spelling&);
  const std::map<Op, Check> checks = {{Op::kTex, check_tex},        {Op::kTld4, check_gather},
                                      {Op::kTxq, check_query},      {Op::kSuq, check_query},
                                      {Op::kSuld, check_load},      {Op::kSust, check_store},
                                      {Op::kSured, check_reduction}};
  int count = 0;
  for (const std::string& text : spellings(kTextureOps)) {
    ptx::SpellingFault fault;
    const auto s = ptx::decode_spelling(text, fault);
    ASSERT_TRUE(s) << text;
    checks.at(s->op())(text, *s);
    ++count;
  }
  EXPECT_GE(count, 70);
}

TEST(TextureOpcodes, OutsideOfASurfaceIsClampedZeroOrAFault) {
  for (const char* mode : {"clamp", "zero", "trap"}) {
    Bench bench(fmt::format("suld.b.1d.b32.{} {{%r0}}, [%rd1, {{4000}}];\n"
                            "st.global.b32 [%rd2], %r0;\n",
                            mode),
                {1}, TexelKind::kUnsigned);
    const std::string fault = bench.run(), name = mode;
    EXPECT_EQ(fault.find("surface access outside") != std::string::npos, name == "trap") << fault;
    if (name != "trap") {
      EXPECT_EQ(bench.machine.get<uint32_t>(bench.out, 1)[0],
                name == "zero" ? 0 : texel(7, 0, 0, 3));
    }
  }
}

}  // namespace
}  // namespace warpledger::exec
