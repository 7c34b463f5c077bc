import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import fc from 'fast-check'
import { catalogFilesIn } from '#cli/graph/read-source.ts'
import type { CatalogObject } from '#features/upgrade-graph/catalog/catalog.ts'
import { CatalogUnreadable, readCatalogFiles, type CatalogFile } from '#features/upgrade-graph/catalog/read-catalog.ts'
import { checkGraph } from '#features/upgrade-graph/check-graph.ts'
import { randomGraphs } from '#features/upgrade-graph/random-graphs.fixture.ts'
import { drawingOf } from '#features/upgrade-graph/render/drawing.ts'
import { renderMermaid } from '#features/upgrade-graph/render/mermaid.ts'
import { repeats, seed } from '../support/effort.ts'
import { startOracle, type Oracle } from './oracle.ts'
import { upstreamSource } from './source.ts'

/** What opm makes of a catalog. */
interface Answer {
  readonly unreadable?: string
  readonly invalid?: string
  readonly undrawn?: string
  readonly mermaid?: string
}

async function withOpm(t: TestContext, use: (ask: (request: object) => Promise<Answer>) => Promise<void>): Promise<void> {
  const started = await startOracle('catalog-graph')
  if ('missing' in started) {
    t.skip(started.missing)
    return
  }
  await using oracle: Oracle = started.oracle
  await use(async (request) => (await oracle.ask(request)) as Answer)
}

/** `valid`, or what is wrong: opm refuses to read it, or to serve it. */
function verdictOf({ unreadable, invalid }: Answer): string {
  return unreadable !== undefined ? 'unreadable' : invalid !== undefined ? 'invalid' : 'valid'
}

function ourVerdict(files: readonly CatalogFile[]): string {
  try {
    return checkGraph(readCatalogFiles(files)).isValid ? 'valid' : 'invalid'
  } catch (error) {
    if (error instanceof CatalogUnreadable) return 'unreadable'
    throw error
  }
}

const textOf = (objects: readonly CatalogObject[]): string => objects.map((object) => JSON.stringify(object)).join('\n')

/** Renames the package of a catalog, its bundles and its channels. */
function renamed(objects: readonly CatalogObject[], name: string): readonly CatalogObject[] {
  const text = JSON.stringify(objects)
    .replaceAll('"pkg', `"${name}`)
    .replaceAll(/"c(\d)"/g, '"d$1"')
  return JSON.parse(text) as readonly CatalogObject[]
}

/** opm drops a comparator without a version at the end of a range, which is refused here. */
const graphs = randomGraphs.map((objects) => JSON.parse(JSON.stringify(objects).replaceAll('>=1.0.0 <"', '^1.0.0"')) as typeof objects)

suite('drawings are those of opm', () => {
  test('of random catalogs with several packages', async (t) => {
    await withOpm(t, async (ask) => {
      let drawn = 0
      const compare = async ([first, second, minimumEdge, owner]: readonly [
        readonly CatalogObject[],
        readonly CatalogObject[],
        string,
        string,
      ]): Promise<void> => {
        // opm draws the deprecations of another package, and one deprecated package only.
        const objects = [...first, ...renamed(second, 'other').filter(({ schema }) => schema !== 'olm.deprecations')]
        const answer = await ask({ text: textOf(objects), minimumEdge, package: owner })
        if (answer.mermaid === undefined) return
        const options = { ...(minimumEdge === '' ? {} : { minimumEdge }), ...(owner === '' ? {} : { package: owner }) }
        const own = renderMermaid(drawingOf(checkGraph({ objects }).graph, options))
        assert.equal(own, answer.mermaid, JSON.stringify({ objects, options }))
        drawn += 1
      }
      const arbitrary = fc.tuple(
        graphs,
        graphs,
        fc.constantFrom('', '', 'pkg.v1.0.1', 'pkg.v2.0.0'),
        fc.constantFrom('', '', 'pkg', 'other'),
      )
      // A deprecated channel or bundle of one package is marked in others by opm.
      await fc.assert(fc.asyncProperty(arbitrary, compare), { seed, numRuns: repeats({ default: 300, long: 3_000 }) })
      t.diagnostic(`${drawn} drawings are the same`)
      assert.ok(drawn > 100)
    })
  })

  test('with the marks of OLM v0, where opm is right', async (t) => {
    await withOpm(t, async (ask) => {
      const counts = { same: 0, marked: 0, declared: 0 }
      const compare = async (objects: readonly CatalogObject[]): Promise<void> => {
        const answer = await ask({ text: textOf(objects), v0: true })
        if (answer.mermaid === undefined) return
        const own = renderMermaid(drawingOf(checkGraph({ objects }).graph, { marksV0: true }))
        const [ours, theirs] = [own, answer.mermaid].map(partsOf)
        assert.deepEqual(ours?.graph, theirs?.graph, JSON.stringify(objects))
        if (hasMarkDefects(objects)) {
          counts.declared += 1
          return
        }
        assert.deepEqual(ours?.marks, theirs?.marks, JSON.stringify(objects))
        counts.same += 1
        counts.marked += ours?.marks.some((line) => line.startsWith('linkStyle')) === true ? 1 : 0
      }
      await fc.assert(fc.asyncProperty(graphs, compare), { seed, numRuns: repeats({ default: 300, long: 5_000 }) })
      t.diagnostic(JSON.stringify(counts))
      assert.ok(counts.marked > 0)
    })
  })
})

