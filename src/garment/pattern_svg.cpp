#include "garment/pattern_svg.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>

#include "base/concat.h"
#include "base/numbers.h"
#include "scene/json_text.h"

namespace selvage {

namespace {

constexpr double kSvgUnit = 1e-3;  // metres per unit written
constexpr double kSvgJoint = 1e-5; // [m]; ends of paths that are nearer are one point

std::string svg_number(double value) {
    std::string text;
    append_number(text, value + 0.0, 9);
    return text;
}

std::string svg_escape(const std::string& text) {
    std::string out;
    for (const char c : text)
        out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : std::string(1, c);
    return out;
}

std::string svg_unescape(const std::string& text) {
    static constexpr std::pair<std::string_view, char> kNames[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}};
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const auto name = std::find_if(std::begin(kNames), std::end(kNames),
                                       [&](const auto& n) { return text.compare(at, n.first.size(), n.first) == 0; });
        const bool known = name != std::end(kNames);
        out += known ? name->second : text[at];
        at += known ? name->first.size() : 1;
    }
    return out;
}

/// The number at the front of a text; 0 where there is none.
double number_in(const std::string& text) {
    double value = 0.0;
    return read_number(text, value) > 0 && std::isfinite(value) ? std::clamp(value, -1e6, 1e6) : 0.0;
}

struct SvgTag {
    std::string name;
    std::map<std::string, std::string> attributes;
    bool closes = false, is_empty = false;
    int line = 1;

    std::string get(const std::string& key) const {
        const auto found = attributes.find(key);
        return found == attributes.end() ? "" : found->second;
    }
};

/// The tags of an XML text, one after the other; what stands between them, comments and declarations are skipped.
class SvgTags {
public:
    explicit SvgTags(const std::string& text) : text_(text) {}

    std::optional<SvgTag> next() {
        for (;;) {
            skip_to('<');
            if (at_ >= text_.size()) return std::nullopt;
            if (text_.compare(at_, 4, "<!--") == 0) {
                const std::size_t end = text_.find("-->", at_);
                advance(end == std::string::npos ? text_.size() : end + 3);
            } else if (text_.compare(at_, 2, "<?") == 0 || text_.compare(at_, 2, "<!") == 0) {
                skip_to('>');
            } else {
                return read_tag();
            }
        }
    }

private:
    void advance(std::size_t to) {
        to = std::min(to, text_.size());
        line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                             text_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
        at_ = to;
    }
    void skip_to(char c) { advance(std::min(text_.find(c, at_), text_.size())); }
    bool at_end() const { return at_ >= text_.size(); }
    void skip_space() {
        while (!at_end() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
            advance(at_ + 1);
    }
    std::string word() {
        const std::size_t end = std::min(text_.find_first_of(" \t\r\n=/>", at_), text_.size());
        const std::string out = text_.substr(at_, end - at_);
        advance(end);
        return out;
    }

    SvgTag read_tag() {
        SvgTag tag;
        tag.line = line_;
        advance(at_ + 1);
        if (!at_end() && text_[at_] == '/') {
            tag.closes = true;
            advance(at_ + 1);
        }
        tag.name = word();
        if (const std::size_t colon = tag.name.find(':'); colon != std::string::npos) tag.name.erase(0, colon + 1);
        for (skip_space(); !at_end() && text_[at_] != '>'; skip_space()) {
            if (text_[at_] == '/') {
                tag.is_empty = true;
                advance(at_ + 1);
                continue;
            }
            const std::string key = word();
            skip_space();
            if (at_end() || text_[at_] != '=') {
                if (key.empty()) advance(at_ + 1);
                continue;
            }
            advance(at_ + 1);
            skip_space();
            if (at_end() || (text_[at_] != '"' && text_[at_] != '\'')) continue;
            const char quote = text_[at_];
            const std::size_t end = std::min(text_.find(quote, at_ + 1), text_.size());
            tag.attributes[key] = svg_unescape(text_.substr(at_ + 1, end - at_ - 1));
            advance(end + 1);
        }
        advance(at_ + 1);
        return tag;
    }

    const std::string& text_;
    std::size_t at_ = 0;
    int line_ = 1;
};

/// The data of a path, as points and curves in its own units, y downwards.
class SvgPath {
public:
    explicit SvgPath(const std::string& data) : data_(data) {}

