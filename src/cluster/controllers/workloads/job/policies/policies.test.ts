import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Job, JobSpec, JobStatus, PodFailurePolicyRule, SuccessPolicyRule } from '#api/batch/v1/job.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { decideJob, type JobDecision } from '../decide.ts'
import { jobPod } from '../job-pod.ts'
import { trackingFinalizer } from '../names.ts'
import { judgeFailure } from './failure-policy.ts'
import { metRule } from './success-policy.ts'

const nowMs = Date.UTC(2026, 0, 1, 1)
const longAgo = '2026-01-01T00:00:00Z'

function job(spec: Partial<JobSpec>, status?: JobStatus): Job {
  const template = { spec: { containers: [{ name: 'main', image: 'a:1' }] } }
  const metadata = { name: 'j', uid: 'j', namespace: 'default' }
  return { metadata, spec: { template, ...spec }, ...(status === undefined ? {} : { status }) }
}

/** The pod of an index after so many failures, as the controller makes it, in its last state. */
function podOf(owner: Job, uid: string, index: number, failures: number, exitCode: number | 'runs', held = true): Pod {
  const pod = jobPod(owner, { index, failures: { counted: failures, ignored: 0 } })
  const terminated = { exitCode: exitCode === 'runs' ? 0 : exitCode, finishedAt: longAgo }
  const status: Pod['status'] =
    exitCode === 'runs'
      ? { phase: 'Running' }
      : { phase: exitCode === 0 ? 'Succeeded' : 'Failed', containerStatuses: [{ name: 'main', state: { terminated } } as never] }
  return { ...pod, metadata: { ...pod.metadata, uid, name: uid, finalizers: held ? [trackingFinalizer] : [] }, status }
}

const decide = (owner: Job, pods: readonly Pod[]): JobDecision => decideJob({ job: owner, pods, settled: true }, nowMs, longAgo)
const made = ({ create }: JobDecision): unknown => create.map(({ index, failures }) => [index, failures?.counted, failures?.ignored])
const reasons = ({ status }: JobDecision): unknown => status.conditions?.map(({ type, reason }) => `${type} ${reason ?? ''}`)
const released = ({ release }: JobDecision): unknown => release.map(({ metadata }) => metadata.uid)

suite('judgeFailure()', () => {
  const pod = podOf(job({}), 'p', 0, 0, 42)
  const disrupted = { ...pod, status: { ...pod.status, conditions: [{ type: 'DisruptionTarget', status: 'True' as const }] } }
  const onExit = (action: string, operator: string, values: number[], containerName?: string): PodFailurePolicyRule => ({
    action,
    onExitCodes: { operator, values, ...(containerName === undefined ? {} : { containerName }) },
  })
  const onDisruption = { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }
  for (const [reason, rules, failed, action, message] of [
    ['counts without a rule', [], pod, 'Count', ''],
    [
      'takes the first rule that matches',
      [onExit('Ignore', 'In', [1]), onExit('FailJob', 'In', [42]), onExit('Ignore', 'In', [42])],
      pod,
      'FailJob',
      'Container main for pod default/p failed with exit code 42 matching FailJob rule at index 1',
    ],
    ['reads NotIn', [onExit('Ignore', 'NotIn', [42])], pod, 'Count', ''],
    ['looks at one container', [onExit('Ignore', 'In', [42], 'other')], pod, 'Count', ''],
    [
      'looks at conditions',
      [onDisruption],
      disrupted,
      'Ignore',
      'Pod default/p has condition DisruptionTarget matching Ignore rule at index 0',
    ],
    ['counts without the condition', [onDisruption], pod, 'Count', ''],
  ] as const) {
    test(reason, () => assert.deepEqual(judgeFailure({ rules: [...rules] }, failed), { action, message }))
  }
})

suite('metRule()', () => {
  for (const [rules, succeeded, expected] of [
    [[{ succeededCount: 2 }], [4], undefined],
    [[{ succeededCount: 2 }], [4, 7], 0],
    [[{ succeededIndexes: '0,2-3' }], [0, 2], undefined],
    [[{ succeededIndexes: '0,2-3' }], [0, 1, 2, 3], 0],
    [[{ succeededIndexes: '0,2-3', succeededCount: 1 }], [1], undefined],
    [[{ succeededIndexes: '9' }, { succeededIndexes: '0,2-3', succeededCount: 1 }], [3], 1],
    [[{ succeededCount: 0 }], [], undefined],
  ] satisfies [SuccessPolicyRule[], number[], number | undefined][]) {
    test(`${JSON.stringify(rules)} by ${succeeded.join()}`, () => assert.equal(metRule({ rules }, new Set(succeeded)), expected))
  }
})

