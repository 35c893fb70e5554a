#include "warpledger/report/flops.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace warpledger::report {
namespace {

using Parts = std::vector<std::string_view>;

/// "@%p1 fma.rn.f32 %f1, ..." -> {"fma", "rn", "f32"}.
Parts parts_of(std::string_view text) {
  if (text.starts_with('@')) text.remove_prefix(std::min(text.size(), text.find(' ') + 1));
  text = text.substr(0, text.find_first_of(" ;\t"));
  Parts parts;
  while (!text.empty()) {
    const size_t dot = text.find('.');
    parts.push_back(text.substr(0, dot));
    text.remove_prefix(dot == std::string_view::npos ? text.size() : dot + 1);
  }
  return parts;
}

/// "m16n8k16" -> 16 * 8 * 16; 0 for other words.
double shape_volume(std::string_view word) {
  double volume = 1;
  for (const char dimension : {'m', 'n', 'k'}) {
    if (!word.starts_with(dimension)) return 0;
    word.remove_prefix(1);
    double n = 0;
    while (!word.empty() && std::isdigit(static_cast<unsigned char>(word[0]))) {
      n = 10 * n + (word[0] - '0');
      word.remove_prefix(1);
    }
    volume *= n;
  }
  return word.empty() ? volume : 0;
}

bool is_matrix_product(const Parts& parts) {
  return parts[0] == "mma" || parts[0] == "wgmma" || (parts[0] == "wmma" && parts[1] == "mma");
}

double matrix_flops(const Parts& parts, double executions) {
  constexpr double kWarpsOfGroup = 4;  // wgmma is one product of four warps
  for (const std::string_view part : parts) {
    const double volume = shape_volume(part);
    if (volume > 0) return 2 * volume * executions / (parts[0] == "wgmma" ? kWarpsOfGroup : 1);
  }
  return 0;
}

}  // namespace

Flops flops_of(std::string_view instruction, double executions, double lanes) {
  Flops flops;
  const Parts parts = parts_of(instruction);
  if (parts.size() < 2) return flops;
  if (is_matrix_product(parts)) {
    const bool wide = parts.back() == "f64";
    (wide ? flops.two_fold : flops.tensor) = matrix_flops(parts, executions);
    return flops;
  }
  const bool fused = parts[0] == "fma" || parts[0] == "mad";
  if (!fused && parts[0] != "add" && parts[0] != "sub" && parts[0] != "mul") return flops;
  const double each = (fused ? 2 : 1) * lanes;
  const std::string_view type = parts.back();
  if (type == "f32") flops.single = each;
  if (type == "f64") flops.two_fold = each;
  if (type == "f16" || type == "bf16") flops.half = each;
  if (type == "f16x2" || type == "bf16x2") flops.half = 2 * each;
  if (type == "f32x2") flops.single = 2 * each;
  return flops;
}

Flops flops_of(const profile::Profile& profile) {
  Flops sum;
  for (const profile::CodeLine& line : profile.code) {
    const Flops one =
        flops_of(line.text, static_cast<double>(line.executions), static_cast<double>(line.lanes));
    sum.half += one.half;
    sum.single += one.single;
    sum.two_fold += one.two_fold;
    sum.tensor += one.tensor;
  }
  return sum;
}

std::optional<ArithmeticPeak> peak_of(const profile::Profile& profile, const Flops& flops) {
  if (!profile.timing || flops.total() <= 0) return {};
  const PipeFacts& pipes = profile.gpu.architecture.pipes;
  struct Choice {
    double done;
    const char* pipe;
    const Fact<int64_t>& per_clk;
  };
  const Fact<int64_t>& tensor = pipes.tensor_mma_sync_fp16_fma_per_clk
                                    ? pipes.tensor_mma_sync_fp16_fma_per_clk
                                    : pipes.tensor_fp16_fma_per_clk;
  const Choice choices[] = {{flops.tensor, "tensor cores, FP16", tensor},
                            {flops.single, "FP32", pipes.fp32_per_clk},
                            {flops.two_fold, "FP64", pipes.fp64_per_clk},
                            {flops.half, "FP16", pipes.fp16_per_clk}};
  const Choice& most =
      *std::max_element(std::begin(choices), std::end(choices),
                        [](const Choice& a, const Choice& b) { return a.done < b.done; });
  if (!most.per_clk) return {};
  return ArithmeticPeak{most.pipe,
                        2 * static_cast<double>(most.per_clk->value) *
                            static_cast<double>(profile.gpu.sms.value) * profile.timing->sm_hertz,
                        weakest(Fidelity::kModeled, most.per_clk->fidelity)};
}

}  // namespace warpledger::report
