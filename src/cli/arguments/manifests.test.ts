import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { testContext } from '../cli-context.fixture.ts'
import { CommandError } from '../context.ts'
import { readManifests } from './manifests.ts'

suite('readManifests()', () => {
  const directory = mkdtempSync(join(tmpdir(), 'manifests-'))
  after(() => rmSync(directory, { recursive: true }))
  const file = (name: string, content: string): string => {
    writeFileSync(join(directory, name), content)
    return join(directory, name)
  }
  const names = async (paths: string[], input = ''): Promise<string[]> =>
    (await readManifests(testContext({ input }).context, paths)).map(({ metadata }) => metadata.name)

  test('reads documents, lists, folders and standard input, in order', async () => {
    const yaml = file('b.yaml', 'kind: VM\nmetadata: {name: one}\n---\n---\nkind: List\nitems:\n- {kind: VM, metadata: {name: two}}\n')
    file('c.json', '{"kind": "VM", "metadata": {"name": "three"}}')
    file('d.txt', 'no manifest')
    assert.deepEqual(await names([yaml]), ['one', 'two'])
    assert.deepEqual(await names([directory]), ['one', 'two', 'three'])
    assert.deepEqual(await names(['-'], 'kind: VM\nmetadata: {name: four}'), ['four'])
    assert.deepEqual(await names(['-'], ''), [])
  })

  const bad = [
    ['what is no YAML', 'a: [b'],
    ['an object without name', 'kind: VM'],
    ['a bare word', 'hello'],
  ] as const
  for (const [what, input] of bad) test(`refuses ${what}`, async () => assert.rejects(names(['-'], input), CommandError))
  test('refuses a missing file', async () => assert.rejects(names([join(directory, 'nope')]), CommandError))
})
