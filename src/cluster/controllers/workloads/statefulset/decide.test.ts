import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { StatefulSet, StatefulSetSpec } from '#api/apps/v1/stateful-set.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { decideStatefulSet, type StatefulSetDecision } from './decide.ts'
import { statefulPod } from './stateful-pod.ts'

const now = Date.UTC(2026, 0, 1, 0, 1)
const labels = { app: 'a' }
const data: PersistentVolumeClaim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } }

function statefulSet(spec: Partial<StatefulSetSpec> = {}, status?: StatefulSet['status']): StatefulSet {
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'a:1' }] } }
  return {
    metadata: { name: 'web', namespace: 'default', uid: 'web', generation: 2 },
    spec: { replicas: 3, selector: { matchLabels: labels }, template, ...spec },
    ...(status === undefined ? {} : { status }),
  }
}

const revision = (name: string): ControllerRevision => ({
  metadata: { name },
  data: { spec: { template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: name }] }, $patch: 'replace' } } },
  revision: 1,
})
const [old, fresh] = [revision('old'), revision('new')]

/**
 * `new0`, `old1!` for one that does not serve, `old1-` for one that goes, `new2x` for one that has
 * failed.
 */
function pod(set: StatefulSet, text: string): Pod {
  const [, name, ordinal = '', mark = ''] = /^(new|old)(\d)([!x-]?)$/.exec(text) ?? []
  const made = statefulPod(set, name === 'old' ? old : fresh, Number(ordinal))
  const serves = mark === '' || mark === '-'
  return {
    ...made,
    metadata: { ...made.metadata, uid: text, ...(mark === '-' ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    status: {
      phase: mark === 'x' ? 'Failed' : 'Running',
      conditions: serves ? [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] : [],
    },
  }
}

function decide(
  pods: readonly string[],
  set: StatefulSet = statefulSet(),
  claims: readonly PersistentVolumeClaim[] = [],
): StatefulSetDecision {
  const byName = new Map(claims.map((claim) => [claim.metadata.name ?? '', claim]))
  const observed = { statefulSet: set, pods: pods.map((text) => pod(set, text)), claims: byName, current: old, update: fresh }
  return decideStatefulSet({ ...observed, settled: true }, now)
}

const made = ({ create }: StatefulSetDecision): string[] =>
  create.map(({ metadata, spec }) => `${metadata.name ?? ''} ${spec.containers[0]?.image ?? ''}`)
const removed = ({ remove }: StatefulSetDecision): unknown => remove.map(({ metadata }) => metadata.uid)

suite('decideStatefulSet()', () => {
  const parallel = statefulSet({ podManagementPolicy: 'Parallel' })
  const partition = (ordinal: number, more: Partial<StatefulSetSpec> = {}): StatefulSet =>
    statefulSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: ordinal } }, ...more })
  for (const [reason, set, pods, create, remove] of [
    ['creates the first pod', statefulSet(), [], ['web-0 new'], []],
    ['creates the next one when the one before serves', statefulSet(), ['new0'], ['web-1 new'], []],
    ['waits for the one before', statefulSet(), ['new0!'], [], []],
    ['creates one again before it goes on', statefulSet(), ['new0', 'new2'], ['web-1 new'], []],
    ['waits while one is being deleted', statefulSet(), ['new0', 'new1-', 'new2'], [], []],
    ['deletes one that has failed', statefulSet(), ['new0', 'new1x', 'new2'], [], ['new1x']],
    ['waits for minReadySeconds', statefulSet({ minReadySeconds: 90 }), ['new0'], [], []],
    ['starts with the ordinal that the spec says', statefulSet({ ordinals: { start: 5 } }), ['new5'], ['web-6 new'], []],
    ['deletes the last that is too much', statefulSet({ replicas: 1 }), ['new0', 'new1', 'new2'], [], ['new2']],
    ['deletes none while one of these goes', statefulSet({ replicas: 1 }), ['new0', 'new1', 'new2-'], [], []],
    ['deletes none while another does not serve', statefulSet({ replicas: 1 }), ['new0', 'new1!', 'new2'], [], []],
    ['deletes none while one of the others does not serve', statefulSet({ replicas: 1 }), ['new0!', 'new1', 'new2'], [], []],
    ['deletes the only one that does not serve', statefulSet({ replicas: 1 }), ['new0', 'new1', 'new2!'], [], ['new2!']],
    ['replaces the last old pod', statefulSet(), ['old0', 'old1', 'old2'], [], ['old2']],
    ['replaces the next one when the new one serves', statefulSet(), ['old0', 'old1', 'new2'], [], ['old1']],
    ['waits for the new one', statefulSet(), ['old0', 'old1', 'new2!'], [], []],
    ['replaces none below the partition', partition(2), ['old0', 'old1', 'new2'], [], []],
    ['creates the old one again below the partition', partition(2), ['old0', 'new2'], ['web-1 old'], []],
    ['creates the new one from the partition on', partition(1), ['old0', 'new2'], ['web-1 new'], []],
    ['counts the partition from the first ordinal', partition(1, { ordinals: { start: 4 } }), ['old4', 'new5', 'old6'], [], ['old6']],
    ['replaces none with updateStrategy OnDelete', statefulSet({ updateStrategy: { type: 'OnDelete' } }), ['old0', 'old1', 'old2'], [], []],
    ['creates all at once with Parallel', parallel, ['new1!'], ['web-0 new', 'web-2 new'], []],
    [
      'deletes all at once with Parallel',
      { ...parallel, spec: { ...parallel.spec, replicas: 1 } },
      ['new0!', 'new1!', 'new2'],
      [],
      ['new2', 'new1!'],
    ],
    ['replaces one at a time with Parallel, too', parallel, ['old0', 'old1', 'old2'], [], ['old2']],
  ] as const) {
    test(reason, () => {
      const decision = decide(pods, set)
      assert.deepEqual([made(decision), removed(decision)], [create, remove])
    })
  }

  test('gives each pod a name, a host name and its own claims', () => {
    const decision = decide([], statefulSet({ serviceName: 'peers', volumeClaimTemplates: [data] }))
    const [first] = decision.create
    assert.deepEqual(first?.metadata.labels, {
      app: 'a',
      'statefulset.kubernetes.io/pod-name': 'web-0',
      'apps.kubernetes.io/pod-index': '0',
      'controller-revision-hash': 'new',
    })
    assert.deepEqual([first.spec.hostname, first.spec.subdomain], ['web-0', 'peers'])
    assert.deepEqual(first.spec.volumes, [{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } }])
    assert.deepEqual(
      decision.claims.map(({ metadata }) => [metadata.name, metadata.labels, metadata.ownerReferences]),
      [['data-web-0', labels, undefined]],
    )
  })

  test('uses a claim that is there, and waits for one that is being deleted', () => {
    const set = statefulSet({ volumeClaimTemplates: [data] })
    const claim = { metadata: { name: 'data-web-0', uid: 'c' } }
    const there = decide([], set, [claim])
    assert.deepEqual([there.claims, made(there)], [[], ['web-0 new']])
    const going = decide([], set, [{ metadata: { ...claim.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }])
    assert.deepEqual([going.claims, made(going)], [[], []])
  })

  test('lets claims go with the set or the pod, as the retention policy says', () => {
    const policy = { whenDeleted: 'Delete', whenScaled: 'Delete' }
    const set = statefulSet({ replicas: 1, volumeClaimTemplates: [data], persistentVolumeClaimRetentionPolicy: policy })
    const claims = [0, 1].map((ordinal) => ({ metadata: { name: `data-web-${ordinal}`, uid: `c${ordinal}` } }))
    const { owners } = decide(['new0', 'new1'], set, claims)
    assert.deepEqual(
      owners.map(({ claim, owners: [owner] }) => [claim.metadata.name, owner?.kind, owner?.uid, owner?.controller]),
      [
        ['data-web-0', 'StatefulSet', 'web', true],
        ['data-web-1', 'Pod', 'new1', undefined],
      ],
    )
    const retained = statefulSet({ replicas: 1, volumeClaimTemplates: [data] })
    const owned = claims.map((claim, at) => ({
      metadata: {
        ...claim.metadata,
        ownerReferences: [...(owners[at]?.owners ?? []), { apiVersion: 'v1', kind: 'X', name: 'x', uid: 'x' }],
      },
    }))
    assert.deepEqual(
      decide(['new0', 'new1'], retained, owned).owners.map(({ owners: left }) => left.map(({ kind }) => kind)),
      [['X'], ['X']],
    )
  })

  test('counts pods by state and revision, and completes a roll-out', () => {
    const { status } = decide(['old0', 'new1!', 'new2-'])
    assert.deepEqual(status, {
      replicas: 3,
      readyReplicas: 2,
      availableReplicas: 2,
      currentReplicas: 1,
      updatedReplicas: 1,
      currentRevision: 'old',
      updateRevision: 'new',
      observedGeneration: 2,
      collisionCount: 0,
    })
    const { currentRevision, currentReplicas } = decide(['new0', 'new1', 'new2']).status
    assert.deepEqual([currentRevision, currentReplicas], ['new', 3])
  })
})
