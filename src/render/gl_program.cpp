#include "render/gl_program.h"

#include "base/concat.h"
#include "render/gl_api.h"

namespace selvage {

void destroy_program(unsigned name) {
    glDeleteProgram(name);
}

namespace {

void destroy_shader(unsigned name) {
    glDeleteShader(name);
}
using GlShader = GlName<destroy_shader>;

Result<GlShader> compile(GLenum stage, const ShaderText& source, const std::string& name) {
    GlShader shader(glCreateShader(stage));
    const char* text = source.text.c_str();
    glShaderSource(shader.get(), 1, &text, nullptr);
    glCompileShader(shader.get());
    GLint good = 0, size = 0;
    glGetShaderiv(shader.get(), GL_COMPILE_STATUS, &good);
    if (good) return shader;
    glGetShaderiv(shader.get(), GL_INFO_LOG_LENGTH, &size);
    std::string log(static_cast<std::size_t>(size), '\0');
    glGetShaderInfoLog(shader.get(), size, &size, log.data());
    log.resize(static_cast<std::size_t>(size));
    return Error{concat("does not compile: ", source.name_lines(log)), "shaders/" + name, ErrorKind::work};
}

} // namespace

Result<GlProgram> GlProgram::make(GlDialect dialect, const std::string& vertex, const std::string& fragment,
                                  const std::map<std::string, std::string>& defines,
                                  std::span<const ShaderFile> files) {
    const Result<ShaderText> vertex_text = assemble_shader(dialect, vertex, defines, files);
    if (!vertex_text) return vertex_text.error();
    const Result<ShaderText> fragment_text = assemble_shader(dialect, fragment, defines, files);
    if (!fragment_text) return fragment_text.error();
    const Result<GlShader> vertex_shader = compile(GL_VERTEX_SHADER, *vertex_text, vertex);
    if (!vertex_shader) return vertex_shader.error();
    const Result<GlShader> fragment_shader = compile(GL_FRAGMENT_SHADER, *fragment_text, fragment);
    if (!fragment_shader) return fragment_shader.error();

    GlProgram program;
    program.name_ = GlName<destroy_program>(glCreateProgram());
    glAttachShader(program.name_.get(), vertex_shader->get());
    glAttachShader(program.name_.get(), fragment_shader->get());
    glLinkProgram(program.name_.get());
    GLint good = 0, size = 0;
    glGetProgramiv(program.name_.get(), GL_LINK_STATUS, &good);
    if (good) return program;
    glGetProgramiv(program.name_.get(), GL_INFO_LOG_LENGTH, &size);
    std::string log(static_cast<std::size_t>(size), '\0');
    glGetProgramInfoLog(program.name_.get(), size, &size, log.data());
    log.resize(static_cast<std::size_t>(size));
    return Error{concat("does not link with ", vertex, ": ", log), "shaders/" + fragment, ErrorKind::work};
}

void GlProgram::use() const {
    glUseProgram(name_.get());
}

int GlProgram::location(const char* uniform) {
    const auto [place, is_new] = locations_.try_emplace(uniform, -1);
    if (is_new) place->second = glGetUniformLocation(name_.get(), uniform);
    return place->second;
}

void GlProgram::set(const char* uniform, float value) {
    glUniform1f(location(uniform), value);
}
void GlProgram::set(const char* uniform, int value) {
    glUniform1i(location(uniform), value);
}
void GlProgram::set(const char* uniform, float x, float y) {
    glUniform2f(location(uniform), x, y);
}
void GlProgram::set(const char* uniform, const Vec3f& value) {
    glUniform3f(location(uniform), value.x, value.y, value.z);
}
void GlProgram::set(const char* uniform, const std::array<float, 4>& value) {
    glUniform4fv(location(uniform), 1, value.data());
}
void GlProgram::set(const char* uniform, const Mat4f& value) {
    glUniformMatrix4fv(location(uniform), 1, GL_FALSE, value.data());
}
void GlProgram::set(const char* uniform, std::span<const Vec3f> values) {
    static_assert(sizeof(Vec3f) == 3 * sizeof(float));
    glUniform3fv(location(uniform), static_cast<GLsizei>(values.size()), &values.data()->x);
}

void GlProgram::set_texture(const char* uniform, const GlTexture& texture, int unit) {
    texture.bind(unit);
    set(uniform, unit);
}

} // namespace selvage
