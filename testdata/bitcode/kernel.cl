kernel void reverse(global float *out, global const float *in, float f) {
  local float tile[64];
  tile[get_local_id(0)] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = f * tile[63 - get_local_id(0)];
}
