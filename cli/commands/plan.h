// What plan, plan verify and plan search share.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/session.h"
#include "warpledger/base/result.h"
#include "warpledger/gpu/gpu.h"
#include "warpledger/plan/search.h"

namespace warpledger::cli {

struct PlanInput {
  std::string file;
  std::string gpu;
  std::vector<std::string> sizes;  // NAME=NUMBER
};

void add_plan_input(Command& command, PlanInput& input);
void add_plan_verify(Command& plan_command, Session& session);
void add_plan_search(Command& plan_command, Session& session);

/// One reader for a .plan file; one for each kernel of a .tile file.
[[nodiscard]] Result<std::vector<plan::PlanReader>> readers_of(const std::string& path);

[[nodiscard]] Result<plan::Sizes> parse_sizes(const std::vector<std::string>& words);
[[nodiscard]] Result<plan::Range> parse_range(const std::string& word);
[[nodiscard]] Result<Gpu> gpu_of(const PlanInput& input, const plan::Plan& one);

}  // namespace warpledger::cli
