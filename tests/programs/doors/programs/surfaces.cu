// Surfaces: written and read in 1 to 3 dimensions and layers, with each boundary mode.
#include "check.h"

constexpr int kWidth = 16, kHeight = 8, kDepth = 3;

__global__ void write(cudaSurfaceObject_t flat, cudaSurfaceObject_t solid,
                      cudaSurfaceObject_t layers) {
  const int x = threadIdx.x, y = threadIdx.y;
  surf2Dwrite(static_cast<float>(100 * y + x), flat, x * 4, y);
  for (int z = 0; z < kDepth; ++z) {
    surf3Dwrite(make_uchar4(x, y, z, 7), solid, x * 4, y, z);
    surf2DLayeredwrite(static_cast<short>(1000 * z + 10 * y + x), layers, x * 2, y, z);
  }
}
__global__ void read(cudaSurfaceObject_t flat, float* out) {
  out[0] = surf2Dread<float>(flat, 3 * 4, 5);
  out[1] = surf2Dread<float>(flat, 99 * 4, 5, cudaBoundaryModeClamp);
  out[2] = surf2Dread<float>(flat, -4, 5, cudaBoundaryModeZero);
  surf2Dwrite(5.0f, flat, -4, -1, cudaBoundaryModeZero);
  surf2Dwrite(77.0f, flat, -4, -1, cudaBoundaryModeClamp);
  out[3] = surf2Dread<float>(flat, 0, 0);
}

template <class T>
static cudaArray_t make(cudaExtent extent, unsigned flags, cudaSurfaceObject_t* surface) {
  const auto channels = cudaCreateChannelDesc<T>();
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &channels, extent, flags | cudaArraySurfaceLoadStore));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  CHECK(cudaCreateSurfaceObject(surface, &resource));
  return array;
}
template <class T>
static std::vector<T> copied(cudaArray_t array) {
  std::vector<T> host(kWidth * kHeight * kDepth);
  cudaMemcpy3DParms copy = {};
  copy.srcArray = array;
  copy.dstPtr = make_cudaPitchedPtr(host.data(), kWidth * sizeof(T), kWidth, kHeight);
  copy.extent = {kWidth, kHeight, kDepth};
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  return host;
}

int main() {
  cudaSurfaceObject_t flat, solid, layers;
  cudaArray_t flat_array = make<float>({kWidth, kHeight, 0}, 0, &flat);
  cudaArray_t solid_array = make<uchar4>({kWidth, kHeight, kDepth}, 0, &solid);
  cudaArray_t layer_array = make<short>({kWidth, kHeight, kDepth}, cudaArrayLayered, &layers);
  write<<<1, dim3(kWidth, kHeight)>>>(flat, solid, layers);
  float* out;
  CHECK(cudaMalloc(&out, 4 * sizeof(float)));
  std::vector<float> rows(kWidth * kHeight);
  CHECK(cudaMemcpy2DFromArray(rows.data(), kWidth * 4, flat_array, 0, 0, kWidth * 4, kHeight,
                              cudaMemcpyDeviceToHost));
  const auto texels = copied<uchar4>(solid_array);
  const auto numbers = copied<short>(layer_array);
  bool good = true;
  for (int z = 0; z < kDepth; ++z) {
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        const int i = (z * kHeight + y) * kWidth + x;
        good &= texels[i].x == x && texels[i].y == y && texels[i].z == z && texels[i].w == 7;
        good &= numbers[i] == 1000 * z + 10 * y + x && rows[y * kWidth + x] == 100 * y + x;
      }
    }
  }
  read<<<1, 1>>>(flat, out);
  const std::vector<float> got = to_host(out, 4);
  std::printf("%g %g %g %g\n", got[0], got[1], got[2], got[3]);
  good &= got[0] == 503 && got[1] == 515 && got[2] == 0 && got[3] == 77;
  CHECK(cudaDestroySurfaceObject(flat));
  CHECK(cudaFreeArray(flat_array));
  return verdict(good);
}
