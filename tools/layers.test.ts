import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')

/** The layer table of ARCHITECTURE.md: `| layer | may import | … |`. */
function documented(): Map<string, Set<string>> {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const section = text.split('## Layers')[1]?.split('\n## ')[0] ?? ''
  const rows = [...section.matchAll(/^\| `([a-z/-]+)` \| ([^|]*) \|/gm)]
  return new Map(
    rows.map(([, layer, imports]) => [layer ?? '', new Set([...(imports ?? '').matchAll(/`([a-z/-]+)`/g)].map((match) => match[1] ?? ''))]),
  )
}

/** Returns the dependencies that the compiler enforces: the references of each layer's tsconfig. */
function compiled(layer: string): Set<string> {
  const folder = join(root, 'src', layer)
  const config = JSON.parse(readFileSync(join(folder, 'tsconfig.json'), 'utf8')) as { references: { path: string }[] }
  return new Set(config.references.map(({ path }) => relative(join(root, 'src'), join(folder, path))))
}

test('the layer table of ARCHITECTURE.md is what the compiler enforces', () => {
  const table = documented()
  assert.ok(table.size >= 12, `found ${table.size} rows`)
  for (const [layer, imports] of table) assert.deepEqual([...imports].toSorted(), [...compiled(layer)].toSorted(), layer)
})

test('every layer is in the table and in the root project', () => {
  const projects = (JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as { references: { path: string }[] }).references
  const layers = projects.map(({ path }) => path).filter((path) => path.startsWith('src/'))
  assert.deepEqual([...documented().keys()].toSorted(), layers.map((path) => path.slice('src/'.length)).toSorted())
})
