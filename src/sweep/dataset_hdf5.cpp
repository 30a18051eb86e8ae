// HDF5 files of jobs, made in memory and written by us: so they appear whole or not at all, a full disk is an ordinary
// error, and HDF5's locks never meet ours. Times of objects are switched off, or no two files would be alike.

#include <hdf5.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/concat.h"
#include "base/suggest.h"
#include "collision/shapes/solid_mesh.h"
#include "scene/json_fields.h"
#include "scene/scene_io.h"
#include "scene/scene_json.h"
#include "sweep/dataset_file.h"

namespace selvage {

namespace {

/// An HDF5 object, closed at the end of its scope.
class Handle {
public:
    Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Handle& operator=(Handle&&) = delete;
    ~Handle() {
        if (id_ >= 0) close_(id_);
    }
    operator hid_t() const { return id_; }

private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

/// HDF5 prints its errors unless told not to; ours say what matters.
void be_silent() {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Error dataset_failure(const std::string& what) {
    return {concat("HDF5 failed to ", what), "", ErrorKind::work};
}

/// Writes one file. The first failure is kept; later calls do nothing.
class DatasetWriter {
public:
    explicit DatasetWriter(int compression) : compression_(compression) {
        be_silent();
        const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
        // The image of a newer format would carry a checksum from before it was closed.
        H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
        constexpr std::size_t kStep = std::size_t{1} << 20; // by which the memory grows
        H5Pset_fapl_core(access, kStep, false);
        const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
        H5Pset_obj_track_times(creation, false);
        file_ = H5Fcreate("job.h5", H5F_ACC_TRUNC, creation, access);
        check(file_ >= 0, "create a file");
    }
    DatasetWriter(const DatasetWriter&) = delete;
    DatasetWriter& operator=(const DatasetWriter&) = delete;
    ~DatasetWriter() {
        if (file_ >= 0) H5Fclose(file_);
    }

    hid_t root() const { return file_; }

    Handle group(hid_t parent, const std::string& name) {
        const Handle creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
        H5Pset_obj_track_times(creation, false);
        Handle made(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose);
        check(made >= 0, "make a group");
        return made;
    }

    void text(hid_t object, const std::string& name, const std::string& value) {
        const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
        H5Tset_size(type, H5T_VARIABLE); // which h5py reads as str; others as bytes
        H5Tset_cset(type, H5T_CSET_UTF8);
        const char* start = value.c_str();
        attribute(object, name, type, type, &start);
    }
    void number(hid_t object, const std::string& name, double value) {
        attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
    }
    void integer(hid_t object, const std::string& name, std::int64_t value) {
        attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
    }

    void array(hid_t parent, const std::string& name, const std::vector<float>& values, std::vector<hsize_t> shape) {
        write(parent, name, {H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 4}, values.data(), shape);
    }
    void array(hid_t parent, const std::string& name, const std::vector<double>& values, std::vector<hsize_t> shape) {
        write(parent, name, {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 8}, values.data(), shape);
    }
    void array(hid_t parent, const std::string& name, const std::vector<Triangle>& triangles) {
        static_assert(sizeof(Triangle) == 3 * sizeof(int));
        write(parent, name, {H5T_STD_I32LE, H5T_NATIVE_INT, 4}, triangles.data(), {triangles.size(), 3});
    }

    /// The whole file.
    Result<std::string> bytes() {
        check(H5Fflush(file_, H5F_SCOPE_GLOBAL) >= 0, "flush a file");
        if (!failure_.empty()) return dataset_failure(failure_);
        const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
        std::string image(size > 0 ? static_cast<std::size_t>(size) : 0, '\0');
        if (size <= 0 || H5Fget_file_image(file_, image.data(), image.size()) != size)
            return dataset_failure("give its file");
        return image;
    }

private:
    struct Types {
        hid_t stored, given;
        hsize_t size;
    };

    void check(bool ok, const char* what) {
        if (!ok && failure_.empty()) failure_ = what;
    }

    void attribute(hid_t object, const std::string& name, hid_t stored, hid_t given, const void* value) {
        const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
        const Handle made(H5Acreate2(object, name.c_str(), stored, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
        check(made >= 0 && H5Awrite(made, given, value) >= 0, "write an attribute");
    }

    /// In pieces of some frames each, small enough that reading one frame does not unpack hundreds.
    void write(hid_t parent, const std::string& name, Types type, const void* data, const std::vector<hsize_t>& shape) {
        constexpr hsize_t kPiece = 1 << 18; // [bytes]
        hsize_t row = type.size, total = type.size;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            if (d > 0) row *= shape[d];
            total *= shape[d];
        }
        const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
        const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        H5Pset_obj_track_times(creation, false);
        constexpr hsize_t kSmall = 512; // packing has a cost of its own
        if (compression_ > 0 && total > kSmall) {
            std::vector<hsize_t> piece = shape;
            piece[0] = std::clamp<hsize_t>(kPiece / std::max<hsize_t>(1, row), 1, shape[0]);
            H5Pset_chunk(creation, static_cast<int>(piece.size()), piece.data());
            H5Pset_shuffle(creation);
            H5Pset_deflate(creation, static_cast<unsigned>(compression_));
        }
        const Handle made(H5Dcreate2(parent, name.c_str(), type.stored, space, H5P_DEFAULT, creation, H5P_DEFAULT),
                          H5Dclose);
        check(made >= 0, "make an array");
        if (total > 0) check(H5Dwrite(made, type.given, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0, "write an array");
    }

    int compression_;
    hid_t file_ = -1;
    std::string failure_;
};

void write_mesh(DatasetWriter& writer, const TriangleMesh& mesh) {
    const Handle group = writer.group(writer.root(), "mesh");
    std::vector<float> rest, uv;
    for (const Vec3& p : mesh.positions)
        rest.insert(rest.end(), {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
    for (const Vec2& p : mesh.uv)
        uv.insert(uv.end(), {static_cast<float>(p.x), static_cast<float>(p.y)});
    writer.array(group, "rest", rest, {mesh.positions.size(), 3});
    writer.array(group, "triangles", mesh.triangles);
    writer.array(group, "uv", uv, {mesh.uv.size(), 2});
    writer.array(group, "uv_triangles", mesh.uv_triangles.empty() ? mesh.triangles : mesh.uv_triangles);
}

void write_cloths(DatasetWriter& writer, const Simulation& sim) {
    const Handle cloths = writer.group(writer.root(), "cloths");
    for (std::size_t c = 0; c < sim.model().parts.size(); ++c) {
        const ClothPart& part = sim.model().parts[c];
        const Handle group = writer.group(cloths, concat(c));
        writer.text(group, "name", part.name);
        writer.text(group, "fabric", std::filesystem::path(sim.scene().cloths[c].fabric).filename().string());
        writer.integer(group, "vertex_begin", part.vertex_begin);
        writer.integer(group, "vertex_count", part.vertex_count);
        writer.integer(group, "triangle_begin", part.triangle_begin);
        writer.integer(group, "triangle_count", part.triangle_count);
        Json material = Json::object();
        write_fields(material, material_fields(), part.material);
        for (const auto& [key, value] : material.items())
            if (value.is_number())
                writer.number(group, key, value.get<double>());
            else if (value.is_string())
                writer.text(group, key, value.get<std::string>());
    }
}

void write_colliders(DatasetWriter& writer, const DatasetRecord& record) {
    const Handle colliders = writer.group(writer.root(), "colliders");
    const Json described = scene_json(record.simulation().scene());
    const hsize_t frames = record.measures().size();
    for (std::size_t c = 0; c < record.colliders().size(); ++c) {
        const Collider& collider = record.simulation().colliders()[c];
        const ColliderTrack& track = record.colliders()[c];
        const Handle group = writer.group(colliders, concat(c));
        writer.array(group, "pose", track.poses, {frames, 3, 4});
        if (const SolidMesh* mesh = collider.mesh()) {
            writer.array(group, "triangles", mesh->mesh.triangles);
            writer.array(group, "positions", track.points, {frames, collider.points_now.size(), 3});
        } else {
            writer.text(group, "description", described["colliders"][c].dump());
        }
    }
}

void write_frames(DatasetWriter& writer, const DatasetRecord& record) {
    const Handle group = writer.group(writer.root(), "frames");
    const hsize_t frames = record.measures().size();
    const hsize_t vertices = static_cast<hsize_t>(record.simulation().model().vertex_count());
    writer.array(group, "positions", record.positions(), {frames, vertices, 3});
    const auto column = [&](const char* name, double FrameMeasures::* member) {
        std::vector<double> values;
        for (const FrameMeasures& frame : record.measures())
            values.push_back(frame.*member);
        writer.array(group, name, values, {frames});
    };
    column("time", &FrameMeasures::time);
    column("kinetic_j", &FrameMeasures::kinetic);
    column("elastic_j", &FrameMeasures::elastic);
    column("gravity_j", &FrameMeasures::gravity);
    column("strain_max", &FrameMeasures::strain_max);
    std::vector<double> bounds;
    for (const FrameMeasures& frame : record.measures())
        for (const Vec3& corner : {frame.low, frame.high})
            bounds.insert(bounds.end(), {corner.x, corner.y, corner.z});
    writer.array(group, "bounds", bounds, {frames, 2, 3});
}

/// An open file in memory, read only.
Handle open_bytes(const std::string& bytes) {
    be_silent();
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(access, 1 << 16, false);
    H5Pset_file_image(access, const_cast<char*>(bytes.data()), bytes.size()); // it is copied
    return {H5Fopen("job.h5", H5F_ACC_RDONLY, access), H5Fclose};
}

} // namespace

Status check_dataset_support() {
    return Done{};
}

Result<std::string> dataset_bytes(const DatasetRecord& record, const DatasetLabels& labels, int compression) {
    DatasetWriter writer(compression);
    writer.text(writer.root(), "format", "selvage-dataset 1");
    writer.text(writer.root(), "version", labels.version);
    writer.text(writer.root(), "sweep", labels.sweep);
    writer.integer(writer.root(), "job", labels.job);
    writer.text(writer.root(), "scene", labels.scene);
    writer.text(writer.root(), "settings", labels.settings);
    writer.text(writer.root(), "solver", solver_name(record.simulation().scene().solver));
    writer.text(writer.root(), "state_hash", labels.state_hash);
    writer.text(writer.root(), "manifest_row", labels.row);
    writer.text(writer.root(), "warnings", join(record.simulation().warnings(), "\n"));
    write_mesh(writer, record.simulation().model().mesh);
    write_cloths(writer, record.simulation());
    write_colliders(writer, record);
    write_frames(writer, record);
    return writer.bytes();
}

Result<std::string> dataset_row(const std::string& bytes) {
    const Handle file = open_bytes(bytes);
    if (file < 0) return dataset_failure("open a file");
    const Handle attribute(H5Aopen(file, "manifest_row", H5P_DEFAULT), H5Aclose);
    if (attribute < 0) return dataset_failure("find the manifest's row");
    const Handle type(H5Aget_type(attribute), H5Tclose);
    char* text = nullptr;
    if (H5Tis_variable_str(type) <= 0 || H5Aread(attribute, type, &text) < 0 || !text)
        return dataset_failure("read the manifest's row");
    const std::string row = text;
    H5free_memory(text);
    return row;
}

Result<std::vector<Vec3>> dataset_last_positions(const std::string& bytes) {
    const Handle file = open_bytes(bytes);
    if (file < 0) return dataset_failure("open a file");
    const Handle array(H5Dopen2(file, "frames/positions", H5P_DEFAULT), H5Dclose);
    if (array < 0) return dataset_failure("find positions");
    const Handle space(H5Dget_space(array), H5Sclose);
    hsize_t shape[3] = {};
    if (H5Sget_simple_extent_ndims(space) != 3 || H5Sget_simple_extent_dims(space, shape, nullptr) != 3 ||
        shape[0] == 0)
        return dataset_failure("understand the positions");
    const hsize_t start[3] = {shape[0] - 1, 0, 0}, count[3] = {1, shape[1], shape[2]};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
    const Handle wanted(H5Screate_simple(3, count, nullptr), H5Sclose);
    std::vector<float> values(shape[1] * shape[2]);
    if (H5Dread(array, H5T_NATIVE_FLOAT, wanted, space, H5P_DEFAULT, values.data()) < 0)
        return dataset_failure("read positions");
    std::vector<Vec3> positions;
    for (std::size_t v = 0; v + 2 < values.size(); v += 3)
        positions.push_back({values[v], values[v + 1], values[v + 2]});
    return positions;
}

} // namespace selvage
