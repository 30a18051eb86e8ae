// Thread along hems and seams: rows of stitches, the furrow that they pull into the cloth, and the groove of a seam. Bands
// are without them where a pixel is much wider than a row; everything fades to its mean with distance.
uniform vec3 u_stitch; // widths of hems and of seams' bands, from stitch to stitch [m]; 0: none
uniform vec3 u_thread;

const float kThread = 0.00035; // half its width [m]
const float kFurrow = 0.0009;  // likewise
const float kGroove = 0.0004;  // likewise
const float kStitched = 0.72;  // fraction of a row's length that is thread

// Mean over a pixel of a line from -half_width to half_width.
float line_cover(float at, float half_width, float pixel) {
    float size = max(pixel, 1e-6);
    float low = clamp(at - 0.5 * size, -half_width, half_width), high = clamp(at + 0.5 * size, -half_width, half_width);
    return (high - low) / size;
}

float stitched_length(float x) { return floor(x) * kStitched + min(fract(x), kStitched); }

struct Stitching {
    float thread; // fraction of the pixel
    float round;  // where across the thread, -1 to 1
    float shade;  // of what is left of the cloth
};

// `band` is 0 to 1 across a hem, 0 to -1 towards a seam; `along` in metres.
Stitching stitching(float band, float along) {
    Stitching s = Stitching(0.0, 0.0, 1.0);
    float width = band > 0.0 ? u_stitch.x : u_stitch.y;
    if (band == 0.0 || width <= 0.0) return s;
    float pixel = fwidth(band) * width;
    if (band < 0.0) s.shade = 1.0 - 0.45 * line_cover((1.0 + band) * width, kGroove, pixel);
    if (u_stitch.z <= 0.0) return s;
    // A row near the inner lip of a hem, and in the middle of a seam's band.
    float across = band > 0.0 ? (band - 0.4) * width : (-band - 0.5) * width;
    float stride = max(fwidth(along) / u_stitch.z, 1e-5), at = along / u_stitch.z;
    float stitched = (stitched_length(at + 0.5 * stride) - stitched_length(at - 0.5 * stride)) / stride;
    s.thread = stitched * line_cover(across, kThread, pixel);
    s.round = clamp(across / kThread, -1.0, 1.0);
    s.shade *= 1.0 - 0.2 * line_cover(across, kFurrow, pixel);
    return s;
}
