#include "cuda/device_queue.h"

#include "base/concat.h"

namespace selvage::cuda {

Error device_error(cudaError_t code, const std::string& where) {
    cudaGetLastError(); // or the next one to ask would be told of it too
    return {concat("CUDA: ", cudaGetErrorString(code), " (", cudaGetErrorName(code), ")"), where, ErrorKind::work};
}

DeviceQueue::~DeviceQueue() {
    if (stream_) cudaStreamDestroy(stream_);
}

Status DeviceQueue::start() {
    if (const cudaError_t code = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); code != cudaSuccess)
        return device_error(code, "device");
    return Done{};
}

Status DeviceQueue::status() const {
    if (is_ok()) return Done{};
    return Error{failure_, {}, ErrorKind::work};
}

void DeviceQueue::check(cudaError_t code, const char* where) {
    if (code != cudaSuccess) fail(device_error(code, where));
}

void DeviceQueue::fail(const Error& error) {
    if (is_ok()) failure_ = error.text();
}

void DeviceQueue::wait(const char* where) {
    check(cudaGetLastError(), where); // of launches
    check(cudaStreamSynchronize(stream_), where);
}

void DeviceQueue::write_bytes(void* to, const void* from, std::size_t bytes, const char* where) {
    if (bytes == 0 || !is_ok()) return;
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_), where);
    wait(where);
}

void DeviceQueue::read_bytes(void* to, const void* from, std::size_t bytes, const char* where) {
    if (bytes == 0 || !is_ok()) return;
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_), where);
    wait(where);
}

void DeviceQueue::copy_bytes(void* to, const void* from, std::size_t bytes, const char* where) {
    if (bytes == 0 || !is_ok()) return;
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_), where);
}

} // namespace selvage::cuda
