// Graphs as values: the order of their nodes, copies, updates.
#include "interpose/graph.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "interpose/graphs.h"
#include "tests/support/law.h"

namespace warpledger::cuda {
namespace {

using ::testing::ElementsAre;
using testing::Rng;

/// Nodes with random dependencies on earlier ones.
void fill(Graph& graph, Rng& rng, int count) {
  for (int i = 0; i < count; ++i) {
    std::vector<Node*> after;
    for (const auto& node : graph.nodes()) {
      if (rng.between(0, 3) == 0) after.push_back(node.get());
    }
    Work work = EmptyWork{};
    if (count < 10 && rng.between(0, 4) == 0) {
      auto inner = std::make_shared<Graph>();
      fill(*inner, rng, 3);
      work = ChildWork{inner};
    }
    graph.add(std::move(work), after);
  }
}

std::vector<std::vector<uint64_t>> edges(const Graph& graph) {
  std::vector<std::vector<uint64_t>> all;
  for (const auto& node : graph.nodes()) {
    std::vector<uint64_t> after;
    for (const Node* dependency : node->after) after.push_back(dependency->number);
    all.push_back(after);
  }
  return all;
}

LAW(Graph, OrderHasEachNodeOnceAfterItsDependencies) {
  Graph graph;
  fill(graph, rng, rng.size());
  // Edges against the order of creation too, where they close no cycle.
  for (int i = 0; i < rng.size(); ++i) {
    Node &a = *rng.pick(graph.nodes()), &b = *rng.pick(graph.nodes());
    if (!Graph::leads_to(b, {&a})) graph.connect(a, b);
  }
  const auto order = graph.order();
  ASSERT_TRUE(order.has_value());
  std::set<const Node*> done;
  for (const Node* node : *order) {
    for (const Node* dependency : node->after) EXPECT_TRUE(done.contains(dependency));
    EXPECT_TRUE(done.insert(node).second);
  }
  EXPECT_EQ(done.size(), graph.nodes().size());
}

LAW(Graph, EveryEdgeThatClosesACycleIsSeen) {
  Graph graph;
  fill(graph, rng, rng.size() + 1);
  Node &a = *rng.pick(graph.nodes()), &b = *rng.pick(graph.nodes());
  const bool closes = Graph::leads_to(b, {&a});
  if (!graph.connect(a, b)) return;
  EXPECT_EQ(graph.order().has_value(), !closes);
}

LAW(Graph, CopyIsTheSameAndItsOwn) {
  Graph graph;
  fill(graph, rng, rng.size());
  const std::unique_ptr<Graph> copy = graph.clone();
  EXPECT_EQ(edges(*copy), edges(graph));
  for (const auto& node : graph.nodes()) {
    Node* twin = copy->copy_of(*node);
    ASSERT_NE(twin, nullptr);
    EXPECT_EQ(twin->graph, copy.get());
    const auto inner = graphs_in(node->work), own = graphs_in(twin->work);
    ASSERT_EQ(inner.size(), own.size());
    for (size_t i = 0; i < inner.size(); ++i) {
      EXPECT_NE(inner[i], own[i]);
      for (const auto& deep : inner[i]->nodes()) EXPECT_NE(copy->copy_of(*deep), nullptr);
    }
  }
}

LAW(Graph, RemovedNodesLeaveNoEdge) {
  Graph graph;
  fill(graph, rng, rng.size() + 1);
  Node* const gone = rng.pick(graph.nodes()).get();
  graph.remove(*gone);
  for (const auto& node : graph.nodes()) {
    EXPECT_THAT(node->after, ::testing::Not(::testing::Contains(gone)));
    EXPECT_THAT(node->before, ::testing::Not(::testing::Contains(gone)));
  }
  EXPECT_TRUE(graph.order().has_value());
}

TEST(Graph, ReadyNodesComeInOrderOfCreation) {
  Graph graph;
  Node& a = graph.add(EmptyWork{});
  Node& b = graph.add(EmptyWork{});
  Node& c = graph.add(EmptyWork{}, {&b});
  Node& d = graph.add(EmptyWork{});
  graph.connect(d, a);
  EXPECT_THAT(*graph.order(), ElementsAre(&b, &c, &d, &a));
}

TEST(GraphUpdate, TakesTheWorkOfAGraphOfTheSameShape) {
  const auto build = [](Graph& graph, uint32_t value) {
    Node& fill = graph.add(FillWork{.value = value});
    graph.add(EmptyWork{}, {&fill});
  };
  Graph graph, other;
  build(graph, 1);
  build(other, 2);
  EXPECT_EQ(update(graph, other).result, UpdateResult::kSuccess);
  EXPECT_EQ(std::get<FillWork>(graph.nodes()[0]->work).value, 2U);
}

TEST(GraphUpdate, SaysWhatDiffersAndChangesNothing) {
  Graph graph, other;
  graph.add(FillWork{.value = 1});
  graph.add(EmptyWork{}, {graph.nodes()[0].get()});
  Node& fill = other.add(FillWork{.value = 2});
  Node& empty = other.add(EmptyWork{});
  EXPECT_EQ(update(graph, other).result, UpdateResult::kTopology);
  EXPECT_EQ(update(graph, other).node, &empty);
  other.connect(fill, empty);
  Node& more = other.add(EmptyWork{});
  EXPECT_EQ(update(graph, other).node, &more);
  other.remove(more);
  empty.work = HostWork{};
  EXPECT_EQ(update(graph, other).result, UpdateResult::kNodeType);
  EXPECT_EQ(std::get<FillWork>(graph.nodes()[0]->work).value, 1U);
}

TEST(GraphLists, GiveTheNumberOrAsManyAsFit) {
  Graph graph;
  Node& node = graph.add(EmptyWork{});
  size_t count = 0;
  EXPECT_EQ(give_nodes(all_nodes(graph), nullptr, &count), Error::kNone);
  EXPECT_EQ(count, 1U);
  Node* room[2] = {&node, &node};
  count = 2;
  EXPECT_EQ(give_nodes(all_nodes(graph), room, &count), Error::kNone);
  EXPECT_EQ(count, 1U);
  EXPECT_THAT(room, ElementsAre(&node, nullptr));
  EXPECT_EQ(give_nodes({}, nullptr, nullptr), Error::kInvalidValue);
}

TEST(GraphNodes, AreRefusedTwiceAndFromOtherGraphs) {
  Graph graph, other;
  Node* made = nullptr;
  Node* const after[2] = {&graph.add(EmptyWork{}), graph.nodes()[0].get()};
  EXPECT_EQ(add_node(&graph, after, 2, EmptyWork{}, &made), Error::kInvalidValue);
  EXPECT_EQ(add_node(&other, after, 1, EmptyWork{}, &made), Error::kInvalidValue);
  EXPECT_EQ(add_node(&graph, nullptr, 1, EmptyWork{}, &made), Error::kInvalidValue);
  EXPECT_EQ(add_node(&graph, after, 1, EmptyWork{}, &made), Error::kNone);
  EXPECT_EQ(add_edges(&graph, after, &made, 1), Error::kInvalidValue);  // is there already
  EXPECT_EQ(remove_edges(&graph, after, &made, 1), Error::kNone);
  EXPECT_EQ(remove_edges(&graph, after, &made, 1), Error::kInvalidValue);
}

TEST(Conditional, HasAsManyBodiesAsItsKindMay) {
  const auto bodies = [](Choice choice, size_t count) {
    const auto made = empty_conditional(64, static_cast<int>(choice), count);
    return made ? made->bodies.size() : 0;
  };
  EXPECT_EQ(bodies(Choice::kIf, 2), 2u);
  EXPECT_EQ(bodies(Choice::kIf, 3), 0u);
  EXPECT_EQ(bodies(Choice::kWhile, 1), 1u);
  EXPECT_EQ(bodies(Choice::kWhile, 2), 0u);
  EXPECT_EQ(bodies(Choice::kSwitch, 9), 9u);
  EXPECT_EQ(bodies(Choice::kSwitch, 0), 0u);
  EXPECT_FALSE(empty_conditional(0, 0, 1));
  EXPECT_FALSE(empty_conditional(64, 3, 1));
}

}  // namespace
}  // namespace warpledger::cuda
