// Tensor copies of sm_90a and sm_100a.
#include "tests/system/machine_toolkit/async_kernels.h"
#include "warpledger/exec/decode/tensor_map.h"

namespace warpledger::exec {
namespace {

constexpr size_t kWords = 32768;

struct BoxCase {
  std::string name;
  TensorMap map;
  std::string coordinates;  // of the box
};

TensorMap map_of(TensorElement element, uint32_t bytes, uint32_t rank, SharedMode swizzle,
                 uint32_t width) {
  TensorMap map{.element = element, .rank = rank, .swizzle = swizzle};
  uint64_t pitch = bytes;
  for (uint32_t d = 0; d < rank; ++d) {
    map.size[d] = d == 0 ? 64 : d == 1 ? 12 : 3;
    map.box[d] = d == 0 ? width : d == 1 ? 8 : 2;
    pitch *= d == 0 ? 64 : map.size[d];
    if (d + 1 < rank) map.stride[d] = pitch;
  }
  return map;
}

/// The map is a parameter; out has room for the box. `body` between the load and the end.
std::string box_kernel(const BoxCase& c, const std::string& body) {
  const std::string at = "[m, {" + c.coordinates + "}]";
  return R"(.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .align 64 .b8 p0[128], .param .u64 p1)
{
  .shared .align 1024 .b8 tile[4096];
  .shared .align 8 .b64 bar;
  .reg .pred p, q, first; .reg .b32 t, a, b, v; .reg .b64 m, out, x;
  mov.u32 t, %tid.x;
  mov.u32 a, tile;
  mov.u32 b, bar;
  setp.eq.u32 first, t, 0;
  mov.b64 m, p0;
  cvta.param.u64 m, m;
  ld.param.u64 out, [p1];
  mul.wide.u32 x, t, 4;
  add.u64 out, out, x;
  @first prefetch.tensormap [m];
  @first mbarrier.init.shared::cta.b64 [b], 1;
  bar.sync 0;
  @first mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], )" +
         std::to_string(c.map.moved_bytes()) + R"(;
  @first cp.async.bulk.tensor.)" +
         std::to_string(c.map.rank) +
         "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [a], " + at + R"(, [b];
W: mbarrier.try_wait.parity.shared::cta.b64 q, [b], 0;
  @!q bra W;
)" + body +
         "\nret;\n}\n";
}

/// What the box holds in shared memory, to `out`.
std::string load_kernel(const BoxCase& c) {
  std::string body = "shl.b32 v, t, 2;\nadd.u32 a, a, v;\n";
  for (uint32_t at = 0; at + 1024 <= c.map.box_bytes(); at += 1024)
    body += "ld.shared.u32 v, [a+" + std::to_string(at) + "];\nst.global.u32 [out+" +
            std::to_string(at) + "], v;\n";
  return box_kernel(c, body);
}

std::string store_kernel(const BoxCase& c, const std::string& what) {
  const std::string at = "[m, {" + c.coordinates + "}]";
  return box_kernel(c, "@first cp.async.bulk.prefetch.tensor." + std::to_string(c.map.rank) +
                           "d.L2.global.tile " + at + ";\n@first " + what + " " + at + R"(, [a];
  @first cp.async.bulk.commit_group;
  @first cp.async.bulk.wait_group 0;
)");
}

/// `changes`: the kernel writes the tensor and not `out`.
void expect_box_equal_on(const BoxCase& c, const std::string& text, bool changes,
                         const std::string& arch) {
  TestMachine machine(text);
  ASSERT_TRUE(machine.is_loaded());
  const std::vector<uint32_t> words = mild_words(kWords);
  const uint64_t in = machine.put(words), out = machine.put(std::vector<uint32_t>(1024, 7));
  TensorMap map = c.map;
  map.address = in;
  const auto bytes = encode(map);
  ASSERT_TRUE(bytes) << bytes.error().message;
  std::vector<std::byte> params(bytes->begin(), bytes->end());
  const auto last = TestMachine::pack(out);
  params.insert(params.end(), last.begin(), last.end());
  const Launch launch{.kernel = "k", .block = {256, 1, 1}, .params = params};
  EXPECT_EQ(compare_on(machine, text, launch, arch), "equal");
  EXPECT_EQ(machine.run(launch), "");
  EXPECT_EQ(machine.get<uint32_t>(in, kWords) != words, changes);
}
void expect_box_equal(const BoxCase& c, const std::string& text, bool changes) {
  if (!machine::can_compare()) GTEST_SKIP() << "no ptxas or no nvdisasm";
  expect_box_equal_on(c, text, changes, kHopper);
  expect_box_equal_on(c, for_blackwell(text), changes, kBlackwell);
}

class HopperBox : public ::testing::TestWithParam<BoxCase> {};