suite('decideJob() with policies', () => {
  const perIndex = { completionMode: 'Indexed', completions: 3, parallelism: 3, backoffLimitPerIndex: 1, backoffLimit: 100 }

  test('keeps a failed pod until its index has another one, which knows how often it has failed', () => {
    const owner = job(perIndex)
    const failed = podOf(owner, 'p', 1, 0, 1)
    const first = decide(owner, [podOf(owner, 'o', 0, 0, 'runs'), failed])
    assert.deepEqual(
      [made(first), released(first)],
      [
        [
          [1, 1, 0],
          [2, 0, 0],
        ],
        [],
      ],
    )
    assert.equal(first.status.failedIndexes, '')
    const next = decide(owner, [podOf(owner, 'o', 0, 0, 'runs'), failed, podOf(owner, 'q', 1, 1, 'runs')])
    assert.deepEqual([released(next), next.status.uncountedTerminatedPods], [['p'], { failed: ['p'] }])
  })

  test('fails an index that has failed too often, and the Job when nothing else is left', () => {
    const owner = job(perIndex, { completedIndexes: '0,2' })
    const first = decide(owner, [podOf(owner, 'q', 1, 1, 1)])
    assert.deepEqual([first.status.failedIndexes, made(first), released(first)], ['1', [], ['q']])
    assert.deepEqual(reasons(first), ['FailureTarget FailedIndexes'])
    const last = decide(job(perIndex, first.status), [podOf(owner, 'q', 1, 1, 1, false)])
    assert.deepEqual([reasons(last), last.status.failed], [['FailureTarget FailedIndexes', 'Failed FailedIndexes'], 1])
  })

  test('fails an index at once by FailIndex, and the Job by maxFailedIndexes, with the pods that still run', () => {
    const rules = [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [42] } }]
    const owner = job({ ...perIndex, maxFailedIndexes: 0, podFailurePolicy: { rules } })
    const decision = decide(owner, [podOf(owner, 'p', 0, 0, 42), podOf(owner, 'o', 1, 0, 'runs')])
    assert.deepEqual([decision.status.failedIndexes, reasons(decision)], ['0', ['FailureTarget MaxFailedIndexesExceeded']])
    assert.deepEqual(
      decision.remove.map(({ metadata }) => metadata.uid),
      ['o'],
    )
  })

  test('counts pods that wait for a replacement before the Job ends for another reason', () => {
    const owner = job({ ...perIndex, activeDeadlineSeconds: 1 }, { startTime: longAgo })
    const failed = podOf(owner, 'p', 1, 0, 1)
    const first = decide(owner, [failed])
    assert.deepEqual(reasons(first), ['FailureTarget DeadlineExceeded'])
    const next = decide(job(owner.spec, first.status), [failed])
    assert.deepEqual([next.status.uncountedTerminatedPods, released(next)], [{ failed: ['p'] }, ['p']])
  })

  test('does not count an ignored failure, and replaces its pod', () => {
    const rules = [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [42] } }]
    const owner = job({ completions: 1, backoffLimit: 0, podFailurePolicy: { rules } })
    const decision = decide(owner, [podOf(owner, 'p', 0, 0, 42)])
    assert.deepEqual([decision.status.uncountedTerminatedPods, released(decision), decision.create.length], [{}, ['p'], 1])
  })

  test('fails the Job by FailJob', () => {
    const rules = [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }]
    const owner = job({ completions: 2, parallelism: 2, podFailurePolicy: { rules } })
    const decision = decide(owner, [podOf(owner, 'p', 0, 0, 1)])
    assert.deepEqual([reasons(decision), decision.create], [['FailureTarget PodFailurePolicy'], []])
  })

  test('completes the Job by its success policy, and deletes the pods that still run', () => {
    const owner = job({ completionMode: 'Indexed', completions: 3, parallelism: 3, successPolicy: { rules: [{ succeededIndexes: '1' }] } })
    const decision = decide(owner, [podOf(owner, 'p', 1, 0, 0), podOf(owner, 'o', 0, 0, 'runs')])
    assert.deepEqual(reasons(decision), ['SuccessCriteriaMet SuccessPolicy'])
    assert.deepEqual([decision.remove.length, decision.create], [1, []])
  })
})
