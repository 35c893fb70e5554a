// Textures of every kind against a naive oracle: dimensions, layers, address modes, filters,
// normalized coordinates, normalized reads, levels, gathers; linear and pitched memory.
#include <algorithm>
#include <cstring>

#include "check.h"

struct Mode {
  int dimensions;
  bool layered;
  cudaTextureAddressMode address;
  cudaTextureFilterMode filter;
  bool normalized;
};

constexpr int kWidth = 13, kHeight = 7, kDepth = 5, kSamples = 512;

__device__ float fetch(cudaTextureObject_t t, int dimensions, bool layered, float3 at, int layer) {
  if (layered)
    return dimensions == 1 ? tex1DLayered<float>(t, at.x, layer)
                           : tex2DLayered<float>(t, at.x, at.y, layer);
  if (dimensions == 1) return tex1D<float>(t, at.x);
  if (dimensions == 2) return tex2D<float>(t, at.x, at.y);
  return tex3D<float>(t, at.x, at.y, at.z);
}
__global__ void read(cudaTextureObject_t t, int dimensions, bool layered, const float3* at,
                     float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kSamples) out[i] = fetch(t, dimensions, layered, at[i], i % kDepth);
}

// The oracle: formulas of the CUDA programming guide, one texel at a time, in doubles.
static double texel(const std::vector<float>& data, const Mode& mode, const int* at, int layer) {
  const int size[3] = {kWidth, mode.dimensions > 1 ? kHeight : 1, mode.dimensions > 2 ? kDepth : 1};
  int inside[3] = {0, 0, 0};
  for (int d = 0; d < mode.dimensions; ++d) {
    int i = at[d];
    const int n = size[d];
    const bool folds = mode.normalized && (mode.address == cudaAddressModeWrap ||
                                           mode.address == cudaAddressModeMirror);
    if (mode.address == cudaAddressModeBorder && (i < 0 || i >= n)) return 0;
    if (folds && mode.address == cudaAddressModeWrap) {
      while (i < 0) i += n;
      while (i >= n) i -= n;
    } else if (folds) {
      while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;
    } else {
      i = std::min(std::max(i, 0), n - 1);
    }
    inside[d] = i;
  }
  const int slice = mode.layered ? layer : inside[2];
  return data[(slice * size[1] + inside[1]) * kWidth + inside[0]];
}
static double expected(const std::vector<float>& data, const Mode& mode, float3 where, int layer) {
  const float at[3] = {where.x, where.y, where.z};
  const int size[3] = {kWidth, kHeight, kDepth};
  int first[3] = {};
  double weight[3] = {};
  for (int d = 0; d < mode.dimensions; ++d) {
    const float x = mode.normalized ? at[d] * size[d] : at[d];
    const float y = mode.filter == cudaFilterModeLinear ? x - 0.5f : x;
    first[d] = static_cast<int>(std::floor(y));
    weight[d] = std::floor((y - std::floor(y)) * 256 + 0.5) / 256;  // 8 bits behind the point
  }
  if (mode.filter == cudaFilterModePoint) return texel(data, mode, first, layer);
  double sum = 0;
  for (int corner = 0; corner < 1 << mode.dimensions; ++corner) {
    int there[3] = {first[0], first[1], first[2]};
    double part = 1;
    for (int d = 0; d < mode.dimensions; ++d) {
      const bool next = corner >> d & 1;
      there[d] += next;
      part *= next ? weight[d] : 1 - weight[d];
    }
    sum += part * texel(data, mode, there, layer);
  }
  return sum;
}

