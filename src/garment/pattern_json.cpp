#include "garment/pattern_json.h"

#include <algorithm>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "garment/pattern_svg.h"
#include "scene/json_fields.h"

namespace selvage {

namespace {

constexpr Range kPatternPlace{-100.0, 100.0, false};
constexpr Range kPatternLength{0.0, 100.0, false};
constexpr Range kPatternAngle{-36000.0, 36000.0, false};
const std::vector<std::string> kPlaceShapes{"tube", "disc", "flat"};
const std::vector<std::string> kPleatSides{"start", "end"};

Vec2 read_point(const JsonCursor& cursor) {
    const std::optional<Pair> point = cursor.array<double, 2>(kPatternPlace);
    return point ? Vec2{(*point)[0], (*point)[1]} : Vec2{};
}

std::optional<double> read_value(const JsonCursor& c, const Range& range, double) {
    return c.number(range);
}
std::optional<int> read_value(const JsonCursor& c, const Range& range, int) {
    return c.integer(range);
}
std::optional<bool> read_value(const JsonCursor& c, const Range&, bool) {
    return c.boolean();
}
std::optional<std::string> read_value(const JsonCursor& c, const Range&, const std::string&) {
    return c.string();
}

template <class T>
void read_into(JsonCursor& cursor, const std::string& key, const Range& range, T& out) {
    if (const std::optional<JsonCursor> child = cursor.child(key))
        if (const auto value = read_value(*child, range, out)) out = *value;
}

PatternOutline read_outline(JsonCursor cursor) {
    PatternOutline outline;
    if (!cursor.is_object()) return outline;
    if (const std::optional<JsonCursor> start = cursor.child("start"))
        outline.start = read_point(*start);
    else
        cursor.missing("start", "the point [x, y] that the first edge starts at");
    const std::optional<JsonCursor> edges = cursor.child("edges");
    if (!edges) cursor.missing("edges", "a list of edges");
    if (edges)
        for (JsonCursor& item : edges->items()) {
            PatternEdge edge{concat("edge", outline.edges.size()), {}, false, {}};
            if (!item.is_object()) break;
            read_into(item, "name", kAny, edge.name);
            if (const std::optional<JsonCursor> to = item.child("to"))
                edge.to = read_point(*to);
            else
                item.missing("to", "the point [x, y] that the edge ends at");
            if (const std::optional<JsonCursor> curve = item.child("curve")) {
                const std::vector<JsonCursor> controls = curve->items();
                edge.curved = true;
                if (controls.size() != 2)
                    curve->expected("two points, [[x, y], [x, y]]: those between the ends of a cubic Bezier curve");
                else
                    edge.control = {read_point(controls[0]), read_point(controls[1])};
            }
            item.finish();
            outline.edges.push_back(edge);
        }
    cursor.finish();
    return outline;
}

/// Darts have a depth; pleats are given by how far they go under, which takes twice that of the edge. With `to` they are
/// laid and stitched.
void read_darts(JsonCursor& panel, std::vector<PatternDart>& darts) {
    if (const std::optional<JsonCursor> list = panel.child("darts"))
        for (JsonCursor& item : list->items()) {
            PatternDart dart;
            if (!item.is_object()) break;
            read_into(item, "edge", kAny, dart.edge);
            read_into(item, "at", kFraction, dart.at);
            read_into(item, "width", kPatternLength, dart.width);
            read_into(item, "depth", {1e-4, 100.0, false}, dart.depth);
            if (!(dart.depth > 0.0)) item.missing("depth", "how deep the dart is, in metres");
            item.finish();
            darts.push_back(dart);
        }
    if (const std::optional<JsonCursor> list = panel.child("pleats"))
        for (JsonCursor& item : list->items()) {
            PatternDart pleat;
            if (!item.is_object()) break;
            read_into(item, "edge", kAny, pleat.edge);
            read_into(item, "at", kFraction, pleat.at);
            double fold = 0.0;
            read_into(item, "fold", kPatternLength, fold);
            pleat.width = 2.0 * fold;
            read_into(item, "to", kAny, pleat.to);
            if (const std::optional<JsonCursor> under = item.child("under"))
                if (const std::optional<int> index = read_choice(*under, kPleatSides)) pleat.under_end = *index == 1;
            item.finish();
            darts.push_back(pleat);
        }
}

PanelPlace read_panel_place(JsonCursor cursor) {
    PanelPlace place;
    if (!cursor.is_object()) return place;
    if (const std::optional<JsonCursor> shape = cursor.child("shape"))
        if (const std::optional<int> index = read_choice(*shape, kPlaceShapes))
            place.shape = static_cast<PanelPlace::Shape>(*index);
    read_into(cursor, "around", kAny, place.around);
    read_into(cursor, "level", kAny, place.level);
    read_into(cursor, "shift", kPatternPlace, place.shift);
    read_into(cursor, "turn_deg", kPatternAngle, place.turn_deg);
    cursor.finish();
    return place;
}

PatternPanel read_panel(JsonCursor cursor, std::size_t index) {
    PatternPanel panel;
    panel.name = concat("panel", index);
    if (!cursor.is_object()) return panel;
    read_into(cursor, "name", kAny, panel.name);
    read_into(cursor, "layer", {0.0, 100.0, false}, panel.layer);
    read_into(cursor, "fabric", kAny, panel.fabric);
    read_into(cursor, "grain_deg", kPatternAngle, panel.grain_deg);
    if (const std::optional<JsonCursor> outline = cursor.child("outline"))
        panel.outline = read_outline(*outline);
    else
        cursor.missing("outline", "an object with \"start\" and \"edges\"");
    if (const std::optional<JsonCursor> holes = cursor.child("holes"))
        for (const JsonCursor& item : holes->items())
            panel.holes.push_back(read_outline(item));
    read_darts(cursor, panel.darts);
    if (const std::optional<JsonCursor> place = cursor.child("place")) panel.place = read_panel_place(*place);
    cursor.finish();
    return panel;
}

SeamEnd read_seam_end(JsonCursor& seam, const std::string& key) {
    SeamEnd end;
    const std::optional<JsonCursor> child = seam.child(key);
    if (!child) {
        seam.missing(key, "\"panel.edge\"");
        return end;
    }
    const std::string text = child->string().value_or("");
    const std::size_t dot_at = text.find('.');
    if (dot_at == std::string::npos || dot_at == 0 || dot_at + 1 == text.size()) {
        if (child->ok()) child->expected("\"panel.edge\", the names of a panel and of one of its edges");
        return end;
    }
    return {text.substr(0, dot_at), text.substr(dot_at + 1)};
}

Json point_json(const Vec2& p) {
    return Json::array({p.x, p.y});
}

Json outline_json(const PatternOutline& outline) {
    Json json{{"start", point_json(outline.start)}, {"edges", Json::array()}};
    for (const PatternEdge& e : outline.edges) {
        Json edge{{"name", e.name}, {"to", point_json(e.to)}};
        if (e.curved) edge["curve"] = Json::array({point_json(e.control[0]), point_json(e.control[1])});
        json["edges"].push_back(edge);
    }
    return json;
}

Json panel_json(const PatternPanel& panel) {
    Json json{{"name", panel.name}, {"layer", panel.layer}, {"grain_deg", panel.grain_deg}};
    if (!panel.fabric.empty()) json["fabric"] = panel.fabric;
    json["outline"] = outline_json(panel.outline);
    for (const PatternOutline& hole : panel.holes)
        json["holes"].push_back(outline_json(hole));
    for (const PatternDart& d : panel.darts) {
        if (d.depth > 0.0) {
            json["darts"].push_back({{"edge", d.edge}, {"at", d.at}, {"width", d.width}, {"depth", d.depth}});
            continue;
        }
        Json pleat{{"edge", d.edge}, {"at", d.at}, {"fold", 0.5 * d.width}};
        if (d.is_laid()) pleat["to"] = d.to;
        if (d.is_laid()) pleat["under"] = kPleatSides[d.under_end ? 1 : 0];
        json["pleats"].push_back(pleat);
    }
    json["place"] = {{"shape", kPlaceShapes[static_cast<std::size_t>(panel.place.shape)]},
                     {"around", panel.place.around},
                     {"level", panel.place.level},
                     {"shift", panel.place.shift},
                     {"turn_deg", panel.place.turn_deg}};
    return json;
}

} // namespace

Result<Pattern> parse_pattern(std::string text, std::string source) {
    Result<JsonDocument> document = parse_json(std::move(text), source);
    if (!document) return document.error();
    Pattern pattern;
    JsonCursor root(*document, document->root, "");
    if (root.is_object()) {
        read_into(root, "name", kAny, pattern.name);
        read_into(root, "description", kAny, pattern.description);
        read_into(root, "fabric", kAny, pattern.fabric);
        read_into(root, "ease", {0.0, 10.0, false}, pattern.ease);
        if (const std::optional<JsonCursor> panels = root.child("panels")) {
            const std::vector<JsonCursor> items = panels->items();
            for (std::size_t i = 0; i < items.size(); ++i)
                pattern.panels.push_back(read_panel(items[i], i));
        } else {
            root.missing("panels", "a list with at least one panel");
        }
        if (const std::optional<JsonCursor> seams = root.child("seams"))
            for (JsonCursor& item : seams->items()) {
                PatternSeam seam;
                if (!item.is_object()) break;
                seam.a = read_seam_end(item, "a");
                seam.b = read_seam_end(item, "b");
                read_into(item, "reversed", kAny, seam.reversed);
                item.finish();
                pattern.seams.push_back(seam);
            }
        root.finish();
    }
    if (document->error) return *document->error;
    if (const Status ok = check_pattern(pattern); !ok) return Error{ok.error().message, source};
    orient_outlines(pattern);
    return pattern;
}

Result<Pattern> load_pattern(const std::filesystem::path& path) {
    constexpr std::uintmax_t kLargest = std::uintmax_t{64} << 20;
    Result<std::string> text = read_file(path, kLargest);
    if (!text) return text.error();
    if (path.extension() == ".svg") return parse_svg_pattern(*text, path.string());
    Result<Pattern> pattern = parse_pattern(std::move(*text), path.string());
    if (pattern && pattern->name.empty()) pattern->name = path.stem().string();
    return pattern;
}

std::string pattern_text(const Pattern& pattern) {
    Json json{{"name", pattern.name},
              {"description", pattern.description},
              {"fabric", pattern.fabric},
              {"ease", pattern.ease}};
    json["panels"] = Json::array();
    for (const PatternPanel& panel : pattern.panels)
        json["panels"].push_back(panel_json(panel));
    json["seams"] = Json::array();
    for (const PatternSeam& seam : pattern.seams)
        json["seams"].push_back({{"a", seam.a.text()}, {"b", seam.b.text()}, {"reversed", seam.reversed}});
    return json.dump(2) + "\n";
}

Status save_pattern(const std::filesystem::path& path, const Pattern& pattern) {
    return write_file(path, path.extension() == ".svg" ? svg_text(pattern) : pattern_text(pattern));
}

} // namespace selvage
