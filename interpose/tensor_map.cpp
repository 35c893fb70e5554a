#include "interpose/tensor_map.h"

namespace warpledger::cuda {

Result<exec::TensorMapBytes> encode_tensor_map(const exec::TensorMap& map) {
  return exec::encode(map);
}

Result<exec::TensorMapBytes> move_tensor_map(const exec::TensorMapBytes& bytes, uint64_t address) {
  WL_TRY(exec::TensorMap map, exec::decode_tensor_map(bytes));
  map.address = address;
  return exec::encode(map);
}

}  // namespace warpledger::cuda
