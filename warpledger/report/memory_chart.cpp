#include "warpledger/report/memory_chart.h"

#include <fmt/core.h>

#include "warpledger/base/units.h"
#include "warpledger/profile/value/evidence.h"
#include "warpledger/render/flow_chart.h"
#include "warpledger/render/table.h"
#include "warpledger/report/words.h"

namespace warpledger::report {
namespace {

using profile::Profile;
using trace::Space;

constexpr const char* kElapsed = ".avg.pct_of_peak_sustained_elapsed";

/// What flows over one edge in one direction. Amounts that an edge does not have are absent.
struct Traffic {
  std::string from, to;
  std::optional<uint64_t> instructions = {}, requests = {}, bytes = {};
  std::optional<double> percent = {};  // of the peak of the unit that carries it; modeled
  Fidelity fidelity = Fidelity::kExact;
};

/// Requests, wavefronts and lanes' bytes of a space, loads or not.
struct Asked {
  uint64_t requests = 0, wavefronts = 0, tag_wavefronts = 0, bytes = 0;
};
Asked asked(const Profile& profile, Space space, bool loads) {
  Asked sum;
  for (size_t i = 0; i < profile.instructions.size(); ++i) {
    const trace::Site& site = profile.instructions[i].site;
    if (site.space != space || profile::is_load(site) != loads) continue;
    const memory::SiteCounters& c = profile.counters.sites[i];
    sum.requests += c.request.requests;
    sum.wavefronts += c.request.data_wavefronts;
    sum.tag_wavefronts += c.tag_wavefronts;
    sum.bytes += c.request.lanes * site.width;
  }
  return sum;
}

/// "1 block", "2 blocks".
std::string count_of(uint64_t count, const std::string& thing) {
  return compact(static_cast<double>(count)) + " " + thing + (count == 1 ? "" : "s");
}

/// The part of a unit's percentage that this share of its work stands for.
std::optional<double> part(std::optional<double> percent, uint64_t share,
                           std::optional<double> whole) {
  if (!percent || whole.value_or(0) <= 0)
    return percent && share == 0 ? std::optional(0.0) : std::nullopt;
  return *percent * static_cast<double>(share) / *whole;
}

std::string text_of(const Traffic& t) {
  if (t.bytes) {
    // Three digits: both ways must stand side by side on a telephone.
    const std::string words = compact(static_cast<double>(*t.bytes));
    const bool has_prefix = words.find(' ') != std::string::npos;
    return words + (has_prefix ? "B" : " B") + std::string(mark_of(t.fidelity));
  }
  return compact(static_cast<double>(t.instructions.value_or(0)));
}

Flow flow_of(const Traffic& t) {
  Flow flow{.text = text_of(t),
            .unit = t.bytes ? "" : "inst" + std::string(mark_of(t.fidelity)),
            .note = percent(t.percent, Fidelity::kModeled)};
  if (t.requests) flow.detail = marked(static_cast<double>(*t.requests), "req", t.fidelity);
  if (t.percent) flow.busy = *t.percent / 100;
  return flow;
}

class Maker {
 public:
  explicit Maker(const Profile& profile) : profile_(profile) {}

  Illustration make() {
    for (const Space space : {Space::kTexture, Space::kSurface}) {
      if (requests_of(space) > 0) spaces_.push_back(space);
    }
    spaces_.push_back(Space::kShared);
    add_boxes();
    const size_t l1 = 1 + spaces_.size(), smem = l1 + 1, l2 = l1 + 2, dram = l1 + 3;
    for (size_t i = 0; i < spaces_.size(); ++i) {
      add_space(1 + i, spaces_[i], spaces_[i] == Space::kShared ? smem : l1);
    }
    add_l2(l1, l2);
    add_dram(l2, dram);
    chart_.scale = "share of peak";
    Illustration illustration{.name = "memory-chart",
                              .title = "Memory chart",
                              .wide = draw(chart_, Direction::kAcross),
                              .narrow = draw(chart_, Direction::kDown),
                              .data = std::move(table_)};
    illustration.caption.push_back(
        "Arrows away from the kernel are stores, reductions and atomics; arrows back are loads. "
        "Percentages are shares of the peak of the unit that carries them; ~ is modeled.");
    return illustration;
  }

