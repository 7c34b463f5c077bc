import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ComponentPod } from './component-pod.ts'
import { decideDeployment, type DeploymentObservation, type DeploymentState } from './deployments.ts'

const now = 1_000_000
const state: DeploymentState = { isWanted: true, isRolled: true, isReplacing: false, desired: 1, updated: 1, ready: 1 }
const rolling: DeploymentState = { ...state, isRolled: false, ready: 0 }

function pod(more: Partial<ComponentPod> = {}): ComponentPod {
  return {
    name: 'pod',
    uid: 'uid',
    node: 'n1',
    isCurrent: true,
    isReady: true,
    readySince: now - 20_000,
    madeAt: now - 25_000,
    crash: undefined,
    waitsFor: undefined,
    isLeaving: false,
    ...more,
  }
}

const notReady = { isReady: false, readySince: undefined } as const
const crashed = { ...notReady, crash: 'ended with exit code 1', isCrashLooping: true } as const

suite('decideDeployment()', () => {
  interface Row {
    readonly when: string
    readonly more?: Partial<DeploymentObservation>
    readonly isSoaked?: boolean
    readonly failure?: string
    readonly problem?: string
    readonly recheckAfterMs?: number
  }
  const rows: readonly Row[] = [
    { when: 'a pod has been ready for the soak time', isSoaked: true },
    { when: 'a pod has just become ready', more: { pods: [pod({ readySince: now - 4_000 })] }, recheckAfterMs: 6_000 },
    { when: 'only pods of another version are ready', more: { pods: [pod({ isCurrent: false })] } },
    { when: 'the ready pod is being deleted', more: { pods: [pod({ isLeaving: true })] } },
    { when: 'the ready pod is on a lost node', more: { nodes: [{ name: 'n1', isReady: false }] } },
    { when: 'no pods are desired', more: { state: { ...state, desired: 0 }, pods: [] }, isSoaked: true },
    {
      when: 'a pod is starting',
      more: { state: rolling, pods: [pod({ ...notReady, madeAt: now - 5_000 })] },
      recheckAfterMs: 25_000,
    },
    {
      when: 'a pod ends again and again',
      more: { state: rolling, pods: [pod({ ...crashed, madeAt: now - 5_000 })] },
      failure: 'pod on node n1 ended with exit code 1',
      recheckAfterMs: 25_000,
    },
    {
      when: 'a pod was killed after it ran for a while',
      more: { state: rolling, pods: [pod({ ...crashed, isCrashLooping: false, notReadySince: now - 1_000 })] },
      recheckAfterMs: 29_000,
    },
    {
      when: 'a pod is not ready by the deadline',
      more: { state: rolling, pods: [pod({ ...notReady, madeAt: now - 30_000, waitsFor: 'no such image' })] },
      failure: 'pod on node n1 is not ready after 30 s: no such image',
    },
    {
      when: 'one pod is soaked and another one crashes',
      more: { state: rolling, pods: [pod(), pod({ ...crashed, name: 'other', madeAt: now - 40_000 })] },
      isSoaked: true,
      problem: 'other on node n1 ended with exit code 1',
    },
    {
      when: 'a crashing pod is on a lost node',
      more: { state: rolling, pods: [pod(crashed)], nodes: [{ name: 'n1', isReady: false }] },
    },
    { when: 'pods are about to be created', more: { state: rolling, pods: [], waitingSince: now - 1_000 }, recheckAfterMs: 29_000 },
    {
      when: 'no pod was created by the deadline',
      more: { state: rolling, pods: [], waitingSince: now - 30_000, replicaFailure: 'exceeded quota' },
      failure: 'virt-api: no pod was created within 30 s: exceeded quota',
    },
    { when: 'the Deployment has not been applied yet', more: { state: { ...rolling, isWanted: false }, pods: [pod(crashed)] } },
  ]
  for (const { when, more, isSoaked = false, failure, problem = failure, recheckAfterMs } of rows) {
    test(`${failure === undefined ? (isSoaked ? 'is soaked' : 'waits') : 'fails'} when ${when}`, () => {
      const observed: DeploymentObservation = {
        name: 'virt-api',
        state,
        pods: [pod()],
        nodes: [{ name: 'n1', isReady: true }],
        waitingSince: undefined,
        replicaFailure: undefined,
        soakMs: 10_000,
        deadlineMs: 30_000,
        ...more,
      }
      const { isSoaked: soaked, isFailed, problem: found, recheckAfterMs: recheck } = decideDeployment(observed, now)
      assert.deepEqual({ soaked, isFailed, found }, { soaked: isSoaked, isFailed: failure !== undefined, found: problem })
      if (recheckAfterMs !== undefined) assert.equal(recheck, recheckAfterMs)
    })
  }
})
