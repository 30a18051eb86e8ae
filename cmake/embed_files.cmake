# Run by selvage_embed: writes the named JSON files as raw string literals.
string(REPLACE "," ";" NAMES "${NAMES}")
set(entries "")
foreach(name IN LISTS NAMES)
    file(READ ${FOLDER}/${name}.json text)
    string(APPEND entries "        {\"${name}\", R\"selvage_embedded(${text})selvage_embedded\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"scene/scene_io.h\"\n\nnamespace selvage {\n
const std::vector<BuiltinFile>& ${FUNCTION}() {\n    static const std::vector<BuiltinFile> files = {\n${entries}    };
    return files;\n}\n\n} // namespace selvage\n")
