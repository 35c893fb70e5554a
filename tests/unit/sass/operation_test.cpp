#include "warpledger/sass/operation.h"

#include <gtest/gtest.h>

namespace warpledger::sass {
namespace {

Operation of(const char* opcode) { return operation_of({.opcode = opcode}); }

TEST(Operation, ComparesAndApproximationsAreFp32) {
  EXPECT_EQ(of("FFMA.FTZ"), Operation::kFp32);
  EXPECT_EQ(of("FSETP.GEU.AND"), Operation::kFp32);
  EXPECT_EQ(of("MUFU.RCP"), Operation::kFp32);
  EXPECT_EQ(of("DFMA"), Operation::kFp64);
  EXPECT_EQ(of("HFMA2.MMA"), Operation::kFp16);
}

TEST(Operation, ConstantsAreReadFromMemory) {
  EXPECT_EQ(of("LDC"), Operation::kMemory);
  EXPECT_EQ(of("LDS.128"), Operation::kMemory);
  EXPECT_EQ(of("RED.E.ADD"), Operation::kMemory);
}

TEST(Operation, WhatPassesTheLoadStoreUnitWithoutMemoryIsNone) {
  EXPECT_EQ(of("SHFL.BFLY"), Operation::kOther);
  EXPECT_EQ(of("S2R"), Operation::kOther);
  EXPECT_EQ(of("ULDC"), Operation::kOther);
}

}  // namespace
}  // namespace warpledger::sass
