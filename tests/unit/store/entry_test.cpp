#include "warpledger/store/remote/entry.h"

#include <gtest/gtest.h>

#include "tests/support/law.h"

namespace warpledger::store {
namespace {

template <class Rng>
std::string any_bytes(Rng& rng, int64_t most) {
  std::string bytes(static_cast<size_t>(rng.between(0, most)), '\0');
  for (char& c : bytes) c = static_cast<char>(rng.bits());
  return bytes;
}

LAW(Entry, WhatWasPackedIsUnpacked) {
  const std::string value = any_bytes(rng, 200);
  const std::string secret = rng.coin() ? any_bytes(rng, 100) : "";
  EXPECT_EQ(unpack_entry("key", pack_entry("key", value, secret), secret), value);
}

LAW(Entry, OneByteOfDifferenceIsRefused) {
  const std::string secret = rng.coin() ? "s" : "";
  std::string entry = pack_entry("key", any_bytes(rng, 60), secret);
  const auto at = static_cast<size_t>(rng.between(0, static_cast<int64_t>(entry.size()) - 1));
  entry[at] = static_cast<char>(entry[at] ^ (1 << rng.between(0, 7)));
  EXPECT_EQ(unpack_entry("key", entry, secret), std::nullopt);
}

LAW(Entry, LessOrMoreIsRefused) {
  std::string entry = pack_entry("key", any_bytes(rng, 60), "");
  if (rng.coin()) {
    entry.resize(static_cast<size_t>(rng.between(0, static_cast<int64_t>(entry.size()) - 1)));
  } else {
    entry += 'x';
  }
  EXPECT_EQ(unpack_entry("key", entry, ""), std::nullopt);
}

TEST(Entry, OfAnotherKeyIsRefused) {
  EXPECT_EQ(unpack_entry("b", pack_entry("a", "value", ""), ""), std::nullopt);
}

TEST(Entry, NobodyWithoutTheSecretIsBelieved) {
  EXPECT_EQ(unpack_entry("k", pack_entry("k", "v", "guessed"), "secret"), std::nullopt);
  EXPECT_EQ(unpack_entry("k", pack_entry("k", "v", ""), "secret"), std::nullopt);
  EXPECT_EQ(unpack_entry("k", pack_entry("k", "v", "secret"), ""), std::nullopt);
}

TEST(Hmac, IsRfc4231s) {
  EXPECT_EQ(hmac_sha256("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac_sha256(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hmac_sha256(std::string(131, '\xaa'),
                        "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

}  // namespace
}  // namespace warpledger::store
