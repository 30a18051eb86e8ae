#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "character/character.h"
#include "garment/pattern.h"

namespace selvage {

/// A garment that is cut to a body's measurements by code.
struct ReadyGarment {
    const char* name;
    const char* help;
    Pattern (*cut)(const Landmarks& body);
};

const std::vector<ReadyGarment>& ready_garments();
/// Null where there is none of this name.
const ReadyGarment* find_garment(const std::string& name);
std::vector<std::string> garment_names();

/// A ready garment by name, cut for the body, or a pattern file (.json, .svg) relative to `directory`. The body must have
/// landmarks for a ready one.
Result<Pattern> cut_garment(const std::string& name_or_path, const Character& body,
                            const std::filesystem::path& directory = {});

Pattern cut_circle_skirt(const Landmarks& body);
Pattern cut_pleated_skirt(const Landmarks& body);
Pattern cut_cape(const Landmarks& body);
Pattern cut_dress(const Landmarks& body);
Pattern cut_tshirt(const Landmarks& body);
Pattern cut_shirt(const Landmarks& body);
Pattern cut_coat_over_dress(const Landmarks& body);
Pattern cut_trousers(const Landmarks& body);
Pattern cut_table_cloth(const Landmarks& body);

} // namespace selvage
