// Looks and materials as objects, from the numbers that the engine gives. The order is that of native/web_catalogs.cpp.

const CONSTRUCTIONS = ['woven', 'knit', 'felt'];
const MODELS = ['ashikhmin', 'ward'];
const FIELDS = [
    ['construction', CONSTRUCTIONS], ['weave', 3], ['yarn_width', 1], ['yarn_curvature', 1], ['fibre_twist', 1],
    ['fibre_slope', 1], ['fibre_curvature', 1], ['groove', 1], ['model', MODELS], ['roughness', 2], ['reflectance', 3],
    ['warp_colour', 3], ['weft_colour', 3], ['back_tint', 3], ['colour_variation', 1], ['sheen_colour', 3],
    ['sheen_roughness', 1], ['translucency', 1], ['openness', 1], ['print_size', 2],
];
export const LOOK_NUMBERS = FIELDS.reduce((sum, [, kind]) => sum + (Array.isArray(kind) ? 1 : kind), 0);
export const LOOK_KEYS = [...FIELDS.map(([key]) => key), 'print'];
export const MATERIAL_KEYS = ['density', 'thickness', 'stretch_warp', 'stretch_weft', 'shear', 'bend_warp', 'bend_weft',
    'bend_bias', 'damping', 'friction'];

export function lookOf(numbers, print) {
    const look = {};
    let at = 0;
    for (const [key, kind] of FIELDS) {
        if (Array.isArray(kind)) look[key] = kind[numbers[at++]];
        else if (kind === 1) look[key] = numbers[at++];
        else look[key] = numbers.slice(at, at += kind);
    }
    look.print = print;
    return look;
}

export function materialOf(numbers) {
    return Object.fromEntries(MATERIAL_KEYS.map((key, k) => [key, numbers[k]]));
}
