#include "garment/ready_garments.h"

#include "base/concat.h"
#include "base/suggest.h"
#include "garment/pattern_json.h"

namespace selvage {

const std::vector<ReadyGarment>& ready_garments() {
    static const std::vector<ReadyGarment> garments = {
        {"circle-skirt", "A skirt of two half circles, to the knee, on a waistband.", cut_circle_skirt},
        {"pleated-skirt", "A skirt of 14 knife pleats, laid and stitched under a waistband.", cut_pleated_skirt},
        {"cape", "A cape open at the front, closed by a clasp at the neck.", cut_cape},
        {"a-line-dress", "A sleeveless dress that flares to the knee.", cut_dress},
        {"t-shirt", "A T-shirt with set-in sleeves.", cut_tshirt},
        {"shirt", "A shirt with long sleeves and a collar, open at the front.", cut_shirt},
        {"trousers", "Straight trousers to the ankle.", cut_trousers},
        {"coat-over-dress", "The dress, and a coat of wool over it: two layers.", cut_coat_over_dress},
        {"table-cloth", "A square of 1.5 m on a table.", cut_table_cloth},
    };
    return garments;
}

const ReadyGarment* find_garment(const std::string& name) {
    for (const ReadyGarment& garment : ready_garments())
        if (garment.name == name) return &garment;
    return nullptr;
}

std::vector<std::string> garment_names() {
    std::vector<std::string> names;
    for (const ReadyGarment& garment : ready_garments())
        names.emplace_back(garment.name);
    return names;
}

Result<Pattern> cut_garment(const std::string& name_or_path, const Character& body,
                            const std::filesystem::path& directory) {
    if (const ReadyGarment* ready = find_garment(name_or_path)) {
        if (!body.landmarks)
            return Error{concat("body \"", body.name, "\" has no landmarks to cut a garment by; expected a mannequin")};
        return ready->cut(*body.landmarks);
    }
    if (name_or_path.ends_with(".json") || name_or_path.ends_with(".svg") ||
        name_or_path.find('/') != std::string::npos)
        return load_pattern(directory / name_or_path);
    const std::string nearest = nearest_word(name_or_path, garment_names());
    return Error{concat("no garment of this name; expected a pattern (.json, .svg) or one of: ", join(garment_names()),
                        nearest.empty() ? "" : concat("; did you mean \"", nearest, "\"?")),
                 name_or_path};
}

} // namespace selvage
