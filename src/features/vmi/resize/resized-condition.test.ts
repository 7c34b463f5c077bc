import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Pod, PodCondition } from '#api/core/v1/pod.ts'
import { podResizeObstacle, resizedCondition, type ResizeObstacle } from './resized-condition.ts'

const podWith = (...conditions: readonly PodCondition[]): Pod => ({
  metadata: {},
  spec: { containers: [] },
  status: { conditions: [...conditions] },
})
const refused: ResizeObstacle = { reason: 'Refused', message: 'exceeded quota' }
const deferred: PodCondition = { type: 'PodResizePending', status: 'True', reason: 'Deferred', message: 'no room' }
const failed: PodCondition = { type: 'PodResizeInProgress', status: 'True', reason: 'Error', message: 'cgroup' }
const underWay: PodCondition = { type: 'PodResizeInProgress', status: 'True' }

const rows: readonly (readonly [string, Pod, ResizeObstacle | undefined, string | undefined])[] = [
  ['has been resized', podWith(), undefined, undefined],
  ['is being resized', podWith(underWay), undefined, undefined],
  ['was refused by the API server', podWith(), refused, 'Refused'],
  ['waits for room on its node', podWith(deferred), undefined, 'Deferred'],
  ['waits for room after an earlier resize', podWith(underWay, deferred), undefined, 'Deferred'],
  ['could not be resized by its kubelet', podWith(failed), undefined, 'Error'],
]

suite('the VMI shows that its pod', () => {
  for (const [what, pod, obstacle, reason] of rows)
    test(what, () => {
      const condition = resizedCondition(pod, obstacle)
      assert.equal(condition?.reason, reason)
      const status = { conditions: condition === undefined ? [] : [condition] }
      assert.equal(podResizeObstacle({ status }) === undefined, reason === undefined)
    })
})
