// A seven-point stencil that walks along z with registers.
#include "check.h"

__global__ void stencil(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
  const int plane = nx * ny;
  int at = y * nx + x + plane;
  float below = in[at - plane], here = in[at];
  for (int z = 1; z < nz - 1; ++z, at += plane) {
    const float above = in[at + plane];
    out[at] = below + above + in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] - 6 * here;
    below = here, here = above;
  }
}

int main() {
  const int nx = 34, ny = 18, nz = 10, n = nx * ny * nz;
  std::vector<float> in(n);
  for (int i = 0; i < n; ++i) in[i] = any_float(i);
  float *device = to_device(in), *out = to_device(std::vector<float>(n, 0.0f));
  stencil<<<dim3(2, 3), dim3(32, 8)>>>(device, out, nx, ny, nz);
  CHECK(cudaDeviceSynchronize());
  const std::vector<float> got = to_host(out, n);
  bool good = true;
  for (int z = 1; z < nz - 1; ++z)
    for (int y = 1; y < ny - 1; ++y)
      for (int x = 1; x < nx - 1; ++x) {
        const int at = (z * ny + y) * nx + x;
        good &= close(got[at], in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] +
                                   in[at - nx * ny] + in[at + nx * ny] - 6 * in[at]);
      }
  return verdict(good);
}
