import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { ReplicaSet } from '#api/apps/v1/replica-set.ts'
import { scaleInProportion } from './proportional-scaling.ts'
import { nextSize, rollingStep } from './rolling-update.ts'

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [] } }

function deployment(replicas: number, maxSurge: number | string, maxUnavailable: number | string): Deployment {
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } }
  return { metadata: { name: 'd' }, spec: { replicas, strategy, selector: {}, template } }
}

/**
 * A ReplicaSet with its desired and available pods, and the maximum recorded when it was scaled.
 */
function replicaSet(name: string, size: number, available: number, max?: number): ReplicaSet {
  const annotations = max === undefined ? {} : { 'deployment.kubernetes.io/max-replicas': String(max) }
  return {
    metadata: { name, creationTimestamp: `2026-01-01T00:00:0${name.length}Z`, annotations },
    spec: { replicas: size, selector: {}, template },
    status: { replicas: size, availableReplicas: available },
  }
}

const sizes = (changes: ReturnType<typeof rollingStep>): Record<string, number> =>
  Object.fromEntries(changes.flatMap((one) => (one.kind === 'scale' ? [[one.replicaSet.metadata.name ?? '', one.replicas]] : [])))

suite('nextSize()', () => {
  for (const [reason, replicas, surge, current, old, expected] of [
    ['fills the surplus', 10, 3, 0, [10], 3],
    ['rounds a share of surplus up', 10, '25%', 0, [10], 3],
    ['does not grow beyond the surplus', 10, 3, 3, [10], 3],
    ['grows as the old ones shrink', 10, 3, 3, [6], 7],
    ['never exceeds the requested number', 10, 3, 9, [0], 10],
    ['shrinks at once', 4, 1, 9, [], 4],
  ] as const) {
    test(reason, () => {
      const olds = old.map((size) => replicaSet('o', size, size))
      assert.equal(nextSize(deployment(replicas, surge, 1), replicaSet('nn', current, current), olds), expected)
    })
  }
})

suite('rollingStep()', () => {
  for (const { reason, wanted, current, old, expected } of [
    {
      reason: 'grows before it shrinks',
      wanted: deployment(10, 3, 2),
      current: replicaSet('nnn', 0, 0),
      old: [replicaSet('o', 10, 10)],
      expected: { nnn: 3 },
    },
    {
      reason: 'reduces old pods to the required number',
      wanted: deployment(10, 3, 2),
      current: replicaSet('nnn', 3, 0),
      old: [replicaSet('o', 10, 10)],
      expected: { o: 8 },
    },
    {
      reason: 'reduces none while too few are available',
      wanted: deployment(3, 1, 0),
      current: replicaSet('nnn', 1, 0),
      old: [replicaSet('o', 3, 3)],
      expected: {},
    },
    {
      reason: 'removes unavailable pods first, of the oldest ReplicaSet first',
      wanted: deployment(10, 0, 2),
      current: replicaSet('nnn', 2, 2),
      old: [replicaSet('o', 4, 2), replicaSet('oo', 4, 4)],
      expected: { o: 2 },
    },
    {
      reason: 'uses maxUnavailable 1 when both limits are 0',
      wanted: deployment(1, '0%', '0%'),
      current: replicaSet('nnn', 0, 0),
      old: [replicaSet('o', 1, 1)],
      expected: { o: 0 },
    },
    {
      reason: 'rests when all is done',
      wanted: deployment(3, 1, 1),
      current: replicaSet('nnn', 3, 3),
      old: [replicaSet('o', 0, 0)],
      expected: {},
    },
  ]) {
    test(reason, () => assert.deepEqual(sizes(rollingStep(wanted, current, old)), expected))
  }
})

suite('scaleInProportion()', () => {
  for (const { reason, wanted, current, old, expected } of [
    {
      reason: 'assigns all replicas to the only ReplicaSet with pods',
      wanted: deployment(5, 1, 1),
      current: replicaSet('nnn', 0, 0),
      old: [replicaSet('o', 3, 3)],
      expected: { o: 5 },
    },
    {
      reason: 'grows each by its share, the rest to the largest',
      wanted: deployment(15, 3, 2),
      current: replicaSet('nnn', 5, 0, 13),
      old: [replicaSet('o', 8, 8, 13)],
      expected: { o: 11, nnn: 7 },
    },
    {
      reason: 'shrinks each by its share',
      wanted: deployment(5, 0, 1),
      current: replicaSet('nnn', 5, 5, 10),
      old: [replicaSet('o', 5, 5, 10)],
      expected: { o: 2, nnn: 3 },
    },
    {
      reason: 'scales all to zero for 0 replicas',
      wanted: deployment(0, 1, 1),
      current: replicaSet('nnn', 2, 2, 5),
      old: [replicaSet('o', 3, 3, 5)],
      expected: { o: 0, nnn: 0 },
    },
  ]) {
    test(reason, () => assert.deepEqual(sizes(scaleInProportion(wanted, { current, old })), expected))
  }
})
