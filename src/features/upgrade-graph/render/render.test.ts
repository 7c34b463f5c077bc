import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { CatalogObject } from '../catalog/catalog.ts'
import { buildGraph } from '../graph/build-graph.ts'
import { randomGraphs } from '../random-graphs.fixture.ts'
import { drawingOf, edgeCount } from './drawing.ts'
import { renderDot } from './dot.ts'
import { renderMermaid } from './mermaid.ts'
import { renderSvg } from './svg.ts'

function catalog(owner: string, channel: string, deprecated: readonly object[] = []): readonly CatalogObject[] {
  return [
    { schema: 'olm.package', name: owner, defaultChannel: channel },
    {
      schema: 'olm.channel',
      package: owner,
      name: channel,
      entries: [{ name: 'b', replaces: 'a', skips: ['c'] }, { name: 'a' }, { name: 'c', replaces: 'a' }],
    },
    ...['1.0.0', '1.2.0', '1.1.0'].map((version, index) => ({
      schema: 'olm.bundle',
      package: owner,
      name: ['a', 'b', 'c'][index],
      image: 'r.test/x',
      properties: [{ type: 'olm.package', value: { packageName: owner, version } }],
    })),
    ...(deprecated.length === 0
      ? []
      : [{ schema: 'olm.deprecations', package: owner, entries: deprecated.map((reference) => ({ reference, message: 'old' })) }]),
  ] as unknown as readonly CatalogObject[]
}

const mermaid = (objects: readonly CatalogObject[], marksV0 = false): readonly string[] =>
  renderMermaid(drawingOf(buildGraph(objects), { marksV0 })).split('\n')

suite('renderMermaid()', () => {
  test('marks what OLM v0 never takes: skipped versions, and the edges that lead to them', () => {
    const lines = mermaid(catalog('p', 'stable'), true)
    assert.deepEqual(
      lines.filter((line) => line.includes('-->')).map((line) => line.trim().replaceAll(/\[[^\]]*\]/g, '')),
      ['p-stable-c-- skip --> p-stable-b', 'p-stable-a-- replace --> p-stable-b', 'p-stable-a-- replace --> p-stable-c'],
    )
    assert.ok(lines.includes('class p-stable-c skipped'))
    assert.ok(lines.includes('linkStyle 2 stroke:#FF0000,stroke-width:3px,stroke-dasharray:5;'))
    assert.ok(!mermaid(catalog('p', 'stable')).some((line) => line.startsWith('class ') || line.startsWith('linkStyle')))
  })

  test('counts edges in the order in which they are written, also with several packages', () => {
    const lines = mermaid([...catalog('p', 'a-channel'), ...catalog('o', 'z-channel')], true)
    const edges = lines.filter((line) => line.includes('-->'))
    const [, ids = ''] = /^linkStyle (\S+)/.exec(lines.findLast((line) => line.startsWith('linkStyle')) ?? '') ?? []
    assert.deepEqual(
      ids.split(',').map((id) => /--> (\S+)\[/.exec(edges[Number(id)] ?? '')?.[1]),
      ['o-z-channel-c', 'p-a-channel-c'],
    )
  })

  test('marks all deprecated packages, and what is deprecated in its own package only', () => {
    const all = [{ schema: 'olm.package' }, { schema: 'olm.channel', name: 's' }, { schema: 'olm.bundle', name: 'a' }]
    const lines = mermaid([...catalog('n', 's', all), ...catalog('o', 's'), ...catalog('p', 's', [{ schema: 'olm.package' }])])
    assert.deepEqual(
      lines.filter((line) => /^(style|class) /.test(line)),
      ['style n fill:#989695', 'style p fill:#989695', 'style n-s fill:#DCD0FF', 'class n-s-a deprecated'],
    )
  })

  test('writes ids that mermaid can read, whatever the names are', () => {
    for (const name of ['a b', 'end', 'x[y', 'a--b', 'a"b', 'a-', 'é', 'a\nb', 'style'])
      for (const lines of [
        mermaid(catalog(name, 's', [{ schema: 'olm.package' }])),
        mermaid(catalog('p', name, [{ schema: 'olm.channel', name }])),
      ]) {
        for (const line of lines.filter((one) => /^\s+(\S+\[|subgraph)|^style/.test(one) && !one.includes('classDef')))
          assert.match(
            line,
            /^(\s+subgraph ("[\w.-]+"|[\w.-]+\["[^"\n]*"\])|style [\w.-]+ fill:#\w+|\s+[\w.-]+\["[^"\n]*"\](-- (\w+|"[^"]*") --> [\w.-]+\["[^"]*"\])?)$/,
          )
        assert.doesNotMatch(lines.join('\n'), /^ +(subgraph )?"?(end|style)[-["]/m)
      }
  })
})

/** Reports whether every element is closed by its own end. */
function isWellFormed(xml: string): boolean {
  const open: string[] = []
  for (const [, end, name = '', , empty] of xml.matchAll(/<(\/?)([a-z]+)((?:\s[^<>"]*(?:"[^"<]*")?)*?)(\/?)>/g)) {
    if (end === '/') {
      if (open.pop() !== name) return false
    } else if (empty !== '/') open.push(name)
  }
  return open.length === 0
}

test('pictures and Graphviz have each version and each edge of a drawing', async () => {
  await fc.assert(
    fc.asyncProperty(randomGraphs, fc.boolean(), async (objects, marksV0) => {
      const drawing = drawingOf(buildGraph(objects), { marksV0 })
      const channels = drawing.packages.flatMap((one) => one.channels)
      const pairs = channels.reduce(
        (sum, { entries }) => sum + entries.reduce((all, { edges }) => all + new Set(edges.map(({ from }) => from)).size, 0),
        0,
      )
      const dot = renderDot(drawing)
      assert.equal(dot.match(/ -> /g)?.length ?? 0, edgeCount(drawing))
      const svg = await renderSvg(drawing)
      assert.equal(svg.match(/class="edge/g)?.length ?? 0, pairs)
      assert.ok(isWellFormed(svg) && !svg.includes('NaN'), svg)
      for (const { entries } of channels)
        for (const { name } of entries) assert.ok(svg.includes(`>${name}</text>`) && dot.includes(`[label="${name}"`), name)
    }),
    { numRuns: 40 },
  )
})

test('names are escaped in pictures and for Graphviz', async () => {
  const drawing = drawingOf(buildGraph(catalog('a<b>&"', 's"\\')))
  assert.ok((await renderSvg(drawing)).includes('a&lt;b&gt;&amp;&quot;'))
  assert.ok(renderDot(drawing).includes(String.raw`label="s\"\\"`))
})
