// Surfaces of one, two and three dimensions, layered, with every way to treat borders.
extern "C" __global__ void surfaces(cudaSurfaceObject_t one, cudaSurfaceObject_t two,
                                    cudaSurfaceObject_t three, float4* out) {
  const int x = threadIdx.x * 16;
  float4 v = surf1Dread<float4>(one, x, cudaBoundaryModeTrap);
  v.x += surf2Dread<float>(two, x, 1, cudaBoundaryModeClamp) +
         surf3Dread<float>(three, x, 1, 2, cudaBoundaryModeZero);
  const uchar2 b = surf2DLayeredread<uchar2>(two, x, 1, 3);
  surf1Dwrite(v, one, x);
  surf2Dwrite(make_short4(b.x, b.y, 1, 2), two, x, 2, cudaBoundaryModeZero);
  surf3Dwrite(v.y, three, x, 2, 3);
  out[threadIdx.x] = v;
}
