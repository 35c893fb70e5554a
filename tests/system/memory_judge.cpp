// Runs the rebuilt kernels and sets the model's values beside the published ones:
//   memory_judge [--all] [--bias=0.15] [--jitter=0.3] [name part]...
#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "tests/unit/memory/judgment.h"

int main(int argc, char** argv) {
  using namespace warpledger::memory;
  bool all = false;
  Schedule schedule;
  std::vector<std::string> wanted;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--all") == 0) {
      all = true;
    } else if (std::strncmp(argv[i], "--bias=", 7) == 0) {
      schedule.bias = std::atof(argv[i] + 7);
    } else if (std::strncmp(argv[i], "--jitter=", 9) == 0) {
      schedule.jitter = std::atof(argv[i] + 9);
    } else {
      wanted.push_back(argv[i]);
    }
  }
  const Published published = read_published();
  for (const Case& test : all_cases()) {
    bool run = wanted.empty() && (all || !test.nightly);
    for (const std::string& part : wanted) run |= test.name.find(part) != std::string::npos;
    if (!run) continue;
    const auto start = std::chrono::steady_clock::now();
    const Judgment judgment = judge(test, published, schedule);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print("{} ({:.2f} s)\n", test.name, seconds);
    for (const Comparison& line : judgment) {
      fmt::print("  {:28} {:>16.2f} {:>16.2f}  {}\n", line.value, line.modeled, line.published,
                 line.error_text());
    }
  }
}
