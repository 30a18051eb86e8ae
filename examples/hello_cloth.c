/* Make, pin, step, read: a square metre of cotton starts flat and swings down from two corners. */
#include <stdio.h>

#include <selvage/selvage.h>

static int failed(selvage_result result) {
    if (result != SELVAGE_OK) fprintf(stderr, "hello_cloth: %s\n", selvage_last_error());
    return result != SELVAGE_OK;
}

int main(void) {
    selvage_world world;
    selvage_cloth cloth;
    selvage_cloth_desc desc = selvage_cloth_desc_default();
    const double* xyz;
    double lowest = 2.0;
    size_t vertex_count, i;
    int frame;

    desc.generator = SELVAGE_GENERATOR_GRID;
    desc.size[0] = desc.size[1] = 1.0;
    desc.resolution[0] = desc.resolution[1] = 33;
    desc.position[1] = 2.0;
    desc.rotation[0] = desc.rotation[3] = 0.70710678118654752; /* a quarter turn about x */
    desc.fabric = "cotton-poplin";
    desc.pin_groups = "top-left,top-right";
    if (failed(selvage_world_create(NULL, &world)) || failed(selvage_cloth_create(world, &desc, &cloth))) return 1;

    for (frame = 0; frame < 120; ++frame)
        if (failed(selvage_world_step(world))) return 1;

    if (failed(selvage_cloth_positions(cloth, &xyz, &vertex_count))) return 1;
    for (i = 0; i < vertex_count; ++i)
        if (xyz[3 * i + 1] < lowest) lowest = xyz[3 * i + 1];
    printf("the lowest of %lu vertices is at %.3f m\n", (unsigned long)vertex_count, lowest);
    selvage_world_destroy(world);
    return lowest > 0.5 && lowest < 1.5 ? 0 : 1; /* it started at 2 m and is 1.4 m across the diagonal */
}
