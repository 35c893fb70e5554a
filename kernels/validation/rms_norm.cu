// Rows divided by their root mean square, read as vectors; the weights are read one by one.

extern "C" __global__ void rms_norm_rows(const float* in, const float* weight, float* out, int columns, float eps) {
  extern __shared__ float part[];
  const int t = threadIdx.x, vectors = columns / 4;
  const float4* row = reinterpret_cast<const float4*>(in + blockIdx.x * columns);
  float4* result = reinterpret_cast<float4*>(out + blockIdx.x * columns);
  float sum = 0;
  for (int i = t; i < vectors; i += blockDim.x) {
    const float4 v = row[i];
    sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  part[t] = sum;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (t < stride) part[t] += part[t + stride];
    __syncthreads();
  }
  if (t == 0) part[0] = sqrtf(part[0] / columns + eps);
  __syncthreads();
  const float rms = part[0];
  for (int i = t; i < vectors; i += blockDim.x) {
    const float4 v = row[i];
    result[i] = {v.x / rms * weight[4 * i], v.y / rms * weight[4 * i + 1], v.z / rms * weight[4 * i + 2],
                 v.w / rms * weight[4 * i + 3]};
  }
}
