import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { mergeManifest } from './merge-manifest.ts'
import type { Manifest } from '../types.ts'

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

function liveWith(spec: object, previous?: object): KubeObject {
  const annotations = previous === undefined ? {} : { [lastApplied]: typeof previous === 'string' ? previous : JSON.stringify(previous) }
  return { metadata: { name: 'web', generation: 4, labels: { a: '1' }, annotations }, spec, status: { ready: true } } as KubeObject
}

const rows: readonly (readonly [string, KubeObject, object, object])[] = [
  ['keeps fields of other writers', liveWith({ a: 1, b: 2 }, { spec: { a: 1 } }), { a: 3 }, { a: 3, b: 2 }],
  [
    'removes fields that the manifest no longer has',
    liveWith({ a: 1, b: { c: 2, d: 3 } }, { spec: { a: 1, b: { c: 2 } } }),
    { b: {} },
    { b: { d: 3 } },
  ],
  ['removes nothing of an object that was never applied', liveWith({ a: 1 }), { b: 2 }, { a: 1, b: 2 }],
  [
    'replaces lists as a whole',
    liveWith({ a: [{ name: 'x', b: 1 }] }, { spec: { a: [] } }),
    { a: [{ name: 'x' }] },
    { a: [{ name: 'x' }] },
  ],
  ['tolerates an invalid annotation', liveWith({ a: 1 }, '{' as never), { a: 2 }, { a: 2 }],
]

suite('mergeManifest()', () => {
  for (const [name, live, spec, expected] of rows) {
    test(name, () => {
      const merged = mergeManifest(live, { metadata: { name: 'web' }, spec } as Manifest)
      assert.deepEqual((merged as { spec?: object }).spec, expected)
      assert.equal(merged.metadata?.generation, 5)
    })
  }

  test('keeps status and generation when the spec is unchanged', () => {
    const merged = mergeManifest(liveWith({ a: 1 }), {
      metadata: { name: 'web', labels: { b: '2' } },
      spec: { a: 1 },
      status: {},
    } as Manifest)
    assert.deepEqual(
      [merged.metadata?.generation, merged.metadata?.labels, (merged as { status?: object }).status],
      [4, { a: '1', b: '2' }, { ready: true }],
    )
  })
})