function partsOf(mermaid: string): { readonly graph: readonly string[]; readonly marks: readonly string[] } {
  const lines = mermaid.split('\n')
  const isMark = (line: string): boolean => /^(class|linkStyle) /.test(line)
  return { graph: lines.filter((line) => !isMark(line)), marks: lines.filter(isMark) }
}

/**
 * Catalogs in which opm marks the wrong things: it counts edges by the names of channels over all
 * packages, marks a version that is skipped only if the entry that skips it is greater, marks the
 * second one of two edges that skip the same version, and not those that lead from what a skipped
 * version skips.
 */
function hasMarkDefects(objects: readonly CatalogObject[]): boolean {
  const channels = objects.flatMap((object) =>
    object.schema === 'olm.channel'
      ? [(object as { entries?: readonly { name: string; replaces?: string; skips?: readonly string[] }[] }).entries ?? []]
      : [],
  )
  const missing = new Set(channels.flat().map(({ name }) => name))
  for (const object of objects) if (object.schema === 'olm.bundle') missing.delete(object.name ?? '')
  return channels.some((entries) => {
    const skips = entries.flatMap(({ name, skips: all = [] }) => all.map((skipped) => ({ name, skipped })))
    const skipped = new Set(skips.map((one) => one.skipped))
    return (
      new Set(skips.map((one) => one.skipped)).size < skips.length ||
      skips.some((one) => one.skipped >= one.name || missing.has(one.name) || missing.has(one.skipped) || skipped.has(one.name))
    )
  })
}

const base = `schema: olm.package
name: p
defaultChannel: a
---
schema: olm.channel
package: p
name: a
entries:
- name: p.v1
---
schema: olm.bundle
package: p
name: p.v1
image: r.test/p
properties:
- type: olm.package
  value: {packageName: p, version: 1.0.0}
`
const property = (type: string, value: string): string => `${base}- type: ${type}\n  value: ${value}\n`
const further = (text: string): string => `${base}---\n${text}`

/** Texts that are easily read in another way than opm does. */
const texts: readonly string[] = [
  base,
  `---\n${base}`,
  `${base}---\n`,
  base.replace('---\n', '--- # x\n'),
  base.replaceAll('\n', '\r\n'),
  `\uFEFF${base}`,
  further('schema: x\nname: yes\n'),
  further('schema: x\nname: n\n'),
  further('schema: x\nname: null\n'),
  further('schema: x\nname: 2020-01-01\n'),
  further('schema: x\nname: 1.10\n'),
  further('schema: !!str 1\n'),
  further('schema: olm.unknown\n'),
  further('name: x\n'),
  further('- a\n'),
  further('text\n'),
  further('a: [\n'),
  further('\tschema: x\n'),
  base.replace('- name: p.v1', '- name: 1.1'),
  base.replace('- name: p.v1', '- name: p.v1\n  skips: p.v0'),
  base.replace('- name: p.v1', '- name: p.v1\n  skips: null\n  replaces: null'),
  base.replace('- name: p.v1', '- name: p.v1\n  replace: p.v0'),
  base.replace('defaultChannel: a', 'defaultChannel: 1'),
  base.replace('defaultChannel: a', 'defaultChannel: a\nicon: {base64data: "*", mediatype: x}'),
  base.replace('schema: olm.package', 'Schema: olm.package').replace('defaultChannel', 'DefaultChannel'),
  base.replace('schema: olm.package\n', 'schema: olm.package\nSchema: olm.package\n'),
  base.replace('schema: olm.package\n', 'schema: olm.package\nschema: olm.package\n'),
  base.replace('version: 1.0.0', 'version: 1.0'),
  base.replace('image: r.test/p', 'image: r.test/p\nrelatedImages: [{name: a}]'),
  property('x', 'null'),
  property('x', '').replace('  value: \n', ''),
  property('olm.gvk', '{group: 1}'),
  property('olm.gvk.required', '{group: a, kind: B, version: v1}'),
  property('olm.package.required', '{packageName: a, versionRange: 1}'),
  property('olm.csv.metadata', '{annotations: {a: 1}}'),
  property('olm.csv.metadata', '{annotations: {a: b}, crdDescriptions: {owned: [{name: x, kind: X, version: v1}]}, provider: {name: x}}'),
  property('olm.csv.metadata', '{installModes: [{type: x, supported: "yes"}]}'),
  property('olm.bundle.object', '{data: "***"}'),
  property('olm.bundle.object', '{data: "YTogWw=="}'),
  property('olm.bundle.object', '{data: "YTogMQ=="}'),
  property('olm.bundle.object', '{}'),
  further('schema: olm.deprecations\npackage: p\nentries:\n- message: x\n'),
  further('schema: olm.deprecations\npackage: p\nentries:\n- reference: {schema: olm.bundle, name: p.v1}\n  message: x\n'),
  further('schema: olm.channel\npackage: p\nname: b\nentries:\n- name: none\n'),
  '{"schema":"x"}{"schema":"y"}',
  '{"schema":"x"}\n---\n{"schema":"z"}',
  '{"schema":"x"} text',
  '{"schema":"x"',
  '{schema: x}',
  'schema: x\na: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e]\n',
]
/** Documents without content: opm cannot read what has one, and here it is a finding. */
const blankTexts: readonly string[] = [
  `# comment\n---\n${base}`,
  further('# comment\n'),
  further('---\n'),
  further('null\n'),
  `---\n---\n${base}`,
  '\n',
]

