extern "C" __global__ void mandelbrot(unsigned char *pixels, int width, int height, int limit,
                                      float left, float top, float step_x, float step_y) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height)
    return;
  float cx = left + step_x * px, cy = top + step_y * py;
  float x = 0, y = 0;
  int i = 0;
  while (i < limit && x * x + y * y <= 4) {
    float next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    ++i;
  }
  pixels[py * width + px] = i == limit ? 255 : i;
}
