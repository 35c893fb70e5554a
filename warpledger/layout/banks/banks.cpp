#include "warpledger/layout/banks/banks.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "warpledger/layout/elimination.h"

namespace warpledger {
namespace {

constexpr int kWordBytes = 4;
constexpr int kWarp = 32;

/// The words a lane touches.
struct LaneWords {
  uint64_t first = 0;
  int count = 1;
};

LaneWords words_of(const SharedAccess& access, int lane) {
  const uint64_t address = access.addresses(static_cast<uint64_t>(lane));
  return {address / kWordBytes, std::max(1, access.bytes / kWordBytes)};
}

/// Distinct words per bank in one phase, each with the first lane that wants it.
std::vector<std::vector<std::pair<uint64_t, int>>> words_per_bank(const SharedAccess& access,
                                                                  int phase) {
  std::vector<std::vector<std::pair<uint64_t, int>>> banks(kBanks);
  const int lanes = lanes_per_phase(access.bytes);
  for (int lane = phase * lanes; lane < (phase + 1) * lanes; ++lane) {
    const LaneWords words = words_of(access, lane);
    for (int w = 0; w < words.count; ++w) {
      const uint64_t word = words.first + static_cast<uint64_t>(w);
      auto& bank = banks[word % kBanks];
      const bool known = std::any_of(bank.begin(), bank.end(),
                                     [&](const auto& entry) { return entry.first == word; });
      if (!known) bank.emplace_back(word, lane);
    }
  }
  return banks;
}

int phases_of(int bytes) { return kWarp / lanes_per_phase(bytes); }

BankWitness find_worst(const SharedAccess& access, const std::vector<int>& wavefronts) {
  BankWitness worst;
  worst.phase =
      static_cast<int>(std::max_element(wavefronts.begin(), wavefronts.end()) - wavefronts.begin());
  const auto banks = words_per_bank(access, worst.phase);
  for (int b = 1; b < kBanks; ++b) {
    if (banks[static_cast<size_t>(b)].size() > banks[static_cast<size_t>(worst.bank)].size())
      worst.bank = b;
  }
  for (const auto& [word, lane] : banks[static_cast<size_t>(worst.bank)])
    worst.words.push_back(word);
  const int lanes = lanes_per_phase(access.bytes);
  for (int lane = worst.phase * lanes; lane < (worst.phase + 1) * lanes; ++lane) {
    const LaneWords words = words_of(access, lane);
    for (int w = 0; w < words.count; ++w) {
      if ((words.first + static_cast<uint64_t>(w)) % kBanks == static_cast<uint64_t>(worst.bank)) {
        worst.lanes.push_back(lane);
      }
    }
  }
  return worst;
}

}  // namespace

int lanes_per_phase(int bytes) { return bytes <= 4 ? 32 : bytes == 8 ? 16 : 8; }

int BankReport::total() const { return std::accumulate(wavefronts.begin(), wavefronts.end(), 0); }

int wavefronts_by_rank(const LinearMap& addresses, int bytes) {
  std::vector<uint64_t> words, banks;
  for (int bit = 0; 1 << bit < lanes_per_phase(bytes); ++bit) {
    words.push_back(addresses.bases()[static_cast<size_t>(bit)] / kWordBytes);
  }
  for (int word = 1; word < bytes / kWordBytes; word *= 2)
    words.push_back(static_cast<uint64_t>(word));
  for (const uint64_t word : words) banks.push_back(word % kBanks);
  return 1 << (rank_of(words) - rank_of(banks));
}

std::vector<int> wavefronts_by_enumeration(const SharedAccess& access) {
  std::vector<int> wavefronts;
  for (int phase = 0; phase < phases_of(access.bytes); ++phase) {
    size_t most = 0;
    for (const auto& bank : words_per_bank(access, phase)) most = std::max(most, bank.size());
    wavefronts.push_back(static_cast<int>(most));
  }
  return wavefronts;
}

Result<BankReport> count_conflicts(const SharedAccess& access) {
  if (access.addresses.from().size() != kWarp) {
    return Diagnostic{.message = fmt::format("a shared access has 32 lanes, not {}",
                                             access.addresses.from().size()),
                      .code = "bad-access"};
  }
  if (access.bytes != 1 && access.bytes != 2 && access.bytes != 4 && access.bytes != 8 &&
      access.bytes != 16) {
    return Diagnostic{.message = "a lane moves 1, 2, 4, 8 or 16 bytes", .code = "bad-access"};
  }
  for (uint64_t lane = 0; lane < kWarp; ++lane) {
    if (access.addresses(lane) % static_cast<uint64_t>(access.bytes) == 0) continue;
    return Diagnostic{
        .message = fmt::format("lane {} addresses byte {}, which is not a multiple of {}", lane,
                               access.addresses(lane), access.bytes),
        .code = "misaligned-access"};
  }
  BankReport report;
  const Fit found = fit(access.addresses);
  report.by_rank = found.map.has_value();
  report.wavefronts = report.by_rank
                          ? std::vector<int>(static_cast<size_t>(phases_of(access.bytes)),
                                             wavefronts_by_rank(*found.map, access.bytes))
                          : wavefronts_by_enumeration(access);
  report.worst = find_worst(access, report.wavefronts);
  return report;
}

std::string bank_text(const SharedAccess& access, const BankReport& report) {
  const auto banks = words_per_bank(access, report.worst.phase);
  const int depth = report.wavefronts[static_cast<size_t>(report.worst.phase)];
  std::string text = "bank         ";
  for (int b = 0; b < kBanks; ++b) text += fmt::format("{:>3}", b);
  for (int w = 0; w < depth; ++w) {
    text += fmt::format("\nwavefront {:>2} ", w);
    for (const auto& bank : banks) {
      text += static_cast<size_t>(w) < bank.size()
                  ? fmt::format("{:>3}", bank[static_cast<size_t>(w)].second)
                  : "  .";
    }
  }
  return text + "\n";
}

Drawing bank_drawing(const SharedAccess& access, const BankReport& report) {
  constexpr double kCell = 24, kLeft = 76, kTop = 44;
  const auto banks = words_per_bank(access, report.worst.phase);
  const int depth = report.wavefronts[static_cast<size_t>(report.worst.phase)];
  Drawing drawing{.width = kLeft + kBanks * kCell + 10, .height = kTop + depth * kCell + 10};
  drawing.shapes.push_back(
      Text{{kLeft, 16},
           fmt::format("phase {}: the lane served by each bank, one row per wavefront",
                       report.worst.phase),
           12,
           Anchor::kStart,
           {},
           true});
  for (int b = 0; b < kBanks; ++b) {
    drawing.shapes.push_back(
        Text{{kLeft + (b + 0.5) * kCell, kTop - 6}, fmt::format("{}", b), 9, Anchor::kMiddle});
    for (int w = 0; w < depth; ++w) {
      const auto& bank = banks[static_cast<size_t>(b)];
      const bool used = static_cast<size_t>(w) < bank.size();
      const Point corner{kLeft + b * kCell, kTop + w * kCell};
      drawing.shapes.push_back(Rectangle{
          corner,
          kCell,
          kCell,
          used ? (w == 0 ? Color{212, 233, 255} : Color{255, 214, 200}) : Color{255, 255, 255},
          {{140, 140, 140}, 0.5}});
      if (used) {
        drawing.shapes.push_back(Text{{corner.x + kCell / 2, corner.y + 16},
                                      fmt::format("{}", bank[static_cast<size_t>(w)].second),
                                      10,
                                      Anchor::kMiddle});
      }
    }
  }
  for (int w = 0; w < depth; ++w) {
    drawing.shapes.push_back(Text{
        {kLeft - 6, kTop + (w + 0.65) * kCell}, fmt::format("wavefront {}", w), 9, Anchor::kEnd});
  }
  return drawing;
}

}  // namespace warpledger
