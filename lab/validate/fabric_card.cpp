#include "lab/validate/fabric_card.h"

#include <cstdio>

#include "base/concat.h"
#include "base/suggest.h"
#include "model/bending.h"

namespace selvage {

namespace {

constexpr double kStandardG = 9.81;

template <class... Values>
std::string format(const char* pattern, Values... values) {
    char text[256];
    std::snprintf(text, sizeof text, pattern, values...);
    return text;
}

std::string number_line(const Field& field, const Material& material) {
    if (const auto* choice = std::get_if<Choice>(&field.member))
        return format("  %-18s %10s\n", field.key.data(), choice->names[choice->get(&material)].c_str());
    const double value = std::get<Place<double>>(field.member).in(&material);
    return format("  %-18s %10.4g %s\n", field.key.data(), value, field.unit.data());
}

/// Keys that share a source are named together.
std::string source_lines(const Fabric& fabric) {
    std::vector<std::pair<std::string, std::vector<std::string>>> by_text;
    for (const auto& [key, text] : fabric.sources) {
        std::size_t k = 0;
        while (k < by_text.size() && by_text[k].first != text)
            ++k;
        if (k == by_text.size()) by_text.push_back({text, {}});
        by_text[k].second.push_back(key);
    }
    std::string lines;
    for (const auto& [text, keys] : by_text)
        lines += concat("  ", join(keys), ": ", text, "\n");
    return lines.empty() ? "  none given\n" : lines;
}

std::string drape_line(const FabricCard& card) {
    if (!card.drape) return "";
    const DrapeResult& drape = *card.drape;
    std::string line = format("  drape coefficient     %.0f %%, %d folds%s\n", 100.0 * drape.coefficient, drape.folds,
                              drape.rested ? "" : " (still moving)");
    line += "                        simulated: a disc of 30 cm between plates of 18 cm\n";
    if (card.measured)
        line += format("                        measured on this kind of cloth: %.0f to %.0f %% ",
                       100.0 * card.measured->low, 100.0 * card.measured->high) +
                concat("(", card.measured->source, ")\n");
    return line;
}

} // namespace

const std::vector<DrapeBand>& published_drapes() {
    static const std::vector<DrapeBand> bands = {
        {"silk-habotai", 0.20, 0.40, "Matsudaira and Yang 2003, light woven silk"},
        {"cotton-poplin", 0.60, 0.76, "Gan, Ly and Steven 1991, plain woven cotton: measured 68.4 %"},
        {"wool-suiting", 0.40, 0.70, "worsted suiting, range of drape studies"},
        {"denim", 0.70, 0.90, "heavy cotton twill, range of drape studies"},
        {"leather", 0.47, 0.70, "Memon et al. 2021, sheep leather for garments"},
    };
    return bands;
}

const DrapeBand* published_drape(const std::string& fabric) {
    for (const DrapeBand& band : published_drapes())
        if (band.fabric == fabric) return &band;
    return nullptr;
}

FabricCard make_fabric_card(Fabric fabric) {
    FabricCard card;
    const Material& m = fabric.material;
    card.bending_length_warp = bending_length(m, m.bend_warp);
    card.bending_length_weft = bending_length(m, m.bend_weft);
    card.bending_length_bias = bending_length(m, bend_rigidity(m, 0.5));
    // At the top it carries its whole weight: density g L / Y. A limp thread (Y = 0) has no such number.
    card.hanging_strain_warp = m.stretch_warp > 0.0 ? m.density * kStandardG / m.stretch_warp : 0.0;
    card.hanging_strain_weft = m.stretch_weft > 0.0 ? m.density * kStandardG / m.stretch_weft : 0.0;
    if (const DrapeBand* band = published_drape(fabric.name)) card.measured = *band;
    card.fabric = std::move(fabric);
    return card;
}

std::string card_text(const FabricCard& card) {
    std::string text = card.fabric.name;
    if (!card.fabric.description.empty()) text += ": " + card.fabric.description;
    text += "\n";
    for (const Field& field : material_fields())
        text += number_line(field, card.fabric.material);
    text += "predicted\n";
    text += format("  bending length        %.1f mm warp, %.1f mm weft, %.1f mm bias\n", 1e3 * card.bending_length_warp,
                   1e3 * card.bending_length_weft, 1e3 * card.bending_length_bias);
    text += format("  overhang at 41.5 deg  %.0f mm warp, %.0f mm weft (twice the bending length)\n",
                   2e3 * card.bending_length_warp, 2e3 * card.bending_length_weft);
    text += format("  strain of 1 m hung    %.3g %% along the warp, %.3g %% along the weft, at the top\n",
                   100.0 * card.hanging_strain_warp, 100.0 * card.hanging_strain_weft);
    text += drape_line(card);
    return text + "sources\n" + source_lines(card.fabric);
}

Json card_json(const FabricCard& card) {
    Json json = {{"name", card.fabric.name}, {"description", card.fabric.description}};
    for (const Field& field : material_fields())
        if (const auto* number = std::get_if<Place<double>>(&field.member))
            json[std::string(field.key)] = number->in(&card.fabric.material);
        else if (const auto* choice = std::get_if<Choice>(&field.member))
            json[std::string(field.key)] = choice->names[choice->get(&card.fabric.material)];
    Json& predicted = json["predicted"];
    predicted["bending_length"] = {
        {"warp", card.bending_length_warp}, {"weft", card.bending_length_weft}, {"bias", card.bending_length_bias}};
    predicted["hanging_strain"] = {{"warp", card.hanging_strain_warp}, {"weft", card.hanging_strain_weft}};
    if (card.drape)
        predicted["drape"] = {
            {"coefficient", card.drape->coefficient}, {"folds", card.drape->folds}, {"rested", card.drape->rested}};
    if (card.measured)
        json["measured_drape"] = {
            {"low", card.measured->low}, {"high", card.measured->high}, {"source", card.measured->source}};
    json["sources"] = Json::object();
    for (const auto& [key, text] : card.fabric.sources)
        json["sources"][key] = text;
    return json;
}

} // namespace selvage
