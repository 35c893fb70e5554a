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
    nearest_ = nearest_numbers(evidence.profile);
    for (const sass::SassAccess& access : kernel.accesses)
      copies_[key_of(access)] += executions_[access.index];
    add_up();
  }

  std::vector<sm::Access> run() {
    std::vector<sm::Access> all(kernel_.code.size());
    for (const sass::SassAccess& access : kernel_.accesses) all[access.index] = read(access);
    for (size_t i = 0; i < all.size(); ++i) {
      const auto copied = copied_.find(numbers_[i]);
      if (copied == copied_.end()) continue;
      const auto sectors = static_cast<double>(copied->second.l2_sectors);
      all[i].dram =
          share(static_cast<double>(copied->second.dram_read_sectors) * fetched_, sectors);
    }
    return all;
  }

 private:
  /// Where the counters of an access stand. Spills may stand beside any other access: loads and
  /// stores of local memory are apart.
  enum class Path : uint8_t { kShared, kFar, kLocalLoad, kLocalStore };
  using Key = std::pair<uint32_t, Path>;  // by PTX instruction

  /// The PTX instruction that has the counters: of several in one wide access the first.
  [[nodiscard]] uint32_t leader(const sass::SassAccess& access) const {
    if (access.access.space == AccessSpace::kLocal && access.members.empty())
      return nearest_[access.index];
    const uint32_t number = numbers_[access.index];
    if (access.members.empty() || number == UINT32_MAX) return number;
    return number - access.place.instruction + access.members.front();
  }
  [[nodiscard]] Key key_of(const sass::SassAccess& access) const {
    const bool is_shared =
        access.access.space == AccessSpace::kShared && access.access.kind != AccessKind::kAsyncCopy;
    const bool is_store = access.access.kind == AccessKind::kStore;
    const Path local = is_store ? Path::kLocalStore : Path::kLocalLoad;
    const bool is_local = access.access.space == AccessSpace::kLocal;
    return {leader(access), is_shared ? Path::kShared : is_local ? local : Path::kFar};
  }
  static Path path_of(const trace::Site& site) {
    if (site.space == trace::Space::kShared) return Path::kShared;
    if (site.space != trace::Space::kLocal) return Path::kFar;
    return site.kind == trace::Kind::kStore ? Path::kLocalStore : Path::kLocalLoad;
  }

  void add_up() {
    double fetched = 0, stored = 0;
    for (size_t i = 0; i < evidence_.counters.sites.size(); ++i) {
      const trace::Site& site = evidence_.profile.instructions[i].site;
      const memory::SiteCounters& counters = evidence_.counters.sites[i];
      const bool is_far = passes_l1_tags(site);
      if (is_far || site.space == trace::Space::kShared)
        sites_[{site.instruction, path_of(site)}] += counters;
      const bool is_copy =
          site.kind == trace::Kind::kBulkCopy && site.space == trace::Space::kGlobal;
      if (is_copy) copied_[site.instruction] += counters;
      if (!is_far && !is_copy) continue;
      fetched += static_cast<double>(counters.dram_read_sectors);
      if (site.kind == trace::Kind::kStore) stored += static_cast<double>(counters.l2_sectors);
    }
    // DRAM also fetches on nobody's behalf, and writes what stores left in the L2.
    const memory::DramCounters& dram = evidence_.counters.dram;
    if (fetched > 0) fetched_ = static_cast<double>(dram.read_sectors) / fetched;
    if (stored > 0) written_ = static_cast<double>(dram.write_sectors) / stored;
  }

  [[nodiscard]] const memory::SiteCounters* find(const Key& key) const {
    const auto found = sites_.find(key);
    return found == sites_.end() || found->second.request.requests == 0 ? nullptr : &found->second;
  }

  [[nodiscard]] sm::Access read(const sass::SassAccess& access) const {
    const Key key = key_of(access);
    const bool is_shared = key.second == Path::kShared;
    sm::Access made;
    made.writeback = std::max(1.0, access.access.width / 4.0);
    const sass::Instruction& instruction = kernel_.code[access.index];
    if (access.access.kind == AccessKind::kLoadMatrix)
      made.writeback = instruction.has("4") ? 4 : instruction.has("2") ? 2 : 1;
    const memory::SiteCounters* counters = find(key);
    if (counters == nullptr && access.access.space == AccessSpace::kGeneric)
      counters = find({key.first, Path::kShared});
    if (counters == nullptr) {
      made.active = !is_shared && !instruction.predicate.empty() ? 0 : 1;
      if (is_shared) made.data_wavefronts = made.writeback;
      return made;
    }
    const auto requests = static_cast<double>(counters->request.requests);
    made.active = share(requests, copies_.at(key));
    made.data_wavefronts = static_cast<double>(counters->request.data_wavefronts) / requests;
    if (is_shared) {
      const auto ideal = static_cast<double>(counters->request.ideal_wavefronts);
      made.writeback = std::min(made.writeback, std::max(1.0, ideal / requests));
    } else {
      set_far(*counters, access.access.kind, made);
    }
    if (access.access.kind == AccessKind::kAsyncCopy) set_arrival(key.first, instruction, made);
    return made;
  }

  /// The data stage serves a copy on its way to shared memory, and its tags if it has any; those go
  /// through lines of the L1. Nothing is written back to registers (RTX 3090: as many cycles as its
  /// ldmatrix need).
  void set_arrival(uint32_t number, const sass::Instruction& instruction, sm::Access& made) const {
    made.writeback = 0;
    const memory::SiteCounters* to = find({number, Path::kShared});
    if (to == nullptr) return;
    made.data_wavefronts = static_cast<double>(to->request.data_wavefronts) /
                           static_cast<double>(to->request.requests);
    if (instruction.has("BYPASS")) return;
    made.data_wavefronts += made.tag_wavefronts;
    made.copy_lines = made.requests;
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
  std::vector<uint32_t> nearest_;   // the same; where it has none, of the last one before it
  std::map<Key, double> copies_;
  std::map<Key, memory::SiteCounters> sites_;
  std::map<uint32_t, memory::SiteCounters> copied_;  // by the copy engine
  double fetched_ = 1, written_ = 0;
};

}  // namespace

std::vector<sm::Access> accesses_of(const Evidence& evidence, const sass::KernelWitness& kernel) {
  return Reader(evidence, kernel).run();
}

}  // namespace warpledger::profile::time
