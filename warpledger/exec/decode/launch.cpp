#include "warpledger/exec/decode/launch.h"

#include <fmt/format.h>

#include <cstring>

#include "warpledger/base/check.h"
#include "warpledger/base/units.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec {
namespace {

uint64_t product(const Extent& extent) { return uint64_t{extent[0]} * extent[1] * extent[2]; }

Diagnostic bad_launch(std::string message, std::string hint = {}) {
  return {.message = std::move(message), .hint = std::move(hint), .code = "bad-launch"};
}

// .maxntid, .reqntid and .reqnctapercluster give one to three numbers; missing ones are 1.
Extent extent_of(const ptx::Directive& directive) {
  Extent said = {1, 1, 1};
  for (size_t i = 0; i < directive.values.size() && i < 3; ++i) said[i] = directive.values[i];
  return said;
}

Status check_directive(const ptx::Directive& directive, const Extent& block) {
  const Extent said = extent_of(directive);
  if (directive.kind == ptx::DirectiveKind::kReqntid && said != block) {
    return bad_launch(fmt::format("the kernel requires blocks of {} x {} x {} threads (.reqntid)",
                                  said[0], said[1], said[2]));
  }
  if (directive.kind == ptx::DirectiveKind::kMaxntid && product(block) > product(said)) {
    return bad_launch(fmt::format("a block of {} threads; the kernel allows {} (.maxntid)",
                                  product(block), product(said)));
  }
  return {};
}

Status check_cluster(const ptx::Function& kernel, const Launch& launch) {
  constexpr uint64_t kMostCtas = 16;
  const Extent cluster = cluster_of(kernel, launch);
  for (size_t i = 0; i < 3; ++i) {
    if (cluster[i] != 0 && launch.grid[i] % cluster[i] == 0) continue;
    return bad_launch(fmt::format(
        "a grid of {} x {} x {} blocks cannot be made of clusters of {} "
        "x {} x {}",
        launch.grid[0], launch.grid[1], launch.grid[2], cluster[0], cluster[1], cluster[2]));
  }
  if (product(cluster) <= kMostCtas) return {};
  return bad_launch(
      fmt::format("a cluster of {} blocks; at most {} are allowed", product(cluster), kMostCtas));
}

}  // namespace

Extent block_of(const ptx::Function& kernel, const Extent& block) {
  if (!kernel.signature.is_tile || product(block) != 1) return block;
  for (const ptx::Directive& directive : kernel.signature.directives) {
    if (directive.kind == ptx::DirectiveKind::kReqntid) return extent_of(directive);
  }
  return block;
}

Extent cluster_of(const ptx::Function& kernel, const Launch& launch) {
  if (product(launch.cluster) != 0) return launch.cluster;
  for (const ptx::Directive& directive : kernel.signature.directives) {
    if (directive.kind == ptx::DirectiveKind::kReqnctapercluster) return extent_of(directive);
  }
  return {1, 1, 1};
}

Arguments::Arguments(const ptx::Module& module, const ptx::Function& kernel)
    : module_(module), kernel_(kernel) {}

uint64_t Arguments::next_bytes() const {
  const auto& params = kernel_.signature.params;
  return next_ < params.size() ? module_.variables[params[next_]].bytes() : 0;
}

Status Arguments::add(const void* bytes, uint64_t size) {
  const auto& params = kernel_.signature.params;
  if (next_ == params.size()) {
    return bad_launch(fmt::format("kernel '{}' takes {} arguments, more were given", kernel_.name,
                                  params.size()));
  }
  const ptx::Variable& param = module_.variables[params[next_]];
  if (param.bytes() != size) {
    return bad_launch(fmt::format("argument {} of kernel '{}' has {} bytes, {} were given",
                                  next_ + 1, kernel_.name, param.bytes(), size));
  }
  const auto at = static_cast<size_t>(
      round_up(static_cast<int64_t>(bytes_.size()), std::max<int64_t>(1, param.alignment())));
  bytes_.resize(at + size);
  if (size != 0) std::memcpy(bytes_.data() + at, bytes, size);
  ++next_;
  return {};
}

Result<std::vector<std::byte>> Arguments::finish() const {
  const size_t wanted = kernel_.signature.params.size();
  if (next_ == wanted) return bytes_;
  return bad_launch(
      fmt::format("kernel '{}' takes {} arguments, {} were given", kernel_.name, wanted, next_));
}

Status check_launch(const ptx::Module&, const ptx::Function& kernel, const Launch& launch) {
  constexpr uint64_t kMostThreads = 1024;
  if (product(launch.grid) == 0 || product(launch.block) == 0)
    return bad_launch("grid and block must not be empty");
  if (product(launch.block) > kMostThreads) {
    return bad_launch(fmt::format("a block of {} threads; at most {} are allowed",
                                  product(launch.block), kMostThreads));
  }
  for (const ptx::Directive& directive : kernel.signature.directives) {
    WL_TRY_STATUS(check_directive(directive, launch.block));
  }
  return check_cluster(kernel, launch);
}

Result<const ptx::Function*> find_kernel(const ptx::Module& module, const std::string& name) {
  std::vector<std::string> names;
  std::vector<const ptx::Function*> close;
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry || !function.has_body) continue;
    if (function.name == name) return &function;
    names.emplace_back(function.name);
    if (function.name.find(name) != std::string_view::npos) close.push_back(&function);
  }
  if (close.size() == 1) return close[0];
  const std::string meant = did_you_mean(name, names);
  return Diagnostic{
      .message = names.empty()   ? "the module has no kernel"
                 : name.empty()  ? fmt::format("the module has {} kernels: name one", names.size())
                 : close.empty() ? fmt::format("there is no kernel '{}'", name)
                                 : fmt::format("'{}' names {} kernels", name, close.size()),
      .hint = !meant.empty() ? meant : fmt::format("kernels: {}", fmt::join(names, ", ")),
      .code = "unknown-kernel"};
}

Statistics& Statistics::operator+=(const Statistics& other) {
  ctas += other.ctas;
  warps += other.warps;
  warp_instructions += other.warp_instructions;
  thread_instructions += other.thread_instructions;
  for (size_t i = 0; i < by_family.size(); ++i) by_family[i] += other.by_family[i];
  for (size_t i = 0; i < by_space.size(); ++i) {
    by_space[i].loads += other.by_space[i].loads;
    by_space[i].stores += other.by_space[i].stores;
    by_space[i].atomics += other.by_space[i].atomics;
    by_space[i].lanes += other.by_space[i].lanes;
    by_space[i].bytes += other.by_space[i].bytes;
  }
  barriers += other.barriers;
  divergent_branches += other.divergent_branches;
  return *this;
}

}  // namespace warpledger::exec
