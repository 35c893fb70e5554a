// The law of rewriting: no rule changes what a program means. Random programs, every rule, every
// place; then a random walk, so that rules meet what other rules made.
// WL_NIGHTLY=1 runs a thousand programs (tools/nightly).
#include <map>

#include "tests/unit/tile/random_program.h"
#include "warpledger/tile/interpret.h"
#include "warpledger/tile/parser.h"
#include "warpledger/tile/rewrite/canonical.h"
#include "warpledger/tile/rewrite/search.h"

namespace warpledger::tile {
namespace {

using testing::RandomProgram;
using warpledger::testing::Rng;

constexpr int kWalk = 5;       // steps of a random walk
constexpr size_t kPlaces = 4;  // of one rule that are run for one program
constexpr double kTolerance = 1e-7;

int program_count() {
  const bool is_full = std::getenv("WL_NIGHTLY") != nullptr;
  return is_full ? 1000 : 30;
}

struct Meaning {
  RunInput input;
  tile::Run run;
};

/// Compares `next` with what the first program computed; the failure can be pasted into a file.
void expect_same(const Program& first, const Meaning& meaning, const CheckedRewriting& next,
                 const std::string& rule) {
  const auto run = interpret(next.program, meaning.input);
  ASSERT_TRUE(run) << rule << " at " << next.place << "\n" << to_text(run.error());
  EXPECT_LT(difference(first, meaning.run, *run), kTolerance)
      << rule << " at " << next.place << "\n"
      << to_text(first) << "\nbecame\n"
      << to_text(next.program);
}

/// All rewritings of one program are compared; answers with one of the rule that was tried least,
/// to walk on from: so that rare rules are reached.
std::optional<CheckedProgram> check_all_rules(const Program& first, const CheckedProgram& now,
                                              const Meaning& meaning, Rng& rng,
                                              std::map<std::string, int>* fired) {
  std::vector<CheckedRewriting> rarest;
  int fewest = 0;
  for (const Rule& rule : all_rules()) {
    std::vector<CheckedRewriting> made = apply(rule, now);
    while (made.size() > kPlaces) {
      made.erase(made.begin() + rng.between(0, static_cast<int64_t>(made.size()) - 1));
    }
    for (CheckedRewriting& next : made) {
      ++(*fired)[rule.name];
      expect_same(first, meaning, next, rule.name);
    }
    if (made.empty() || (!rarest.empty() && (*fired)[rule.name] > fewest)) continue;
    fewest = (*fired)[rule.name];
    rarest = std::move(made);
  }
  if (rarest.empty()) return std::nullopt;
  return rng.pick(rarest).program;
}

TEST(Rewrite, NoRuleChangesWhatAProgramMeans) {
  std::map<std::string, int> fired;
  for (int i = 0; i < program_count() && !HasFailure(); ++i) {
    Rng rng(1000 + static_cast<uint64_t>(i), 1 + 37 * i % 100);
    const CheckedProgram first = RandomProgram(rng).make();
    const Sizes sizes = {{"N", 4}, {"d", rng.between(1, 3)}, {"B", rng.coin() ? 2 : 1}};
    const RunInput input = *random_input(first, sizes, rng.bits());
    const auto run = interpret(first, input);
    ASSERT_TRUE(run) << to_text(run.error()) << to_text(first);
    const Meaning meaning{input, *run};
    std::optional<CheckedProgram> now = first;
    for (int step = 0; step < kWalk && now && !HasFailure(); ++step) {
      now = check_all_rules(first, *now, meaning, rng, &fired);
    }
  }
  for (const Rule& rule : all_rules()) {
    EXPECT_GT(fired[rule.name], 0) << rule.name << " was never tried";
    RecordProperty(rule.name, fired[rule.name]);
  }
}

LAW_ROUNDS(Rewrite, RandomProgramsPrintToAFixedPoint, 40) {
  const CheckedProgram program = RandomProgram(rng).make();
  const std::string once = to_text(program);
  EXPECT_EQ(to_text(*parse("again", once)), once);
}

/// Every program that rules reach, found without the search's order, scores or canonical names.
Score brute_force(const CheckedProgram& start, const SearchOptions& options, size_t most) {
  std::map<std::string, CheckedProgram> seen = {{canonical_text(start), start}};
  std::vector<CheckedProgram> left = {start};
  SearchOptions nothing = options;
  nothing.rules = {};
  Score best = optimize(start, nothing)->best_score;
  while (!left.empty() && seen.size() <= most) {
    const CheckedProgram program = left.back();
    left.pop_back();
    for (const Rule& rule : options.rules) {
      for (const CheckedRewriting& next : apply(rule, program)) {
        if (!seen.emplace(canonical_text(next.program), next.program).second) continue;
        best = std::min(best, optimize(next.program, nothing)->best_score);
        left.push_back(next.program);
      }
    }
  }
  return best;
}

TEST(Rewrite, BruteForceNeverBeatsTheSearch) {
  int compared = 0;
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    Rng rng(seed, 1);
    const CheckedProgram program = RandomProgram(rng).make();
    SearchOptions options;
    options.sizes = {{"N", 8}, {"d", 2}, {"B", 4}};
    options.limit = 30;
    const Optimum found = *optimize(program, options);
    if (!found.is_closed || found.programs > 30) continue;
    EXPECT_EQ(brute_force(program, options, 200), found.best_score) << to_text(program);
    ++compared;
  }
  EXPECT_GT(compared, 2);
}

}  // namespace
}  // namespace warpledger::tile
