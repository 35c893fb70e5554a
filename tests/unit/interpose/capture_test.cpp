// Stream capture against an oracle that knows no graph: for each stream and event the set of all
// work that comes before.
#include "interpose/capture.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "interpose/host_memory.h"
#include "tests/support/law.h"

namespace warpledger::cuda {
namespace {

using testing::Rng;
using Before = std::set<const Node*>;

Before ancestors(const Node& node) {
  Before all;
  std::vector<const Node*> open(node.after.begin(), node.after.end());
  while (!open.empty()) {
    const Node* at = open.back();
    open.pop_back();
    if (all.insert(at).second) open.insert(open.end(), at->after.begin(), at->after.end());
  }
  return all;
}

/// A program on some streams that join one capture, and what it means.
class Program {
 public:
  explicit Program(int streams) {
    for (int i = 0; i < streams; ++i) streams_.push_back(timeline_.create(i % 2U, 0));
    before_[streams_[0]] = {};
    EXPECT_EQ(captures_.begin(*streams_[0], graph_, {}, CaptureMode::kGlobal, true), Error::kNone);
  }

  void work(Rng& rng) {
    Stream* stream = any(rng);
    Node* made = nullptr;
    ASSERT_EQ(captures_.add(*stream, EmptyWork{}, &made), Error::kNone);
    wanted_[made] = before_[stream];
    before_[stream].insert(made);
  }
  void record(Rng& rng) {
    Stream* stream = any(rng);
    auto event = std::make_unique<Event>();
    ASSERT_EQ(captures_.record(*event, *stream), Error::kNone);
    kept_[event.get()] = before_[stream];
    events_.push_back(std::move(event));
  }
  void wait(Rng& rng) {
    if (!events_.empty()) wait(*rng.pick(streams_), *rng.pick(events_));
  }
  void join_all() {
    for (Stream* stream : streams_) {
      if (!before_.contains(stream)) continue;
      Event event;
      ASSERT_EQ(captures_.record(event, *stream), Error::kNone);
      kept_[&event] = before_[stream];
      wait(*streams_[0], event);
    }
  }

  [[nodiscard]] bool is_joined() const {
    const Before& last = before_.at(streams_[0]);
    return std::all_of(before_.begin(), before_.end(), [&](const auto& stream) {
      return std::includes(last.begin(), last.end(), stream.second.begin(), stream.second.end());
    });
  }
  [[nodiscard]] Error end() {
    std::shared_ptr<Capture> made;
    const Error error = captures_.end(*streams_[0], timeline_, &made);
    for (const Stream* stream : streams_) EXPECT_EQ(stream->capture, nullptr);
    return error;
  }
  void check() const {
    EXPECT_EQ(graph_.nodes().size(), wanted_.size());
    for (const auto& node : graph_.nodes()) EXPECT_EQ(ancestors(*node), wanted_.at(node.get()));
    const auto order = graph_.order();
    ASSERT_TRUE(order.has_value());
    Before done;
    for (const Node* node : *order) {
      const Before& wanted = wanted_.at(node);
      EXPECT_TRUE(std::includes(done.begin(), done.end(), wanted.begin(), wanted.end()));
      EXPECT_TRUE(done.insert(node).second);
    }
    EXPECT_EQ(done.size(), wanted_.size());
  }

 private:
  Stream* any(Rng& rng) const {  // that is captured
    std::vector<Stream*> joined;
    for (const auto& [stream, before] : before_) joined.push_back(stream);
    return rng.pick(joined);
  }
  void wait(Stream& stream, const Event& event) {
    ASSERT_EQ(captures_.wait(stream, event, false), Error::kNone);
    before_[&stream].insert(kept_[&event].begin(), kept_[&event].end());
  }

  Timeline timeline_;
  Captures captures_;
  Graph graph_;
  std::vector<Stream*> streams_;
  std::vector<std::unique_ptr<Event>> events_;
  std::map<Stream*, Before> before_;
  std::map<const Event*, Before> kept_;
  std::map<const Node*, Before> wanted_;
};

LAW(Capture, GraphHasTheOrderOfTheProgramAndNoOther) {
  Program program(static_cast<int>(rng.between(1, 5)));
  for (int i = 0; i < rng.size() + 5; ++i) {
    const int64_t kind = rng.between(0, 5);
    if (kind < 2) program.record(rng);
    if (kind == 2 || kind == 3) program.wait(rng);
    if (kind > 3) program.work(rng);
  }
  if (rng.coin()) program.join_all();
  const bool joined = program.is_joined();
  EXPECT_EQ(program.end(), joined ? Error::kNone : Error::kCaptureUnjoined);
  program.check();
}

class CaptureRules : public ::testing::Test {
 protected:
  Timeline timeline_;
  Captures captures_;
  Graph graph_;
  Stream& stream_ = *timeline_.create(0, 0);
  Stream& quiet_ = *timeline_.create(kNonBlocking, 0);
  std::shared_ptr<Capture> made_;

