// Texture objects: levels, gradients, gathers, cubes, layers.
extern "C" __global__ void texture_objects(cudaTextureObject_t t, float4* out, float x) {
  float4 v = tex2D<float4>(t, x, x + 1);
  v.x +=
      tex1Dfetch<float>(t, threadIdx.x) + tex3D<float>(t, x, x, x) + tex2DLod<float>(t, x, x, 2.5f);
  v.y += tex2DGrad<float>(t, x, x, make_float2(x, 1), make_float2(1, x)) +
         tex1DLayered<float>(t, x, 3);
  v.z += texCubemap<float>(t, x, x, x) + tex2DLayeredLod<float>(t, x, x, 1, 2.0f);
  const float4 g = tex2Dgather<float4>(t, x, x, 2);
  const uint4 u = tex2D<uint4>(t, x, x);
  out[threadIdx.x] = make_float4(v.x + g.x, v.y + g.y, v.z + u.z, v.w + u.w);
}