    /// Empty message: fine.
    std::string read(Vec2& start, std::vector<PatternEdge>& edges) {
        char command = 0;
        for (skip(); at_ < data_.size(); skip()) {
            if (std::isalpha(static_cast<unsigned char>(data_[at_])) != 0)
                command = data_[at_++];
            else if (command == 0 || command == 'Z' || command == 'z')
                return "starts without a command";
            const bool relative = command >= 'a';
            if (const std::string problem = run(static_cast<char>(command & ~0x20), relative, start, edges);
                !problem.empty())
                return problem;
            if (command == 'M') command = 'L';
            if (command == 'm') command = 'l';
        }
        return edges.empty() ? "has no line or curve" : "";
    }

private:
    void skip() {
        while (at_ < data_.size() && std::string_view(" \t\r\n,").find(data_[at_]) != std::string_view::npos)
            ++at_;
    }
    bool number(double& out) {
        skip();
        const std::size_t taken = read_number(std::string_view(data_).substr(at_), out);
        at_ += taken;
        return taken > 0 && std::isfinite(out);
    }
    bool point(bool relative, Vec2& out) {
        if (!number(out.x) || !number(out.y)) return false;
        if (relative) out = out + here_;
        return true;
    }
    void line_to(const Vec2& to, std::vector<PatternEdge>& edges) {
        edges.push_back({"", to, false, {}});
        here_ = control_ = to;
    }
    void curve_to(const Vec2& a, const Vec2& b, const Vec2& to, std::vector<PatternEdge>& edges) {
        edges.push_back({"", to, true, {a, b}});
        here_ = to;
        control_ = b;
    }

    std::string run(char command, bool relative, Vec2& start, std::vector<PatternEdge>& edges) {
        Vec2 a = here_, b = here_, to = here_;
        const Vec2 mirrored = here_ + (here_ - control_);
        bool good = true;
        switch (command) {
        case 'M':
            if (has_start_) return "has more than one part (a second M); expected one line per path";
            good = point(relative, to);
            start = here_ = control_ = to;
            has_start_ = true;
            break;
        case 'L':
            good = point(relative, to);
            line_to(to, edges);
            break;
        case 'H':
            good = number(to.x);
            if (relative) to.x += here_.x;
            line_to(to, edges);
            break;
        case 'V':
            good = number(to.y);
            if (relative) to.y += here_.y;
            line_to(to, edges);
            break;
        case 'C':
            good = point(relative, a) && point(relative, b) && point(relative, to);
            curve_to(a, b, to, edges);
            break;
        case 'S':
            good = point(relative, b) && point(relative, to);
            curve_to(mirrored, b, to, edges);
            break;
        case 'Q':
        case 'T': { // a quadratic curve as the cubic one that it is
            Vec2 middle = mirrored;
            good = (command == 'T' || point(relative, middle)) && point(relative, to);
            curve_to(mix(here_, middle, 2.0 / 3.0), mix(to, middle, 2.0 / 3.0), to, edges);
            control_ = middle;
            break;
        }
        case 'Z':
            if (length(here_ - start) > 0.0) line_to(start, edges);
            break;
        default:
            return concat("has the command \"", std::string(1, command), "\"; expected M, L, H, V, C, S, Q, T or Z");
        }
        return good ? "" : concat("has too few numbers for its command \"", std::string(1, command), "\"");
    }

    const std::string& data_;
    std::size_t at_ = 0;
    Vec2 here_, control_;
    bool has_start_ = false;
};

/// Edges as drawn, before they are chained to an outline.
struct DrawnEdge {
    std::string id, seam;
    Vec2 start;
    std::vector<PatternEdge> parts;
    int line = 0;
};

std::string edge_name(const std::string& panel, const std::string& id) {
    return id.starts_with(panel + ".") ? id.substr(panel.size() + 1) : id;
}

class SvgReader {
public:
    SvgReader(std::string text, std::string source)
        : text_(std::move(text)), tags_(text_), source_(std::move(source)) {}

