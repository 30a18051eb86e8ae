#include "sim/device.h"

namespace selvage {

Status move_to(const Device& device, Simulation& sim) {
    sim.set_backend(nullptr);
    if (device.choice == DeviceChoice::cpu) return Done{};
    if (!device.make) return Error{"this program has no device to step on", "device cuda", ErrorKind::work};
    Result<std::unique_ptr<StepBackend>> backend = device.make(sim);
    if (!backend) return backend.error();
    sim.set_backend(std::move(*backend));
    return Done{};
}

std::string device_of(const Simulation& sim) {
    return sim.is_on_device() ? "cuda" : "cpu";
}

} // namespace selvage
