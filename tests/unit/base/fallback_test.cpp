#include "warpledger/base/fallback.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/law.h"

namespace warpledger {
namespace {

constexpr Fallback kAll[] = {Fallback::kNone, Fallback::kInterpreter, Fallback::kValues,
                             Fallback::kMoreSteps, Fallback::kMoreTime};

Fallback any_fallback(testing::Rng& rng) { return kAll[rng.between(0, std::size(kAll) - 1)]; }

/// What each attempt would say, were it made: a refusal, or success at the end of the list.
struct Story {
  std::vector<Fallback> refusals;
  bool succeeds = false;

  Result<int> attempt(size_t number) const {
    if (number >= refusals.size() && succeeds) return static_cast<int>(number);
    const Fallback fallback = number < refusals.size() ? refusals[number] : Fallback::kNone;
    return Diagnostic{.message = std::to_string(number), .fallback = fallback};
  }
};

struct Way {
  std::vector<Fallback> after;
  bool is_open = true;
};

Story any_story(testing::Rng& rng) {
  Story story{.succeeds = rng.between(0, 1) == 1};
  for (int64_t n = rng.between(0, 6); n > 0; --n) story.refusals.push_back(any_fallback(rng));
  return story;
}

std::vector<Way> any_ways(testing::Rng& rng) {
  std::vector<Way> ways(static_cast<size_t>(rng.between(0, 4)));
  for (Way& way : ways) {
    for (int64_t n = rng.between(0, 2); n > 0; --n) way.after.push_back(any_fallback(rng));
    way.is_open = rng.between(0, 3) > 0;
  }
  return ways;
}

/// What was done, in order.
struct Told {
  std::vector<size_t> tried;          // ways by number, also closed ones
  std::vector<std::string> answered;  // the refusals that they were given
  size_t attempts = 0;
  Result<int> end = 0;
};

Told tell(const Story& story, const std::vector<Way>& ways) {
  Told told;
  std::vector<FallbackWay> list;
  for (size_t i = 0; i < ways.size(); ++i) {
    list.push_back({ways[i].after, [&told, &ways, i](const Diagnostic& refusal) {
                      told.tried.push_back(i);
                      told.answered.push_back(refusal.message);
                      return ways[i].is_open;
                    }});
  }
  told.end = run_with_fallback(list, [&] { return story.attempt(told.attempts++); });
  return told;
}

/// The same by the definition: which ways are left, and the first of them that answers.
size_t attempts_by_definition(const Story& story, const std::vector<Way>& ways) {
  std::set<size_t> gone;
  for (size_t attempt = 0;; ++attempt) {
    const Result<int> done = story.attempt(attempt);
    if (done) return attempt + 1;
    bool goes_on = false;
    for (size_t i = 0; i < ways.size() && !goes_on; ++i) {
      const auto& after = ways[i].after;
      const Fallback wanted = done.error().fallback;
      const bool answers =
          wanted != Fallback::kNone && std::find(after.begin(), after.end(), wanted) != after.end();
      if (answers && gone.insert(i).second) goes_on = ways[i].is_open;
    }
    if (!goes_on) return attempt + 1;
  }
}

LAW(RunWithFallback, TriesEachWayAtMostOnce) {
  const std::vector<Way> ways = any_ways(rng);
  const Told told = tell(any_story(rng), ways);
  EXPECT_EQ(std::set(told.tried.begin(), told.tried.end()).size(), told.tried.size());
  EXPECT_LE(told.attempts, ways.size() + 1);
}

LAW(RunWithFallback, AnswersWithTheLastAttempt) {
  const Story story = any_story(rng);
  const Told told = tell(story, any_ways(rng));
  const Result<int> last = story.attempt(told.attempts - 1);
  ASSERT_EQ(told.end.ok(), last.ok());
  if (last) {
    EXPECT_EQ(*told.end, *last);
  } else {
    EXPECT_EQ(told.end.error(), last.error());
  }
}

LAW(RunWithFallback, StopsAtTheFirstSuccess) {
  const Story story = any_story(rng);
  const Told told = tell(story, any_ways(rng));
  for (size_t i = 0; i + 1 < told.attempts; ++i) EXPECT_FALSE(story.attempt(i).ok());
}

LAW(RunWithFallback, MakesAsManyAttemptsAsItsDefinitionSays) {
  const Story story = any_story(rng);
  const std::vector<Way> ways = any_ways(rng);
  EXPECT_EQ(tell(story, ways).attempts, attempts_by_definition(story, ways));
}

LAW(RunWithFallback, TakesOnlyWaysThatAnswerTheRefusal) {
  const Story story = any_story(rng);
  const std::vector<Way> ways = any_ways(rng);
  const Told told = tell(story, ways);
  for (size_t i = 0; i < told.tried.size(); ++i) {
    const Fallback refused = story.refusals[std::stoul(told.answered[i])];
    const auto& after = ways[told.tried[i]].after;
    EXPECT_NE(std::find(after.begin(), after.end(), refused), after.end());
  }
}

TEST(RunWithFallback, LeavesAnErrorThatPermitsNothing) {
  const Told told = tell({.refusals = {Fallback::kNone}, .succeeds = true}, {{{Fallback::kNone}}});
  EXPECT_EQ(told.attempts, 1u);
  EXPECT_FALSE(told.end.ok());
}

TEST(RunWithFallback, TakesTheNextWayWhereTheFirstIsClosed) {
  const Told told = tell({.refusals = {Fallback::kValues}, .succeeds = true},
                         {{{Fallback::kValues}, false}, {{Fallback::kValues}, true}});
  EXPECT_EQ(told.tried, (std::vector<size_t>{0, 1}));
  EXPECT_TRUE(told.end.ok());
}

TEST(RunWithFallback, TakesAFaultInTheAnswerForARefusal) {
  struct Outcome {
    std::optional<Diagnostic> fault;
  };
  bool interpreted = false;
  const auto interpret = [&](const Diagnostic&) { return interpreted = true; };
  const auto attempt = [&]() -> Result<Outcome> {
    if (interpreted) return Outcome{};
    return Outcome{Diagnostic{.message = "diverged", .fallback = Fallback::kInterpreter}};
  };
  const auto outcome = run_with_fallback({{{Fallback::kInterpreter}, interpret}}, attempt);
  ASSERT_TRUE(outcome.ok());
  EXPECT_FALSE(outcome->fault.has_value());
}

TEST(RunWithFallback, WorksOnAStatus) {
  int attempts = 0;
  const auto go_on = [](const Diagnostic&) { return true; };
  const Status done = run_with_fallback({{{Fallback::kMoreSteps}, go_on}}, [&]() -> Status {
    if (++attempts > 1) return {};
    return Diagnostic{.message = "long", .fallback = Fallback::kMoreSteps};
  });
  EXPECT_TRUE(done.ok());
  EXPECT_EQ(attempts, 2);
}

}  // namespace
}  // namespace warpledger
