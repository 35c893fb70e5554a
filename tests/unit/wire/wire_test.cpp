#include "warpledger/wire/wire.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tests/support/bytes.h"

namespace warpledger::wire {
namespace {

using testing::hex;

// The examples of protobuf.dev/programming-guides/encoding.
TEST(Wire, WritesTheBytesOfProtobufsOwnExamples) {
  EXPECT_EQ(hex(Message().add(1, uint64_t{150}).bytes()), "089601");
  EXPECT_EQ(hex(Message().add(2, "testing").bytes()), "120774657374696e67");
  EXPECT_EQ(hex(Message().add(3, Message().add(1, uint64_t{150})).bytes()), "1a03089601");
}

TEST(Wire, WritesNumbersLittleEndian) {
  EXPECT_EQ(hex(Message().add_double(1, 1.0).bytes()), "09000000000000f03f");
  EXPECT_EQ(hex(Message().add_float(2, 1.0f).bytes()), "150000803f");
}

TEST(Wire, LeavesOutATextThatSaysNothing) { EXPECT_EQ(Message().add_if(1, "").bytes(), ""); }

/// Law: what is written is read back, whatever the numbers.
TEST(Wire, ReadsBackWhatItWrote) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    Message message;
    std::vector<uint64_t> values;
    for (uint32_t i = 1; i <= 20; ++i) {
      values.push_back(random() >> random() % 64);
      message.add(i * 1000, values.back());
    }
    const auto fields = read_message(message.bytes());
    ASSERT_TRUE(fields.ok());
    ASSERT_EQ(fields->size(), values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ((*fields)[i].number, (i + 1) * 1000);
      EXPECT_EQ((*fields)[i].value, values[i]);
    }
  }
}

TEST(Wire, ReadsNumbersOfEveryEncoding) {
  const double big = std::numeric_limits<double>::max();
  Message message;
  message.add(1, uint64_t{7}).add_double(2, big).add_float(3, 0.5f);
  const auto fields = read_message(message.bytes());
  ASSERT_TRUE(fields.ok());
  EXPECT_EQ(find(*fields, 1)->number_value(), 7);
  EXPECT_EQ(find(*fields, 2)->number_value(), big);
  EXPECT_EQ(find(*fields, 3)->number_value(), 0.5);
}

TEST(Wire, TakesTheLastOfAFieldThatStandsTwice) {
  Message message;
  message.add(1, "first").add(1, "second");
  const auto fields = read_message(message.bytes());
  ASSERT_TRUE(fields.ok());
  EXPECT_EQ(bytes_of(*fields, 1), "second");
  EXPECT_EQ(bytes_of(*fields, 2), "");
  EXPECT_EQ(value_of(*fields, 2), 0u);
}

/// Law: no beginning of a message is taken for the whole, unless it ends between two fields.
TEST(Wire, RefusesAMessageThatBreaksOff) {
  const std::string whole = Message().add(1, "some bytes").bytes();
  for (size_t size = 1; size < whole.size(); ++size) {
    EXPECT_FALSE(read_message(std::string_view(whole).substr(0, size)).ok()) << size;
  }
}

TEST(Wire, RefusesGroupsAndTheNumberZero) {
  EXPECT_FALSE(read_message("\x0b").ok());                   // group 1 begins
  EXPECT_FALSE(read_message(std::string(2, '\0')).ok());     // field 0
  EXPECT_FALSE(read_message(std::string(12, '\xff')).ok());  // a varint without an end
}

}  // namespace
}  // namespace warpledger::wire
