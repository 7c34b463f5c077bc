import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ContainerState } from '#api/core/v1/container.ts'
import type { Pod, PodPhase } from '#api/core/v1/pod.ts'
import { decideServer } from './serve-source.ts'

function server(phase: PodPhase, state?: ContainerState): Pod {
  const container = { name: 'importer', image: '', imageID: '', ready: true, restartCount: 0 }
  return {
    metadata: { namespace: 'golden', name: 'source' },
    spec: { containers: [] },
    status: { phase, ...(state === undefined ? {} : { containerStatuses: [{ ...container, state }] }) },
  }
}

const unpulled = server('Pending', { waiting: { reason: 'ErrImagePull', message: 'no such image' } })

suite('decideServer()', () => {
  const rows: readonly (readonly [string, string | undefined, Pod | undefined, boolean, string])[] = [
    ['a worker that does not answer yet needs nothing', undefined, undefined, true, 'none'],
    ['a worker that copies needs nothing', 'Copying', undefined, true, 'none'],
    ['a worker that waits gets its source', 'WaitingForSource', undefined, true, 'create'],
    ['the source starts', 'WaitingForSource', server('Pending'), true, 'none'],
    ['the source cannot start, and the reason is told', 'WaitingForSource', unpulled, true, 'await'],
    ['a source that may have no Secret is made again', 'WaitingForSource', server('Pending'), false, 'remove'],
    ['the worker is told where its source runs', 'WaitingForSource', server('Running', { running: {} }), false, 'tell'],
    ['a source that has ended is made again', 'WaitingForSource', server('Succeeded'), true, 'remove'],
  ]
  for (const [what, stage, pod, isComplete, kind] of rows)
    test(what, () => {
      const step = decideServer(stage === undefined ? undefined : { stage }, pod, () => isComplete)
      assert.equal(step.kind, kind)
      if (step.kind === 'await') assert.match(step.wait.message, /golden\/source, which serves the source: no such image/)
    })
})