    Result<Pattern> run() {
        int depth = 0;
        while (const std::optional<SvgTag> tag = tags_.next()) {
            if (tag->name == "svg" && !tag->closes) read_size(*tag);
            if (!tag->get("transform").empty())
                return fail(*tag,
                            concat("<", tag->name, "> has a transform; expected none: apply it to the points first"));
            if (tag->name == "g" && tag->closes) {
                if (--depth == 0)
                    if (const Status ok = end_panel(*tag); !ok) return ok.error();
            } else if (tag->name == "g" && !tag->is_empty) {
                if (depth++ == 0) begin_panel(*tag);
            } else if (tag->name == "path" && !tag->closes && depth > 0) {
                if (const Status ok = add_path(*tag); !ok) return ok.error();
            }
        }
        if (pattern_.panels.empty())
            return Error{"has no panels; expected groups <g id=\"panel\"> of paths, one per edge", source_};
        if (const Status ok = join_seams(); !ok) return ok.error();
        if (const Status ok = check_pattern(pattern_); !ok) return Error{ok.error().message, source_};
        orient_outlines(pattern_);
        return std::move(pattern_);
    }

private:
    Error fail(const SvgTag& tag, const std::string& message) const {
        return {message, concat(source_, ":", tag.line)};
    }

    void read_size(const SvgTag& tag) {
        pattern_.name = tag.get("data-name");
        if (!tag.get("data-fabric").empty()) pattern_.fabric = tag.get("data-fabric");
        if (const double ease = number_in(tag.get("data-ease")); ease > 0.0) pattern_.ease = ease;
        const std::string width = tag.get("width");
        double value = 0.0;
        const std::string unit = width.substr(read_number(width, value));
        const double metres = unit == "mm"                   ? 1e-3
                              : unit == "cm"                 ? 1e-2
                              : unit == "m"                  ? 1.0
                              : unit == "in"                 ? 0.0254
                              : unit == "pt"                 ? 0.0254 / 72.0
                              : unit == "px" || unit.empty() ? 0.0254 / 96.0
                                                             : 0.0;
        std::istringstream box(tag.get("viewBox"));
        double x = 0.0, y = 0.0, across = 0.0;
        if (value > 0.0 && metres > 0.0 && !unit.empty() && (box >> x >> y >> across) && across > 0.0)
            unit_ = value * metres / across;
    }

    void begin_panel(const SvgTag& tag) {
        panel_ = {};
        edges_.clear();
        panel_.name = tag.get("id").empty() ? concat("panel", pattern_.panels.size()) : tag.get("id");
        panel_.fabric = tag.get("data-fabric");
        panel_.layer = static_cast<int>(number_in(tag.get("data-layer")));
        panel_.grain_deg = number_in(tag.get("data-grain-deg"));
        std::istringstream place(tag.get("data-place")), origin(tag.get("data-origin")), darts(tag.get("data-darts"));
        std::string shape;
        if (place >> shape >> panel_.place.around >> panel_.place.level >> panel_.place.shift >> panel_.place.turn_deg)
            panel_.place.shape = shape == "disc"   ? PanelPlace::Shape::disc
                                 : shape == "flat" ? PanelPlace::Shape::flat
                                                   : PanelPlace::Shape::tube;
        else
            panel_.place = {};
        origin_ = {};
        origin >> origin_.x >> origin_.y;
        for (PatternDart dart; darts >> dart.edge >> dart.at >> dart.width >> dart.depth;)
            panel_.darts.push_back(dart);
        std::istringstream pleats(tag.get("data-pleats"));
        std::string under;
        for (PatternDart pleat; pleats >> pleat.edge >> pleat.at >> pleat.width >> pleat.to >> under;) {
            pleat.under_end = under == "end";
            panel_.darts.push_back(pleat);
        }
    }

