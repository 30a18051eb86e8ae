#!/usr/bin/env python3
"""Rewrites the tables of docs/scene_format.md from scenes/scene.schema.json. Run from the repository's root after
   selvage scenes --schema > scenes/scene.schema.json
Needs Python 3 only; neither build nor tests call it."""
import json
import textwrap

PAGE = 'docs/scene_format.md'
FIRST = '## The scene'  # what stands before it is written by hand


def limits(entry):
    found = []
    for key, sign in (('exclusiveMinimum', '>'), ('minimum', '>='), ('maximum', '<=')):
        if key in entry:
            found.append(f'{sign} {entry[key]:g}')
    return ', '.join(found)


def value(entry):
    """What may stand behind a key, in words."""
    if 'enum' in entry:
        return ' \\| '.join(f'`"{name}"`' for name in entry['enum'])
    if 'const' in entry:
        return f'`"{entry["const"]}"`'
    kind = entry.get('type')
    if kind == ['array', 'string']:
        return 'list, or a name'
    if kind == 'array':
        items = entry['items']
        if 'minItems' in entry and entry['minItems'] == entry.get('maxItems'):
            return f"{entry['minItems']} {items['type']}s {limits(items)}".rstrip()
        return 'list'
    if kind in ('number', 'integer'):
        return f'{kind} {limits(entry)}'.rstrip()
    if kind:
        return kind
    if 'pattern' in json.dumps(entry):
        return f"number {limits(entry['oneOf'][0])}, or `\"a/b\"`"
    return 'see below'


def table(properties):
    rows = ['| key | value | default | meaning |', '|---|---|---|---|']
    for key, entry in properties.items():
        default = f"`{json.dumps(entry['default'])}`" if entry.get('default') is not None else ''
        meaning = entry.get('description', 'Required.' if key == 'type' else '')
        rows.append(f'| `{key}` | {value(entry)} | {default} | {meaning} |')
    return '\n'.join(rows) + '\n'


def section(title, properties, intro='', level=2):
    text = f"{'#' * level} {title}\n\n"
    if intro:
        text += intro + '\n\n'
    return text + table(properties)


