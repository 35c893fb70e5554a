// A constant added to doubles, one a thread, and to elements of three doubles, one element a thread.
extern "C" __global__ void add_constant(const double* in, double* out, double constant, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + constant;
}

extern "C" __global__ void add_constant_three(const double3* in, double3* out, double constant, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double3 element = in[i];
  element.x += constant;
  element.y += constant;
  element.z += constant;
  out[i] = element;
}