  void begin(Stream& stream, CaptureMode mode = CaptureMode::kGlobal) {
    ASSERT_EQ(captures_.begin(stream, graph_, {}, mode, true), Error::kNone);
  }
};

TEST_F(CaptureRules, WaitingMakesItInvalid) {
  begin(stream_);
  EXPECT_EQ(captures_.check_wait(quiet_), Error::kNone);
  EXPECT_EQ(captures_.check_wait(stream_), Error::kCaptureUnsupported);
  EXPECT_EQ(Captures::status(stream_), CaptureStatus::kInvalidated);
  EXPECT_EQ(captures_.add(stream_, EmptyWork{}), Error::kCaptureInvalidated);
  EXPECT_EQ(captures_.end(stream_, timeline_, &made_), Error::kCaptureInvalidated);
  EXPECT_EQ(Captures::status(stream_), CaptureStatus::kNone);
}

TEST_F(CaptureRules, OnlyStreamsThatBlockForbidTheLegacyStream) {
  begin(quiet_);
  EXPECT_EQ(captures_.check_legacy(), Error::kNone);
  Event event;
  ASSERT_EQ(captures_.record(event, quiet_), Error::kNone);
  ASSERT_EQ(captures_.wait(stream_, event, false), Error::kNone);
  EXPECT_EQ(captures_.check_legacy(), Error::kCaptureImplicit);
}

TEST_F(CaptureRules, UnsafeCallsAreForbiddenByMode) {
  for (const CaptureMode mode :
       {CaptureMode::kGlobal, CaptureMode::kThreadLocal, CaptureMode::kRelaxed}) {
    Error here = Error::kNone, there = Error::kNone;
    begin(quiet_, mode);
    std::thread([&] { there = captures_.check_unsafe(); }).join();
    here = captures_.check_unsafe();
    static_cast<void>(captures_.end(quiet_, timeline_, &made_));
    EXPECT_EQ(there != Error::kNone, mode == CaptureMode::kGlobal);
    EXPECT_EQ(here != Error::kNone, mode != CaptureMode::kRelaxed);
  }
}

TEST_F(CaptureRules, EndsInTheThreadThatBeganUnlessRelaxed) {
  for (const CaptureMode mode : {CaptureMode::kThreadLocal, CaptureMode::kRelaxed}) {
    Error error = Error::kNone;
    begin(stream_, mode);
    std::thread([&] { error = captures_.end(stream_, timeline_, &made_); }).join();
    EXPECT_EQ(error, mode == CaptureMode::kRelaxed ? Error::kNone : Error::kCaptureWrongThread);
    if (mode != CaptureMode::kRelaxed) static_cast<void>(captures_.end(stream_, timeline_, &made_));
  }
}

TEST_F(CaptureRules, AStreamThatIsDestroyedStaysUnjoined) {
  begin(stream_);
  Event event;
  ASSERT_EQ(captures_.record(event, stream_), Error::kNone);
  ASSERT_EQ(captures_.wait(quiet_, event, false), Error::kNone);
  ASSERT_EQ(captures_.add(quiet_, EmptyWork{}), Error::kNone);
  EXPECT_EQ(captures_.leave(quiet_, timeline_), nullptr);
  EXPECT_TRUE(timeline_.destroy(&quiet_));
  EXPECT_EQ(captures_.end(stream_, timeline_, &made_), Error::kCaptureUnjoined);
}

TEST_F(CaptureRules, NodesThatAreTakenOutNeedNoJoin) {
  begin(stream_);
  Node* first = nullptr;
  ASSERT_EQ(captures_.add(stream_, EmptyWork{}, &first), Error::kNone);
  ASSERT_EQ(captures_.depend(stream_, {}, true), Error::kNone);
  Node* second = nullptr;
  ASSERT_EQ(captures_.add(stream_, EmptyWork{}, &second), Error::kNone);
  EXPECT_TRUE(second->after.empty());
  ASSERT_EQ(captures_.depend(stream_, {first}, false), Error::kNone);
  Node* third = nullptr;
  ASSERT_EQ(captures_.add(stream_, EmptyWork{}, &third), Error::kNone);
  EXPECT_THAT(third->after, ::testing::ElementsAre(second, first));
  EXPECT_EQ(captures_.end(stream_, timeline_, &made_), Error::kNone);
}

// Whatever the host asks for: an event that is recorded after the host waited for another, or on
// the same stream, is not earlier.
LAW(Timeline, TimeGoesOn) {
  Timeline timeline;
  std::vector<Stream*> streams = {&timeline.standard()};
  for (int i = 0; i < 3; ++i) streams.push_back(timeline.create(i % 2U, 0));
  std::map<Stream*, double> last;
  double waited = 0;
  for (int i = 0; i < rng.size() + 5; ++i) {
    Stream& stream = *rng.pick(streams);
    timeline.add(stream, static_cast<Lane>(rng.between(0, 3)),
                 static_cast<double>(rng.between(0, 9)), "work");
    Event event;
    timeline.record(event, *rng.pick(streams));
    timeline.wait(*rng.pick(streams), event);
    if (rng.coin()) {
      timeline.synchronize(event);
      waited = std::max(waited, event.time);
    }
    Event next;
    timeline.record(next, stream);
    EXPECT_GE(next.time, waited);
    EXPECT_GE(next.time, last[&stream]);
    last[&stream] = next.time;
  }
}

TEST(HostMemory, IsMappedWhereItIs) {
  const std::vector<char> some(100'000);
  const auto at = reinterpret_cast<uint64_t>(some.data());
  EXPECT_TRUE(is_mapped(at, some.size()));
  EXPECT_TRUE(is_mapped(at + 5, 1));
  EXPECT_FALSE(is_mapped(0, 1));
  EXPECT_FALSE(is_mapped(8, 8));
  EXPECT_FALSE(is_mapped(UINT64_MAX - 4, 100));
  EXPECT_FALSE(is_mapped(at, uint64_t{1} << 46));
}

}  // namespace
}  // namespace warpledger::cuda
