// warpledger plan: places a kernel's buffers. `plan verify` and `plan search` are in
// plan_verify.cpp and plan_search.cpp.
#include "cli/commands/plan.h"

#include <fmt/core.h>

#include <memory>

#include "cli/commands/commands.h"
#include "cli/terminal/output.h"
#include "warpledger/base/file.h"
#include "warpledger/plan/emit.h"
#include "warpledger/plan/from_tile.h"
#include "warpledger/plan/report.h"
#include "warpledger/plan/search.h"
#include "warpledger/tile/check.h"

namespace warpledger::cli {
namespace {

struct Options {
  PlanInput input;
  std::string emit = {};
  OutputOptions output = {};
};

/// One plan of the answer. What does not fit is printed with how much is missing, and fails like a
/// gate.
struct Planned {
  plan::Plan plan;
  plan::Placement placement;
  std::vector<std::string> verdict;
};

Result<Planned> plan_one(Session& session, const PlanInput& input, const plan::PlanReader& read) {
  WL_TRY(const plan::Sizes sizes, parse_sizes(input.sizes));
  WL_TRY(plan::Plan one, read(sizes));
  WL_TRY(const Gpu gpu, gpu_of(input, one));
  plan::Placement placement = plan::place(one);
  WL_TRY(const plan::Fit fit, plan::fit(one, placement, gpu));
  if (!fit.fits()) session.exit_code = kGateFailed;
  WL_TRY(const auto others, plan::other_stages(read, sizes, one, fit));
  std::vector<std::string> verdict = plan::verdict(one, placement, fit, gpu.name, others);
  return Planned{std::move(one), std::move(placement), std::move(verdict)};
}

void add_tables(const Planned& planned, Report& report) {
  const auto& [one, placement, verdict] = planned;
  report.verdict.insert(report.verdict.end(), verdict.begin(), verdict.end());
  if (!placement.shared.slots.empty()) {
    report.tables.push_back(plan::shared_table(one, placement));
    report.tables.push_back(plan::map_table(one, placement, plan::Space::kShared));
  }
  if (!placement.tensor.slots.empty()) {
    report.tables.push_back(plan::tensor_table(one, placement));
    report.tables.push_back(plan::map_table(one, placement, plan::Space::kTensor));
  }
}

/// A .tile file has a plan for each kernel; its picture is that of the first.
Status run_plan(Session& session, const Options& options) {
  WL_TRY(const std::vector<plan::PlanReader> readers, readers_of(options.input.file));
  std::vector<Planned> plans;
  for (const plan::PlanReader& read : readers) {
    WL_TRY(Planned planned, plan_one(session, options.input, read));
    plans.push_back(std::move(planned));
  }
  Answer answer{.report = {.command = "plan"}};
  for (const Planned& planned : plans) {
    if (options.emit == "cuda") session.out << plan::emit_cuda(planned.plan, planned.placement);
    add_tables(planned, answer.report);
  }
  answer.drawing = [&] { return plan::draw(plans.front().plan, plans.front().placement); };
  if (options.emit.empty()) print(session, options.output, answer);
  return {};
}

}  // namespace

Result<std::vector<plan::PlanReader>> readers_of(const std::string& path) {
  std::vector<plan::PlanReader> readers;
  if (path.ends_with(".tile")) {
    WL_TRY(const tile::CheckedProgram program, tile::load(path));
    for (size_t kernel = 0; kernel < program->kernels.size(); ++kernel) {
      readers.emplace_back([program, kernel](const plan::Sizes& sizes) {
        return plan::plan_of(program, kernel, sizes);
      });
    }
    return readers;
  }
  WL_TRY(std::string text, read_file(path));
  const auto source =
      std::make_shared<const Source>(path == "-" ? "<stdin>" : path, std::move(text));
  readers.emplace_back([source](const plan::Sizes& sizes) { return plan::parse(*source, sizes); });
  return readers;
}

Result<plan::Sizes> parse_sizes(const std::vector<std::string>& words) {
  plan::Sizes sizes;
  for (const std::string& word : words) {
    WL_TRY(const plan::Range range, parse_range(word));
    if (range.values.size() != 1) {
      return Diagnostic{.message = fmt::format("--set {} gives more than one value", word),
                        .hint = "plan search --vary tries several",
                        .code = "bad-size"};
    }
    sizes[range.name] = range.values.front();
  }
  return sizes;
}

Result<plan::Range> parse_range(const std::string& word) {
  const Diagnostic fault{.message = fmt::format("'{}' is not NAME=NUMBER[,NUMBER...]", word),
                         .hint = "as in stages=4 or N=64,128,256",
                         .code = "bad-size"};
  const size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) return fault;
  plan::Range range{word.substr(0, equals), {}};
  for (size_t at = equals + 1; at <= word.size();) {
    const size_t comma = std::min(word.find(',', at), word.size());
    const std::string number = word.substr(at, comma - at);
    if (number.empty() || number.size() > 12 ||
        number.find_first_not_of("0123456789") != std::string::npos) {
      return fault;
    }
    range.values.push_back(std::stoll(number));
    at = comma + 1;
  }
  return range;
}

Result<Gpu> gpu_of(const PlanInput& input, const plan::Plan& one) {
  const std::string& name = input.gpu.empty() ? one.gpu : input.gpu;
  if (!name.empty()) return load_gpu(name);
  return Diagnostic{.message = fmt::format("{} does not name a GPU", input.file),
                    .hint = "write 'gpu h100-sxm' in it, or pass --gpu",
                    .code = "no-gpu"};
}

void add_plan_input(Command& command, PlanInput& input) {
  command.add_option("file", input.file, "a .plan or .tile file, - for a plan on standard input")
      ->type_name("FILE")
      ->required();
  command.add_option("--gpu", input.gpu, "use this GPU instead of the one in the file");
  command
      .add_option("--set", input.sizes, "NAME=NUMBER: replace a let of the file; may be repeated")
      ->type_name("NAME=N")
      ->take_all()
      ->allow_extra_args(false);
}

void add_plan(Command& app, Session& session) {
  Command command = add_command(app, "plan", "place buffers in shared and tensor memory",
                                "  warpledger plan examples/plans/flashmla-sm100-head64.plan\n"
                                "  warpledger plan kernel.plan --gpu rtx4090 --set stages=3\n"
                                "  warpledger plan kernel.plan --emit cuda > smem.h\n"
                                "  warpledger plan attention.tile --gpu h100-sxm --set N=4096\n"
                                "  warpledger plan verify by-hand.plan\n"
                                "  warpledger plan search kernel.plan --vary N=64,128,256");
  auto options = std::make_shared<Options>();
  add_plan_input(*command, options->input);
  command->get_option("file")->required(false);
  command->add_option("--emit", options->emit, "print code instead of the plan: cuda")
      ->one_of({"cuda"});
  add_output_options(*command, options->output);
  add_plan_verify(*command, session);
  add_plan_search(*command, session);
  command->callback([command, options, &session] {
    if (command->has_chosen()) return;
    if (options->input.file.empty()) throw_required("FILE");
    if (const Status done = run_plan(session, *options); !done) fail(session, done.error());
  });
}

}  // namespace warpledger::cli
