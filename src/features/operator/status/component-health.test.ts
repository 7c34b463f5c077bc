import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import { componentHealthOf, healthy, type AgentsHealthObservation, type DeploymentObservation } from './component-health.ts'
import type { ComponentPod } from '../rollout/component-pod.ts'

const now = 1_000_000
const long = now - 31_000
const short = now - 10_000

const pod = (name: string, more: Partial<ComponentPod> = {}): ComponentPod => ({
  name,
  uid: name,
  isCurrent: true,
  readySince: undefined,
  node: 'n1',
  isReady: false,
  notReadySince: undefined,
  madeAt: 0,
  crash: undefined,
  waitsFor: undefined,
  isLeaving: false,
  ...more,
})

function controller(replicas: number, ready: number, pods: readonly ComponentPod[], conditions?: object[]): DeploymentObservation {
  const deployment = { metadata: {}, spec: { replicas }, status: { availableReplicas: ready, conditions } } as unknown as Deployment
  return { name: 'virt-controller', deployment, pods, isRolled: ready === replicas && pods.every(({ isReady }) => isReady) }
}

const agents = (nodes: AgentsHealthObservation['nodes'], pods: readonly ComponentPod[]): AgentsHealthObservation => {
  return { name: 'virt-handler', nodes, pods }
}
const nobody = agents([], [])
const unavailable = (since: number): object[] => [{ type: 'Available', status: 'False', lastTransitionTime: new Date(since).toISOString() }]

suite('healthOf() a Deployment', () => {
  const crash = 'ended with exit code 1: no such flag'
  const waitsFor = 'no node has the label'
  const rows: readonly (readonly [string, DeploymentObservation, boolean | undefined, string | undefined])[] = [
    ['is well', controller(1, 1, [pod('a', { isReady: true })]), undefined, undefined],
    ['has just been killed', controller(1, 0, [pod('a', { notReadySince: short })]), undefined, undefined],
    ['has just been recreated', controller(1, 0, [pod('a', { madeAt: short })], unavailable(short)), undefined, undefined],
    ['is leaving', controller(1, 0, [pod('a', { isLeaving: true })], unavailable(short)), undefined, undefined],
    [
      'is in a crash loop',
      controller(1, 0, [pod('a', { madeAt: long, crash })]),
      true,
      `virt-controller: 0 of 1 ready (a on node n1: ${crash})`,
    ],
    [
      'is ready for a moment in each run of a crash loop',
      controller(1, 1, [pod('a', { isReady: true, readySince: short, isCrashLooping: true })]),
      true,
      'virt-controller: 0 of 1 ready',
    ],
    [
      'has recovered from a crash loop',
      controller(1, 1, [pod('a', { isReady: true, readySince: long, isCrashLooping: true })]),
      undefined,
      undefined,
    ],
    [
      'has no place',
      controller(1, 0, [pod('a', { node: '', madeAt: long, waitsFor })]),
      true,
      `virt-controller: 0 of 1 ready (a: ${waitsFor})`,
    ],
    ['has a new pod that never becomes ready', controller(2, 2, [pod('a', { madeAt: long })]), false, 'virt-controller: 2 of 2 ready'],
    ['has no pods at all', controller(1, 0, [], unavailable(long)), true, 'virt-controller: 0 of 1 ready'],
    ['is scaled to zero', controller(0, 0, []), true, 'virt-controller has no replicas'],
  ]
  for (const [what, observed, isDown, message] of rows) {
    test(`that ${what}`, () => {
      const { ailments } = componentHealthOf([observed], nobody, now)
      assert.deepEqual(ailments, message === undefined ? [] : [{ isDown, message }])
    })
  }

  const entry = {
    level: 'error',
    time: '2026-01-01T00:00:00Z',
    err: { type: 'FlagError', message: 'Unknown option "--x"', stack: 'at a {}' },
  }
  for (const [words, told] of [
    [`ended with exit code 1: ${JSON.stringify(entry)}`, 'ended with exit code 1: Unknown option "--x"'],
    [`ended with exit code 1: ${JSON.stringify(entry).slice(0, -8)}`, 'ended with exit code 1: Unknown option "--x"'],
    ['ended: {"err":{"message":"no \\x such"}', 'ended: {"err":{"message":"no \\x such"}'],
    ['ended with exit code 1: {"msg":1', 'ended with exit code 1: {"msg":1'],
    ['x'.repeat(400), `${'x'.repeat(300)}…`],
  ] as const) {
    test(`reports ${words.slice(0, 60)}`, () => {
      const { ailments } = componentHealthOf([controller(1, 0, [pod('a', { madeAt: long, crash: words })])], nobody, now)
      assert.equal(ailments[0]?.message, `virt-controller: 0 of 1 ready (a on node n1: ${told})`)
    })
  }

  test('checks again at the end of the grace period of an unready component', () => {
    assert.equal(componentHealthOf([controller(1, 0, [pod('a', { madeAt: short })])], nobody, now).recheckAfterMs, 20_000)
    assert.deepEqual(componentHealthOf([controller(1, 1, [pod('a', { isReady: true })])], nobody, now), healthy)
  })
})

suite('healthOf() agents', () => {
  const [one, two] = [
    { name: 'n1', isReady: true },
    { name: 'n2', isReady: true },
  ]
  const well = pod('b', { node: 'n2', isReady: true })
  const rows: readonly (readonly [string, AgentsHealthObservation, boolean | undefined])[] = [
    ['of which one is in a crash loop', agents([one, two], [pod('a', { notReadySince: long }), well]), false],
    ['that all do', agents([one, two], [pod('a', { madeAt: long }), pod('b', { node: 'n2', madeAt: short })]), true],
    ['of which one has just been killed', agents([one, two], [pod('a', { notReadySince: short }), well]), undefined],
    ['of a node that is not ready', agents([{ ...one, isReady: false }, two], [pod('a', { notReadySince: long }), well]), undefined],
    [
      'of a node that has just become ready',
      agents([{ ...one, readySince: short }, two], [pod('a', { notReadySince: long }), well]),
      undefined,
    ],
    ['that are starting', agents([one, two], [well]), undefined],
    ['of which one is replaced', agents([one, two], [pod('a', { isLeaving: true, notReadySince: long }), well]), undefined],
  ]
  for (const [what, observed, isDown] of rows) {
    test(what, () => {
      const { ailments } = componentHealthOf([], observed, now)
      assert.deepEqual(
        ailments.map((ailment) => ailment.isDown),
        isDown === undefined ? [] : [isDown],
      )
    })
  }
})
