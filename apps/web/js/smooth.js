// A smooth surface through the simulated points, for drawing: triangles are cut at the middles of their edges, which are
// lifted onto the curve that leaves both ends at right angles to their normals (curved PN triangles, Vlachos 2001).
// Simulation and picking stay on the flat triangles.

/** About as many triangles as a cloth is drawn with. */
const WANTED = 9000;
const MOST_LEVELS = 3;

/** Corners with one place but two pattern points (seams) become two drawn vertices. */
function split_seams({ triangles, uv, uv_triangles, vertices }) {
  if (!uv)
    return { source: Uint32Array.from({ length: vertices }, (_, i) => i), uv: new Float32Array(2 * vertices),
             index: Uint32Array.from(triangles) };
  const known = new Map(), source = [], points = [], index = new Uint32Array(triangles.length);
  for (let c = 0; c < triangles.length; ++c) {
    const key = triangles[c] * 4194304 + uv_triangles[c];
    let at = known.get(key);
    if (at === undefined) {
      at = source.length;
      known.set(key, at);
      source.push(triangles[c]);
      points.push(uv[2 * uv_triangles[c]], uv[2 * uv_triangles[c] + 1]);
    }
    index[c] = at;
  }
  return { source: Uint32Array.from(source), uv: Float32Array.from(points), index };
}

/** One cut: every edge gets a middle, every triangle becomes four. */
function cut({ count, index, edges }) {
  const middles = new Map(), ends = [];
  const middle = (a, b) => {
    const key = a < b ? a * 4194304 + b : b * 4194304 + a;
    let at = middles.get(key);
    if (at === undefined) {
      at = count + ends.length / 2;
      middles.set(key, at);
      ends.push(a, b);
    }
    return at;
  };
  const finer = new Uint32Array(4 * index.length);
  for (let t = 0, o = 0; t < index.length; t += 3) {
    const [a, b, c] = [index[t], index[t + 1], index[t + 2]];
    const ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
    for (const v of [a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca]) finer[o++] = v;
  }
  const halved = new Uint32Array(2 * edges.length);
  for (let e = 0, o = 0; e < edges.length; e += 2) {
    const between = middle(edges[e], edges[e + 1]);
    for (const v of [edges[e], between, between, edges[e + 1]]) halved[o++] = v;
  }
  return { first: count, ends: Uint32Array.from(ends), index: finer, edges: halved };
}

function edges_of(index) {
  const known = new Set(), edges = [];
  for (let t = 0; t < index.length; t += 3)
    for (let k = 0; k < 3; ++k) {
      const a = index[t + k], b = index[t + ((k + 1) % 3)], key = a < b ? a * 4194304 + b : b * 4194304 + a;
      if (known.has(key)) continue;
      known.add(key);
      edges.push(a, b);
    }
  return Uint32Array.from(edges);
}

export class SmoothSurface {
  /** `shape`: triangles, uv, uv_triangles, vertices. Arrays below are filled by update(). */
  constructor(shape) {
    const split = split_seams(shape);
    this.coarse = shape.triangles;
    this.source = split.source;
    this.coarse_normals = new Float32Array(3 * shape.vertices);
    this.cuts = [];
    let count = split.source.length, index = split.index, edges = edges_of(index);
    while (this.cuts.length < MOST_LEVELS && index.length / 3 * 2 < WANTED) {
      const one = cut({ count, index, edges });
      this.cuts.push(one);
      count += one.ends.length / 2;
      ({ index, edges } = one);
    }
    this.count = count;
    this.index = index;
    this.edges = edges; // those of the simulated mesh, along the smooth surface
    this.positions = new Float32Array(3 * count);
    this.normals = new Float32Array(3 * count);
    this.measure = new Float32Array(count);
    this.uv = new Float32Array(2 * count);
    this.uv.set(split.uv);
    for (const { first, ends } of this.cuts)
      for (let e = 0; e < ends.length; e += 2)
        for (let k = 0; k < 2; ++k)
          this.uv[2 * (first + e / 2) + k] = 0.5 * (this.uv[2 * ends[e] + k] + this.uv[2 * ends[e + 1] + k]);
    this.tangents = shape.uv ? new Float32Array(4 * count) : null;
  }

  update(positions, strain = null) {
    this.#find_normals(positions);
    const { source, positions: p, normals: n, coarse_normals: from } = this;
    for (let i = 0; i < source.length; ++i)
      for (let k = 0; k < 3; ++k) {
        p[3 * i + k] = positions[3 * source[i] + k];
        n[3 * i + k] = from[3 * source[i] + k];
      }
    for (const one of this.cuts) this.#lift(one);
    if (strain) this.#spread(strain);
    if (this.tangents) this.#find_tangents();
  }

