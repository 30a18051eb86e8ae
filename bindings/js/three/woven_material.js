// The woven shading of Selvage inside three's standard material: its lights, shadows, environments, fog and tone mapping stay,
// and what the surface does with light is ours. The formulas are those of the native renderer, from shaders/.

import { Color, DoubleSide, MeshStandardMaterial, Vector2, Vector3 } from 'three';
import { FABRIC_SHADING } from './shader_chunks.js';

const CONSTRUCTIONS = ['woven', 'knit', 'felt'];
const MODELS = ['ashikhmin', 'ward'];

const VERTEX_HEAD = `
attribute vec4 tangent;
varying vec3 v_warp;
varying vec3 v_weft;
varying vec2 v_fabric_uv;
`;
const VERTEX_BODY = `
v_warp = mat3( modelViewMatrix ) * tangent.xyz;
v_weft = mat3( modelViewMatrix ) * ( tangent.w * cross( normal, tangent.xyz ) );
v_fabric_uv = uv;
`;

const FRAGMENT_HEAD = `
varying vec3 v_warp;
varying vec3 v_weft;
varying vec2 v_fabric_uv;
uniform float u_has_print;
uniform sampler2D u_print;
uniform vec2 u_print_size;
${FABRIC_SHADING}
FabricSite woven_site;
mat3 woven_axes; // columns warp, weft, front; v * woven_axes is in tangent space
vec3 woven_irradiance = vec3( 0.0 );

void woven_begin( vec3 facing, float face_direction, vec3 to_eye ) {
    // Between corners a smooth normal may turn away from an eye that sees the triangle: lean it back.
    vec3 n = normalize( facing + max( 0.02 - dot( facing, to_eye ), 0.0 ) * to_eye );
    vec3 front = face_direction * n;
    vec3 warp = v_warp - dot( v_warp, front ) * front;
    if ( dot( warp, warp ) < 1e-4 ) warp = cross( v_weft, front ); // it cannot run along the normal
    warp = normalize( warp );
    vec3 weft = cross( front, warp );
    if ( dot( weft, v_weft ) < 0.0 ) weft = - weft;
    woven_axes = mat3( warp, weft, front );
    vec2 across = dFdx( v_fabric_uv ), down = dFdy( v_fabric_uv );
    vec2 footprint = sqrt( across * across + down * down );
    vec3 print = u_has_print > 0.5 ? texture2D( u_print, v_fabric_uv / u_print_size ).rgb : vec3( 1.0 );
    woven_site = fabric_site( v_fabric_uv, footprint, print, to_eye * woven_axes );
}

void RE_Direct_Woven( const in IncidentLight light, const in vec3 position, const in vec3 n, const in vec3 view,
                      const in vec3 coat, const in PhysicalMaterial surface, inout ReflectedLight reflected ) {
    reflected.directDiffuse += light.color * fabric_light( woven_site, light.direction * woven_axes );
}
void RE_IndirectDiffuse_Woven( const in vec3 irradiance, const in vec3 position, const in vec3 n, const in vec3 view,
                               const in vec3 coat, const in PhysicalMaterial surface, inout ReflectedLight reflected ) {
    woven_irradiance += irradiance;
}
void RE_IndirectSpecular_Woven( const in vec3 radiance, const in vec3 irradiance, const in vec3 coat_radiance,
                                const in vec3 position, const in vec3 n, const in vec3 view, const in vec3 coat,
                                const in PhysicalMaterial surface, inout ReflectedLight reflected ) {
    FabricSurroundings sums = fabric_surroundings( woven_site );
    vec3 mirrored = vec3( 0.0 ), behind = woven_irradiance;
    #ifdef USE_ENVMAP
        behind += getIBLIrradiance( - n );
    #endif
    for ( int k = 0; k < kFabricMirrors; ++ k ) {
        FabricMirror mirror = fabric_mirror( woven_site, sums, k );
        if ( mirror.weight <= 0.0 ) continue;
        vec3 seen = woven_irradiance / kPi;
        #ifdef USE_ENVMAP
            seen += getIBLRadiance( view, woven_axes * mirror.normal, sqrt( mirror.roughness ) );
        #endif
        mirrored += mirror.weight * seen;
    }
    reflected.indirectDiffuse += fabric_environment( woven_site, sums, woven_irradiance + irradiance, behind, mirrored );
}
#undef RE_Direct
#define RE_Direct RE_Direct_Woven
#undef RE_IndirectDiffuse
#define RE_IndirectDiffuse RE_IndirectDiffuse_Woven
#undef RE_IndirectSpecular
#define RE_IndirectSpecular RE_IndirectSpecular_Woven
`;
const FRAGMENT_BODY = `
{
    vec3 to_eye = isOrthographic ? vec3( 0.0, 0.0, 1.0 ) : normalize( vViewPosition );
    woven_begin( normal, faceDirection, to_eye );
    diffuseColor.a *= fabric_opacity( to_eye * woven_axes );
}
`;

