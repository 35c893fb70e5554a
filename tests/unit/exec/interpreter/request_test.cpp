// What is asked of a launch before it begins, and bounds of what it leaves.
#include <gmock/gmock.h>

#include <random>

#include "tests/unit/exec/interpreter/machine.h"
#include "warpledger/launch/argument.h"
#include "warpledger/ptx/parser.h"

namespace warpledger::exec {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string module_of(const std::vector<std::string>& kernels) {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n";
  for (const std::string& name : kernels) text += ".visible .entry " + name + "() { ret; }\n";
  return text;
}

TEST(FindKernel, NeedsNoNameWhereThereIsOne) {
  const auto module = ptx::parse("one.ptx", module_of({"alone"}));
  EXPECT_EQ((*find_kernel(*module, ""))->name, "alone");
}

TEST(FindKernel, AsksWhichWhereThereAreMore) {
  const auto module = ptx::parse("two.ptx", module_of({"first", "second"}));
  const auto found = find_kernel(*module, "");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().message, "the module has 2 kernels: name one");
  EXPECT_THAT(found.error().hint, HasSubstr("first, second"));
}

// Elements are rounded to nearest even, whichever way is quicker.
TEST(Argument, HalvesAreTheNearestOnes) {
  std::vector<double> values = {0,     1e-8, 3e-8, 2.98e-8, 65504, 65519,
                                65520, 1e6,  0.1,  1.0 / 3, -2049, 2051};
  for (int k = 1; k < 4096; ++k) values.push_back(k / 16777216.0), values.push_back(1 + k / 4096.0);
  for (const double value : values) {
    const auto argument = parse_argument(fmt::format("f16[1]:{:.20g}", value), 1);
    ASSERT_TRUE(argument);
    uint16_t bits = 0;
    std::memcpy(&bits, argument->bytes.data(), sizeof bits);
    EXPECT_EQ(bits, numeric::convert(numeric::kF16, numeric::kF64, std::bit_cast<uint64_t>(value)))
        << value;
  }
}

/// The bits of each element as put_value() would write them, from the sequence that argument.h
/// promises.
std::vector<uint64_t> random_bits(const ElementType& type, int number, size_t count) {
  std::mt19937_64 random(static_cast<uint64_t>(number));
  std::vector<uint64_t> bits(count);
  for (uint64_t& one : bits) {
    const double unit = static_cast<double>(random() >> 40) / (1 << 24);
    one = std::bit_cast<uint64_t>(unit);
  }
  if (type.is_float) {
    const numeric::Format format = type_info(type.type).format;
    for (uint64_t& one : bits) one = numeric::convert(format, numeric::kF64, one);
    return bits;
  }
  random.seed(static_cast<uint64_t>(number));
  for (uint64_t& one : bits) one = random() % 100;
  return bits;
}

TEST(Argument, RandomElementsAreTheNearestOnesOfTheSequence) {
  for (const char* type :
       {"f16", "bf16", "f32", "f64", "e4m3", "e5m2", "i8", "u16", "i32", "u64"}) {
    const auto argument = parse_argument(fmt::format("{}[5000]:random", type), 3);
    ASSERT_TRUE(argument);
    const std::vector<uint64_t> wanted = random_bits(argument->type, 3, 5000);
    const auto bytes = static_cast<size_t>(argument->type.bytes);
    for (size_t i = 0; i < wanted.size(); ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, argument->bytes.data() + i * bytes, bytes);
      ASSERT_EQ(bits, wanted[i]) << type << " " << i;
    }
  }
}

TEST(Argument, RefusesWhatNoMachineHolds) {
  const auto argument = parse_argument("A=f32[1000000x1000000]:random", 1);
  ASSERT_FALSE(argument.ok());
  EXPECT_EQ(argument.error().code, "out-of-memory");
}

TEST(Printf, DropsTheOldestOfAnEndlessText) {
  TestMachine machine(module_of({"k"}));
  const auto engine =
      reference::Engine::create(machine.image(), {.kernel = "k", .block = {32, 1, 1}}, {});
  const std::string line(1 << 20, 'x');
  for (int i = 0; i < 100; ++i) (*engine)->print(line + std::to_string(i) + "\n");
  const std::string left = (*engine)->take_output();
  EXPECT_LT(left.size(), 40u << 20);
  EXPECT_THAT(left.substr(0, 100), StartsWith("("));
  EXPECT_EQ(left.substr(left.size() - 3), "99\n");
}

}  // namespace
}  // namespace warpledger::exec
