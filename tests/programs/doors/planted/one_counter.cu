// Planted: every thread takes a ticket from one counter. The atomic itself stands in a CUDA header.
#include "../programs/check.h"

__global__ void take(int* counter, int* last) {
  const int ticket = atomicAdd(counter, 1);  // <- here
  if (ticket == 255999) *last = ticket;
}

int main() {
  int* counter = to_device(std::vector<int>(2, 0));
  take<<<1000, 256>>>(counter, counter + 1);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
