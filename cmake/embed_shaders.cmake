# Run at build time: writes the named files of FOLDER as raw string literals into a function of src/render/shader_text.h.
string(REPLACE "," ";" NAMES "${NAMES}")
set(entries "")
foreach(name IN LISTS NAMES)
    # Brackets and semicolons mean something to CMake's lists, but not inside one quoted string.
    file(READ ${FOLDER}/${name} text)
    string(APPEND entries "        {\"${name}\", R\"selvage_embedded(${text})selvage_embedded\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"render/shader_text.h\"\n\nnamespace selvage {\n
const std::vector<ShaderFile>& builtin_shaders() {\n    static const std::vector<ShaderFile> files = {\n${entries}    };
    return files;\n}\n\n} // namespace selvage\n")