    Status add_path(const SvgTag& tag) {
        DrawnEdge edge{tag.get("id"), tag.get("data-seam"), {}, {}, tag.line};
        if (edge.id.empty()) edge.id = concat("edge", edges_.size());
        const std::string data = tag.get("d");
        if (const std::string problem = SvgPath(data).read(edge.start, edge.parts); !problem.empty())
            return fail(tag, concat("panel \"", panel_.name, "\": path \"", edge.id, "\" ", problem));
        const auto to_pattern = [&](Vec2& p) { p = Vec2{unit_ * p.x, -unit_ * p.y} - origin_; };
        to_pattern(edge.start);
        for (PatternEdge& part : edge.parts) {
            to_pattern(part.to);
            to_pattern(part.control[0]);
            to_pattern(part.control[1]);
        }
        edges_.push_back(std::move(edge));
        return Done{};
    }

    /// Chains the paths to one outline; further closed chains are holes.
    Status end_panel(const SvgTag& tag) {
        std::vector<PatternOutline> loops;
        std::vector<std::string> first_name;
        Vec2 here;
        for (const DrawnEdge& edge : edges_) {
            const bool closed = !loops.empty() && length(here - loops.back().start) <= kSvgJoint;
            if (loops.empty() || (closed && length(edge.start - here) > kSvgJoint)) {
                loops.push_back({edge.start, {}});
                first_name.push_back(edge.id);
            } else if (length(edge.start - here) > kSvgJoint) {
                return fail(tag, concat("panel \"", panel_.name, "\": outline is open: path \"", edge.id, "\" starts ",
                                        std::round(1e5 * length(edge.start - here)) / 100.0,
                                        " mm from where the path before it ends"));
            }
            const std::string name = edge_name(panel_.name, edge.id);
            for (std::size_t k = 0; k < edge.parts.size(); ++k) {
                loops.back().edges.push_back(edge.parts[k]);
                loops.back().edges.back().name = edge.parts.size() == 1 ? name : concat(name, "-", k);
            }
            here = edge.parts.back().to;
            if (loops.size() == 1 && edge.parts.size() == 1) note_seam(edge, name);
        }
        if (loops.empty()) return Done{}; // a group of something else
        // Ends are joined exactly.
        for (PatternOutline& loop : loops)
            if (length(loop.edges.back().to - loop.start) <= kSvgJoint) loop.edges.back().to = loop.start;
        panel_.outline = loops.front();
        panel_.holes.assign(loops.begin() + 1, loops.end());
        pattern_.panels.push_back(panel_);
        return Done{};
    }

    void note_seam(const DrawnEdge& edge, const std::string& name) {
        std::string key = edge.seam;
        if (key.empty() && (edge.id.ends_with("-a") || edge.id.ends_with("-b")))
            key = edge.id.substr(0, edge.id.size() - 2);
        if (!key.empty()) seams_[key].push_back({panel_.name, name});
    }

    Status join_seams() {
        for (const auto& [key, ends] : seams_) {
            if (ends.size() != 2)
                return Error{concat("seam \"", key, "\" is on ", ends.size(), " paths, the first ", ends.front().text(),
                                    "; expected two"),
                             source_};
            pattern_.seams.push_back({ends[0], ends[1], !key.ends_with("~")});
        }
        return Done{};
    }

