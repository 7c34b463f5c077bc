import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { Job } from '#api/batch/v1/job.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { accountFor } from './accounting.ts'
import { retryInMs } from './backoff.ts'
import { decideJob } from './decide.ts'
import { formatIndexes, parseIndexes } from './indexes/indexes.ts'
import { trackingFinalizer } from './names.ts'

const nowMs = Date.UTC(2026, 0, 1)
const now = '2026-01-01T00:00:00Z'

function pod(uid: string, phase: 'Running' | 'Succeeded' | 'Failed', finalizers: string[] = [trackingFinalizer], finishedAt = now): Pod {
  const state = phase === 'Running' ? {} : { terminated: { exitCode: 1, finishedAt } }
  return {
    metadata: { uid, name: uid, finalizers },
    spec: { containers: [] },
    status: { phase, containerStatuses: [{ name: 'main', state } as never] },
  }
}

function job(spec: Partial<Job['spec']>, status?: Job['status']): Job {
  return {
    metadata: { name: 'j', uid: 'j' },
    spec: { template: { spec: { containers: [] } }, ...spec },
    ...(status === undefined ? {} : { status }),
  }
}

suite('accountFor()', () => {
  test('counts each pod once, also when it is interrupted between two steps', () => {
    const step = fc.constantFrom('store', 'release', 'vanish')
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 6 }), fc.array(step, { maxLength: 30, size: 'max' }), (outcomes, steps) => {
        let pods = outcomes.map((success, index) => pod(`p${index}`, success ? 'Succeeded' : 'Failed'))
        let stored: NonNullable<Job['status']> = {}
        for (const one of [...steps, ...Array.from({ length: 8 }, () => ['store', 'release'] as const).flat()]) {
          const { status, release } = decideJob(
            { job: job({ completions: 100, parallelism: 0, backoffLimit: 100 }, stored), pods, settled: false },
            nowMs,
            now,
          )
          // A pod is let go only after what it builds upon is stored.
          if (one === 'store') stored = status
          const noted = new Set([...(stored.uncountedTerminatedPods?.succeeded ?? []), ...(stored.uncountedTerminatedPods?.failed ?? [])])
          if (one === 'release') {
            const [first] = release.filter(({ metadata }) => noted.has(metadata.uid ?? ''))
            pods = pods.map((other) => (other === first ? { ...other, metadata: { ...other.metadata, finalizers: [] } } : other))
          }
          if (one === 'vanish') pods = pods.filter(({ metadata }) => (metadata.finalizers ?? []).length > 0)
        }
        const { status } = decideJob(
          { job: job({ completions: 100, parallelism: 0, backoffLimit: 100 }, stored), pods, settled: false },
          nowMs,
          now,
        )
        assert.deepEqual(
          [status.succeeded, status.failed],
          [outcomes.filter(Boolean).length, outcomes.filter((success) => !success).length],
        )
      }),
    )
  })

  test('counts a terminating pod as failed at once, or after its end, by podReplacementPolicy', () => {
    const leaving = pod('p', 'Running')
    const going = { ...leaving, metadata: { ...leaving.metadata, deletionTimestamp: now }, spec: { containers: [], nodeName: 'n' } }
    assert.deepEqual(accountFor(job({}), [going], false).noted.failed, ['p'])
    assert.deepEqual(accountFor(job({ podReplacementPolicy: 'Failed' }), [going], false).noted.failed, [])
    assert.deepEqual(accountFor(job({ podReplacementPolicy: 'Failed' }), [going], true).noted.failed, ['p'])
  })
})

suite('retryInMs()', () => {
  const at = (seconds: number): string => new Date(nowMs + seconds * 1000).toISOString()
  for (const [reason, pods, expected] of [
    ['does not wait before the first pod', [], 0],
    ['waits 10 s after the first failure', [pod('a', 'Failed', [], at(0))], 10_000],
    ['waits twice as long after the next', [pod('a', 'Failed', [], at(-10)), pod('b', 'Failed', [], at(0))], 20_000],
    [
      'counts from the last success',
      [pod('a', 'Failed', [], at(-20)), pod('b', 'Succeeded', [], at(-10)), pod('c', 'Failed', [], at(0))],
      10_000,
    ],
    ['never waits more than 6 min', Array.from({ length: 20 }, (_, index) => pod(`p${index}`, 'Failed', [], at(-index))), 360_000],
  ] as const) {
    test(reason, () => assert.equal(retryInMs(pods, nowMs), expected))
  }
})

suite('formatIndexes()', () => {
  test('is the inverse of parseIndexes()', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(40)), (indexes) => {
        assert.deepEqual(
          [...parseIndexes(formatIndexes(indexes))],
          indexes.toSorted((a, b) => a - b),
        )
      }),
    )
    assert.equal(formatIndexes([1, 2, 4, 5, 6, 9]), '1,2,4-6,9')
  })
})