static cudaTextureObject_t object(const cudaResourceDesc& resource, const Mode& mode,
                                  cudaTextureReadMode read_mode = cudaReadModeElementType) {
  cudaTextureDesc texture = {};
  std::fill_n(texture.addressMode, 3, mode.address);
  texture.filterMode = mode.filter;
  texture.normalizedCoords = mode.normalized;
  texture.readMode = read_mode;
  cudaTextureObject_t made;
  CHECK(cudaCreateTextureObject(&made, &resource, &texture, nullptr));
  return made;
}
static cudaResourceDesc of_array(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

static cudaArray_t filled(const Mode& mode, const std::vector<float>& data) {
  const auto channels = cudaCreateChannelDesc<float>();
  const cudaExtent extent = {kWidth, mode.dimensions > 1 ? size_t{kHeight} : 0,
                             mode.layered || mode.dimensions > 2 ? size_t{kDepth} : 0};
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &channels, extent, mode.layered ? cudaArrayLayered : 0));
  cudaMemcpy3DParms copy = {};
  const size_t height = std::max<size_t>(extent.height, 1);
  copy.srcPtr =
      make_cudaPitchedPtr(const_cast<float*>(data.data()), kWidth * sizeof(float), kWidth, height);
  copy.dstArray = array;
  copy.extent = {kWidth, height, std::max<size_t>(extent.depth, 1)};
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  return array;
}

static bool check_mode(const Mode& mode, const std::vector<float>& data,
                       const std::vector<float3>& at, const float3* device_at, float* out) {
  cudaArray_t array = filled(mode, data);
  const cudaTextureObject_t texture = object(of_array(array), mode);
  read<<<2, 256>>>(texture, mode.dimensions, mode.layered, device_at, out);
  const std::vector<float> got = to_host(out, kSamples);
  int bad = 0;
  for (int i = 0; i < kSamples; ++i) {
    const double want = expected(data, mode, at[i], i % kDepth);
    if (!close(got[i], want, 1e-5) && bad++ == 0)
      std::printf("%dD layered %d address %d filter %d normalized %d at %g %g %g: %g, not %g\n",
                  mode.dimensions, mode.layered, mode.address, mode.filter, mode.normalized,
                  at[i].x, at[i].y, at[i].z, got[i], want);
  }
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  return bad == 0;
}

static bool modes() {
  std::vector<float> data(kWidth * kHeight * kDepth);
  for (size_t i = 0; i < data.size(); ++i) data[i] = any_float(static_cast<unsigned>(i));
  float* out;
  CHECK(cudaMalloc(&out, kSamples * sizeof(float)));
  bool good = true;
  for (const bool normalized : {false, true}) {
    std::vector<float3> at(kSamples);
    for (int i = 0; i < kSamples; ++i) {
      const auto any = [&](unsigned n, float size) {
        return (any_float(3 * i + n) * 4 - 1.5f) * (normalized ? 1 : size);
      };
      at[i] = make_float3(any(0, kWidth), any(1, kHeight), any(2, kDepth));
    }
    const float3* device_at = to_device(at);
    for (int dimensions = 1; dimensions <= 3; ++dimensions) {
      for (const bool layered : {false, true}) {
        if (layered && dimensions == 3) continue;
        for (const auto address : {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                   cudaAddressModeBorder}) {
          for (const auto filter : {cudaFilterModePoint, cudaFilterModeLinear})
            good &= check_mode({dimensions, layered, address, filter, normalized}, data, at,
                               device_at, out);
        }
      }
    }
  }
  return good;
}

__global__ void read_others(cudaTextureObject_t bytes, cudaTextureObject_t shorts,
                            cudaTextureObject_t linear, cudaTextureObject_t pitched, float4* out) {
  const uchar4 whole = tex2D<uchar4>(bytes, 1.5f, 1.5f);
  const float2 part = tex2D<float2>(shorts, 2.5f, 0.5f);
  const float4 four = tex2Dgather<float4>(pitched, 2.0f, 1.0f, 0);
  out[0] = make_float4(whole.x, whole.y, whole.z, whole.w);
  out[1] = make_float4(part.x, part.y, tex1Dfetch<float>(linear, 3), tex1Dfetch<float>(linear, 99));
  out[2] = four;
  out[3] = make_float4(tex2D<float>(pitched, 2.5f, 1.5f), 0, 0, 0);
}

