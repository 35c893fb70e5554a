// Objects with virtual functions, made on the device.
struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
  float radius;
  __device__ explicit Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3.14159f * radius * radius; }
};

extern "C" __global__ void virtual_calls(const float* in, float* out) {
  Shape* shape = nullptr;
  if (in[threadIdx.x] > 1)
    shape = new Square(in[threadIdx.x]);
  else
    shape = new Circle(in[threadIdx.x]);
  out[threadIdx.x] = shape->area();
  delete shape;
}
