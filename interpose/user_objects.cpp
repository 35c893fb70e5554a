#include "interpose/user_objects.h"

#include <algorithm>

namespace warpledger::cuda {

UserObject* UserObjects::create(void* object, UserObject::Destroy destroy, unsigned count) {
  if (destroy == nullptr || count == 0) return nullptr;
  auto made = std::make_shared<UserObject>(object, destroy);
  UserObject* handle = made.get();
  held_[handle] = {std::move(made), count};
  return handle;
}

bool UserObjects::retain(const UserObject* object, unsigned count) {
  const auto found = held_.find(object);
  if (found == held_.end() || count == 0) return false;
  return found->second.count += count, true;
}

bool UserObjects::release(const UserObject* object, unsigned count) {
  const auto found = held_.find(object);
  if (found == held_.end() || count == 0 || found->second.count < count) return false;
  found->second.count -= count;
  if (found->second.count == 0) held_.erase(found);
  return true;
}

bool UserObjects::give(Graph& graph, const UserObject* object, unsigned count, bool is_moved) {
  const auto found = held_.find(object);
  if (found == held_.end() || count == 0) return false;
  if (is_moved && found->second.count < count) return false;
  graph.resources.insert(graph.resources.end(), count, found->second.object);
  return !is_moved || release(object, count);
}

bool UserObjects::take_back(Graph& graph, const UserObject* object, unsigned count) {
  auto& all = graph.resources;
  const auto is_it = [&](const std::shared_ptr<void>& one) { return one.get() == object; };
  if (count == 0 || std::count_if(all.begin(), all.end(), is_it) < count) return false;
  for (; count > 0; --count) all.erase(std::find_if(all.begin(), all.end(), is_it));
  return true;
}

}  // namespace warpledger::cuda
