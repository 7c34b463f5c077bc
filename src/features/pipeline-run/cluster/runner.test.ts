import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { configMaps, persistentVolumeClaims, pods } from '#api/core/v1/resources.ts'
import { StatusError } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { crashingClient } from '#cluster/crashing-client.fixture.ts'
import { MemoryApi } from '#cluster/memory-api.fixture.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { planOf } from '../pipeline.fixture.ts'
import { collectorName, taskOf } from '../pod/names.ts'
import type { Outcome } from '../run/progress.ts'
import { createRun, readRun } from './run-store.ts'
import { followRun, RunDeleted } from './runner.ts'

const key = { namespace: 'default', name: 'demo' }
const work = { taskRef: { name: 'work' } }
const scratch = [{ name: 'scratch' }]
const inScratch = { workspaces: scratch, results: [{ name: 'r' }], steps: [{ name: 's', image: 'example.org/work:v1' }] }
const pipeline = {
  workspaces: scratch,
  tasks: [
    { name: 'a', taskSpec: inScratch, workspaces: scratch },
    { name: 'b', ...work, retries: 1, params: [], runAfter: ['a'] },
    { name: 'c', ...work, runAfter: ['a'] },
  ],
  finally: [{ name: 'z', ...work }],
  results: [{ name: 'out', value: '$(tasks.a.results.r)' }],
}
const plan = planOf(pipeline, { workspaces: { scratch: { kind: 'template', spec: { accessModes: ['ReadWriteOnce'] } } } })

/** A clock that does not wait. */
const clock: Clock = { ...systemClock, sleep: () => new Promise((resolve) => void setImmediate(resolve)) }

/** Ends pods at once, as a node would. The first attempt of b fails. */
async function runPods(api: MemoryApi, until: Promise<unknown>): Promise<void> {
  let isOver = false
  const end = (): void => void (isOver = true)
  until.then(end, end)
  while (!isOver) {
    for (const pod of api.all(pods)) {
      if (pod.status !== undefined) continue
      const isGood = taskOf(pod) !== 'b' || api.all(pods).filter((one) => taskOf(one) === 'b').length === 2
      const terminated = { exitCode: isGood ? 0 : 1, message: '{"r":"value"}' }
      const status = { name: collectorName, ready: false, restartCount: 0, image: '', imageID: '', state: { terminated } }
      const body = { status: { phase: isGood ? 'Succeeded' : 'Failed', containerStatuses: [status] } }
      await api.patch(pods, { namespace: 'default', name: pod.metadata.name ?? '' }, { type: 'merge', body }, { subresource: 'status' })
    }
    await new Promise((resolve) => void setImmediate(resolve))
  }
}

/**
 * Runs the pipeline as one process would: from its creation to its end, or to the death of the
 * client.
 */
async function runOnce(api: MemoryApi, client: Client, leave: AbortSignal): Promise<Outcome | undefined> {
  const stored = (await readRun(client, key)) ?? (await createRun(client, key, plan, 0))
  const following = followRun({ client, clock, show: () => {}, onRetry: () => {}, cancel: new AbortController().signal, leave }, stored)
  await Promise.all([runPods(api, following), following.catch(() => {})])
  return following
}

function assertWhole(api: MemoryApi, outcome: Outcome | undefined): void {
  assert.equal(outcome?.status, 'Succeeded')
  assert.deepEqual(outcome?.results, { out: 'value' })
  assert.deepEqual(api.all(pods).map(taskOf).toSorted(), ['a', 'b', 'b', 'c', 'z'])
  assert.equal(api.all(configMaps).length, 1)
  const [claim, ...others] = api.all(persistentVolumeClaims)
  assert.equal(others.length, 0)
  const [first] = api.all(pods).filter((pod) => taskOf(pod) === 'a')
  assert.deepEqual(first?.spec.volumes?.find(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined)?.persistentVolumeClaim, {
    claimName: claim?.metadata.name,
  })
}

suite('a runner', () => {
  test('that is killed at any write is followed by one that does nothing twice', async () => {
    let atWrite = 1
    for (let isDead = true; isDead; atWrite++) {
      for (const isDone of [false, true]) {
        const api = new MemoryApi()
        const { client, crashed } = crashingClient(api, { atWrite, isDone })
        const leave = new AbortController()
        isDead = false
        void crashed.then(() => {
          isDead = true
          leave.abort()
        })
        const first = await runOnce(api, client, leave.signal).catch(() => undefined)
        assertWhole(api, isDead ? await runOnce(api, api, new AbortController().signal) : first)
      }
    }
    assert.ok(atWrite > 10, `it made ${atWrite} writes`)
  })

  test('beside another one does not disturb it', async () => {
    const api = new MemoryApi()
    const never = new AbortController().signal
    const [first, second] = await Promise.all([runOnce(api, api, never), runOnce(api, api, never)])
    assertWhole(api, first)
    assert.deepEqual(first, second)
  })

  test('ends when its run is deleted', async () => {
    const api = new MemoryApi()
    const stored = await createRun(api, key, plan, 0)
    await api.delete(configMaps, key)
    const never = new AbortController().signal
    await assert.rejects(
      followRun({ client: api, clock, show: () => {}, onRetry: () => {}, cancel: never, leave: never }, stored),
      RunDeleted,
    )
  })

  test('takes a pod that the server refuses for a failure, and runs finally', async () => {
    const api = new MemoryApi()
    const create = api.create.bind(api)
    api.create = (resource, object, options) => {
      if (taskOf(object as never) !== 'a') return create(resource, object as never, options)
      const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 403, reason: 'Forbidden' } as const
      throw new StatusError({ ...status, message: 'quota' })
    }
    const outcome = await runOnce(api, api, new AbortController().signal)
    assert.equal(outcome?.status, 'Failed')
    assert.match(outcome?.message ?? '', /task "a" has failed \(CannotStart\): its pod cannot be created: quota/)
    assert.deepEqual(api.all(pods).map(taskOf), ['z'])
  })
})
