// Plans: where buffers stand, and whether they fit.
#include <memory>

#include "python/src/convert.h"
#include "warpledger/plan/emit.h"
#include "warpledger/plan/report.h"
#include "warpledger/plan/search.h"

namespace warpledger::python {
namespace {

struct Planned {
  plan::Plan plan;
  plan::Placement placement;
  plan::Fit fit;
  std::string gpu;
  std::vector<std::string> verdict;
};

Result<Planned> place(const std::string& name, const std::string& text, const plan::Sizes& sizes,
                      const std::string& gpu_name) {
  const auto source = std::make_shared<const Source>(name, text);
  const plan::PlanReader read = [source](const plan::Sizes& replaced) {
    return plan::parse(*source, replaced);
  };
  WL_TRY(plan::Plan one, read(sizes));
  const std::string wanted = gpu_name.empty() ? one.gpu : gpu_name;
  if (wanted.empty()) {
    return Diagnostic{.message = name + " does not name a GPU",
                      .hint = "write 'gpu h100-sxm' in it, or pass gpu=",
                      .code = "no-gpu"};
  }
  WL_TRY(const Gpu gpu, load_gpu(wanted));
  plan::Placement placement = plan::place(one);
  WL_TRY(const plan::Fit fit, plan::fit(one, placement, gpu));
  WL_TRY(const auto others, plan::other_stages(read, sizes, one, fit));
  std::vector<std::string> verdict = plan::verdict(one, placement, fit, gpu.name, others);
  return Planned{std::move(one), std::move(placement), fit, gpu.name, std::move(verdict)};
}

nb::list buffers_of(const plan::Plan& plan, const plan::Region& region, const char* space) {
  nb::list list;
  for (size_t i = 0; i < region.slots.size(); ++i) {
    const plan::SlotName name = region.slots[i];
    const plan::Buffer& buffer = plan.buffers[static_cast<size_t>(name.buffer)];
    const plan::Slot& slot = plan::slot_of(plan, name);
    list.append(nb::make_tuple(plan::name_of(plan, name), space, region.packing.offsets[i],
                               buffer.size_of(slot), plan::to_text(plan, slot)));
  }
  return list;
}

nb::dict dict_of(const Planned& planned) {
  const auto& [plan, placement, fit, gpu, verdict] = planned;
  nb::dict dict;
  dict["name"] = plan.name;
  dict["gpu"] = gpu;
  dict["fits"] = fit.fits();
  dict["shared_bytes"] = fit.shared_bytes;
  dict["shared_limit"] = fit.shared_limit;
  dict["missing_bytes"] = fit.missing_bytes();
  dict["tensor_columns"] = fit.tensor_columns;
  dict["tensor_limit"] = fit.tensor_limit;
  dict["blocks_per_sm"] = fit.blocks_per_sm;
  dict["is_optimal"] =
      placement.shared.packing.is_optimal() && placement.tensor.packing.is_optimal();
  dict["verdict"] = verdict;
  nb::list buffers = buffers_of(plan, placement.shared, "shared");
  buffers.extend(buffers_of(plan, placement.tensor, "tensor"));
  dict["buffers"] = buffers;
  dict["cuda"] = plan::emit_cuda(plan, placement);
  std::vector<Table> tables;
  if (!placement.shared.slots.empty()) tables.push_back(plan::shared_table(plan, placement));
  if (!placement.tensor.slots.empty()) tables.push_back(plan::tensor_table(plan, placement));
  dict["tables"] = to_python(tables);
  return dict;
}

nb::dict run(const std::string& name, const std::string& text, const plan::Sizes& sizes,
             const std::string& gpu) {
  std::optional<Result<Planned>> planned;
  {
    const nb::gil_scoped_release unlocked;
    planned.emplace(place(name, text, sizes, gpu));
  }
  return dict_of(take(*std::move(planned)));
}

}  // namespace

void add_plan(nb::module_& module) {
  module.def("plan", &run, nb::arg("name"), nb::arg("text"), nb::arg("sizes"), nb::arg("gpu"));
}

}  // namespace warpledger::python
