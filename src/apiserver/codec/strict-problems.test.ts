import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { strictProblems } from './strict-problems.ts'

const object = {
  metadata: { name: 'a' },
  spec: { unknown1: 1, unknownDupe: { x: 2 }, paused: false, containers: [{ unknownNested: 1, imagePullPolicy: 'Never' }] },
}
const findings = {
  unknown: ['spec.unknown1', 'spec.unknownDupe', 'spec.containers[0].unknownNested'],
  duplicates: ['spec.unknownDupe', 'spec.unknownDupe.x', 'spec.paused', 'spec.containers[0].imagePullPolicy'],
}

suite('strictProblems()', () => {
  test('lists problems of built-in kinds in document order, and unknown fields once', () => {
    assert.deepEqual(strictProblems(false, object, findings), [
      'unknown field "spec.unknown1"',
      'unknown field "spec.unknownDupe"',
      'duplicate field "spec.paused"',
      'unknown field "spec.containers[0].unknownNested"',
      'duplicate field "spec.containers[0].imagePullPolicy"',
    ])
  })

  test('lists duplicates of custom resources first', () => {
    assert.deepEqual(strictProblems(true, object, { unknown: ['spec.a'], duplicates: ['spec.b'] }), [
      'duplicate field "spec.b"',
      'unknown field "spec.a"',
    ])
  })
})