function colour(numbers) {
    return new Color().setRGB(...numbers); // they are linear, and so is the working space
}

/** The struct of the shaders. */
function fabricUniform({ look, slopeVariance, furnace, sheen, missing, missingMean, bounces, bouncesThrough, passage }) {
    return {
        construction: CONSTRUCTIONS.indexOf(look.construction), weave: new Vector3(...look.weave),
        yarn_width: look.yarn_width, yarn_curvature: look.yarn_curvature,
        fibre: new Vector3(look.fibre_twist, look.fibre_slope, look.fibre_curvature), groove: look.groove,
        model: MODELS.indexOf(look.model), roughness: new Vector2(...look.roughness),
        reflectance: colour(look.reflectance), warp_colour: colour(look.warp_colour),
        weft_colour: colour(look.weft_colour), back_tint: colour(look.back_tint),
        colour_variation: look.colour_variation, sheen_colour: colour(look.sheen_colour),
        sheen_roughness: look.sheen_roughness, translucency: look.translucency, openness: look.openness,
        slope_variance: slopeVariance, furnace, sheen_albedo: sheen, missing,
        missing_mean: missingMean, bounces, bounces_through: bouncesThrough, passage,
    };
}

function insertAfter(text, line, insertion) {
    if (!text.includes(line)) throw new Error(`selvage/three: this version of three has no "${line}" in its shader`);
    return text.replace(line, `${line}\n${insertion}`);
}

export class WovenMaterial extends MeshStandardMaterial {
    #uniforms;

    constructor(prepared, { print = null } = {}) {
        super({ side: DoubleSide });
        this.#uniforms = { u_fabric: { value: null }, u_has_print: { value: print ? 1 : 0 }, u_print: { value: print },
            u_print_size: { value: new Vector2(1, 1) } };
        this.setLook(prepared);
    }

    get look() { return this.prepared.look; }

    setLook(prepared) {
        this.prepared = prepared;
        this.#uniforms.u_fabric.value = fabricUniform(prepared);
        this.#uniforms.u_print_size.value.set(...prepared.look.print_size);
        const transparent = prepared.look.openness > 0;
        if (transparent !== this.transparent) this.needsUpdate = true;
        this.transparent = transparent;
    }

    onBeforeCompile(shader) {
        Object.assign(shader.uniforms, this.#uniforms);
        shader.vertexShader = insertAfter(shader.vertexShader, '#include <common>', VERTEX_HEAD);
        shader.vertexShader = insertAfter(shader.vertexShader, '#include <begin_vertex>', VERTEX_BODY);
        shader.fragmentShader = insertAfter(shader.fragmentShader, '#include <lights_physical_pars_fragment>', FRAGMENT_HEAD);
        shader.fragmentShader = insertAfter(shader.fragmentShader, '#include <lights_physical_fragment>', FRAGMENT_BODY);
    }

    customProgramCacheKey() { return 'selvage-woven'; }
}
