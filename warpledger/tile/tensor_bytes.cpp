#include "warpledger/tile/tensor_bytes.h"

#include <algorithm>

namespace warpledger::tile {
namespace {

/// Adds up the copies of one kernel, each with the number of times that it runs.
class CopyWalk {
 public:
  CopyWalk(std::vector<TensorBytes>& tensors, const TileTypes& types, Expression blocks)
      : tensors_(tensors), types_(types), blocks_(std::move(blocks)), runs_(blocks_) {}

  void walk(const Body& body) {
    for (const Statement& statement : body) {
      if (const auto* load = std::get_if<Load>(&statement.node)) {
        add(load->from.name, load->result, &TensorBytes::read, &TensorBytes::readers);
      } else if (const auto* store = std::get_if<Store>(&statement.node)) {
        add(store->to.name, store->tile, &TensorBytes::written, &TensorBytes::writers);
      } else if (const auto* loop = std::get_if<Loop>(&statement.node)) {
        const Expression outside = runs_;
        runs_ = runs_ * loop->count;
        walk(loop->body);
        runs_ = outside;
      }
    }
  }

 private:
  using Part = Expression TensorBytes::*;

  void add(const std::string& name, const std::string& tile, Part bytes, Part blocks) {
    const auto tensor = std::find_if(tensors_.begin(), tensors_.end(),
                                     [&](const TensorBytes& one) { return one.tensor == name; });
    if (tensor == tensors_.end()) return;  // from tile to tile
    (*tensor).*bytes += types_.find(tile)->second.bytes() * runs_;
    const bool is_first =
        std::find(seen_.begin(), seen_.end(), std::pair(name, blocks)) == seen_.end();
    if (!is_first) return;
    seen_.emplace_back(name, blocks);
    (*tensor).*blocks += blocks_;
  }

  std::vector<TensorBytes>& tensors_;
  const TileTypes& types_;
  const Expression blocks_;
  Expression runs_;
  std::vector<std::pair<std::string, Part>> seen_;  // a kernel's blocks count once
};

}  // namespace

std::vector<TensorBytes> tensor_bytes(const CheckedProgram& program) {
  std::vector<TensorBytes> all;
  for (const Tensor& tensor : program->tensors) {
    Expression size = tensor.type.bytes;
    for (const Expression& extent : tensor.shape) size *= extent;
    all.push_back({.tensor = tensor.name, .size = size});
  }
  for (size_t k = 0; k < program->kernels.size(); ++k) {
    Expression blocks = 1;
    for (const GridAxis& axis : program->kernels[k].grid) blocks *= axis.count;
    CopyWalk(all, program.types()[k], blocks).walk(program->kernels[k].body);
  }
  return all;
}

}  // namespace warpledger::tile
