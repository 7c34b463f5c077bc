import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Pod } from '#api/core/v1/pod.ts'
import { choosePodsToDelete } from './deletion-order.ts'

interface Traits {
  readonly node?: string
  readonly phase?: NonNullable<Pod['status']>['phase']
  readonly readySince?: string
  readonly cost?: string
  readonly restarts?: number
  readonly created?: string
}

function pod(name: string, { node = 'n1', phase = 'Running', readySince, cost, restarts = 0, created }: Traits): Pod {
  const annotations = cost === undefined ? {} : { 'controller.kubernetes.io/pod-deletion-cost': cost }
  return {
    metadata: { name, annotations, creationTimestamp: created ?? '2026-01-01T00:00:00Z' },
    spec: { containers: [], ...(node === '' ? {} : { nodeName: node }) },
    status: {
      phase,
      conditions: readySince === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: readySince }],
      containerStatuses: [{ name: 'main', restartCount: restarts } as never],
    },
  }
}

const ready = { readySince: '2026-01-01T01:00:00Z' }

suite('chooseVictims()', () => {
  const related = new Map([
    ['n1', 1],
    ['n2', 5],
  ])
  for (const [reason, stays, goes] of [
    ['a pod without node before one that has one', ready, { node: '' }],
    ['a pending pod before a running one', { phase: 'Running' }, { phase: 'Pending' }],
    ['a pod that does not serve before one that does', ready, {}],
    ['a cheap pod before a dear one', { ...ready, cost: '10' }, { ...ready, cost: '-5' }],
    ['a pod among many before a lonely one', { ...ready, node: 'n1' }, { ...ready, node: 'n2' }],
    ['a pod that has served for less time', ready, { readySince: '2026-01-01T02:00:00Z' }],
    ['a pod that restarted more', { ...ready, restarts: 1 }, { ...ready, restarts: 2 }],
    ['a younger pod', ready, { ...ready, created: '2026-01-02T00:00:00Z' }],
  ] satisfies readonly [string, Traits, Traits][]) {
    test(`chooses ${reason}`, () => {
      const pods = [pod('stays', stays), pod('goes', goes)]
      assert.deepEqual(
        choosePodsToDelete(pods, 1, related).map(({ metadata }) => metadata.name),
        ['goes'],
      )
    })
  }
})
