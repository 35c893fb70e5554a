// An image twice as large: every output pixel fetches its input, or every input pixel writes its four outputs.

extern "C" __global__ void upsample_gather(const float* in, float* out, int in_width, int in_height, int out_width,
                                           int out_height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= out_width || y >= out_height) return;
  const int from_x = min(static_cast<int>(static_cast<float>(x) / out_width * in_width), in_width - 1);
  const int from_y = min(static_cast<int>(static_cast<float>(y) / out_height * in_height), in_height - 1);
  out[y * out_width + x] = in[from_y * in_width + from_x];
}

extern "C" __global__ void upsample_scatter(const float* in, float* out, int width, int height) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < width * height; i += gridDim.x * blockDim.x) {
    const float v = in[i];
    const int row = i / width, column = i % width;
    float2* pairs = reinterpret_cast<float2*>(out);
    pairs[2 * row * width + column] = {v, v};
    pairs[(2 * row + 1) * width + column] = {v, v};
  }
}
