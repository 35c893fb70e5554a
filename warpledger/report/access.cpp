#include "warpledger/report/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "warpledger/base/units.h"
#include "warpledger/memory/pattern.h"
#include "warpledger/render/grid_picture.h"
#include "warpledger/report/words.h"

namespace warpledger::report {
namespace {

using profile::AccessExample;
using profile::Instruction;
using profile::Profile;

constexpr uint64_t kLine = 128, kWord = 4, kBanks = 32;
constexpr double kWideWidth = 760, kNarrowWidth = 350;

/// One lane of one row: a sector or a bank, and which word or line of it.
struct Touch {
  uint64_t row = 0;
  size_t lane = 0;
  uint64_t group = 0;  // lanes of one group share what they touch
};

struct Picture {
  GridPicture grid;
  Table data;
  std::vector<std::string> caption;
};

void add_data(Picture& picture, size_t lane, uint64_t address, uint64_t row) {
  const auto exact = Fidelity::kExact;
  picture.data.rows.push_back(
      {{count_cell(lane, exact), count_cell(address, exact), count_cell(row, exact)}});
}

template <class Each>
void each_lane(const AccessExample& example, Each each) {
  for (size_t lane = 0; lane < trace::kLanes; ++lane) {
    if (example.mask >> lane & 1) each(lane, example.address[lane]);
  }
}

memory::Lanes lanes_of(const AccessExample& example, const trace::Site& site) {
  return {example.mask, site.width, example.address};
}

Picture sector_picture(const AccessExample& example, const trace::Site& site) {
  Picture picture;
  picture.data.columns = {{"Lane", "lane", Align::kRight},
                          {"Address", "address", Align::kRight},
                          {"Sector", "sector", Align::kRight}};
  std::map<uint64_t, std::set<uint64_t>> bytes_of;  // by sector
  each_lane(example, [&](size_t lane, uint64_t address) {
    for (uint64_t b = 0; b < site.width; ++b)
      bytes_of[(address + b) / kSectorBytes].insert(address + b);
    add_data(picture, lane, address, address / kSectorBytes);
  });
  picture.grid = {.columns_label = "lane", .rows_label = "sector", .columns = trace::kLanes};
  const uint64_t first = bytes_of.empty() ? 0 : bytes_of.begin()->first;
  std::map<uint64_t, size_t> row_of;
  for (const auto& [sector, bytes] : bytes_of) {
    row_of[sector] = picture.grid.rows.size();
    picture.grid.rows.push_back({fmt::format("+{}", kSectorBytes * (sector - first)),
                                 fmt::format("{} of 32 B", bytes.size()),
                                 bytes.size() < kSectorBytes});
  }
  std::set<uint64_t> lines;
  for (const auto& [sector, bytes] : bytes_of) lines.insert(sector * kSectorBytes / kLine);
  each_lane(example, [&](size_t lane, uint64_t address) {
    const auto order = std::distance(lines.begin(), lines.find(address / kLine));
    picture.grid.cells.push_back(
        {row_of[address / kSectorBytes], lane, static_cast<size_t>(order)});
  });
  const memory::Lanes lanes = lanes_of(example, site);
  const uint64_t sectors = memory::sectors_in(memory::lines_of(lanes));
  picture.caption.push_back(fmt::format(
      "{} sectors of 32 B for this request; packed, its bytes would need {}. Rows are "
      "sectors, named "
      "by their distance in bytes from the first; each 128-byte line has one of six colors.",
      sectors, memory::ideal_sectors(lanes, sectors)));
  return picture;
}

Picture bank_picture(const AccessExample& example, const trace::Site& site) {
  Picture picture;
  picture.data.columns = {{"Lane", "lane", Align::kRight},
                          {"Address", "address", Align::kRight},
                          {"Bank", "bank", Align::kRight}};
  std::vector<std::set<uint64_t>> words(kBanks);
  const uint64_t width = std::max<uint64_t>(site.width, kWord);
  each_lane(example, [&](size_t lane, uint64_t address) {
    for (uint64_t b = 0; b < width; b += kWord) {
      words[(address + b) / kWord % kBanks].insert((address + b) / kWord);
    }
    add_data(picture, lane, address, address / kWord % kBanks);
  });
  picture.grid = {.columns_label = "lane", .rows_label = "bank", .columns = trace::kLanes};
  const memory::Wavefronts cost = memory::wavefronts_of(site, lanes_of(example, site));
  for (size_t bank = 0; bank < kBanks; ++bank) {
    const size_t count = words[bank].size();
    picture.grid.rows.push_back(
        {std::to_string(bank),
         count == 0 ? "" : fmt::format("{} word{}", count, count == 1 ? "" : "s"),
         count > cost.ideal});
  }
  each_lane(example, [&](size_t lane, uint64_t address) {
    for (uint64_t b = 0; b < width; b += kWord) {
      const uint64_t word = (address + b) / kWord, bank = word % kBanks;
      const auto order = std::distance(words[bank].begin(), words[bank].find(word));
      picture.grid.cells.push_back({bank, lane, static_cast<size_t>(order)});
    }
  });
  picture.caption.push_back(fmt::format(
      "{} wavefront{} for this request; without conflicts it would take {}. Rows are the 32 banks, "
      "with how many different words of each are requested; each word has one of six colors.",
      cost.total, cost.total == 1 ? "" : "s", cost.ideal));
  return picture;
}

}  // namespace

Illustration access_picture(const Profile& profile, const AccessExample& example) {
  const Instruction& instruction = profile.instructions[example.instruction];
  const profile::CodeLine& code = profile.code_of(instruction);
  const bool shared = instruction.site.space == trace::Space::kShared;
  Picture picture =
      shared ? bank_picture(example, instruction.site) : sector_picture(example, instruction.site);
  const std::string line = profile::to_text(code.source);
  const std::string where = line.empty() ? fmt::format("PTX line {}", code.ptx_line) : line;
  const std::string arrays =
      instruction.arrays.empty() ? "" : fmt::format(" ({})", fmt::join(instruction.arrays, ", "));
  Illustration illustration{
      .name = shared ? "worst-shared-access" : "worst-global-access",
      .title = fmt::format("The most wasteful {} access: {}{}",
                           shared ? "shared-memory" : "global-memory", where, arrays),
      .wide = draw(picture.grid, kWideWidth),
      .narrow = draw(picture.grid, kNarrowWidth),
      .data = std::move(picture.data),
      .is_headed = true};
  illustration.caption = {"PTX: " + code.text};
  illustration.caption.insert(illustration.caption.end(), picture.caption.begin(),
                              picture.caption.end());
  return illustration;
}

}  // namespace warpledger::report