 private:
  [[nodiscard]] std::optional<double> pct(const std::string& counter) const {
    return number_of(profile_, counter + kElapsed);
  }
  [[nodiscard]] std::optional<double> sum(const std::string& counter) const {
    return number_of(profile_, counter + ".sum");
  }

  [[nodiscard]] uint64_t requests_of(Space space) const {
    return asked(profile_, space, true).requests + asked(profile_, space, false).requests;
  }

  void add_box(std::string title, size_t column, size_t row, size_t rows,
               std::vector<std::string> lines, std::optional<double> percent_busy) {
    FlowBox box{std::move(title), std::move(lines), {}, column, row, rows};
    if (percent_busy) {
      box.busy = *percent_busy / 100;
      box.lines.push_back("busy " + percent(percent_busy, Fidelity::kModeled));
    }
    chart_.boxes.push_back(std::move(box));
  }

  void add_boxes() {
    const auto hit = [&](const char* metric) -> std::vector<std::string> {
      const auto rate = number_of(profile_, metric);
      if (!rate) return {};
      return {"hit " + percent(rate, Fidelity::kModeled)};
    };
    add_box(
        "Kernel", 0, 0, spaces_.size(),
        {count_of(profile_.execution.ctas, "block"), count_of(profile_.execution.warps, "warp")},
        {});
    const size_t far = spaces_.size() - 1;  // rows of the L1; shared memory is the last
    for (size_t i = 0; i < spaces_.size(); ++i) {
      std::string name(to_text(spaces_[i]));
      name[0] = static_cast<char>(name[0] - 'a' + 'A');
      add_box(std::move(name), 1, i, 1, {}, {});
    }
    add_box("L1/TEX Cache", 2, 0, far, hit("l1tex__t_sector_hit_rate.pct"),
            pct("l1tex__throughput"));
    add_box("Shared Memory", 2, far, 1, shared_lines(),
            pct("l1tex__data_pipe_lsu_wavefronts_mem_shared"));
    add_box("L2 Cache", 3, 0, far, hit("lts__t_sector_hit_rate.pct"), pct("lts__throughput"));
    add_box("Device Memory", 4, 0, far, {}, pct("gpu__dram_throughput"));
  }

  [[nodiscard]] std::vector<std::string> shared_lines() const {
    const memory::SiteCounters copies =
        profile::sum_of({profile_, profile_.counters}, Space::kGlobal, profile::Operation::kCopy);
    std::vector<std::string> lines;
    if (const auto conflicts = sum("l1tex__data_bank_conflicts_pipe_lsu_mem_shared")) {
      lines.push_back(marked(*conflicts, "conflicts", profile_.counted_as()));
    }
    if (copies.request.requests > 0) {
      const auto requests = static_cast<double>(copies.request.requests);
      lines.push_back("copied in " + marked(requests, "req", profile_.counted_as()));
    }
    return lines;
  }

