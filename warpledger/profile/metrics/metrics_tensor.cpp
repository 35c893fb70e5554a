// What the tensor cores of Hopper and Blackwell and the copy engine keep busy. ncu has no such
// counters in its tables: the names are ours.
//
//   sm__pipe_tensor_async_cycles  wgmma and tcgen05.mma take 32 bytes of every row of A a step in
//                                 every type, and narrower types run as much faster as more fit:
//                                 a step on D of m x n weighs m n 16 multiply-adds of FP16
//   smem__async_wavefronts        passes over all banks for operands by descriptor and for boxes
//   tmem__*_bytes                 tensor memory: by threads (tcgen05.ld, .st), by tensor cores
#include <algorithm>

#include "warpledger/profile/metrics/inputs.h"
#include "warpledger/profile/metrics/metric.h"

namespace warpledger::profile {
namespace {

using trace::Kind;
using trace::Site;
using trace::Space;

constexpr uint64_t kStep = 16;         // elements of FP16 in 32 bytes
constexpr uint64_t kRowsOfAWarp = 16;  // of the 64 of a warpgroup's wgmma
constexpr uint64_t kAccumulator = 4;   // bytes of an element of D in tensor memory

/// n of "wgmma.mma_async.sync.aligned.m64n128k16.f32...": 0 for another instruction.
uint64_t wgmma_columns(std::string_view text) {
  const size_t at = text.find("wgmma.mma_async");
  if (at == std::string_view::npos) return 0;
  const size_t shape = text.find(".m64n", at);
  if (shape == std::string_view::npos) return 0;
  uint64_t n = 0;
  for (size_t i = shape + 5; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
    n = 10 * n + static_cast<uint64_t>(text[i] - '0');
  return n;
}

Value tensor_cycles(const Evidence& e) {
  const auto& rate = e.profile.gpu.architecture.pipes.tensor_fp16_fma_per_clk;
  if (!rate) return not_modeled();
  uint64_t work = bytes_moved(e, Space::kTensor, {Kind::kMatrixResult}) / kAccumulator * kStep;
  for (const CodeLine& line : e.profile.code)
    work += line.executions * kRowsOfAWarp * wgmma_columns(line.text) * kStep;
  if (work > 0 && rate->value == 0) return not_modeled();  // a GPU without tensor cores
  return ratio(static_cast<double>(work), static_cast<double>(rate->value), Fidelity::kModeled);
}

Term async_wavefronts() {
  return sum_over(
      {"bulk copies and operands by descriptor",
       [](const Site& site) {
         return site.space == Space::kShared &&
                (is_bulk(site.kind) || site.kind == Kind::kMatrixOperand ||
                 site.kind == Kind::kTensorCopy);
       }},
      "wavefronts",
      [](const Site&, const memory::SiteCounters& c) { return c.request.data_wavefronts; },
      Fidelity::kModeled);
}

template <class Peak>
void add_bytes(Catalog& catalog, const char* base, const char* words,
               const std::vector<Kind>& kinds, Peak peak) {
  const Selection which{words, [kinds](const Site& site) {
                          return site.space == Space::kTensor &&
                                 std::find(kinds.begin(), kinds.end(), site.kind) != kinds.end();
                        }};
  catalog.counters.push_back({.base = base,
                              .unit = "byte",
                              .sum = sum_over(
                                  which, "bytes of tensor memory",
                                  [](const Site& site, const memory::SiteCounters& c) {
                                    return c.request.lanes * site.width;
                                  },
                                  Fidelity::kModeled),
                              .peak = [peak](const Gpu& gpu) {
                                const auto& fact = peak(gpu.architecture.tensor_memory);
                                return fact ? static_cast<double>(fact->value) : 0.0;
                              }});
}

}  // namespace

void add_tensor_metrics(Catalog& catalog) {
  const auto one = [](const Gpu&) { return 1.0; };
  catalog.counters.push_back(
      {.base = "sm__pipe_tensor_async_cycles",
       .unit = "cycle",
       .sum = computed("16 multiply-adds of FP16 for each element of D and step of wgmma and "
                       "tcgen05.mma / FP16 multiply-adds per clock of an SM",
                       tensor_cycles),
       .peak = one});
  catalog.counters.push_back(
      {.base = "smem__async_wavefronts", .unit = "", .sum = async_wavefronts(), .peak = one});
  using Facts = TensorMemoryFacts;
  add_bytes(
      catalog, "tmem__thread_read_bytes", "tcgen05.ld", {Kind::kLoad},
      [](const Facts& f) -> const auto& { return f.thread_read_bytes_per_clk; });
  add_bytes(
      catalog, "tmem__thread_write_bytes", "tcgen05.st", {Kind::kStore},
      [](const Facts& f) -> const auto& { return f.thread_write_bytes_per_clk; });
  add_bytes(
      catalog, "tmem__tensor_read_bytes", "operands of tensor cores",
      {Kind::kMatrixOperand, Kind::kMatrixAddend},
      [](const Facts& f) -> const auto& { return f.tensor_read_bytes_per_clk; });
  add_bytes(
      catalog, "tmem__tensor_write_bytes", "results and copies of tensor cores",
      {Kind::kMatrixResult, Kind::kTensorCopy},
      [](const Facts& f) -> const auto& { return f.tensor_write_bytes_per_clk; });
}

}  // namespace warpledger::profile
