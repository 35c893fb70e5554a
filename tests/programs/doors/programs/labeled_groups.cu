// Lanes grouped by a label: at each instruction every group of a warp names its own lanes.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

struct Answers {
  int most, sum, first;
  unsigned odd;
  int any, group_sum, group_most, group_size, group_first;
};

__global__ void groups(const int* in, const int* labels, Answers* out, int* totals) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, value = in[i], label = labels[i];
  const unsigned mates = __match_any_sync(~0u, label);
  Answers a;
  a.most = __reduce_max_sync(mates, value);
  a.sum = __reduce_add_sync(mates, value);
  a.first = __shfl_sync(mates, value, __ffs(mates) - 1);
  a.odd = __ballot_sync(mates, value & 1);
  a.any = __any_sync(mates, value > 900);
  const auto group = cg::labeled_partition(cg::coalesced_threads(), label);
  a.group_sum = cg::reduce(group, value, cg::plus<int>());
  a.group_most = cg::reduce(group, value, cg::greater<int>());
  a.group_size = group.size();
  a.group_first = group.shfl(value, 0);
  out[i] = a;
  if (group.thread_rank() == 0) atomicAdd(&totals[label], a.group_sum);
}

Answers answers_of(const int* values, const int* labels, int label) {
  Answers a = {-1, 0, -1, 0, 0, 0, 0, 0, 0};
  for (int k = 0; k < 32; ++k) {
    if (labels[k] != label) continue;
    if (a.group_size++ == 0) a.first = values[k];
    a.most = values[k] > a.most ? values[k] : a.most;
    a.sum += values[k];
    a.odd |= static_cast<unsigned>(values[k] & 1) << k;
    a.any |= values[k] > 900;
  }
  a.group_sum = a.sum, a.group_most = a.most, a.group_first = a.first;
  return a;
}

int main() {
  const int n = 2048, kinds = 5;
  std::vector<int> in(n), labels(n), totals(kinds);
  for (int i = 0; i < n; ++i) in[i] = static_cast<int>(any_float(i) * 1000);
  for (int i = 0; i < n; ++i) labels[i] = static_cast<int>(any_float(i + n) * kinds);
  const int *device = to_device(in), *device_labels = to_device(labels);
  int* device_totals = to_device(totals);
  Answers* out = nullptr;
  CHECK(cudaMalloc(&out, n * sizeof(Answers)));
  groups<<<n / 128, 128>>>(device, device_labels, out, device_totals);
  CHECK(cudaDeviceSynchronize());
  const std::vector<Answers> got = to_host(out, n);
  bool good = true;
  for (int i = 0; i < n; ++i) {
    const int warp = i / 32 * 32;
    const Answers want = answers_of(&in[warp], &labels[warp], labels[i]), &is = got[i];
    good &= is.most == want.most && is.sum == want.sum && is.first == want.first;
    good &= is.odd == want.odd && (is.any != 0) == want.any && is.group_sum == want.group_sum;
    good &= is.group_most == want.group_most && is.group_size == want.group_size;
    good &= is.group_first == want.group_first;
    totals[labels[i]] += in[i];
  }
  return verdict(good && to_host(device_totals, kinds) == totals);
}