  void add_space(size_t box, Space space, size_t behind) {
    const Asked stores = asked(profile_, space, false), loads = asked(profile_, space, true);
    const std::string& name = chart_.boxes[box].title;
    const bool shared = space == Space::kShared;
    const bool texels = space == Space::kTexture || space == Space::kSurface;
    const std::string unit = texels ? "sm__texture_unit_cycles" : "l1tex__lsuin_requests";
    const auto of_unit = texels ? std::optional(static_cast<double>(requests_of(Space::kTexture) +
                                                                    requests_of(Space::kSurface)))
                                : sum(unit);
    const Fidelity fidelity = texels ? Fidelity::kModeled : profile_.counted_as();
    const std::string stage =
        shared ? "l1tex__data_pipe_lsu_wavefronts_mem_shared" : "l1tex__t_output_wavefronts";
    const auto first = [&](const Asked& a, bool onward) {
      return add_row({onward ? "Kernel" : name,
                      onward ? name : "Kernel",
                      a.requests,
                      {},
                      {},
                      part(pct(unit), a.requests, of_unit),
                      fidelity});
    };
    const auto second = [&](const Asked& a, bool onward) {
      const std::string& cache = chart_.boxes[behind].title;
      const uint64_t work = shared ? a.wavefronts : a.tag_wavefronts;
      return add_row({onward ? name : cache,
                      onward ? cache : name,
                      {},
                      a.requests,
                      a.bytes,
                      part(pct(stage), work, sum(stage)),
                      fidelity});
    };
    // The table lists what the arrows say, in the order in which they are drawn.
    FlowLink near{0, box, first(stores, true), first(loads, false)};
    chart_.links.push_back(std::move(near));
    FlowLink far{box, behind, second(stores, true), second(loads, false)};
    chart_.links.push_back(std::move(far));
  }

  void add_l2(size_t l1, size_t l2) {
    const profile::L2Work work = profile::l2_work({profile_, profile_.counters});
    const memory::SiteCounters all = work.total();
    Traffic onward{"L1/TEX Cache",
                   "L2 Cache",
                   {},
                   all.l2_requests - work.reads.l2_requests,
                   kSectorBytes * (all.l2_sectors - work.reads.l2_sectors),
                   pct("l1tex__m_l1tex2xbar_req_cycles_active"),
                   Fidelity::kModeled};
    Traffic back{"L2 Cache",
                 "L1/TEX Cache",
                 {},
                 work.reads.l2_requests,
                 kSectorBytes * work.reads.l2_sectors,
                 pct("l1tex__m_xbar2l1tex_read_sectors"),
                 Fidelity::kModeled};
    FlowLink link{l1, l2, add_row(onward), add_row(back)};
    chart_.links.push_back(std::move(link));
  }

  void add_dram(size_t l2, size_t dram) {
    const memory::DramCounters& c = profile_.counters.dram;
    const auto all = static_cast<double>(c.read_sectors + c.write_sectors);
    const auto busy = pct("dram__cycles_active");
    Traffic onward{"L2 Cache",
                   "Device Memory",
                   {},
                   {},
                   kSectorBytes * c.write_sectors,
                   part(busy, c.write_sectors, all),
                   Fidelity::kModeled};
    Traffic back{"Device Memory",
                 "L2 Cache",
                 {},
                 {},
                 kSectorBytes * c.read_sectors,
                 part(busy, c.read_sectors, all),
                 Fidelity::kModeled};
    FlowLink link{l2, dram, add_row(onward), add_row(back)};
    chart_.links.push_back(std::move(link));
  }

  Flow add_row(const Traffic& t) {
    if (table_.columns.empty()) {
      table_.columns = {{"From", "from"},
                        {"To", "to"},
                        {"Instructions", "instructions", Align::kRight},
                        {"Requests", "requests", Align::kRight},
                        {"Bytes", "bytes", Align::kRight},
                        {"% of peak", "percent_of_peak", Align::kRight}};
    }
    const auto cell = [&](const std::optional<uint64_t>& n) {
      return n ? count_cell(*n, t.fidelity) : Cell();
    };
    table_.rows.push_back({{t.from, t.to, cell(t.instructions), cell(t.requests), cell(t.bytes),
                            number_cell(t.percent, 2, Fidelity::kModeled)}});
    return flow_of(t);
  }

  std::vector<Space> spaces_ = {Space::kGlobal, Space::kLocal};  // boxes beside the kernel
  const Profile& profile_;
  FlowChart chart_;
  Table table_;
};

}  // namespace

Illustration memory_chart(const Profile& profile) { return Maker(profile).make(); }

}  // namespace warpledger::report
