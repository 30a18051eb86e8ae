// In place of dataset_hdf5.cpp where there is no HDF5.

#include "sweep/dataset_file.h"

namespace selvage {

namespace {
const Error kNoHdf5{"this program was built without HDF5; install libhdf5-dev (scripts/setup sweep), and configure and "
                    "build it again",
                    "sweep", ErrorKind::work};
} // namespace

Status check_dataset_support() {
    return kNoHdf5;
}

Result<std::string> dataset_bytes(const DatasetRecord&, const DatasetLabels&, int) {
    return kNoHdf5;
}

Result<std::string> dataset_row(const std::string&) {
    return kNoHdf5;
}

Result<std::vector<Vec3>> dataset_last_positions(const std::string&) {
    return kNoHdf5;
}

} // namespace selvage
