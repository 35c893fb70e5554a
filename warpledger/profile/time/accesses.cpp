#include "warpledger/profile/time/accesses.h"

#include <algorithm>
#include <map>

namespace warpledger::profile::time {
namespace {

using sass::AccessKind;
using sass::AccessSpace;

double share(double part, double whole) { return whole > 0 ? std::min(1.0, part / whole) : 0; }

class Reader {
 public:
  Reader(const Evidence& evidence, const sass::KernelWitness& kernel)
      : evidence_(evidence), kernel_(kernel) {
    for (const ProgramBlock& block : evidence.profile.program) {
      for (const ProgramInstruction& instruction : block.code) {
        numbers_.push_back(instruction.number);
        executions_.push_back(static_cast<double>(block.executions));
      }
    }
    for (const sass::SassAccess& access : kernel.accesses)
      copies_[leader(access)] += executions_[access.index];
    add_up();
  }

  std::vector<sm::Access> run() {
    std::vector<sm::Access> all(kernel_.code.size());
    for (const sass::SassAccess& access : kernel_.accesses) all[access.index] = read(access);
    return all;
  }

 private:
  /// The PTX instruction that has the counters: of several in one wide access the first.
  [[nodiscard]] uint32_t leader(const sass::SassAccess& access) const {
    const uint32_t number = numbers_[access.index];
    if (access.members.empty() || number == UINT32_MAX) return number;
    return number - access.place.instruction + access.members.front();
  }

  void add_up() {
    double fetched = 0, stored = 0;
    for (size_t i = 0; i < evidence_.counters.sites.size(); ++i) {
      const trace::Site& site = evidence_.profile.instructions[i].site;
      const memory::SiteCounters& counters = evidence_.counters.sites[i];
      if (site.space == trace::Space::kShared) shared_[site.instruction] += counters;
      if (!passes_l1_tags(site)) continue;
      far_[site.instruction] += counters;
      fetched += static_cast<double>(counters.dram_read_sectors);
      if (site.kind == trace::Kind::kStore) stored += static_cast<double>(counters.l2_sectors);
    }
    // DRAM also fetches on nobody's behalf, and writes what stores left in the L2.
    const memory::DramCounters& dram = evidence_.counters.dram;
    if (fetched > 0) fetched_ = static_cast<double>(dram.read_sectors) / fetched;
    if (stored > 0) written_ = static_cast<double>(dram.write_sectors) / stored;
  }

  [[nodiscard]] const memory::SiteCounters* find(
      const std::map<uint32_t, memory::SiteCounters>& sites, uint32_t number) const {
    const auto found = sites.find(number);
    return found == sites.end() || found->second.request.requests == 0 ? nullptr : &found->second;
  }

  [[nodiscard]] sm::Access read(const sass::SassAccess& access) const {
    const uint32_t number = leader(access);
    const bool is_shared =
        access.access.space == AccessSpace::kShared && access.access.kind != AccessKind::kAsyncCopy;
    sm::Access made;
    made.writeback = std::max(1.0, access.access.width / 4.0);
    const sass::Instruction& instruction = kernel_.code[access.index];
    if (access.access.kind == AccessKind::kLoadMatrix)
      made.writeback = instruction.has("4") ? 4 : instruction.has("2") ? 2 : 1;
    const memory::SiteCounters* counters = find(is_shared ? shared_ : far_, number);
    if (counters == nullptr && access.access.space == AccessSpace::kGeneric)
      counters = find(shared_, number);
    if (counters == nullptr) {
      made.active = !is_shared && !instruction.predicate.empty() ? 0 : 1;
      if (is_shared) made.data_wavefronts = made.writeback;
      return made;
    }
    const auto requests = static_cast<double>(counters->request.requests);
    made.active = share(requests, copies_.at(number));
    made.data_wavefronts = static_cast<double>(counters->request.data_wavefronts) / requests;
    if (is_shared) {
      const auto ideal = static_cast<double>(counters->request.ideal_wavefronts);
      made.writeback = std::min(made.writeback, std::max(1.0, ideal / requests));
    } else {
      set_far(*counters, access.access.kind, made);
    }
    return made;
  }

  void set_far(const memory::SiteCounters& counters, AccessKind kind, sm::Access& made) const {
    const auto requests = static_cast<double>(counters.request.requests);
    const auto sent = static_cast<double>(counters.l2_requests);
    const auto sectors = static_cast<double>(counters.l2_sectors);
    made.tag_wavefronts = static_cast<double>(counters.tag_wavefronts) / requests;
    if (kind == AccessKind::kStore || kind == AccessKind::kReduction) {
      made.sectors = sectors / requests;
      made.dram_written = kind == AccessKind::kStore ? made.sectors * written_ : 0;
      made.dram_fetched = static_cast<double>(counters.dram_read_sectors) * fetched_ / requests;
      return;
    }
    made.misses = share(sent, requests);
    const double missing = requests * made.misses;
    if (missing == 0) return;
    made.requests = sent / missing;
    made.sectors = sectors / missing;
    made.dram = share(static_cast<double>(counters.dram_read_sectors) * fetched_, sectors);
  }

  const Evidence& evidence_;
  const sass::KernelWitness& kernel_;
  std::vector<uint32_t> numbers_;   // of each machine instruction's PTX instruction
  std::vector<double> executions_;  // of each machine instruction
  std::map<uint32_t, double> copies_;
  std::map<uint32_t, memory::SiteCounters> far_, shared_;
  double fetched_ = 1, written_ = 0;
};

}  // namespace

std::vector<sm::Access> accesses_of(const Evidence& evidence, const sass::KernelWitness& kernel) {
  return Reader(evidence, kernel).run();
}

}  // namespace warpledger::profile::time
