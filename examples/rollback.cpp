// Rollback, as in a networked game: another player's ball pushes a curtain, and that player's input arrives late. The
// game goes on with a guess, and where the guess was wrong it goes back, puts the right input in and simulates again.
// In the end its world is bit for bit that of a player who knew every input in time.
#include <array>
#include <cstdio>
#include <vector>

#include <selvage/selvage.hpp>

namespace {

constexpr int kFrames = 120, kDelay = 7; // the input of a frame arrives this many frames later

struct Game {
    selvage::World world = selvage::World::make().value();
    selvage::Cloth curtain = world.add(selvage::ClothDesc::grid(1.0, 1.0, 21, 21).at({0, 1.5, 0}).pin("top")).value();
    selvage::Collider ball = world.add(selvage::ColliderDesc::sphere(0.15).at({0.0, 1.2, ball_start})).value();

    static constexpr double ball_start = 0.4;

    /// One frame in which the ball goes by `speed` [m per frame]. All that changes must be in the snapshot, so where the
    /// ball is, is asked of the world.
    void step(double speed) {
        selvage::Pose pose = ball.pose().value();
        pose.position.z -= speed;
        ball.move(pose).value();
        world.step().value();
    }
};

/// What the other player does: the ball goes through the curtain and back.
double true_input(int frame) {
    return frame % 60 < 30 ? 0.02 : -0.02;
}

} // namespace

int main() {
    Game knowing;
    for (int frame = 0; frame < kFrames; ++frame)
        knowing.step(true_input(frame));

    Game game;
    std::array<std::vector<std::byte>, kDelay> saved; // the states before the last frames
    std::vector<double> used;                         // the input that each frame was simulated with
    int rollbacks = 0, simulated_again = 0;
    for (int frame = 0; frame < kFrames + kDelay; ++frame) {
        const int arrived = frame - kDelay; // the frame whose input has just arrived
        if (arrived >= 0 && used[arrived] != true_input(arrived)) {
            ++rollbacks;
            const int now = static_cast<int>(used.size());
            game.world.restore(saved[arrived % kDelay]).value();
            for (int again = arrived; again < now; ++again, ++simulated_again) {
                used[again] = true_input(arrived); // known for the first of them, a better guess for the others
                game.world.snapshot(saved[again % kDelay]).value();
                game.step(used[again]);
            }
        }
        if (frame >= kFrames) continue; // only late input is left
        game.world.snapshot(saved[frame % kDelay]).value();
        used.push_back(used.empty() ? 0.0 : used.back()); // the guess: as before
        game.step(used.back());
    }
    std::printf(
        "%d frames, %d rollbacks, %d frames simulated again, snapshot %zu bytes, hash %016llx, expected %016llx\n",
        kFrames, rollbacks, simulated_again, saved[0].size(), static_cast<unsigned long long>(game.world.state_hash()),
        static_cast<unsigned long long>(knowing.world.state_hash()));
    return rollbacks > 0 && game.world.state_hash() == knowing.world.state_hash() ? 0 : 1;
}
