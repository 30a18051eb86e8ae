#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "scene/scene_desc.h"

namespace selvage {

/// A file of the command line: the flag that names it, and the name.
struct NamedFile {
    std::string flag;
    std::string path;       ///< Empty: the flag was not given.
    bool is_export = false; ///< May stand for several files (mesh_export.h).
};

/// Fails where an output would replace a file that the same run reads, or another output, whatever way the names are
/// spelt (links among them). Call it before anything is written. `inputs` are files besides the scene's.
Status check_overwriting(const std::string& scene_name, const SceneDesc& scene, const std::vector<NamedFile>& inputs,
                         const std::vector<NamedFile>& outputs);

} // namespace selvage
