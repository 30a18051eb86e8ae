// Make, pin, step, read: a square metre of cotton starts flat and swings down from two corners.
#include <algorithm>
#include <cstdio>

#include <selvage/selvage.hpp>

int main() {
    selvage::World world = selvage::World::make().value();
    const selvage::Quaternion flat = {0.70710678118654752, 0, 0, 0.70710678118654752}; // a quarter turn about x
    selvage::Cloth cloth = world
                               .add(selvage::ClothDesc::grid(1.0, 1.0, 33, 33)
                                        .at({0, 2, 0}, flat)
                                        .of("cotton-poplin")
                                        .pin("top-left,top-right"))
                               .value();

    for (int frame = 0; frame < 120; ++frame)
        world.step().value();

    double lowest = 2.0;
    for (const selvage::Vec3& vertex : cloth.positions())
        lowest = std::min(lowest, vertex.y);
    std::printf("after %.1f s the lowest of %zu vertices is at %.3f m\n", world.time(), cloth.vertex_count(), lowest);
    return lowest > 0.5 && lowest < 1.5 ? 0 : 1; // it started at 2 m and is 1.4 m across the diagonal
}
