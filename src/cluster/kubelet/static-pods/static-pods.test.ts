import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Pod } from '#api/core/v1/pod.ts'
import { planMirrors } from './mirror-pods.ts'
import { configHash, configMirror, ManifestError, parseStaticPod } from './static-pod.ts'

const manifest = (image: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: web }
spec: { containers: [{ name: main, image: ${image} }] }
`

function mirrorOf(pod: Pod, metadata: Partial<Pod['metadata']> = {}): Pod {
  const annotations = { ...pod.metadata.annotations, [configMirror]: pod.metadata.annotations?.[configHash] ?? '' }
  return { ...pod, metadata: { ...pod.metadata, uid: 'mirror', annotations, ...metadata } }
}

suite('parseStaticPod()', () => {
  test('returns the same pod for the same manifest, and a different one for another manifest or node', () => {
    const first = parseStaticPod(manifest('a'), 'web.yaml', 'n1')
    assert.deepEqual(parseStaticPod(manifest('a'), 'web.yaml', 'n1'), first)
    assert.notEqual(parseStaticPod(manifest('b'), 'web.yaml', 'n1').metadata.uid, first.metadata.uid)
    assert.notEqual(parseStaticPod(manifest('a'), 'web.yaml', 'n2').metadata.uid, first.metadata.uid)
    assert.deepEqual([first.metadata.name, first.metadata.namespace, first.spec.nodeName], ['web-n1', 'default', 'n1'])
  })

  for (const text of [
    'kind: Service',
    '{ kind: Pod, metadata: { name: ../x }, spec: { containers: [] } }',
    '{ kind: Pod, metadata: { name: x } }',
    '{',
  ]) {
    test(`refuses ${text}`, () => assert.throws(() => parseStaticPod(text, 'x.yaml', 'n1'), ManifestError))
  }
})

suite('planMirrors()', () => {
  const pod = parseStaticPod(manifest('a'), 'web.yaml', 'n1')
  const changed = parseStaticPod(manifest('b'), 'web.yaml', 'n1')
  const kinds = (wanted: readonly Pod[], found: readonly Pod[]): string[] => planMirrors(wanted, found).map(({ kind }) => kind)

  test('creates missing mirrors', () => assert.deepEqual(kinds([pod], []), ['create']))
  test('does nothing when the mirrors are up to date', () => assert.deepEqual(kinds([pod], [mirrorOf(pod)]), []))
  test('removes mirrors without a manifest', () => assert.deepEqual(kinds([], [mirrorOf(pod)]), ['delete']))
  test('removes an outdated mirror before it creates the new one', () => assert.deepEqual(kinds([changed], [mirrorOf(pod)]), ['delete']))
  test('completes the deletion of a mirror', () =>
    assert.deepEqual(kinds([pod], [mirrorOf(pod, { deletionTimestamp: '2026-01-01T00:00:00Z' })]), ['delete']))
})