TEST_P(HopperBox, IsLoadedAsItsPtxLoadsIt) {
  expect_box_equal(GetParam(), load_kernel(GetParam()), false);
}

/// The box goes back two elements along.
TEST_P(HopperBox, IsStoredAsItsPtxStoresIt) {
  BoxCase c = GetParam();
  const std::string rank = std::to_string(c.map.rank);
  std::string text =
      store_kernel(c, "cp.async.bulk.tensor." + rank + "d.global.shared::cta.tile.bulk_group");
  const size_t at = text.rfind("{" + c.coordinates);
  text.replace(at, 2, "{8");
  expect_box_equal(c, text, true);
}

TEST_P(HopperBox, IsReducedAsItsPtxReducesIt) {
  const BoxCase& c = GetParam();
  const std::string rank = std::to_string(c.map.rank);
  const std::string reduce = "cp.reduce.async.bulk.tensor." + rank + "d.global.shared::cta.";
  expect_box_equal(c, store_kernel(c, reduce + "add.tile.bulk_group"), true);
  // Of an element with itself: nothing changes.
  if (c.map.element == TensorElement::kU32) {
    for (const char* operation : {"min", "max", "and", "or"})
      expect_box_equal(c, store_kernel(c, reduce + operation + ".tile.bulk_group"), false);
    for (const char* operation : {"xor", "inc", "dec"})
      expect_box_equal(c, store_kernel(c, reduce + operation + ".tile.bulk_group"), true);
  }
}

BoxCase box(std::string name, TensorElement element, uint32_t bytes, uint32_t rank,
            SharedMode swizzle, uint32_t width, std::string coordinates) {
  return {std::move(name), map_of(element, bytes, rank, swizzle, width), std::move(coordinates)};
}

INSTANTIATE_TEST_SUITE_P(
    Cases, HopperBox,
    ::testing::Values(box("line", TensorElement::kU32, 4, 1, SharedMode::kNone, 64, "0"),
                      box("plane", TensorElement::kU32, 4, 2, SharedMode::k128, 32, "0, 2"),
                      box("outside", TensorElement::kF16, 2, 2, SharedMode::k128, 64, "0, -3"),
                      box("narrow", TensorElement::kBf16, 2, 2, SharedMode::k64, 32, "0, 7"),
                      box("floats", TensorElement::kF32, 4, 3, SharedMode::k128, 32, "0, 3, 1"),
                      box("space", TensorElement::kF16, 2, 3, SharedMode::k32, 16, "0, 1, 2"),
                      box("four", TensorElement::kU32, 4, 4, SharedMode::kNone, 16, "0, 2, 0, 1"),
                      box("five", TensorElement::kU32, 4, 5, SharedMode::kNone, 8,
                          "0, 2, 0, 1, 0")),
    [](const auto& one) { return one.param.name; });

class MulticastBox : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Architectures, MulticastBox, ::testing::Values(kHopper, kBlackwell));

/// Both blocks of a cluster get the box that one asks for.
TEST_P(MulticastBox, GoesToAllBlocksOfACluster) {
  const BoxCase c = box("both", TensorElement::kF16, 2, 2, SharedMode::k128, 64, "0, 0");
  std::string text = load_kernel(c);
  const size_t at = text.find("@first cp.async.bulk.tensor"), end = text.find(';', at);
  std::string copy = text.substr(at, end - at);
  copy.replace(0, 6, "@p");
  copy.replace(copy.find("::bytes"), 7, "::bytes.multicast::cluster");
  text.replace(at, end - at, R"(barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  .reg .b16 mask;
  .reg .b32 r;
  mov.b16 mask, 3;
  mov.u32 r, %cluster_ctarank;
  setp.eq.u32 p, r, 1;
  and.pred p, p, first;
  mul.wide.u32 x, r, 1024;
  add.u64 out, out, x;
  )" + copy + ", mask");
  text.replace(text.rfind("ret;"), 4,
               "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\nret;");
  if (!machine::can_compare()) GTEST_SKIP() << "no ptxas or no nvdisasm";
  if (GetParam() == std::string(kBlackwell)) text = for_blackwell(text);
  TestMachine machine(text);
  TensorMap map = c.map;
  map.address = machine.put(mild_words(kWords));
  const uint64_t out = machine.put(std::vector<uint32_t>(1024, 7));
  const auto bytes = encode(map);
  ASSERT_TRUE(bytes);
  std::vector<std::byte> params(bytes->begin(), bytes->end());
  const auto last = TestMachine::pack(out);
  params.insert(params.end(), last.begin(), last.end());
  EXPECT_EQ(compare_on(machine, text,
                       {.kernel = "k",
                        .grid = {2, 1, 1},
                        .block = {256, 1, 1},
                        .cluster = {2, 1, 1},
                        .params = params},
                       GetParam()),
            "equal");
}

}  // namespace
}  // namespace warpledger::exec
