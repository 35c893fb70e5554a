// Atomics of every scope and order through cuda::atomic_ref.
#include <cuda/atomic>

template <cuda::thread_scope Scope>
__device__ int all_orders(int* p) {
  cuda::atomic_ref<int, Scope> a(*p);
  int r = a.fetch_add(1, cuda::memory_order_relaxed) + a.fetch_sub(2, cuda::memory_order_acquire);
  r += a.fetch_and(7, cuda::memory_order_release) + a.fetch_or(8, cuda::memory_order_acq_rel);
  r += a.exchange(r, cuda::memory_order_seq_cst) + a.fetch_max(3) + a.fetch_min(9);
  int expected = 5;
  a.compare_exchange_strong(expected, r, cuda::memory_order_acq_rel, cuda::memory_order_acquire);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, Scope);
  return r + expected + a.load(cuda::memory_order_acquire);
}

extern "C" __global__ void scoped_atomics(int* p, unsigned long long* wide) {
  p[4] = all_orders<cuda::thread_scope_block>(p) + all_orders<cuda::thread_scope_device>(p + 1) +
         all_orders<cuda::thread_scope_system>(p + 2);
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> w(*wide);
  w.fetch_xor(0xff);
  w.store(3, cuda::memory_order_release);
}
