// Rows divided by their root mean square, read as vectors, a block a row; the weights are read one by one.

namespace {

extern __shared__ float part[];

// The sum of squares of a thread's columns: vectors, then what they leave.
__device__ __forceinline__ float squares(const float* in, int row, int columns) {
  const int t = threadIdx.x, vectors = columns / 4;
  float sum = 0;
  for (int i = t; i < vectors; i += blockDim.x) {
    const float4 v = reinterpret_cast<const float4*>(&in[row * columns])[i];
    sum += v.x * v.x;
    sum += v.y * v.y;
    sum += v.z * v.z;
    sum += v.w * v.w;
  }
  for (int i = vectors * 4 + t; i < columns; i += blockDim.x) {
    const float x = in[row * columns + i];
    sum += x * x;
  }
  return sum;
}

// The block's root mean square, out of its threads' sums.
__device__ __forceinline__ float root_mean_square(float sum, int columns, float eps) {
  const int t = threadIdx.x;
  part[t] = sum;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (t < stride) part[t] += part[t + stride];
    __syncthreads();
  }
  if (t == 0) part[0] = sqrt(part[0] / float(columns) + eps);
  __syncthreads();
  return part[0];
}

__device__ __forceinline__ void normalize(float* in, float* weight, float* out, int row, int columns, float rms) {
  const int t = threadIdx.x, vectors = columns / 4;
  for (int i = t; i < vectors; i += blockDim.x) {
    const int first = i * 4;
    const float4 v = reinterpret_cast<float4*>(&in[row * columns])[i];
    const float weights[4] = {weight[first], weight[first + 1], weight[first + 2], weight[first + 3]};
    const float4 result = {v.x / rms * weights[0], v.y / rms * weights[1], v.z / rms * weights[2], v.w / rms * weights[3]};
    reinterpret_cast<float4*>(&out[row * columns])[i] = result;
  }
  for (int i = vectors * 4 + t; i < columns; i += blockDim.x) out[row * columns + i] = in[row * columns + i] / rms * weight[i];
}

}  // namespace

extern "C" __global__ void rms_norm_vectors(float* in, float* weight, float* out, int columns, float eps) {
  const float rms = root_mean_square(squares(in, blockIdx.x, columns), columns, eps);
  normalize(in, weight, out, blockIdx.x, columns, rms);
}

extern "C" __global__ void rms_norm_rows(float* in, float* weight, float* out, int rows, int columns, float eps) {
  const int row = blockIdx.x;
  if (row >= rows) return;
  const float rms = root_mean_square(squares(in, row, columns), columns, eps);
  normalize(in, weight, out, row, columns, rms);
}
