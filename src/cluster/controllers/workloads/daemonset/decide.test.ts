import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import type { Taint } from '#api/core/v1/node.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { targetNode } from './daemon-pod.ts'
import { decideDaemonSet, type DaemonSetObservation } from './decide.ts'
import { eligibilityOf } from './eligibility.ts'
import { createFailedPods } from './failed-pods.ts'

const now = Date.UTC(2026, 0, 1, 0, 1)

function daemonSet(rollingUpdate: object = { maxUnavailable: 1 }, podSpec: object = {}): DaemonSet {
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [], ...podSpec } }
  return {
    metadata: { name: 'a', generation: 3 },
    spec: { selector: { matchLabels: { app: 'a' } }, template, updateStrategy: { type: 'RollingUpdate', rollingUpdate } },
  }
}

const node = (name: string, taints: Taint[] = [], labels: Record<string, string> = {}): Node => ({
  metadata: { name, labels },
  spec: { taints },
})
const taint = (key: string, effect: Taint['effect']): Taint => ({ key, effect })

/**
 * `new@n1`, `old@n2!` for one that does not serve, `old@n2-` for one that goes, `new@n3x` for one
 * that has failed.
 */
function pod(text: string): Pod {
  const [, hash = '', nodeName = '', mark = ''] = /^(\w+)@(n\d)([!x-]?)$/.exec(text) ?? []
  const phase = mark === 'x' ? 'Failed' : 'Running'
  const serves = mark === '' || mark === '-'
  return {
    metadata: {
      name: text,
      uid: text,
      labels: { 'controller-revision-hash': hash },
      ...(mark === '-' ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: { containers: [], nodeName },
    status: { phase, conditions: serves ? [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] : [] },
  }
}

function decide(
  pods: readonly string[],
  more: Partial<DaemonSetObservation> = {},
): { create: readonly string[]; remove: readonly (string | undefined)[] } {
  const nodes = ['n1', 'n2', 'n3'].map((name) => node(name))
  const observed = { daemonSet: daemonSet(), nodes, pods: pods.map(pod), hash: 'new', settled: true, retryAt: new Map(), ...more }
  const { create, remove } = decideDaemonSet(observed, now)
  return { create, remove: remove.map(({ metadata }) => metadata.name) }
}

suite('decideDaemonSet()', () => {
  const surge = { daemonSet: daemonSet({ maxSurge: 1, maxUnavailable: 0 }) }
  const onDelete = { daemonSet: { ...daemonSet(), spec: { ...daemonSet().spec, updateStrategy: { type: 'OnDelete' } } } }
  for (const [reason, pods, more, create, remove] of [
    ['creates a missing pod', ['new@n1'], {}, ['n2', 'n3'], []],
    ['waits for the cache', [], { settled: false }, [], []],
    ['creates none while one is being deleted', ['new@n1', 'new@n2', 'new@n3-'], {}, [], []],
    ['keeps one of two', ['new@n1', 'new@n1!', 'new@n2', 'new@n3'], {}, [], ['new@n1!']],
    ['replaces what has failed', ['new@n1x', 'new@n2', 'new@n3'], {}, [], ['new@n1x']],
    ['is patient with what fails again', ['new@n1x', 'new@n2', 'new@n3'], { retryAt: new Map([['n1', now + 1000]]) }, [], []],
    ['replaces one old pod', ['old@n1', 'old@n2', 'old@n3'], {}, [], ['old@n1']],
    ['replaces none while a new one does not serve', ['new@n1!', 'old@n2', 'old@n3'], {}, [], []],
    ['replaces those first that do not serve', ['old@n1', 'old@n2!', 'old@n3!'], {}, [], ['old@n2!', 'old@n3!']],
    ['replaces none with updateStrategy OnDelete', ['old@n1', 'old@n2', 'old@n3'], onDelete, [], []],
    ['creates a new pod beside an old one', ['old@n1', 'old@n2', 'old@n3'], surge, ['n1'], []],
    ['creates no more surplus pods than allowed', ['old@n1', 'new@n1!', 'old@n2', 'old@n3'], surge, [], []],
    ['deletes the old one when the new one serves', ['old@n1', 'new@n1', 'old@n2', 'old@n3'], surge, [], ['old@n1']],
  ] as const) {
    test(reason, () => assert.deepEqual(decide(pods, more), { create, remove }))
  }

  test('counts nodes by their pods', () => {
    const nodes = [node('n1'), node('n2'), node('n3'), node('n4', [taint('closed', 'NoSchedule')]), node('n5')]
    const pods = ['new@n1', 'old@n2', 'new@n3!', 'old@n4'].map(pod)
    const { status } = decideDaemonSet({ daemonSet: daemonSet(), nodes, pods, hash: 'new', settled: true, retryAt: new Map() }, now)
    assert.deepEqual(status, {
      desiredNumberScheduled: 4,
      currentNumberScheduled: 3,
      numberMisscheduled: 1,
      numberReady: 2,
      updatedNumberScheduled: 2,
      numberAvailable: 2,
      numberUnavailable: 2,
      observedGeneration: 3,
    })
  })
})

suite('eligibilityOf()', () => {
  const linux = { nodeSelector: { os: 'linux' } }
  for (const [reason, podSpec, where, shouldRun, mayStay] of [
    ['accepts any node', {}, node('n'), true, true],
    [
      'accepts a node that is cordoned, unreachable or full',
      {},
      node('n', [
        taint('node.kubernetes.io/unschedulable', 'NoSchedule'),
        taint('node.kubernetes.io/unreachable', 'NoExecute'),
        taint('node.kubernetes.io/disk-pressure', 'NoSchedule'),
      ]),
      true,
      true,
    ],
    ['rejects a node with other labels', linux, node('n', [], { os: 'plan9' }), false, false],
    ['accepts a node with the labels', linux, node('n', [], { os: 'linux' }), true, true],
    ['keeps a pod on a node that gets no new one', {}, node('n', [taint('closed', 'NoSchedule')]), false, true],
    ['removes a pod from a node with a NoExecute taint', {}, node('n', [taint('closed', 'NoExecute')]), false, false],
    [
      'minds a missing network only without the host’s',
      {},
      node('n', [taint('node.kubernetes.io/network-unavailable', 'NoSchedule')]),
      false,
      true,
    ],
    [
      'does not mind it with the host’s',
      { hostNetwork: true },
      node('n', [taint('node.kubernetes.io/network-unavailable', 'NoSchedule')]),
      true,
      true,
    ],
    ['accepts only the named node', { nodeName: 'm' }, node('n'), false, false],
  ] as const) {
    test(reason, () => assert.deepEqual(eligibilityOf(daemonSet({}, podSpec), where), { shouldRun, mayStay }))
  }
})

suite('createFailedPods()', () => {
  test('doubles the delay up to a limit, and drops old entries', () => {
    const failed = createFailedPods()
    assert.equal(failed.retryAt('a'), 0)
    const waits = Array.from({ length: 12 }, () => {
      failed.replaced('a', now)
      return failed.retryAt('a') - now
    })
    assert.deepEqual([waits[0], waits[1], waits.at(-1)], [1000, 2000, 900_000])
    failed.replaced('b', now + 2_000_000)
    assert.equal(failed.retryAt('a'), 0)
  })
})

test('targetNode() reads the node of an unbound pod from its affinity', () => {
  const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n7'] }] }]
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } }
  assert.equal(targetNode({ metadata: {}, spec: { containers: [], affinity } }), 'n7')
})
