// User objects of CUDA graphs: something of the program's that lives until the last reference to it
// goes. References are the program's own, counted here, and those of graphs, which their copies
// share (Graph::resources).
#pragma once

#include <map>
#include <memory>

#include "interpose/graph.h"

namespace warpledger::cuda {

class UserObject {
 public:
  using Destroy = void (*)(void*);
  UserObject(void* object, Destroy destroy) : object_(object), destroy_(destroy) {}
  ~UserObject() { destroy_(object_); }
  UserObject(const UserObject&) = delete;
  UserObject& operator=(const UserObject&) = delete;

 private:
  void* object_;
  Destroy destroy_;
};

/// Counts below are of references; each call fails where the program or the graph has not as many.
class UserObjects {
 public:
  [[nodiscard]] UserObject* create(void* object, UserObject::Destroy destroy, unsigned count);
  [[nodiscard]] bool retain(const UserObject* object, unsigned count);
  [[nodiscard]] bool release(const UserObject* object, unsigned count);
  /// The graph gets `count` of them; `is_moved`: from the program.
  [[nodiscard]] bool give(Graph& graph, const UserObject* object, unsigned count, bool is_moved);
  [[nodiscard]] static bool take_back(Graph& graph, const UserObject* object, unsigned count);

 private:
  struct Held {
    std::shared_ptr<UserObject> object;
    unsigned count = 0;
  };
  std::map<const UserObject*, Held> held_;  // by the program; a graph's alone is not here
};

}  // namespace warpledger::cuda
