// An engine that has a job system of its own: Selvage starts no thread, but hands its loops to parallel_for.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include <selvage/selvage.hpp>

namespace {

/// A stand-in for the engine's: workers that take indices of one loop at a time.
class Jobs {
public:
    explicit Jobs(int workers) {
        for (int i = 0; i < workers; ++i)
            threads_.emplace_back([this] { work(); });
    }
    ~Jobs() {
        {
            const std::lock_guard lock(mutex_);
            ending_ = true;
        }
        changed_.notify_all();
        for (std::thread& thread : threads_)
            thread.join();
    }

    /// Has the form of selvage_parallel_for; `user` is the Jobs.
    static void parallel_for(void* user, int count, selvage_task task, void* context) {
        static_cast<Jobs*>(user)->run(count, task, context);
    }
    long loops() const { return loops_; }

private:
    void run(int count, selvage_task task, void* context) {
        std::unique_lock lock(mutex_);
        task_ = task, context_ = context, count_ = count, next_ = 0, left_ = count;
        ++loops_;
        changed_.notify_all();
        take_part(lock); // the calling thread helps
        changed_.wait(lock, [this] { return left_ == 0; });
        count_ = 0;
    }
    void work() {
        std::unique_lock lock(mutex_);
        while (!ending_) {
            take_part(lock);
            changed_.wait(lock, [this] { return ending_ || next_ < count_; });
        }
    }
    void take_part(std::unique_lock<std::mutex>& lock) {
        while (next_ < count_) {
            const int index = next_++;
            lock.unlock();
            task_(context_, index);
            lock.lock();
            if (--left_ == 0) changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::thread> threads_;
    selvage_task task_ = nullptr;
    void* context_ = nullptr;
    int count_ = 0, next_ = 0, left_ = 0;
    long loops_ = 0;
    bool ending_ = false;
};

std::uint64_t simulate(const selvage::WorldDesc& desc) {
    selvage::World world = selvage::World::make(desc).value();
    const selvage::Quaternion flat = {0.70710678118654752, 0, 0, 0.70710678118654752};
    world.add(selvage::ColliderDesc::sphere(0.25)).value();
    world.add(selvage::ClothDesc::grid(1.0, 1.0, 65, 65).at({0, 0.3, 0}, flat)).value();
    for (int frame = 0; frame < 60; ++frame)
        world.step().value();
    return world.state_hash();
}

} // namespace

int main() {
    const std::uint64_t alone = simulate({});

    Jobs jobs(3);
    selvage::WorldDesc desc;
    desc.threads = 4; // into how many tasks a loop is cut
    desc.parallel_for = Jobs::parallel_for;
    desc.parallel_user = &jobs;
    const std::uint64_t shared = simulate(desc);

    std::printf("%ld loops ran on the engine's own threads; hash %016llx, on one thread %016llx\n", jobs.loops(),
                static_cast<unsigned long long>(shared), static_cast<unsigned long long>(alone));
    return jobs.loops() > 0 && shared == alone ? 0 : 1;
}
