// Listings that are kept, and forgotten.
#include "warpledger/exec/machine/kept_listings.h"

#include <gtest/gtest.h>

namespace warpledger::exec::machine {
namespace {

Functions listing_of(size_t instructions) {
  return {{.name = "k", .instructions = std::vector<sass::Instruction>(instructions)}};
}

TEST(KeptListings, NeverHoldMoreThanTheirMost) {
  KeptListings kept(100);
  for (size_t i = 1; i <= 60; ++i) {
    EXPECT_NE(kept.keep(std::to_string(i), listing_of(i)), nullptr);
    EXPECT_LE(kept.instructions(), 100U);
  }
}

TEST(KeptListings, ForgetWhatNobodyAskedForLongest) {
  KeptListings kept(100);
  const auto first = kept.keep("first", listing_of(40)),
             second = kept.keep("second", listing_of(40));
  EXPECT_EQ(kept.find("first"), first);
  const auto third = kept.keep("third", listing_of(40));
  EXPECT_EQ(kept.find("second"), nullptr);
  EXPECT_EQ(kept.find("first"), first);
  EXPECT_EQ(kept.find("third"), third);
}

TEST(KeptListings, HoldTheLastOneWhateverItsSize) {
  KeptListings kept(10);
  const auto only = kept.keep("large", listing_of(40));
  EXPECT_EQ(kept.find("large"), only);
}

}  // namespace
}  // namespace warpledger::exec::machine