test('texts are read, refused and found invalid as by opm', async (t) => {
  await withOpm(t, async (ask) => {
    for (const text of texts) assert.equal(ourVerdict([{ path: '', text }]), verdictOf(await ask({ text })), JSON.stringify(text))
    for (const text of blankTexts)
      assert.deepEqual([ourVerdict([{ path: '', text }]), verdictOf(await ask({ text }))], ['invalid', 'unreadable'], JSON.stringify(text))
  })
})

test('files of a folder belong to a catalog as they do for opm, whatever .indexignore says', async (t) => {
  await withOpm(t, async (ask) => {
    const object = (name: string): string => `schema: olm.package\nname: ${name}\ndefaultChannel: a\n`
    const bad = 'no catalog'
    const rows: readonly (readonly [title: string, files: Readonly<Record<string, string>>])[] = [
      ['all files', { 'a.yaml': object('a'), 'b/c.json': '{"schema":"x"}' }],
      ['a file that is none', { 'a.yaml': object('a'), 'README.md': bad }],
      ['ignored by name', { 'a.yaml': object('a'), 'README.md': bad, '.indexignore': '*.md\n' }],
      ['ignored below', { 'a.yaml': object('a'), 'b/README.md': bad, '.indexignore': '*.md\n' }],
      ['ignored with its folder', { 'a.yaml': object('a'), 'docs/x.txt': bad, '.indexignore': 'docs/\n' }],
      ['ignored at the root only', { 'a.yaml': object('a'), 'b/README.md': bad, '.indexignore': '/*.md\n' }],
      ['not ignored again', { 'a.yaml': object('a'), 'b.md': bad, '.indexignore': '*.md\n!b.md\n' }],
      ['ignored by a file below', { 'a.yaml': object('a'), 'b/README.md': bad, 'b/.indexignore': '*.md\n' }],
      [
        'a file below does not count above',
        { 'a.yaml': object('a'), 'README.md': bad, 'b/.indexignore': '*.md\n', 'b/c.yaml': object('c') },
      ],
      ['a file below overrides', { 'a.yaml': object('a'), '.indexignore': '*.md\n', 'b/.indexignore': '!README.md\n', 'b/README.md': bad }],
      ['double stars', { 'a.yaml': object('a'), 'b/c/d/x.txt': bad, '.indexignore': 'b/**/x.txt\n' }],
      ['comments and blank lines', { 'a.yaml': object('a'), 'x.txt': bad, '.indexignore': '# no\n\nx.txt\n' }],
    ]
    const root = await mkdtemp(join(tmpdir(), 'steadyvm-catalogs-'))
    try {
      for (const [index, [title, files]] of rows.entries()) {
        const folder = join(root, String(index))
        for (const [path, text] of Object.entries(files)) {
          await mkdir(dirname(join(folder, path)), { recursive: true })
          await writeFile(join(folder, path), text)
        }
        assert.equal(ourVerdict(await catalogFilesIn(folder)), verdictOf(await ask({ folder })), title)
      }
    } finally {
      await rm(root, { recursive: true })
    }
  })
})

test("opm's own catalogs have its verdicts and drawings", async (t) => {
  const source = await upstreamSource('operator-registry')
  if ('missing' in source) {
    t.skip(source.missing)
    return
  }
  const files = globSync('{alpha,test,fbc-dir,docs}/**/*.{yaml,json}', { cwd: source.folder })
  await withOpm(t, async (ask) => {
    let compared = 0
    for (const file of files) {
      const text: string = await readFile(join(source.folder, file), 'utf8')
      if (!text.includes('olm.channel') || text.includes('olm.template')) continue
      const answer = await ask({ text })
      assert.equal(ourVerdict([{ path: file, text }]), verdictOf(answer), file)
      if (answer.mermaid !== undefined)
        assert.equal(renderMermaid(drawingOf(checkGraph(readCatalogFiles([{ path: file, text }])).graph)), answer.mermaid, file)
      compared += 1
    }
    t.diagnostic(`${compared} catalogs`)
    assert.ok(compared > 5)
  })
})
