#include "warpledger/ncu/report_file.h"

#include <gtest/gtest.h>

#include <bit>

namespace warpledger::ncu {
namespace {

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string number(uint32_t field, uint64_t value) { return varint(field << 3) + varint(value); }
std::string text(uint32_t field, const std::string& bytes) {
  return varint(field << 3 | 2) + varint(bytes.size()) + bytes;
}
std::string real(uint32_t field, double value) {
  std::string bytes = varint(field << 3 | 1);
  const auto bits = std::bit_cast<uint64_t>(value);
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(bits >> (8 * i));
  return bytes;
}
std::string part(const std::string& message) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(message.size() >> (8 * i));
  return bytes + message;
}
std::string metric(uint32_t name, const std::string& value) {
  return text(13, number(1, name) + text(2, value));
}

/// A report as ncu lays it out: a header, a session block, a source block, a block with one launch.
std::string report() {
  const std::string names = text(1, "device__attribute_multiprocessor_count") +
                            text(1, "sm__cycles_elapsed.avg.per_second") +
                            text(1, "device__attribute_display_name") +
                            text(1, "device__attribute_compute_capability_major") +
                            text(1, "device__attribute_compute_capability_minor");
  const std::string extent = number(1, 12) + number(2, 3) + number(3, 1);
  const std::string launch = text(5, "_Z5scale") + text(7, "scale(float*)") + text(10, extent) +
                             text(11, extent) + metric(0, number(4, 26)) +
                             metric(1, real(3, 5.438e8)) + metric(2, text(1, "NVIDIA RTX A2000")) +
                             metric(3, number(5, 8)) + metric(4, number(5, 6));
  const std::string source = part(number(1, 1)), result = part(launch);
  return std::string("NVR\0", 4) + part(number(1, 7)) + part(text(3, "")) +
         part(number(1, 1) + number(5, source.size())) + source +
         part(number(2, 1) + text(4, names) + number(5, result.size())) + result;
}

TEST(NcuReportFile, ReadsLaunchesAndTheirMetrics) {
  const auto launches = read_report_file("r", report());
  ASSERT_TRUE(launches.ok()) << to_text(launches.error());
  ASSERT_EQ(launches->size(), 1u);
  const Launch& launch = launches->front();
  EXPECT_EQ(launch.kernel, "scale(float*)");
  EXPECT_EQ(launch.grid, "(12, 3, 1)");
  EXPECT_EQ(launch.capability, "8.6");
  EXPECT_EQ(*launch.find("device__attribute_multiprocessor_count")->value, 26);
  EXPECT_EQ(*launch.find("sm__cycles_elapsed.avg.per_second")->value, 5.438e8);
  EXPECT_EQ(launch.entries[2].words, "NVIDIA RTX A2000");
}

TEST(NcuReportFile, EveryCutIsRefusedOrABlocksEnd) {
  const std::string whole = report();
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto cut = read_report_file("r", whole.substr(0, size));
    if (cut.ok()) {
      EXPECT_TRUE(cut->empty()) << size;
    } else {
      EXPECT_EQ(cut.error().code, "bad-ncu-file");
    }
  }
}

TEST(NcuReportFile, RefusesAMetricWithoutAName) {
  const std::string result = part(metric(7, number(4, 1)));
  const std::string file =
      std::string("NVR\0", 4) + part("") + part(number(2, 1) + number(5, result.size())) + result;
  EXPECT_EQ(read_report_file("r", file).error().code, "bad-ncu-file");
}

TEST(NcuReportFile, OnlyTheMagicMakesItOne) {
  EXPECT_TRUE(is_report_file(report()));
  EXPECT_FALSE(is_report_file("\"ID\",\"Kernel Name\"\n"));
}

}  // namespace
}  // namespace warpledger::ncu
