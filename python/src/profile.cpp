// Kernels: PTX from CUDA, the parameters of a kernel, one launch profiled.
#include <nanobind/ndarray.h>

#include <cstring>

#include "python/src/convert.h"
#include "warpledger/ledger/json.h"
#include "warpledger/profile/advice/finding.h"
#include "warpledger/profile/advice/summary.h"
#include "warpledger/profile/file/json.h"
#include "warpledger/profile/metrics/explain.h"
#include "warpledger/profile/metrics/ledger.h"
#include "warpledger/profile/metrics/section.h"
#include "warpledger/profile/metrics/source_page.h"
#include "warpledger/profile/run/kernel_text.h"
#include "warpledger/profile/run/query_json.h"
#include "warpledger/ptx/parser.h"
#include "warpledger/render/table.h"
#include "warpledger/toolchain/nvcc.h"

namespace warpledger::python {
namespace {

using Bytes = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// Name, whether it is a buffer, its bytes.
using Given = std::tuple<std::string, bool, Bytes>;

/// Everything that is asked of a profile, made while Python runs on.
struct Answer {
  profile::Profile profile;
  std::string json, ledger, text;
  std::vector<std::string> headline;
  std::vector<profile::Finding> findings;
  std::vector<Table> summary, sections, source;
  std::vector<std::optional<std::string>> outputs;  // what each buffer holds afterwards
  bool has_values = false;
};

exec::Argument argument_of(const Given& given) {
  const auto& [name, is_buffer, bytes] = given;
  exec::Argument argument{.name = name, .type = {.name = "u8", .bytes = 1, .type = ptx::Type::kU8}};
  argument.bytes.resize(bytes.size());
  if (bytes.size() != 0) std::memcpy(argument.bytes.data(), bytes.data(), bytes.size());
  if (is_buffer) argument.count = bytes.size();
  return argument;
}

/// What the buffers hold now.
std::vector<std::optional<std::string>> outputs_of(const std::vector<exec::Argument>& arguments,
                                                   const exec::DeviceMemory& memory) {
  std::vector<std::optional<std::string>> outputs;
  for (const exec::Argument& argument : arguments) {
    outputs.emplace_back();
    if (!argument.count) continue;
    const std::byte* bytes = memory.find(argument.address, *argument.count);
    if (bytes == nullptr) continue;
    outputs.back().emplace(reinterpret_cast<const char*>(bytes), *argument.count);
  }
  return outputs;
}

std::string first_screen(const Answer& answer) {
  std::string text;
  for (const std::string& line : answer.headline) text += line + "\n";
  for (const Table& table : answer.summary) text += "\n" + to_text(table);
  return text + "\n" + profile::to_text(answer.findings);
}

void describe(Answer& answer) {
  const profile::Profile& made = answer.profile;
  answer.json = profile::to_json(made);
  answer.ledger = to_json(profile::ledger_of(made));
  answer.headline = profile::headline(made);
  answer.findings = profile::find(made);
  answer.summary = {profile::journey(made), profile::busiest_units(made)};
  for (const profile::Section& section : profile::sections()) {
    answer.sections.push_back(profile::table_of(section, made, profile::Units::kAuto));
  }
  for (const profile::MemoryTable& table : profile::memory_tables()) {
    answer.sections.push_back(profile::table_of(table, made, profile::Units::kAuto));
  }
  answer.source = {profile::line_table(made, {}), profile::instruction_table(made)};
  answer.text = first_screen(answer);
}

Result<Answer> run(const profile::Query& query) {
  Answer answer;
  profile::Listeners listeners;
  if (query.options.values == exec::Values::kOn) {
    listeners.after = [&](const std::vector<exec::Argument>& arguments,
                          const exec::DeviceMemory& memory) {
      answer.outputs = outputs_of(arguments, memory);
      answer.has_values = true;
    };
  }
  WL_TRY(profile::QueryAnswer made, profile::answer(query, nullptr, listeners));
  answer.profile = std::move(made.profile);
  describe(answer);
  return answer;
}

nb::object metric_of(const profile::Value& value, const std::string& unit) {
  const std::string fidelity =
      value.is_known() ? std::string(to_text(value.fidelity)) : profile::kNotModeled;
  return nb::make_tuple(to_python(value.raw), unit, fidelity, value.low, value.high);
}

nb::dict metrics_of(const profile::Profile& made) {
  nb::dict metrics;
  for (const std::string& name : profile::standard_metrics()) {
    const auto [value, unit] = profile::answer(name, made);
    metrics[name.c_str()] = metric_of(value, unit);
  }
  return metrics;
}

nb::list findings_of(const std::vector<profile::Finding>& findings) {
  nb::list list;
  for (const profile::Finding& one : findings) {
    list.append(nb::make_tuple(one.code, one.title, profile::to_text(one.where), one.because,
                               one.remedy, one.saving));
  }
  return list;
}

nb::dict dict_of(const Answer& answer) {
  nb::dict result;
  result["kernel"] = profile::shown_name(answer.profile.kernel);
  result["gpu"] = answer.profile.gpu.name;
  result["engine"] = answer.profile.engine;
  result["output"] = answer.profile.output;
  result["headline"] = answer.headline;
  result["text"] = answer.text;
  result["json"] = answer.json;
  result["ledger"] = answer.ledger;
  result["metrics"] = metrics_of(answer.profile);
  result["findings"] = findings_of(answer.findings);
  result["summary"] = to_python(answer.summary);
  result["sections"] = to_python(answer.sections);
  result["source"] = to_python(answer.source);
  result["has_values"] = answer.has_values;
  nb::list outputs;
  for (const auto& bytes : answer.outputs) {
    outputs.append(bytes ? nb::object(nb::bytes(bytes->data(), bytes->size())) : nb::none());
  }
  result["outputs"] = outputs;
  return result;
}

/// `question`: as profile/run/query_json.h reads it; the arguments' bytes are passed separately.
nb::dict run_unlocked(const std::string& question, const std::vector<Given>& given) {
  profile::Query query = take(profile::query_from_json(Source("profile()", question)));
  for (const Given& one : given) query.what.given.push_back(argument_of(one));
  std::optional<Result<Answer>> answer;
  {
    const nb::gil_scoped_release unlocked;
    answer.emplace(run(query));
  }
  return dict_of(take(*std::move(answer)));
}

/// (name, [(parameter, bytes, is_float)]) of a kernel.
nb::object parameters(const std::string& text, const std::string& file, const std::string& name) {
  const ptx::Module module = take(ptx::parse(file, text));
  const ptx::Function* kernel = take(exec::find_kernel(module, name));
  nb::list list;
  for (const uint32_t index : kernel->signature.params) {
    const ptx::Variable& variable = module.variables[index];
    const bool is_float = !variable.is_array &&
                          (variable.type == ptx::Type::kF32 || variable.type == ptx::Type::kF64 ||
                           variable.type == ptx::Type::kF16);
    list.append(nb::make_tuple(std::string(variable.name), variable.bytes(), is_float));
  }
  return nb::make_tuple(std::string(kernel->name), list);
}

/// The names of the kernels that a module defines.
std::vector<std::string> kernels(const std::string& text, const std::string& file) {
  return profile::kernel_names(take(ptx::parse(file, text)));
}

std::string compile(const std::string& path, const std::string& arch,
                    const std::vector<std::string>& flags) {
  std::optional<Result<std::string>> ptx;
  {
    const nb::gil_scoped_release unlocked;
    ptx.emplace(toolchain::compile_cuda(path, arch, flags));
  }
  return take(*std::move(ptx));
}

std::string read_ptx(const std::string& path) { return take(profile::load_ptx({.path = path})); }

nb::object metric(const std::string& json, const std::string& name) {
  const profile::Metric found = take(profile::find_metric(name));
  const profile::Profile made = take(profile::profile_from_json(Source("profile", json)));
  return metric_of(profile::evaluate(found, made), found.unit);
}

/// Value, rule and error; formula, counters, source lines, instructions.
nb::list explain(const std::string& json, const std::string& name) {
  const profile::Profile made = take(profile::profile_from_json(Source("profile", json)));
  const profile::Explanation explained = take(profile::explain(made, name));
  std::vector<Table> tables = profile::tables_of(explained, made);
  tables.insert(tables.begin(), profile::summary_table({explained}));
  return to_python(tables);
}

}  // namespace

void add_profile(nb::module_& module) {
  module.def("profile", &run_unlocked, nb::arg("question"), nb::arg("arguments"));
  module.def("parameters", &parameters, nb::arg("ptx"), nb::arg("file"), nb::arg("kernel"));
  module.def("kernels", &kernels, nb::arg("ptx"), nb::arg("file"));
  module.def("compile_cuda", &compile, nb::arg("path"), nb::arg("arch"), nb::arg("flags"));
  module.def("read_ptx", &read_ptx, nb::arg("path"));
  module.def("metric", &metric, nb::arg("json"), nb::arg("name"));
  module.def("explain", &explain, nb::arg("json"), nb::arg("name"));
}

}  // namespace warpledger::python
