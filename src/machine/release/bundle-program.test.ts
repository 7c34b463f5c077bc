import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { test } from 'node:test'
import { bundleProgram } from './bundle-program.ts'

test('a bundle contains only ASCII characters, which halves its memory, and the same strings as its source', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'bundle-'))
  t.after(() => rm(root, { recursive: true }))
  const source = [
    'export const text = "5 μs → 😀"',
    'export const unit = /^\\d+ (?:µs|μs) → [😀-😂]$/u',
    '/*! © somebody */',
    'export const raw = `μ`',
  ]
  await writeFile(join(root, 'program.ts'), source.join('\n'))
  await bundleProgram({ root, entry: 'program.ts', target: root, runsFrom: root, packages: 'external' })
  const bundle = join(root, 'program.mjs')
  assert.doesNotMatch(await readFile(bundle, 'utf8'), /\P{ASCII}/v)
  const { text, unit, raw } = (await import(pathToFileURL(bundle).href)) as {
    readonly text: string
    readonly unit: RegExp
    readonly raw: string
  }
  assert.equal(raw, 'μ')
  assert.match(text, unit)
  assert.doesNotMatch('5 ms → 😀', unit)
})
