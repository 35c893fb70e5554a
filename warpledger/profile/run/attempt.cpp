#include "warpledger/profile/run/attempt.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "warpledger/profile/run/run_statistics.h"

namespace warpledger::profile {
namespace {

constexpr double kGraceSeconds = 1;  // the engine is first to see that the time is over

/// Two reservations of device memory (a launch and the one before it), and what the machine has.
uint64_t most_memory() {
  constexpr uint64_t kReservations = uint64_t{2} << 36;
  return kReservations + static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                             static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

double seconds_left(const KernelCell& cell) {
  if (cell.seconds <= 0) return 0;
  const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - cell.begun;
  return std::max(0.0, cell.seconds - gone.count()) + kGraceSeconds;
}

Diagnostic too_late(const Plan& plan) {
  return {.message = fmt::format("kernel timed out: '{}'", plan.kernel.name),
          .hint = exec::kTimeLimitHint,
          .code = exec::kTimeLimit,
          .fallback = Fallback::kMoreTime};
}

/// Blocks started and all blocks, as the child's bytes.
void pass_progress(const Request& request, std::string_view text) {
  uint64_t numbers[2];
  if (!request.progress || text.size() != sizeof numbers) return;
  std::memcpy(numbers, text.data(), sizeof numbers);
  request.progress(numbers[0], numbers[1]);
}

}  // namespace

Result<Attempt> run_attempt(const Plan& plan, const std::function<Result<Attempt>()>& work) {
  KernelCell* const cell = plan.observation.cell;
  if (cell == nullptr) return work();
  const cell::Limits limits{.memory_bytes = most_memory(), .seconds = seconds_left(*cell)};
  const cell::Outcome done = cell::run(
      limits,
      [&](cell::Inside& inside) {
        cell->inside = &inside;
        return pack(work(), plan.observation.statistics);
      },
      [&](std::string_view text) { pass_progress(plan.request, text); });
  if (done.is_late) return too_late(plan);
  if (!done.answer) return cell::describe(done);
  return unpack(*done.answer, plan.observation.statistics);
}

}  // namespace warpledger::profile
