// Three loops of a weather model over nx x nz cells with a margin of two, x fastest, in fp64. The threads of a limited
// grid take one point after the other, as OpenACC compilers map collapsed loops.

namespace {
constexpr int kMargin = 2, kVariables = 4;
constexpr double kPressure = 27.5629410929725921310572974482, kGamma = 1.40027894002789400278940027894;
}  // namespace

// state_out = state_init + dt * tendency, over variables, rows and columns.
extern "C" __global__ void apply_tendencies(const double* state_init, double* state_out, const double* tendency,
                                            double dt, int nx, int nz) {
  const int points = kVariables * nz * nx;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < points; i += gridDim.x * blockDim.x) {
    const int x = i % nx, z = i / nx % nz, variable = i / nx / nz;
    const int at = (variable * (nz + 2 * kMargin) + z + kMargin) * (nx + 2 * kMargin) + x + kMargin;
    state_out[at] = state_init[at] + dt * tendency[i];
  }
}

// Fluxes between columns from the four cells around each face.
extern "C" __global__ void flux_x(const double* state, const double* density, const double* density_theta,
                                  double* flux, double viscosity, int nx, int nz) {
  const int faces = nx + 1, points = faces * nz;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < points; i += gridDim.x * blockDim.x) {
    const int x = i % faces, z = i / faces;
    double value[kVariables], slope[kVariables];
#pragma unroll
    for (int v = 0; v < kVariables; ++v) {
      const double* cell = state + (v * (nz + 2 * kMargin) + z + kMargin) * (nx + 2 * kMargin) + x;
      const double c0 = cell[0], c1 = cell[1], c2 = cell[2], c3 = cell[3];
      value[v] = -c0 / 12 + 7 * c1 / 12 + 7 * c2 / 12 - c3 / 12;
      slope[v] = -c0 + 3 * c1 - 3 * c2 + c3;
    }
    const double r = value[0] + density[z + kMargin], u = value[1] / r, w = value[2] / r;
    const double theta = (value[3] + density_theta[z + kMargin]) / r, p = kPressure * pow(r * theta, kGamma);
    double* out = flux + z * faces + x;
    const int plane = (nz + 1) * faces;
    out[0] = r * u - viscosity * slope[0];
    out[plane] = r * u * u + p - viscosity * slope[1];
    out[2 * plane] = r * u * w - viscosity * slope[2];
    out[3 * plane] = r * u * theta - viscosity * slope[3];
  }
}

// Two columns of either side, for every row and variable, into buffers to send.
extern "C" __global__ void pack_margins(const double* state, double* left, double* right, int nx, int nz) {
  const int points = kVariables * nz * 2;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < points; i += gridDim.x * blockDim.x) {
    const int s = i % 2, z = i / 2 % nz, variable = i / 2 / nz;
    const double* row = state + (variable * (nz + 2 * kMargin) + z + kMargin) * (nx + 2 * kMargin);
    left[i] = row[kMargin + s];
    right[i] = row[nx + s];
  }
}
