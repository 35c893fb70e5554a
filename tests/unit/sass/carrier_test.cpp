// Cubins in the shape of PTX, and whose cubins are refused.
#include "warpledger/sass/cubin/carrier.h"

#include <gmock/gmock.h>

#include "tests/support/cubin.h"
#include "tests/support/law.h"
#include "warpledger/ptx/parser.h"
#include "warpledger/sass/cubin/closed_library.h"

namespace warpledger::sass {
namespace {

using ::testing::HasSubstr;

LAW(Carrier, GivesTheCubinBackByteForByte) {
  std::string code;
  for (int64_t i = rng.between(0, 400); i > 0; --i)
    code.push_back(static_cast<char>(rng.between(0, 255)));
  std::string cubin = testing::cubin_of({{".text.k", code}, {".nv.constant3", "table"}});
  constexpr size_t kFlagsAt = 48;
  cubin[kFlagsAt] = 86;  // sm_86
  const auto text = carry_cubin("k.cubin", cubin);
  ASSERT_TRUE(text.ok()) << text.error().message;
  const auto module = ptx::parse("k.ptx", *text);
  ASSERT_TRUE(module.ok()) << module.error().message;
  EXPECT_TRUE(is_carrier(*module));
  EXPECT_EQ(carried_cubin(*module), cubin);
}

TEST(Carrier, PlainPtxCarriesNothing) {
  const auto module = ptx::parse("k.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n");
  ASSERT_TRUE(module.ok());
  EXPECT_FALSE(is_carrier(*module));
  EXPECT_FALSE(carried_cubin(*module).has_value());
}

TEST(ClosedLibrary, IsKnownByItsFileAndByItsKernels) {
  EXPECT_EQ(closed_library_of_file("/usr/lib/libcudnn_ops.so.9"), "cuDNN");
  EXPECT_EQ(closed_library_of_symbol("_ZN8cublasLt6detail4gemmEv"), "cuBLAS");
  EXPECT_EQ(closed_library_of_symbol("ampere_sgemm_128x64_nn"), "cuBLAS");
  EXPECT_EQ(closed_library_of_file("libtorch_cuda.so"), "");
  EXPECT_EQ(closed_library_of_symbol("_Z18faster_than_cublasPf"), "");
}

TEST(ClosedLibrary, IsRefusedByName) {
  const auto text = carry_cubin("libcufft.so.12", testing::cubin_of({{".text.k", "code"}}));
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code, "closed-library");
  EXPECT_THAT(text.error().message, HasSubstr("cuFFT"));
}

}  // namespace
}  // namespace warpledger::sass
