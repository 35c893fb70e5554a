#include "warpledger/ncu/rep_file.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/bytes.h"
#include "warpledger/ncu/rep_launches.h"
#include "warpledger/wire/wire.h"

namespace warpledger::ncu {
namespace {

using testing::hex;

class RandomFile {
 public:
  explicit RandomFile(uint64_t seed) : random_(seed) {}

  RepFile make() {
    RepFile file;
    file.session = {.created = number(),
                    .host = text(),
                    .process = text(),
                    .comment = text(),
                    .command = text(),
                    .executable = text()};
    file.session.versions = {{text(), text()}};
    file.session.devices = {{.id = number(), .name = text(), .attributes = {{text(), value()}}}};
    for (uint64_t i = random_() % 3; i > 0; --i) file.codes.push_back(code());
    for (uint64_t i = random_() % 3; i > 0; --i) file.results.push_back(result());
    return file;
  }

 private:
  uint64_t number() { return random_() >> random_() % 64; }
  std::string text() {
    std::string made(1 + random_() % 9, ' ');
    for (char& c : made) c = static_cast<char>(random_());
    return made;
  }
  RepValue value() {
    switch (random_() % 3) {
      case 0:
        return text();
      case 1:
        return static_cast<double>(number()) / 7;
      default:
        return number();
    }
  }
  RepCode code() {
    return {.reference = number(),
            .ptx = text(),
            .cubin = text(),
            .major = 8,
            .minor = 6,
            .files = {{text(), text()}, {text(), text()}}};
  }
  RepResult result() {
    RepResult made{.mangled = text(),
                   .function = text(),
                   .demangled = text(),
                   .grid = {number(), 2, 3},
                   .block = {32, number(), 1},
                   .id = number(),
                   .code = number(),
                   .major = 9,
                   .created = number(),
                   .comment = text(),
                   .record = text()};
    for (uint64_t i = random_() % 5; i > 0; --i) {
      made.metrics.push_back({text(), value(), {{value(), value()}, {value(), value()}}});
      made.metrics.push_back({text(), {}, {{value(), value()}}});
    }
    made.sections = {{.id = text(),
                      .title = text(),
                      .extends = text(),
                      .order = 7,
                      .lines = {{text(), text(), text()}, {text(), text(), ""}},
                      .columns = {{text(), text(), ""}},
                      .widgets = {RepWidget::kMemoryChart, RepWidget::kSharedTable}}};
    made.rules = {{text(), text(), text(), {{text(), text(), RepMark::kWarning}}}};
    made.rules[0].messages.push_back({.text = text(), .speedup = 12.5, .is_local = true});
    return made;
  }
  std::mt19937_64 random_;
};

/// Law: what is written is read back.
TEST(RepFile, ReadsBackWhatItWrote) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const RepFile file = RandomFile(seed).make();
    const auto read = read_rep_file("it", to_bytes(file));
    ASSERT_TRUE(read.ok()) << to_text(read.error());
    EXPECT_EQ(*read, file);
  }
}

/// Law: no beginning of a file is taken for more than the blocks that are whole in it.
TEST(RepFile, NeverReadsMoreThanIsThere) {
  const RepFile file = RandomFile(5).make();
  const std::string bytes = to_bytes(file);
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto read = read_rep_file("it", std::string_view(bytes).substr(0, size));
    if (read) {
      EXPECT_LE(read->results.size(), file.results.size());
    } else {
      EXPECT_EQ(read.error().code, "bad-ncu-file");
    }
  }
}

/// The bytes of a small report. Whoever changes them asks NVIDIA's program first whether it still
/// reads them (tests/system/ncu_report_test.py).
TEST(RepFile, WritesTheseBytes) {
  RepFile file;
  file.session = {.host = "h", .process = "p", .comment = "c"};
  RepResult& result = file.results.emplace_back();
  result = {.mangled = "k", .function = "k", .demangled = "k", .grid = {2, 1, 1}, .major = 8};
  result.metrics = {{"launch__grid_size", uint64_t{2}, {}}};
  EXPECT_EQ(hex(to_bytes(file)),
            "4e565200"              // NVR
            "020000000807"          // version 7
            "15000000080010002800"  // no source, result or payload
            "1a033a0163"            // the session's comment
            "32080801120168"
            "1a0170"                                      // process 1 on h, named p
            "25000000080010012846"                        // one result of 70 bytes
            "22130a116c61756e63685f5f677269645f73697a65"  // its names
            "32080801120168"
            "1a0170"
            "42000000"
            "0801"
            "1000"
            "1800"
            "2000"
            "2a016b"
            "32016b"
            "3a016b"
            "4003"
            "4a06080010001800"
            "5206080210011801"
            "5a06080110011801"
            "7a0408002808"
            "800100"
            "6a06080012022802"  // metric 0 is 2
            "b00101"
            "b80107");  // context 1, stream 7
}

TEST(RepFile, SkipsWhatItDoesNotKnow) {
  std::string bytes = to_bytes({.session = {.comment = "kept"}});
  const std::string header =
      wire::Message().add(1, uint64_t{0}).add(99, "of a later version").bytes();
  bytes += static_cast<char>(header.size()) + std::string(3, '\0') + header;
  const auto read = read_rep_file("it", bytes);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->session.comment, "kept");
}

TEST(RepFile, RefusesAnotherFile) {
  const auto read = read_rep_file("a.ncu-rep", "anything");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message, "'a.ncu-rep' is no report of ncu: it does not begin as one");
}

TEST(RepLaunches, AreThoseOfTheResults) {
  RepFile file;
  RepResult& result = file.results.emplace_back();
  result = {.demangled = "k(float *)", .grid = {4, 1, 1}, .block = {32, 2, 1}};
  result.metrics = {{"dram__bytes_read.sum", 4096.0, {}},
                    {"device__attribute_compute_capability_major", uint64_t{8}, {}},
                    {"device__attribute_compute_capability_minor", uint64_t{6}, {}},
                    {"inst_executed", {}, {{uint64_t{16}, uint64_t{1}}}}};
  const std::vector<Launch> launches = launches_of(file);
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].kernel, "k(float *)");
  EXPECT_EQ(launches[0].grid, "(4, 1, 1)");
  EXPECT_EQ(launches[0].capability, "8.6");
  ASSERT_NE(launches[0].find("dram__bytes_read.sum"), nullptr);
  EXPECT_EQ(launches[0].find("dram__bytes_read.sum")->unit, "byte");
  EXPECT_EQ(launches[0].entries.size(), 3u);
}

TEST(RepLaunches, HaveTheUnitsThatNcuPrints) {
  EXPECT_EQ(unit_of_metric("dram__bytes.sum.per_second"), "byte/s");
  EXPECT_EQ(unit_of_metric("gpc__cycles_elapsed.avg.per_second"), "hz");
  EXPECT_EQ(unit_of_metric("gpc__cycles_elapsed.max"), "cycle");
  EXPECT_EQ(unit_of_metric("gpu__time_duration.sum"), "ns");
  EXPECT_EQ(unit_of_metric("sm__throughput.avg.pct_of_peak_sustained_elapsed"), "%");
  EXPECT_EQ(unit_of_metric("lts__t_sectors.sum"), "sector");
  EXPECT_EQ(unit_of_metric("sm__inst_executed.avg.per_cycle_active"), "inst/cycle");
  EXPECT_EQ(unit_of_metric("launch__occupancy_limit_warps"), "block");
  EXPECT_EQ(unit_of_metric("launch__waves_per_multiprocessor"), "");
}

}  // namespace
}  // namespace warpledger::ncu