static bool others() {
  const Mode point = {2, false, cudaAddressModeClamp, cudaFilterModePoint, false};
  std::vector<uchar4> bytes(4 * 4);
  std::vector<short2> shorts(4 * 4);
  for (int i = 0; i < 16; ++i) {
    bytes[i] = make_uchar4(i, 2 * i, 200 + i, 255 - i);
    shorts[i] = make_short2(static_cast<short>(1000 * i), static_cast<short>(-32768));
  }
  cudaArray_t byte_array, short_array;
  const auto byte_format = cudaCreateChannelDesc<uchar4>(),
             short_format = cudaCreateChannelDesc<short2>();
  CHECK(cudaMallocArray(&byte_array, &byte_format, 4, 4));
  CHECK(cudaMallocArray(&short_array, &short_format, 4, 4));
  CHECK(cudaMemcpy2DToArray(byte_array, 0, 0, bytes.data(), 16, 16, 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2DToArray(short_array, 0, 0, shorts.data(), 16, 16, 4, cudaMemcpyHostToDevice));
  std::vector<float> numbers(16);
  for (int i = 0; i < 16; ++i) numbers[i] = 10.0f * static_cast<float>(i);
  float* rows;
  size_t pitch;
  CHECK(cudaMallocPitch(&rows, &pitch, 4 * sizeof(float), 4));
  CHECK(cudaMemcpy2D(rows, pitch, numbers.data(), 16, 16, 4, cudaMemcpyHostToDevice));
  cudaResourceDesc linear = {}, pitched = {};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = to_device(numbers);
  linear.res.linear.desc = cudaCreateChannelDesc<float>();
  linear.res.linear.sizeInBytes = 64;
  pitched.resType = cudaResourceTypePitch2D;
  pitched.res.pitch2D.devPtr = rows;
  pitched.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  pitched.res.pitch2D.width = pitched.res.pitch2D.height = 4;
  pitched.res.pitch2D.pitchInBytes = pitch;
  float4* out;
  CHECK(cudaMalloc(&out, 4 * sizeof(float4)));
  read_others<<<1, 1>>>(object(of_array(byte_array), point),
                        object(of_array(short_array), point, cudaReadModeNormalizedFloat),
                        object(linear, point), object(pitched, point), out);
  const std::vector<float4> got = to_host(out, 4);
  const bool good[] = {
      got[0].x == 5 && got[0].y == 10 && got[0].z == 205 && got[0].w == 250,
      close(got[1].x, 2000.0 / 32767) && got[1].y == -1, got[1].z == 30 && got[1].w == 0,
      // (1, 1) (2, 1) (2, 0) (1, 0)
      got[2].x == 50 && got[2].y == 60 && got[2].z == 20 && got[2].w == 10, got[3].x == 60};
  for (const bool one : good) std::printf("%d ", one);
  std::printf("\n");
  return good[0] && good[1] && good[2] && good[3] && good[4];
}

__global__ void read_levels(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex2DLod<float>(t, 0.5f, 0.5f, static_cast<float>(threadIdx.x) * 0.5f);
}

// Level n of an 8 x 8 texture is full of n + 1.
static bool levels() {
  const auto channels = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t array;
  CHECK(cudaMallocMipmappedArray(&array, &channels, {8, 8, 0}, 4));
  for (unsigned n = 0; n < 4; ++n) {
    cudaArray_t level;
    CHECK(cudaGetMipmappedArrayLevel(&level, array, n));
    cudaExtent extent;
    CHECK(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
    const std::vector<float> data(64, static_cast<float>(n + 1));
    const size_t bytes = extent.width * sizeof(float);
    CHECK(cudaMemcpy2DToArray(level, 0, 0, data.data(), bytes, bytes, extent.height,
                              cudaMemcpyHostToDevice));
  }
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = array;
  cudaTextureDesc asked = {};
  asked.normalizedCoords = 1;
  asked.filterMode = asked.mipmapFilterMode = cudaFilterModeLinear;
  asked.maxMipmapLevelClamp = 2;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &asked, nullptr));
  float* out;
  CHECK(cudaMalloc(&out, 8 * sizeof(float)));
  read_levels<<<1, 8>>>(texture, out);
  const std::vector<float> got = to_host(out, 8);
  bool good = true;
  for (int i = 0; i < 8; ++i) good &= close(got[i], 1 + std::min(i * 0.5, 2.0));
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeMipmappedArray(array));
  return good;
}

int main() {
  const bool good[] = {modes(), others(), levels()};
  std::printf("%d %d %d\n", good[0], good[1], good[2]);
  return verdict(good[0] && good[1] && good[2]);
}