  #find_normals(x) {
    const { coarse, coarse_normals: n } = this;
    n.fill(0);
    for (let t = 0; t < coarse.length; t += 3) {
      const a = 3 * coarse[t], b = 3 * coarse[t + 1], c = 3 * coarse[t + 2];
      const ux = x[b] - x[a], uy = x[b + 1] - x[a + 1], uz = x[b + 2] - x[a + 2];
      const vx = x[c] - x[a], vy = x[c + 1] - x[a + 1], vz = x[c + 2] - x[a + 2];
      const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
      for (const v of [a, b, c]) {
        n[v] += nx;
        n[v + 1] += ny;
        n[v + 2] += nz;
      }
    }
    normalise(n);
  }

  #lift({ first, ends }) {
    const { positions: p, normals: n } = this;
    for (let e = 0; e < ends.length; e += 2) {
      const a = 3 * ends[e], b = 3 * ends[e + 1], m = 3 * (first + e / 2);
      const dx = p[b] - p[a], dy = p[b + 1] - p[a + 1], dz = p[b + 2] - p[a + 2];
      const rise_a = dx * n[a] + dy * n[a + 1] + dz * n[a + 2], rise_b = -(dx * n[b] + dy * n[b + 1] + dz * n[b + 2]);
      const square = dx * dx + dy * dy + dz * dz;
      // At right angles to the edge: what both normals lean along it is no tilt of its middle.
      const lean = square > 0 ? (rise_a - rise_b) / square : 0;
      const nx = n[a] + n[b] - lean * dx, ny = n[a + 1] + n[b + 1] - lean * dy, nz = n[a + 2] + n[b + 2] - lean * dz;
      const size = Math.hypot(nx, ny, nz) || 1;
      p[m] = 0.5 * (p[a] + p[b]) - (rise_a * n[a] + rise_b * n[b]) / 8;
      p[m + 1] = 0.5 * (p[a + 1] + p[b + 1]) - (rise_a * n[a + 1] + rise_b * n[b + 1]) / 8;
      p[m + 2] = 0.5 * (p[a + 2] + p[b + 2]) - (rise_a * n[a + 2] + rise_b * n[b + 2]) / 8;
      n[m] = nx / size;
      n[m + 1] = ny / size;
      n[m + 2] = nz / size;
    }
  }

  #spread(strain) {
    const { source, measure } = this;
    for (let i = 0; i < source.length; ++i) measure[i] = strain[source[i]];
    for (const { first, ends } of this.cuts)
      for (let e = 0; e < ends.length; e += 2) measure[first + e / 2] = 0.5 * (measure[ends[e]] + measure[ends[e + 1]]);
  }

  /** Directions of the warp, with the side that the weft is on. */
  #find_tangents() {
    const { index, positions: p, normals: n, uv, tangents: t } = this;
    t.fill(0);
    for (let i = 0; i < index.length; i += 3) {
      const a = index[i], b = index[i + 1], c = index[i + 2];
      const u1 = uv[2 * b] - uv[2 * a], v1 = uv[2 * b + 1] - uv[2 * a + 1];
      const u2 = uv[2 * c] - uv[2 * a], v2 = uv[2 * c + 1] - uv[2 * a + 1];
      const area = u1 * v2 - u2 * v1;
      if (area === 0) continue;
      const sign = area > 0 ? 1 : -1; // weighted by area: divided by it and multiplied again
      for (let k = 0; k < 3; ++k) {
        const d = sign * (v2 * (p[3 * b + k] - p[3 * a + k]) - v1 * (p[3 * c + k] - p[3 * a + k]));
        t[4 * a + k] += d;
        t[4 * b + k] += d;
        t[4 * c + k] += d;
      }
      t[4 * a + 3] += area;
      t[4 * b + 3] += area;
      t[4 * c + 3] += area;
    }
    for (let i = 0; i < this.count; ++i) {
      const along = t[4 * i] * n[3 * i] + t[4 * i + 1] * n[3 * i + 1] + t[4 * i + 2] * n[3 * i + 2];
      const x = t[4 * i] - along * n[3 * i], y = t[4 * i + 1] - along * n[3 * i + 1], z = t[4 * i + 2] - along * n[3 * i + 2];
      const size = Math.hypot(x, y, z);
      if (size > 0) {
        t[4 * i] = x / size;
        t[4 * i + 1] = y / size;
        t[4 * i + 2] = z / size;
      } else t[4 * i] = 1;
      t[4 * i + 3] = t[4 * i + 3] < 0 ? -1 : 1;
    }
  }
}

function normalise(n) {
  for (let i = 0; i < n.length; i += 3) {
    const size = Math.hypot(n[i], n[i + 1], n[i + 2]);
    if (size === 0) continue;
    n[i] /= size;
    n[i + 1] /= size;
    n[i + 2] /= size;
  }
}
