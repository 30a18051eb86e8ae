#include <cstdio>
#include <thread>

#include "base/suggest.h"
#include "cli.h"
#include "cuda/cuda_backend.h"
#include "render/gl_context.h"
#include "scene/scene_io.h"

namespace selvage {

namespace {

std::string simd_level() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return "AVX-512";
    if (__builtin_cpu_supports("avx2")) return "AVX2";
    return "SSE2";
#elif defined(__aarch64__)
    return "NEON";
#else
    return "unknown";
#endif
}

int info() {
    std::printf("selvage   %s\n", SELVAGE_VERSION);
#if defined(__clang__)
    std::printf("compiler  clang %s\n", __clang_version__);
#else
    std::printf("compiler  gcc %s\n", __VERSION__);
#endif
    std::printf("build     %s\n", SELVAGE_BUILD_TYPE);
    std::printf("simd      machine has %s; this build uses the baseline of its target\n", simd_level().c_str());
    std::printf("threads   %u\n", std::thread::hardware_concurrency());
    std::printf("cuda      %s\n", cuda::describe_device().c_str());
    if (const Result<GlContext> gl = GlContext::make())
        std::printf("gl        %s, OpenGL %s\n", gl->renderer().c_str(), gl->version().c_str());
    else
        std::printf("gl        none: %s\n", gl.error().message.c_str());
    std::printf("solvers   %s\n", join(solver_names()).c_str());
    std::vector<std::string> fabrics;
    for (const BuiltinFile& file : builtin_fabrics())
        fabrics.push_back(file.name);
    std::printf("fabrics   %s\n", join(fabrics).c_str());
    return kDone;
}

} // namespace

/// selvage info: what this program is and what it found.
void add_info_command(CommandLine& line) {
    Command command = line.add_command("info", "Version, compiler, SIMD level, threads, GPU and GL");
    command.on_run([] { return info(); });
}

} // namespace selvage
