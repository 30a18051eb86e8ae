#include "render/shader_text.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <sstream>

#include "base/concat.h"

namespace selvage {

namespace {

// Everything is highp: pictures must not depend on the dialect, and GLES has no default for samplers beyond these two.
constexpr const char* kEsPrefix = "#version 300 es\n"
                                  "precision highp float;\n"
                                  "precision highp int;\n"
                                  "precision highp sampler2D;\n"
                                  "precision highp samplerCube;\n"
                                  "precision highp sampler2DShadow;\n";
constexpr const char* kDesktopPrefix = "#version 330 core\n";

/// The name in a line `#include "name"`; nothing in any other line.
std::optional<std::string> included_file(const std::string& line) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos || line.compare(begin, 8, "#include") != 0) return std::nullopt;
    const std::size_t open = line.find('"', begin), close = line.find('"', open + 1);
    if (open == std::string::npos || close == std::string::npos) return std::nullopt;
    return line.substr(open + 1, close - open - 1);
}

/// Where a driver's message names a line of our text: Mesa "0:12(5): error", NVIDIA "0(12) : error", ANGLE "ERROR:
/// 0:12:".
struct NamedLine {
    std::size_t begin, end; // of the place within the message, with the colon after it
    int line;
};

std::optional<NamedLine> find_line(const std::string& message) {
    const auto digit = [&](std::size_t i) {
        return i < message.size() && std::isdigit(static_cast<unsigned char>(message[i])) != 0;
    };
    for (std::size_t i = 0; i + 2 < message.size(); ++i) {
        if (message[i] != '0' || (i > 0 && message[i - 1] != ' ')) continue;
        if ((message[i + 1] != ':' && message[i + 1] != '(') || !digit(i + 2)) continue;
        std::size_t end = i + 2;
        int line = 0;
        for (; digit(end) && line < 1000000; ++end)
            line = 10 * line + (message[end] - '0');
        const std::size_t colon = message.find(':', end);
        if (colon != std::string::npos) return NamedLine{i, colon + 1, line};
    }
    return std::nullopt;
}

class Assembler {
public:
    explicit Assembler(std::span<const ShaderFile> files) : files_(files) {}

    void add_lines(const std::string& text, const std::string& file) {
        std::istringstream lines(text);
        std::string line;
        for (int number = 1; std::getline(lines, line); ++number)
            add_line(line, file, number);
    }

    Status add_file(const std::string& name, const std::string& asked_by) {
        if (!seen_.insert(name).second) return Done{};
        const auto file =
            std::find_if(files_.begin(), files_.end(), [&](const ShaderFile& f) { return f.name == name; });
        if (file == files_.end()) {
            std::string known;
            for (const ShaderFile& f : files_)
                known += (known.empty() ? "" : ", ") + f.name;
            return Error{concat("no shader file \"", name, "\"; expected one of: ", known), asked_by, ErrorKind::work};
        }
        std::istringstream lines(file->text);
        std::string line;
        for (int number = 1; std::getline(lines, line); ++number) {
            if (const std::optional<std::string> chunk = included_file(line)) {
                const std::string here = concat("shaders/", name, ":", number);
                if (const Status ok = add_file(*chunk, here); !ok) return ok;
            } else
                add_line(line, name, number);
        }
        return Done{};
    }

    ShaderText take() { return std::move(out_); }

private:
    void add_line(const std::string& line, const std::string& file, int number) {
        out_.text += line + "\n";
        out_.origin.push_back({file, number});
    }

    std::span<const ShaderFile> files_;
    std::set<std::string> seen_;
    ShaderText out_;
};

} // namespace

std::string ShaderText::name_lines(const std::string& log) const {
    std::string named;
    std::istringstream lines(log);
    std::string line;
    while (std::getline(lines, line)) {
        const std::optional<NamedLine> place = find_line(line);
        if (place && place->line >= 1 && place->line <= static_cast<int>(origin.size())) {
            const Origin& from = origin[static_cast<std::size_t>(place->line) - 1];
            line = concat(line.substr(0, place->begin), "shaders/", from.file, ":", from.line, ":",
                          line.substr(place->end));
        }
        named += (named.empty() ? "" : "\n") + line;
    }
    return named;
}

Result<ShaderText> assemble_shader(GlDialect dialect, const std::string& name,
                                   const std::map<std::string, std::string>& defines,
                                   std::span<const ShaderFile> files) {
    Assembler assembler(files);
    assembler.add_lines(dialect == GlDialect::es_30 ? kEsPrefix : kDesktopPrefix, "version");
    for (const auto& [key, value] : defines)
        assembler.add_lines(concat("#define ", key, " ", value), "defines");
    if (const Status ok = assembler.add_file(name, "GL program"); !ok) return ok.error();
    return assembler.take();
}

} // namespace selvage
