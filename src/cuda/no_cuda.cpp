// Stands in for the other files of this folder in a build without CUDA.

#include "cuda/cuda_backend.h"

namespace selvage::cuda {

std::string describe_device() {
    return "none: this build has no CUDA";
}

Result<std::unique_ptr<StepBackend>> make_cuda_backend(const Simulation& /*sim*/) {
    return Error{"this build has no CUDA; expected one made with SELVAGE_CUDA=ON", "device cuda", ErrorKind::work};
}

} // namespace selvage::cuda
