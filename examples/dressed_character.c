/* A skinned character that plays its motion, in a skirt whose waistband is attached to its skin. Here the character is the
 * engine's mannequin; {"character": {"file": "hero.glb", "motion": "Run"}} would be one of a glTF file. */
#include <math.h>
#include <stdio.h>

#include <selvage/selvage.h>

static int failed(selvage_result code, const char* what) {
    if (code != SELVAGE_OK) fprintf(stderr, "%s: %s\n", what, selvage_last_error());
    return code != SELVAGE_OK;
}

int main(void) {
    selvage_world_desc desc = selvage_world_desc_default();
    selvage_world world = 0;
    selvage_collider body = 0;
    selvage_cloth skirt = 0;
    selvage_attachment belt = 0;
    const int32_t* top = NULL;
    size_t top_count = 0, body_count = 0, count = 0, i;
    const double *x = NULL, *skin = NULL;
    double farthest = 0.0; /* of a vertex of the belt from the nearest one of the skin [m] */
    int frame;

    if (failed(selvage_world_create(&desc, &world), "world")) return 1;
    if (failed(selvage_collider_create_from_json(world,
                                                 "{\"character\": {\"figure\": \"child\", \"triangles\": 3000, "
                                                 "\"motion\": \"walk\", \"in_place\": true}}",
                                                 NULL, &body),
               "character"))
        return 1;
    if (failed(selvage_cloth_create_from_json(world,
                                              "{\"mesh\": {\"tube\": {\"radius\": 0.3, \"top_radius\": 0.11, "
                                              "\"height\": 0.3, \"vertices\": [32, 12]}},"
                                              " \"place\": {\"translate\": [0, 0.6, 0]}}",
                                              NULL, &skirt),
               "skirt"))
        return 1;
    if (failed(selvage_cloth_group(skirt, "top", &top, &top_count), "top")) return 1;
    if (failed(selvage_cloth_attach_to_skin(skirt, top, top_count, body, &belt), "attach")) return 1;

    for (frame = 0; frame < 120; ++frame)
        if (failed(selvage_world_step(world), "step")) return 1;

    selvage_cloth_positions(skirt, &x, &count);
    if (failed(selvage_collider_vertices(body, &skin, &body_count), "vertices")) return 1;
    for (i = 0; i < top_count; ++i) {
        const double* p = x + 3 * top[i];
        double nearest = 1e300;
        size_t k;
        for (k = 0; k < body_count; ++k) {
            const double* q = skin + 3 * k;
            nearest = fmin(nearest, hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]));
        }
        farthest = fmax(farthest, nearest);
    }
    printf("%d of %d vertices follow a skin of %d; farthest from it: %.0f mm\n", (int)top_count, (int)count,
           (int)body_count, 1e3 * farthest);
    selvage_world_destroy(world);
    return farthest < 0.06 ? 0 : 1;
}