    const std::string text_;
    SvgTags tags_;
    std::string source_;
    Pattern pattern_;
    PatternPanel panel_;
    Vec2 origin_;
    std::vector<DrawnEdge> edges_;
    std::map<std::string, std::vector<SeamEnd>> seams_;
    double unit_ = kSvgUnit;
};

void write_svg_panel(const Pattern& pattern, const PatternPanel& panel, const Vec2& origin, std::string& out) {
    const auto place = [&](const Vec2& p) {
        return concat(svg_number((p.x + origin.x) / kSvgUnit), " ", svg_number(-(p.y + origin.y) / kSvgUnit));
    };
    static constexpr const char* kShapes[] = {"tube", "disc", "flat"};
    const PanelPlace& at = panel.place;
    out += concat("  <g id=\"", svg_escape(panel.name), "\" data-layer=\"", panel.layer, "\" data-grain-deg=\"",
                  svg_number(panel.grain_deg), "\" data-origin=\"", svg_number(origin.x), " ", svg_number(origin.y),
                  "\" data-place=\"", kShapes[static_cast<int>(at.shape)], " ", at.around, " ", at.level, " ",
                  svg_number(at.shift), " ", svg_number(at.turn_deg), "\"");
    if (!panel.fabric.empty()) out += concat(" data-fabric=\"", svg_escape(panel.fabric), "\"");
    std::string darts, pleats;
    for (const PatternDart& d : panel.darts) {
        std::string& list = d.is_laid() ? pleats : darts;
        list += concat(list.empty() ? "" : " ", d.edge, " ", svg_number(d.at), " ", svg_number(d.width), " ");
        list += d.is_laid() ? concat(d.to, d.under_end ? " end" : " start") : svg_number(d.depth);
    }
    if (!darts.empty()) out += concat(" data-darts=\"", svg_escape(darts), "\"");
    if (!pleats.empty()) out += concat(" data-pleats=\"", svg_escape(pleats), "\"");
    out += ">\n";
    const auto write_loop = [&](const PatternOutline& outline, const std::string& prefix) {
        Vec2 from = outline.start;
        for (const PatternEdge& e : outline.edges) {
            std::string seam;
            for (std::size_t s = 0; s < pattern.seams.size() && prefix.empty(); ++s)
                for (const SeamEnd* end : {&pattern.seams[s].a, &pattern.seams[s].b})
                    if (end->panel == panel.name && end->edge == e.name)
                        seam = concat("s", 10000 + s, pattern.seams[s].reversed ? "" : "~");
            out += concat("    <path id=\"", svg_escape(concat(panel.name, ".", prefix, e.name)), "\" d=\"M ",
                          place(from));
            if (e.curved)
                out += concat(" C ", place(e.control[0]), " ", place(e.control[1]), " ", place(e.to));
            else
                out += concat(" L ", place(e.to));
            out += seam.empty() ? "\"/>\n" : concat("\" data-seam=\"", seam, "\"/>\n");
            from = e.to;
        }
    };
    write_loop(panel.outline, "");
    for (std::size_t h = 0; h < panel.holes.size(); ++h)
        write_loop(panel.holes[h], concat("hole", h, "-"));
    out += "  </g>\n";
}

} // namespace

std::string svg_text(const Pattern& pattern) {
    constexpr double kMargin = 0.02; // [m]
    std::vector<Vec2> origins;
    double across = kMargin, tallest = 0.0;
    for (const PatternPanel& panel : pattern.panels) {
        Vec2 low = panel.outline.start, high = low;
        for (int e = 0; e < static_cast<int>(panel.outline.edges.size()); ++e)
            for (const Vec2& p : edge_points(panel.outline, e)) {
                low = {std::min(low.x, p.x), std::min(low.y, p.y)};
                high = {std::max(high.x, p.x), std::max(high.y, p.y)};
            }
        origins.push_back({across - low.x, -kMargin - high.y});
        across += high.x - low.x + kMargin;
        tallest = std::max(tallest, high.y - low.y);
    }
    const std::string width = svg_number(across / kSvgUnit), height = svg_number((tallest + 2.0 * kMargin) / kSvgUnit);
    std::string out = concat(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width, "mm\" height=\"", height, "mm\" viewBox=\"0 0 ",
        width, " ", height, "\" fill=\"none\" stroke=\"black\" data-name=\"", svg_escape(pattern.name),
        "\" data-fabric=\"", svg_escape(pattern.fabric), "\" data-ease=\"", svg_number(pattern.ease), "\">\n");
    for (std::size_t p = 0; p < pattern.panels.size(); ++p)
        write_svg_panel(pattern, pattern.panels[p], origins[p], out);
    return out + "</svg>\n";
}

Result<Pattern> parse_svg_pattern(const std::string& text, const std::string& source) {
    // Names are written as JSON too, which is UTF-8; some programs draw in other character sets.
    return SvgReader(printable(text), source).run();
}

} // namespace selvage
