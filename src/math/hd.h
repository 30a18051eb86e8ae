#pragma once

/// Marks a function that runs on the CPU and, compiled by nvcc, in CUDA kernels.
#ifdef __CUDACC__
#define SELVAGE_HD __host__ __device__
#else
#define SELVAGE_HD
#endif
