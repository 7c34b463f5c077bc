import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Endpoints } from '#api/core/v1/endpoints.ts'
import type { Pod, PodSpec } from '#api/core/v1/pod.ts'
import type { Service, ServiceSpec } from '#api/core/v1/service.ts'
import type { EndpointSlice } from '#api/discovery/v1/endpoint-slice.ts'
import { planSlices } from './endpoint-slices.ts'
import { endpointsOf, isManaged } from './endpoints-object.ts'
import { planMirroredSlices } from './mirrored-slices.ts'
import { backendsOf, type Backend } from './service-pods.ts'

const service = (spec: Partial<ServiceSpec> = {}): Service => ({
  metadata: { namespace: 'default', name: 'web', uid: 'u-web', labels: { team: 'a' } },
  spec: { type: 'ClusterIP', clusterIP: '127.96.0.7', selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }], ...spec },
})
const pod = (name: string, ready: boolean, port = 8080, spec: Partial<PodSpec> = {}, deletionTimestamp?: string): Pod => ({
  metadata: {
    namespace: 'default',
    name,
    uid: `u-${name}`,
    labels: { app: 'web' },
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  },
  spec: { nodeName: 'n1', containers: [{ name: 'main', ports: [{ name: 'http', containerPort: port }] }], ...spec },
  status: { phase: 'Running', podIP: '127.0.0.1', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
})
const target = (name: string) => ({ kind: 'Pod', namespace: 'default', name, uid: `u-${name}` })
const address = (name: string) => ({ ip: '127.0.0.1', nodeName: 'n1', targetRef: target(name) })

suite('endpointsOf()', () => {
  const cases: { name: string; service?: Service; pods: Pod[]; subsets: unknown }[] = [
    { name: 'creates no subset without pods', pods: [], subsets: [] },
    {
      name: 'named ports are looked up in each pod, and pods with the same ports are together',
      pods: [pod('c', true, 9090), pod('a', true), pod('b', false)],
      subsets: [
        { addresses: [address('a')], notReadyAddresses: [address('b')], ports: [{ port: 8080, protocol: 'TCP' }] },
        { addresses: [address('c')], ports: [{ port: 9090, protocol: 'TCP' }] },
      ],
    },
    { name: 'pods that are being deleted are omitted', pods: [pod('a', true, 8080, {}, '2026-01-01T00:00:00Z')], subsets: [] },
    {
      name: 'a service may want all of them',
      service: service({ publishNotReadyAddresses: true }),
      pods: [pod('a', false)],
      subsets: [{ addresses: [address('a')], ports: [{ port: 8080, protocol: 'TCP' }] }],
    },
    { name: 'a pod without the named port serves nothing', pods: [pod('a', true, 1, { containers: [{ name: 'main' }] })], subsets: [] },
    {
      name: 'a headless service needs no ports',
      service: service({ clusterIP: 'None', ports: [] }),
      pods: [pod('a', true)],
      subsets: [{ addresses: [address('a')] }],
    },
    {
      name: 'several ports keep their names',
      service: service({
        ports: [
          { name: 'x', port: 80, targetPort: 8080 },
          { name: 'y', port: 81, protocol: 'UDP' },
        ],
      }),
      pods: [pod('a', true)],
      subsets: [
        {
          addresses: [address('a')],
          ports: [
            { name: 'x', port: 8080, protocol: 'TCP' },
            { name: 'y', port: 81, protocol: 'UDP' },
          ],
        },
      ],
    },
    {
      name: 'ignores ended pods and pods without address',
      pods: [
        { ...pod('a', true), status: { phase: 'Failed', podIP: '127.0.0.1' } },
        { ...pod('b', true), status: { phase: 'Pending' } },
      ],
      subsets: [],
    },
  ]
  for (const one of cases) {
    test(one.name, () => {
      const owner = one.service ?? service()
      assert.deepEqual(endpointsOf(owner, backendsOf(owner, one.pods)).subsets, one.subsets)
    })
  }
})

suite('planSlices()', () => {
  const plan = (pods: Pod[], found: EndpointSlice[] = [], owner = service()) => planSlices(owner, backendsOf(owner, pods), found)

  test('creates one slice for all pods with the same ports, with the conditions of each', () => {
    const { create } = plan([pod('a', true), pod('b', false), pod('c', true, 8080, {}, '2026-01-01T00:00:00Z')])
    assert.equal(create.length, 1)
    const [slice] = create
    assert.deepEqual(slice?.metadata.labels, {
      team: 'a',
      'kubernetes.io/service-name': 'web',
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
    })
    assert.deepEqual(slice?.ports, [{ name: '', port: 8080, protocol: 'TCP' }])
    assert.deepEqual(
      slice?.endpoints.map(({ conditions }) => conditions),
      [
        { ready: true, serving: true, terminating: false },
        { ready: false, serving: false, terminating: false },
        { ready: false, serving: true, terminating: true },
      ],
    )
  })

  test('creates the same slice again after a crash, and writes nothing when it exists', () => {
    const [first] = plan([pod('a', true)]).create
    assert.deepEqual(plan([pod('a', true)]).create[0], first)
    assert.ok(first !== undefined)
    assert.deepEqual(plan([pod('a', true)], [first]), { create: [], update: [], delete: [] })
  })

  test('updates changed slices, deletes surplus ones, and leaves foreign ones alone', () => {
    const [first] = plan([pod('a', true)]).create
    assert.ok(first !== undefined)
    const foreign = { ...first, metadata: { ...first.metadata, name: 'manual', labels: { 'kubernetes.io/service-name': 'web' } } }
    const changed = plan([pod('a', false)], [first, foreign])
    assert.deepEqual([changed.create, changed.delete], [[], []])
    assert.equal(changed.update[0]?.endpoints[0]?.conditions?.ready, false)
    const moved = plan([pod('a', true, 9090)], [first, foreign])
    assert.deepEqual([moved.create.length, moved.delete], [1, [first]])
  })

  test('puts up to 100 endpoints into a slice', () => {
    const pods = Array.from({ length: 250 }, (_, index) => pod(`p${index}`, true))
    assert.deepEqual(
      plan(pods).create.map(({ endpoints }) => endpoints.length),
      [100, 100, 50],
    )
  })

  test('creates an empty slice for a service without endpoints', () => {
    const owner = service()
    const noBackends: readonly Backend[] = []
    assert.deepEqual(planSlices(owner, noBackends, []).create[0]?.endpoints, [])
  })
})

suite('planMirroredSlices()', () => {
  const { selector: _, ...open } = service().spec ?? {}
  const manual: Service = { ...service(), spec: open }
  const endpoints: Endpoints = {
    metadata: { namespace: 'default', name: 'web', uid: 'u-ep' },
    subsets: [{ addresses: [{ ip: '127.0.0.9' }], notReadyAddresses: [{ ip: '127.0.0.8' }], ports: [{ port: 7 }] }],
  }
  const nothing = { create: [], update: [], delete: [] }

  test('distinguishes its own Endpoints from those of users', () => {
    assert.deepEqual([isManaged(endpoints), isManaged(endpointsOf(service(), []))], [false, true])
  })

  test('mirrors Endpoints of users', () => {
    const { create } = planMirroredSlices(manual, endpoints, [])
    assert.deepEqual(
      create.map(({ ports, endpoints: all }) => [ports, all]),
      [
        [
          [{ name: '', port: 7, protocol: 'TCP' }],
          [
            { addresses: ['127.0.0.9'], conditions: { ready: true } },
            { addresses: ['127.0.0.8'], conditions: { ready: false } },
          ],
        ],
      ],
    )
    assert.deepEqual(planMirroredSlices(manual, endpoints, create), nothing)
  })

  test('mirrors no Endpoints of a selector or with the skip-mirror label, and deletes outdated mirrors', () => {
    const { create } = planMirroredSlices(manual, endpoints, [])
    const marked = { ...endpoints, metadata: { ...endpoints.metadata, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } } }
    assert.deepEqual(planMirroredSlices(service(), endpoints, []), nothing)
    assert.deepEqual(planMirroredSlices(manual, marked, create).delete, create)
    assert.deepEqual(planMirroredSlices(manual, undefined, create).delete, create)
  })
})
