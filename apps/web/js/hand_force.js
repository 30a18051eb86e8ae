// How a hand of the page moves a point of the cloth: at a limited speed, and giving way when the cloth is taut. The same
// rules as the desktop viewer's (src/view/grabs.cpp): a pointer that leaps across the window makes cloth taut, no more.

const SPEED = 6; // [m/s]
const SLOWING = 0.05, STOPPING = 0.15; // stretch of the threads next to the hand
const YIELDING = 0.2; // stretch anywhere beyond what there was, at which hands give way
const YIELD_SPEED = 0.3; // [m/s] at most
const BLOCKED = 1e-4; // [m] between the hand and its point
const RETRY = 0.1; // fraction of its step that a blocked hand tries again with

const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const size = (a) => Math.hypot(a[0], a[1], a[2]);

/** Edges that leave a triangle, with their lengths at rest: [from, to, length] in one list. */
export function leaving_edges(triangles, triangle, rest_length) {
  const own = [triangles[3 * triangle], triangles[3 * triangle + 1], triangles[3 * triangle + 2]];
  const seen = new Set(), edges = [];
  for (let t = 0; t < triangles.length / 3; ++t)
    for (let k = 0; k < 3; ++k) {
      const a = triangles[3 * t + k], b = triangles[3 * t + ((k + 1) % 3)];
      const from = own.includes(a) ? a : own.includes(b) ? b : -1, to = from === a ? b : a;
      if (from < 0 || own.includes(to) || seen.has(`${from} ${to}`)) continue;
      seen.add(`${from} ${to}`);
      const length = rest_length(t, k);
      if (length > 0) edges.push([from, to, length]);
    }
  return edges;
}

function pull_on(edges, positions) {
  let stretch = 0;
  const sum = [0, 0, 0];
  for (const [from, to, rest] of edges) {
    const along = [0, 1, 2].map((k) => positions[3 * to + k] - positions[3 * from + k]);
    const length = size(along), own = length / rest - 1;
    if (own <= 0 || length === 0) continue;
    for (let k = 0; k < 3; ++k) sum[k] += (own * along[k]) / length;
    stretch = Math.max(stretch, own);
  }
  const length = size(sum);
  return { stretch, direction: length > 0 ? sum.map((x) => x / length) : sum };
}

/** Where a hand that is at `at` and wants to be at `target` goes in a frame of `seconds`. `reached`: where its point
 *  really is; `excess`: stretch of the whole cloth beyond what hands may cause. */
export function hand_step({ at, target, reached, edges, positions, excess, pinned, seconds }) {
  let from = at, step = minus(target, at);
  const far = size(step), most = SPEED * seconds;
  if (far > most) step = step.map((x) => (x * most) / far);
  if (size(minus(reached, at)) > BLOCKED) {
    // Cloth has blocked the point: moving on would only press the two together.
    from = reached;
    step = step.map((x) => (pinned ? 0 : RETRY * x));
  }
  const pull = pinned ? { stretch: 0, direction: [0, 0, 0] } : pull_on(edges, positions);
  if (pull.stretch > SLOWING || excess > 0) {
    const yielded = excess > 0 ? 1 : Math.min(1, Math.max(0, (pull.stretch - SLOWING) / (STOPPING - SLOWING)));
    const towards = Math.max(0, dot(step, pull.direction));
    const back = Math.max(excess, pull.stretch - STOPPING);
    const more = back > 0 ? Math.min(1, 5 * back) * YIELD_SPEED * seconds : 0;
    step = step.map((x, k) => (1 - yielded) * x + (yielded * towards + more) * pull.direction[k]);
  }
  return from.map((x, k) => x + step[k]);
}

/** Stretch beyond what hands may cause. */
export function excess_stretch(largest, at_first) {
  return largest - Math.min(YIELDING, at_first) - YIELDING;
}
