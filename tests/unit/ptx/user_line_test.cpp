#include "warpledger/ptx/user_line.h"

#include <gtest/gtest.h>

namespace warpledger::ptx {
namespace {

TEST(UserLine, AFolderOfTheUsersIsNotTheToolkits) {
  EXPECT_FALSE(is_toolkit_header("/home/me/targets/kernel.cuh"));
  EXPECT_FALSE(is_toolkit_header("/home/me/cuda-samples/common/include/helper.h"));
  EXPECT_FALSE(is_toolkit_header("/home/me/project/cuda/include/kernel.cuh"));
  EXPECT_TRUE(is_toolkit_header("/opt/x/lib/python3.11/site-packages/nvidia/cu13/include/a.h"));
}

}  // namespace
}  // namespace warpledger::ptx
