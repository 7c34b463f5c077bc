import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { componentGroups, componentUser, nodeNameExtra } from '#api/access/component-users.ts'
import { StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { AdmissionRequest } from '../chain.ts'
import { createNodeRestriction } from './node-restriction.ts'

const onA: object = { metadata: { name: 'p', namespace: 'dev', uid: 'u' }, spec: { nodeName: 'a' } }
const onB: object = { metadata: { name: 'q', namespace: 'dev' }, spec: { nodeName: 'b' } }
const restriction = createNodeRestriction({
  getPending(resource, _namespace, name) {
    const stored: Readonly<Record<string, Record<string, KubeObject>>> = {
      '/pods': { p: onA, q: onB },
      'kubevirt.io/virtualmachineinstances': {
        mine: { status: { nodeName: 'a' } } as object,
        theirs: { status: { nodeName: 'b' } } as object,
      },
    }
    const object = stored[resource]?.[name]
    return object === undefined ? undefined : { object, revision: 1, json: Buffer.alloc(0) }
  },
})
const kubelet = { username: 'system:node:a', groups: ['system:nodes'] }
const agent = { username: componentUser('virt-handler'), groups: [...componentGroups], extra: { [nodeNameExtra]: ['a'] } }

interface Attempt {
  readonly user?: typeof kubelet
  readonly operation?: AdmissionRequest['operation']
  /** `group/plural/subresource`. */
  readonly of: string
  readonly name?: string
  readonly namespace?: string
  readonly object?: object
  readonly old?: object
}

function refusal({ user = kubelet, operation = 'UPDATE', of, name = '', namespace = '', object, old }: Attempt): string | undefined {
  const [group = '', plural = '', subresource = ''] = of.split('/')
  const definition = defineResource({ group, version: 'v1', kind: 'X', plural, namespaced: namespace !== '' })
  const context = { user, warn: () => {}, signal: new AbortController().signal, fieldManager: '' }
  const target = { definition, namespace, name, subresource }
  try {
    void restriction.validate?.({ operation, target, object: object as KubeObject, old: old as KubeObject, dryRun: false, context })
    return undefined
  } catch (error) {
    assert.ok(error instanceof StatusError && error.code === 403)
    return error.message
  }
}

suite('createNodeRestriction()', () => {
  const nodeA = { metadata: { name: 'a' } }
  const mirror = { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } }, spec: { nodeName: 'a', containers: [] } }
  const token = (kind: string, name: string, uid = 'u'): object => ({ spec: { boundObjectRef: { kind, name, uid } } })
  const inDev = { namespace: 'dev' }
  const lease = 'coordination.k8s.io/leases'
  const guest = 'kubevirt.io/virtualmachineinstances'
  const hardware = 'steadyvm.io/hardwarerecords'
  const named = (name: string): object => ({ metadata: { name } })

  const allowed: readonly (readonly [string, Attempt])[] = [
    ['registers itself', { operation: 'CREATE', of: '/nodes', object: nodeA }],
    ['writes its status', { of: '/nodes/status', name: 'a', object: nodeA, old: nodeA }],
    ['makes its mirror pods', { operation: 'CREATE', of: '/pods', ...inDev, object: mirror }],
    ['writes the status of its pods', { of: '/pods/status', name: 'p', ...inDev, object: onA, old: onA }],
    ['deletes its pods', { operation: 'DELETE', of: '/pods', name: 'p', ...inDev, old: onA }],
    ['evicts its pods', { operation: 'CREATE', of: '/pods/eviction', name: 'p', ...inDev, object: {} }],
    ['writes down what its guests see', { user: agent, operation: 'CREATE', of: hardware, ...inDev, object: named('mine') }],
    ['renews its lease', { of: lease, name: 'a', namespace: 'kube-node-lease', object: nodeA, old: nodeA }],
    ['makes its lease', { operation: 'CREATE', of: lease, namespace: 'kube-node-lease', object: nodeA }],
    ['gets tokens for its pods', { operation: 'CREATE', of: '/serviceaccounts/token', name: 's', ...inDev, object: token('Pod', 'p') }],
    ['writes its guests', { user: agent, of: guest, name: 'v', ...inDev, object: {}, old: { status: { nodeName: 'a' } } }],
    [
      'writes guests that come to it',
      { user: agent, of: guest, name: 'v', ...inDev, object: {}, old: { status: { nodeName: 'b', migrationState: { targetNode: 'a' } } } },
    ],
  ]
  const kubeletLabels = {
    'kubernetes.io/hostname': 'a',
    'kubernetes.io/os': 'linux',
    'topology.kubernetes.io/zone': 'z',
    'node.kubernetes.io/instance-type': 'large',
    'sub.node.kubernetes.io/x': 'y',
    'kubelet.kubernetes.io/x': 'y',
    'kubevirt.io/schedulable': 'true',
    rack: '7',
  }
  test('a node sets the labels that a kubelet may set, when it registers and later', () => {
    const labelled = { metadata: { name: 'a', labels: kubeletLabels } }
    assert.equal(refusal({ operation: 'CREATE', of: '/nodes', object: labelled }), undefined)
    assert.equal(refusal({ of: '/nodes', name: 'a', object: labelled, old: nodeA }), undefined)
  })
  for (const label of [
    'node-restriction.kubernetes.io/trusted',
    'sub.node-restriction.kubernetes.io/trusted',
    'node-role.kubernetes.io/control-plane',
    'kubernetes.io/anything',
    'example.k8s.io/anything',
  ]) {
    const labelled = { metadata: { name: 'a', labels: { ...kubeletLabels, [label]: 'x' } } }
    const kept = { metadata: { name: 'a', labels: { ...kubeletLabels, [label]: 'x', rack: '8' } } }
    test(`a node can neither set, change nor remove the label ${label}`, () => {
      const create = refusal({ operation: 'CREATE', of: '/nodes', object: labelled })
      assert.equal(create, `nodes "a" is forbidden: is not allowed to set the following labels: ${label}`)
      const update = `nodes "a" is forbidden: is not allowed to modify labels: ${label}`
      assert.equal(refusal({ of: '/nodes', name: 'a', object: labelled, old: nodeA }), update)
      assert.equal(refusal({ of: '/nodes', name: 'a', object: nodeA, old: labelled }), update)
      assert.equal(refusal({ of: '/nodes', name: 'a', object: kept, old: labelled }), undefined)
    })
  }
  test('a refusal names every label, sorted', () => {
    const labels = { 'x.k8s.io/b': '', 'x.k8s.io/a': '' }
    assert.match(
      refusal({ operation: 'CREATE', of: '/nodes', object: { metadata: { name: 'a', labels } } }) ?? '',
      /labels: x.k8s.io\/a, x.k8s.io\/b$/,
    )
  })

  for (const [what, attempt] of allowed) test(`a node ${what}`, () => assert.equal(refusal(attempt), undefined))

  const reserved = { metadata: { name: 'a', labels: { 'node-restriction.kubernetes.io/trusted': 'yes' } } }
  const refused: readonly (readonly [string, Attempt, RegExp])[] = [
    ['what the guests of others see', { user: agent, operation: 'CREATE', of: hardware, ...inDev, object: named('theirs') }, /not on it/],
    ['what guests see that are not there', { user: agent, of: hardware, name: 'x', ...inDev, object: named('x') }, /not on it/],
    [
      'register another',
      { operation: 'CREATE', of: '/nodes', object: { metadata: { name: 'b' } } },
      /node "a" is not allowed to modify node "b"/,
    ],
    ['write the status of another', { of: '/nodes/status', name: 'b', object: {}, old: {} }, /node "a" is not allowed to modify node "b"/],
    ['call itself trusted', { of: '/nodes', name: 'a', object: reserved, old: nodeA }, /not allowed to modify labels: node-restriction/],
    ['call itself less trusted', { of: '/nodes', name: 'a', object: nodeA, old: reserved }, /not allowed to modify labels/],
    [
      'take its taints off',
      { of: '/nodes', name: 'a', object: nodeA, old: { ...nodeA, spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } } },
      /node "a" is not allowed to modify taints/,
    ],
    [
      'have itself collected',
      { of: '/nodes', name: 'a', object: { metadata: { name: 'a', ownerReferences: [{ uid: 'gone' }] } }, old: nodeA },
      /node "a" is not allowed to modify ownerReferences/,
    ],
    [
      'label its pods',
      { of: '/pods/status', name: 'p', ...inDev, object: { ...onA, metadata: { name: 'p', labels: { app: 'bank' } } }, old: onA },
      /node "a" cannot update labels through pod status/,
    ],
    ...(
      [
        ['secrets', { volumes: [{ name: 'v', secret: { secretName: 's' } }] }],
        ['secrets', { containers: [{ name: 'c', envFrom: [{ secretRef: { name: 's' } }] }] }],
        ['secrets', { imagePullSecrets: [{ name: 's' }] }],
        ['configmaps', { volumes: [{ name: 'v', projected: { sources: [{ configMap: { name: 'm' } }] } }] }],
        ['persistentvolumeclaims', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'p' } }] }],
        ['serviceaccounts', { serviceAccountName: 's' }],
      ] as const
    ).map(
      ([what, spec]) =>
        [
          `make a mirror pod that gives it ${what}: ${Object.keys(spec).join()}`,
          { operation: 'CREATE', of: '/pods', ...inDev, object: { ...mirror, spec: { containers: [], nodeName: 'a', ...spec } } },
          new RegExp(`node "a" can not create pods that reference ${what}`),
        ] as const,
    ),
    ['make a pod', { operation: 'CREATE', of: '/pods', ...inDev, object: { metadata: {}, spec: {} } }, /can only create mirror pods/],
    [
      'make a mirror pod of another',
      { operation: 'CREATE', of: '/pods', ...inDev, object: { ...mirror, spec: { nodeName: 'b' } } },
      /can only create pods with spec.nodeName set to itself/,
    ],
    [
      'write the status of pods elsewhere',
      { of: '/pods/status', name: 'q', ...inDev, object: onB, old: onB },
      /can only update the status of pods/,
    ],
    ['delete pods elsewhere', { operation: 'DELETE', of: '/pods', name: 'q', ...inDev, old: onB }, /can only delete pods/],
    ['evict pods elsewhere', { operation: 'CREATE', of: '/pods/eviction', name: 'q', ...inDev, object: {} }, /can only evict pods/],
    [
      'renew the lease of another',
      { of: lease, name: 'b', namespace: 'kube-node-lease', object: {}, old: {} },
      /same name as the requesting node/,
    ],
    [
      'take a lease of the system',
      { of: lease, name: 'a', namespace: 'kube-system', object: {}, old: {} },
      /can only access leases in the "kube-node-lease"/,
    ],
    [
      'get a token without a bound pod',
      { operation: 'CREATE', of: '/serviceaccounts/token', name: 's', ...inDev, object: { spec: {} } },
      /not bound to a pod/,
    ],
    [
      'get a token without uid',
      { operation: 'CREATE', of: '/serviceaccounts/token', name: 's', ...inDev, object: token('Pod', 'p', '') },
      /without a uid/,
    ],
    [
      'get a token of a pod elsewhere',
      { operation: 'CREATE', of: '/serviceaccounts/token', name: 's', ...inDev, object: token('Pod', 'q') },
      /different node/,
    ],
    [
      'write guests elsewhere',
      { user: agent, of: guest, name: 'v', ...inDev, object: {}, old: { status: { nodeName: 'b' } } },
      /which is not on it/,
    ],
  ]
  for (const [what, attempt, message] of refused) test(`a node may not ${what}`, () => assert.match(refusal(attempt) ?? '', message))
  test('other users are not restricted', () =>
    assert.equal(refusal({ user: { username: 'alice', groups: [] }, of: '/nodes', name: 'b', object: {}, old: {} }), undefined))
})
