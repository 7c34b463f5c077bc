import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { bundleFolder, fileState, isBundled, programFile } from './program-bundle.ts'

/** A release with one program of one file, bundled. */
function bundledRelease(): Disposable & { readonly root: string; readonly source: string; readonly bundle: string } {
  const root = mkdtempSync(join(tmpdir(), 'steadyvm-programs-'))
  const source = join(root, 'src/cmd/hello.ts')
  const bundle = join(bundleFolder(root, 'hello'), 'hello.mjs')
  for (const file of [source, bundle]) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, 'hello()\n')
  }
  writeFileSync(join(dirname(bundle), 'inputs.json'), JSON.stringify({ 'src/cmd/hello.ts': fileState(source) }))
  return { root, source, bundle, [Symbol.dispose]: () => rmSync(root, { recursive: true }) }
}

test('a program runs from its bundle while that matches the sources', () => {
  using release = bundledRelease()
  assert.equal(programFile(release.root, 'hello'), release.bundle)
  assert.ok(isBundled(release.root, 'hello'))
})

test('a program without a bundle runs from its source', () => {
  using release = bundledRelease()
  assert.equal(programFile(release.root, 'other'), join(release.root, 'src/cmd/other.ts'))
})

const changes: Readonly<Record<string, (release: { readonly source: string; readonly bundle: string }) => void>> = {
  'its content has changed': ({ source }) => writeFileSync(source, 'goodbye()\n'),
  'it was written again': ({ source }) => utimesSync(source, 1, 1),
  'it was deleted': ({ source }) => rmSync(source),
  'the metadata of the bundle are unreadable': ({ bundle }) => writeFileSync(join(dirname(bundle), 'inputs.json'), '{'),
}
for (const [what, change] of Object.entries(changes)) {
  test(`a program does not run from a bundle when ${what}`, () => {
    using release = bundledRelease()
    change(release)
    assert.equal(programFile(release.root, 'hello'), release.source)
  })
}
