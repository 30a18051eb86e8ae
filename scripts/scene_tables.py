#!/usr/bin/env python3
"""Rewrites the tables of docs/scene_format.md from scenes/scene.schema.json. Run from the repository's root after
   selvage scenes --schema > scenes/scene.schema.json
Needs Python 3 only; neither build nor tests call it."""
import json

S = json.load(open('scenes/scene.schema.json'))
out=[]
def typ(e):
    if 'enum' in e: return ' \\| '.join(f'`"{x}"`' for x in e['enum'])
    if 'const' in e: return f'`"{e["const"]}"`'
    t=e.get('type')
    def rng(x):
        r=[]
        if 'exclusiveMinimum' in x: r.append(f"> {x['exclusiveMinimum']:g}")
        if 'minimum' in x: r.append(f">= {x['minimum']:g}")
        if 'maximum' in x: r.append(f"<= {x['maximum']:g}")
        return ', '.join(r)
    if t=='array':
        i=e['items']
        if 'minItems' in e and e.get('maxItems')==e.get('minItems'):
            r=rng(i); return f"{e['minItems']} {i['type']}s"+(f" {r}" if r else '')
        return 'list'
    if t in('number','integer'):
        r=rng(e); return t+(f" {r}" if r else '')
    if t: return t
    if 'oneOf' in e and 'pattern' in json.dumps(e): return 'number '+rng(e['oneOf'][0])+', or `"a/b"`'
    return 'see below'
def table(props):
    out.append('| key | value | default | meaning |'); out.append('|---|---|---|---|')
    for k,e in props.items():
        d=e.get('default'); d='' if d is None else '`'+json.dumps(d)+'`'
        out.append(f"| `{k}` | {typ(e)} | {d} | {e.get('description','Required.' if k=='type' else '')} |")
    out.append('')
P=S['properties']
def sec(t,props,intro=''):
    out.append(f'## {t}\n'); 
    if intro: out.append(intro+'\n')
    table(props)
sec('The scene',P,'The whole file. Only `cloths` is required.')
out.append('## `solver`\n\n`{"type": NAME, ...settings}`. Each method has a page in [solvers/](solvers/).\n')
for c in P['solver']['oneOf']:
    n=c['properties']['type']['const']; out.append(f"### `{n}`\n\n{c['description'][0].upper()+c['description'][1:]}. See [solvers/{n}.md](solvers/{n}.md).\n")
    q=c['properties']
    table(q)

sec('`air`',P['air']['properties'],'Without this key there is no air.')
sec('`air.wind`',P['air']['properties']['wind']['properties'])
C=P['cloths']['items']['properties']
sec('`cloths[]`',C)
M=C['mesh']['properties']
out.append('## `cloths[].mesh`\n\nExactly one of the following keys. Grids, discs, tubes and blocks are made in place; their named edges and corners can be pinned.\n')
for k in ['grid','disc','tube','block']:
    out.append(f"### `{k}`\n\n{M[k]['description']}\n"); table(M[k]['properties'])
out.append(f"### `file`\n\n{M['file']['description']} glTF vertices that share a place are welded. Faces with more corners are cut into triangles. Warp runs along u, weft along v, both in metres.\n")
sec('`cloths[].place`',C['place']['properties'])
sec('`cloths[].fabric`',C['fabric']['oneOf'][1]['properties'],'A built-in fabric by name (`selvage info` lists them), a fabric file relative to the scene, or an object that changes some numbers of one. Fabric files have the same keys and `name`, `description` and `sources`.')
sec('`cloths[].net`',C['net']['properties'],'The springs between mass points. Left out, they follow from the mesh and the fabric; how closely is in\n[validation.md](validation.md#where-springs-follow-the-fabric-and-where-they-do-not).')
out.append('## `cloths[].surface`\n\n`{"pn": {...}}`: curved faces over sparse particles. Pictures and exports show them; the simulation and its report are\nstill about the particles. See [surface.md](surface.md).\n\n### `pn`\n')
table(C['surface']['properties']['pn']['properties'])
pin=C['pins']['items']['properties']
sec('`cloths[].pins[]`',pin,'Exactly one of `edge`, `corner`, `vertices` and `box`. When two pins name the same vertex, the first has it.')
sec('`box`',pin['box']['properties']); sec('`keyframes[]`',pin['keyframes']['items']['properties'],'Before the first keyframe and after the last the pose stands still.')
K=P['colliders']['items']['properties']
sec('`colliders[]`',K,'Exactly one of `sphere`, `box` and `plane`. Cloth points nearer than `thickness` are set back onto the surface; contact is plastic, with Coulomb friction against the surface as it moves (`verlet` has its own response, in which `friction` is the share of sliding taken away per 1/120 s). Contact is looked for at the end of each step and at points only: what moves farther than a solid is thick in one step passes through it.')
for k in ['sphere','box']:
    out.append(f"### Solid `{k}`\n\n{K[k]['description']}\n"); table(K[k]['properties'])
sec('`colliders[].motion`',K['motion']['properties'])
sec('`camera`',P['camera']['properties'])
page = open('docs/scene_format.md').read()
open('docs/scene_format.md', 'w').write(page[:page.index('## The scene')] + '\n'.join(out))
