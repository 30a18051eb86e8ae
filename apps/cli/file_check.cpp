#include "file_check.h"

#include "base/concat.h"
#include "geometry/export_names.h"
#include "scene/scene_io.h"

namespace selvage {

namespace {

bool is_device(const std::string& path) {
    std::error_code code;
    return std::filesystem::exists(path, code) && !std::filesystem::is_regular_file(path, code);
}

} // namespace

Status check_overwriting(const std::string& scene_name, const SceneDesc& scene, const std::vector<NamedFile>& inputs,
                         const std::vector<NamedFile>& outputs) {
    std::vector<std::string> cloths;
    for (const ClothDesc& cloth : scene.cloths)
        cloths.push_back(cloth.name);
    const std::vector<std::filesystem::path> read = scene_files(scene_name, scene);
    std::vector<std::pair<std::string, ExportNames>> written;
    for (const NamedFile& output : outputs) {
        if (output.path.empty() || is_device(output.path)) continue;
        const auto refuse = [&](const std::string& why) {
            return Error{concat(why, "; expected a name of its own"), concat(output.flag, " ", output.path)};
        };
        const ExportNames names = output.is_export ? export_names(output.path, cloths) : plain_name(output.path);
        for (const std::filesystem::path& file : read)
            if (may_write(names, file))
                return refuse(concat("would replace ", file.string(), ", which this run reads"));
        for (const NamedFile& input : inputs)
            if (!input.path.empty() && may_write(names, input.path))
                return refuse(concat("would replace what ", input.flag, " reads"));
        for (const auto& [flag, others] : written)
            if (overlap(names, others))
                return refuse(flag == output.flag ? "is named twice" : concat("is what ", flag, " writes"));
        written.emplace_back(output.flag, names);
    }
    return Done{};
}

} // namespace selvage