def page_tables(schema):
    scene = schema['properties']
    cloth = scene['cloths']['items']['properties']
    mesh = cloth['mesh']['properties']
    pin = cloth['pins']['items']['properties']
    collider = scene['colliders']['items']['properties']

    yield section('The scene', scene, 'The whole file. Only `cloths` is required.')
    yield ('## `substeps`\n\nA whole number from 1 to 1,000,000 for every solver, or an object: `{"multilevel": 4, "other": 20}` gives the named '
           'solvers their own number and all `other` ones theirs. Methods differ in the steps they need; `--solver` and the viewer\'s switch '
           'then take the right one. `--set /substeps=N` gives all the same.\n')
    yield '## `solver`\n\n`{"type": NAME, ...settings}`; `multilevel` where the scene has none. How each method works:\n[Solvers](explanation/solvers/index.md).\n'
    for solver in scene['solver']['oneOf']:
        name = solver['properties']['type']['const']
        summary = solver['description'][0].upper() + solver['description'][1:]
        yield section(f'`{name}`', solver['properties'], f'{summary}. See [{name}](explanation/solvers/{name}.md).', 3)
    yield section('`air`', scene['air']['properties'], 'Without this key there is no air.')
    yield section('`air.wind`', scene['air']['properties']['wind']['properties'])
    yield section('`cloths[]`', cloth,
                  'A `contact_distance` of 0 stands for the fabric\'s thickness, or 8 % of the mean edge up to 1.5 mm if that is '
                  'more. See [Contact](explanation/contact.md).')
    yield ('## `cloths[].mesh`\n\nExactly one of the following keys. Grids, discs, tubes, blocks and ribbons are made in place; '
           'their named edges and corners can be pinned.\n')
    for kind in ('grid', 'disc', 'tube', 'block', 'ribbon'):
        yield section(f'`{kind}`', mesh[kind]['properties'], mesh[kind]['description'], 3)
    yield (f"### `file`\n\n{mesh['file']['description']} glTF vertices that share a place are welded. Faces with more "
           'corners are cut into triangles. Warp runs along u, weft along v, both in metres.\n')
    yield section('`garment`', mesh['garment']['properties'],
                  f"{mesh['garment']['description']} See [Sew a garment](how-to/garments.md).", 3)
    yield section('`cloths[].place`', cloth['place']['properties'])
    yield section('`cloths[].fabric`', cloth['fabric']['oneOf'][1]['properties'],
                  'A built-in fabric by name (`selvage info` lists them), a fabric file relative to the scene, or an '
                  'object that changes some numbers of one. Fabric files have the same keys and `name`, `description` '
                  'and `sources`.')
    yield section('`cloths[].fabric.look`', cloth['fabric']['oneOf'][1]['properties']['look']['properties'],
                  'How the fabric looks, from a single yarn to the whole sheet: [The look of fabric](explanation/look.md). Left out, it is the '
                  "base fabric's. Colours are linear reflectances, red, green and blue. Warp yarns run along u, weft "
                  'yarns along v.')
    yield section('`cloths[].net`', cloth['net']['properties'],
                  'The springs between mass points. Left out, they follow from the mesh and the fabric; how closely is '
                  'in [Validation](explanation/validation.md#springs-and-irregular-meshes).')
    yield ('## `cloths[].surface`\n\nExactly one of the following keys. Pictures and exports show the surface; the simulation and its '
           'report are still about the particles.\n')
    yield section('`pn`', cloth['surface']['properties']['pn']['properties'],
                  f"{cloth['surface']['properties']['pn']['description']} See [Smooth surfaces](explanation/surface.md).", 3)
    yield section('`mesh`', cloth['surface']['properties']['mesh']['properties'],
                  f"{cloth['surface']['properties']['mesh']['description']} See [Use your own "
                  'mesh](how-to/own-mesh.md#simulate-a-coarse-mesh-draw-a-fine-one).', 3)
    yield section('`cloths[].skinned`', cloth['skinned']['properties'],
                  'Every vertex has a place on the skin of a body: the point of the surface nearest to where it starts, and '
                  'its distance from there. `attach` holds vertices to their places; the other keys bound how far from them '
                  'the cloth gets. See [Dress a character](how-to/characters.md).')
    yield section('`cloths[].pins[]`', pin,
                  'Exactly one of `edge`, `corner`, `vertices` and `box`. When two pins name the same vertex, the first '
                  'has it.')
    yield section('`box`', pin['box']['properties'])
    yield section('`keyframes[]`', pin['keyframes']['items']['properties'],
                  'Before the first keyframe and after the last the pose stands still.')
    yield section('`colliders[]`', collider,
                  'Exactly one of `sphere`, `box`, `plane`, `capsule`, `cylinder`, `height`, `mesh` and `character`. Cloth keeps a distance of `thickness` from the '
                  'surface; contact is plastic, with Coulomb friction against the surface as it moves (`verlet` pushes its '
                  'points out itself first, and there `friction` is the fraction of sliding removed per 1/120 s). '
                  'What is guaranteed: [Contact](explanation/contact.md).')
    for kind in ('sphere', 'box', 'capsule', 'cylinder'):
        yield section(f'Collider `{kind}`', collider[kind]['properties'], collider[kind]['description'], 3)
    yield section('Collider `height`', collider['height']['properties'],
                  collider['height']['description'] + ' A cell between four heights is cut from its corner at high x and low '
                  'z to the one at low x and high z.', 3)
    yield ('### Collider `mesh`\n\nAny mesh a cloth can have: `{"mesh": {"file": "arm.obj"}}`, `{"mesh": {"tube": {}}}` and so '
           'on. A closed mesh (every edge has two triangles that face the same way; vertices at exactly one place count '
           'as one) is solid inside; one whose triangles face inwards is turned around. Any other mesh is a surface with '
           'two sides and nothing inside. A ribbon stands along its path.\n\n'
           '`frames` names a vertex cache, as `selvage run --out` writes them: it gives every vertex its place in the '
           "collider's own frame, straight from one frame to the next; before the first and after the last it stands still. "
           '`place` and `motion` apply on top. The cache must have as many vertices as the mesh, in the same order.\n')
    extra = {key: collider['mesh']['properties'][key] for key in ('frames', 'frames_per_second')}
    yield table(extra)
    character = collider['character']['properties']
    yield section('Collider `character`', character,
                  collider['character']['description'] + ' It deforms as its skeleton moves; `place` and `motion` of the '
                  'collider apply on top. See [Dress a character](how-to/characters.md).', 3)
    yield section('`character.measurements`', collider['character']['properties']['measurements']['properties'],
                  'Any of these; the others follow from `figure` and `height`.', 3)
    yield section('`colliders[].motion`', collider['motion']['properties'])
    yield section('`camera`', scene['camera']['properties'])
    yield section('`render`', scene['render']['properties'])


def wrapped(text):
    """Prose at 120 columns; tables and headings as they are."""
    lines = []
    for line in text.split('\n'):
        prose = len(line) > 120 and not line.startswith(('|', '#'))
        lines += textwrap.wrap(line, 120, break_long_words=False, break_on_hyphens=False) if prose else [line]
    return '\n'.join(lines)


def main():
    with open('scenes/scene.schema.json', encoding='utf-8') as file:
        schema = json.load(file)
    with open(PAGE, encoding='utf-8') as file:
        by_hand = file.read().split(FIRST)[0]
    with open(PAGE, 'w', encoding='utf-8') as file:
        file.write(by_hand + wrapped('\n'.join(page_tables(schema))))


if __name__ == '__main__':
    main()
