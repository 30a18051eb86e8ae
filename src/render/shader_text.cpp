#include "render/shader_text.h"

#include <algorithm>
#include <regex>
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
        static const std::regex include(R"re(\s*#include\s+"([^"]+)"\s*)re");
        std::istringstream lines(file->text);
        std::string line;
        for (int number = 1; std::getline(lines, line); ++number) {
            std::smatch match;
            if (std::regex_match(line, match, include)) {
                const std::string here = concat("shaders/", name, ":", number);
                if (const Status ok = add_file(match[1], here); !ok) return ok;
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
    // Mesa "0:12(5): error", NVIDIA "0(12) : error", ANGLE "ERROR: 0:12: ...".
    static const std::regex place(R"re(\b0(?::(\d+)(?:\(\d+\))?|\((\d+)\))\s*:)re");
    std::string named;
    std::istringstream lines(log);
    std::string line;
    while (std::getline(lines, line)) {
        std::smatch match;
        if (std::regex_search(line, match, place)) {
            const int number = std::stoi(match[1].matched ? match[1] : match[2]);
            if (number >= 1 && number <= static_cast<int>(origin.size())) {
                const Origin& from = origin[static_cast<std::size_t>(number) - 1];
                line = concat(match.prefix().str(), "shaders/", from.file, ":", from.line, ":", match.suffix().str());
            }
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
