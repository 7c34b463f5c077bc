import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import type { ConfigMap } from '#api/core/v1/config-map.ts'
import type { Secret } from '#api/core/v1/secret.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { certificateNames } from './names.ts'
import { certificatesOf, signerOf } from '#runtime/certificates/bundle.ts'
import { pairOf } from './observe.ts'
import { certificatePlanOf } from './plan.ts'
import { createCertificatesReconciler } from './reconciler.ts'
import { currentRenewals } from './renewals.ts'
import { firstCertificate, followCertificate, type ServingCertificate, type ServingSource } from './serving.ts'
import { agentServerName } from '#features/guest-access/index.ts'

const namespace = 'kubevirt'

/** An in-memory API and the controller, which runs until it is idle. */
function installation(hasMigration = false): {
  kubevirt: KubeVirt
  run(): Promise<void>
  source: ServingSource
  objects: Map<string, KubeObject>
  clock: ReturnType<typeof createVirtualClock>
} {
  const clock = createVirtualClock(Date.parse('2026-01-01T00:00:00Z'))
  const objects = new Map<string, KubeObject>()
  const listeners: (() => void)[] = []
  const lister = <T extends KubeObject>(plural: string): Lister<T> =>
    ({ get: (_: string, name: string) => objects.get(`${plural}/${name}`) }) as unknown as Lister<T>
  const store = (path: string, object: KubeObject): never => {
    objects.set(path, object)
    for (const listener of listeners) listener()
    return object as never
  }
  const state = { kubevirt: { metadata: { name: 'kubevirt', namespace }, spec: {} } as KubeVirt }
  const reconcile = createCertificatesReconciler({
    client: {
      create: async (resource, object) => store(`${resource.plural}/${object.metadata?.name}`, object),
      patch: async (resource, { name }, patch) => {
        const path = `${resource.plural}/${name}`
        return store(path, applyMergePatch(objects.get(path), (patch as { body?: unknown }).body) as KubeObject)
      },
    },
    plan: () => certificatePlanOf(state.kubevirt, namespace, hasMigration),
    secrets: lister<Secret>('secrets'),
    configMaps: lister<ConfigMap>('configmaps'),
    registrations: {
      validatingWebhooks: { list: () => [] },
      mutatingWebhooks: { list: () => [] },
      apiServices: {
        list: () => [...objects].filter(([path]) => path.startsWith('apiservices/')).map(([, object]) => object as APIService),
      },
    },
    clock,
    log: { info: () => {} } as never,
    namespace,
  })
  const source: ServingSource = {
    current() {
      const pair = pairOf(objects.get(`secrets/${certificateNames.api}`) as Secret | undefined)
      const bundle = (objects.get(`configmaps/${certificateNames.authority}`) as ConfigMap | undefined)?.data?.[certificateNames.bundleKey]
      return pair === undefined || bundle === undefined ? undefined : { ...pair, bundle }
    },
    onChange: (call) => void listeners.push(call),
  }
  return Object.assign(state, {
    objects,
    source,
    clock,
    async run() {
      for (let pass = 0; pass < 10; pass += 1) {
        const { requeueAfterMs } = await reconcile({ namespace, name: 'kubevirt' }, { signal: new AbortController().signal })
        if (requeueAfterMs !== undefined) return
      }
      assert.fail('does not come to rest')
    },
  })
}

test('publishes a new authority to clients before a server presents a certificate of it', async () => {
  const cluster = installation()
  await cluster.run()
  const spec = { service: { name: 'virt-api' }, caBundle: 'old', groupPriorityMinimum: 1, versionPriority: 1 }
  cluster.objects.set('apiservices/v1.test', { metadata: { name: 'v1.test' }, spec } as KubeObject)
  const believed = (): string => {
    const { spec: now } = cluster.objects.get('apiservices/v1.test') as APIService
    return Buffer.from(now?.caBundle ?? '', 'base64').toString()
  }
  cluster.kubevirt = { ...cluster.kubevirt, spec: { certificateRotateStrategy: { selfSigned: { ca: { duration: '200h' } } } } } as KubeVirt
  let changes = 0
  cluster.source.onChange(() => {
    const current = cluster.source.current()
    if (current === undefined || !believed().includes('CERTIFICATE')) return
    changes += 1
    assert.notEqual(signerOf(current.certificate, certificatesOf(believed())), undefined)
  })
  await cluster.run()
  assert.ok(changes > 0)
  assert.equal(believed(), cluster.source.current()?.bundle)
})

test('presents a new certificate only when all clients trust its authority', async () => {
  const cluster = installation()
  const stop = new AbortController()
  const waiting = firstCertificate(cluster.source, stop.signal)
  await cluster.run()
  const first = await waiting
  // The latest bundle of the clients and certificate of the server must match at every moment.
  let [believed, shown] = [first.bundle, first.certificate]
  const moments: string[] = []
  const check = (what: string): void => {
    moments.push(what)
    assert.ok(signerOf(shown, certificatesOf(believed)) !== undefined, what)
  }
  const following = followCertificate(
    {
      source: cluster.source,
      first,
      publish: async (bundle) => {
        believed = bundle
        check('told')
      },
      use: ({ certificate }) => {
        shown = certificate
        check('shown')
      },
      clock: cluster.clock,
      settleMs: 5_000,
    },
    stop.signal,
  )
  cluster.kubevirt = { ...cluster.kubevirt, spec: { certificateRotateStrategy: { selfSigned: { ca: { duration: '100h' } } } } }
  await cluster.run()
  await cluster.clock.advance(4_999)
  assert.deepEqual(moments, ['told'])
  await cluster.clock.advance(1)
  assert.deepEqual(moments, ['told', 'shown'])
  assert.notEqual(shown, first.certificate)
  assert.equal(certificatesOf(believed).length, 2, 'the old authority is believed for a while')
  await cluster.clock.advance(21 * 3_600_000)
  await cluster.run()
  await cluster.clock.advance(5_000)
  assert.equal(certificatesOf(believed).length, 1)
  assert.deepEqual(moments, ['told', 'shown', 'told', 'shown'], 'and the certificate of a day was renewed meanwhile')
  stop.abort()
  await following
})

test('issues deleted or damaged certificates again', async () => {
  const cluster = installation()
  await cluster.run()
  const before = cluster.source.current() as ServingCertificate
  cluster.objects.delete(`secrets/${certificateNames.api}`)
  await cluster.run()
  assert.equal(cluster.source.current()?.bundle, before.bundle)
  assert.notEqual(cluster.source.current()?.certificate, before.certificate)
  cluster.objects.set(`secrets/${certificateNames.authority}`, {
    ...cluster.objects.get(`secrets/${certificateNames.authority}`),
    data: {},
  } as never)
  await cluster.run()
  const { certificate = '', bundle = '' } = cluster.source.current() ?? {}
  assert.equal(certificatesOf(bundle).length, 2)
  assert.equal(signerOf(certificate, certificatesOf(bundle))?.pem, certificatesOf(bundle)[0]?.pem)
})

test('reports expiry and renewal of each managed certificate only', async () => {
  const cluster = installation()
  const ports = {
    kubevirt: () => cluster.kubevirt,
    secrets: { get: (_: string, name: string) => cluster.objects.get(`secrets/${name}`) } as unknown as Lister<Secret>,
    configMaps: { get: (_: string, name: string) => cluster.objects.get(`configmaps/${name}`) } as unknown as Lister<ConfigMap>,
    namespace,
    hasMigration: false,
  }
  const hours = (): readonly (readonly [string, number, number])[] =>
    currentRenewals(ports, ports.kubevirt()).map(({ name, dueAt, notAfter }) => [name, ...[dueAt, notAfter].map(hoursFromNow)] as never)
  const hoursFromNow = (moment: number): number => (moment === 0 ? 0 : Math.round((moment - cluster.clock.now()) / 360_000) / 10)
  const { authority, exportAuthority, api, operator, apiClient, workerClient, migrationServer } = certificateNames
  // The other controller keeps it.
  const exports = [exportAuthority, 0, 0]
  assert.deepEqual(hours(), [
    [authority, 0, 0],
    [api, 0, 0],
    [operator, 0, 0],
    [apiClient, 0, 0],
    [workerClient, 0, 0],
    [migrationServer, 0, 0],
    exports,
  ])
  await cluster.run()
  assert.deepEqual(hours(), [
    [authority, 134.4, 168],
    [api, 19.2, 24],
    [operator, 19.2, 24],
    [apiClient, 19.2, 24],
    [workerClient, 19.2, 24],
    [migrationServer, 19.2, 24],
    exports,
  ])
  cluster.objects.delete(`secrets/${api}`)
  assert.deepEqual(hours()[1], [api, 0, 0])
  cluster.kubevirt = { ...cluster.kubevirt, metadata: { ...cluster.kubevirt.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
  assert.deepEqual(hours(), [])
})

test('issues migration certificates for nodes without their own, after their authority was published', async () => {
  const cluster = installation(true)
  await cluster.run()
  const { migrationServer, migrationClient } = certificateNames
  const shown = (name: string): X509Certificate =>
    new X509Certificate(pairOf(cluster.objects.get(`secrets/${name}`) as Secret)?.certificate ?? '')
  assert.equal(shown(migrationServer).checkHost(agentServerName(namespace)), agentServerName(namespace))
  assert.equal(shown(migrationServer).checkHost('virt-api.kubevirt.svc'), undefined)
  const [serverAuth, clientAuth] = ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']
  assert.deepEqual([shown(migrationServer).keyUsage, shown(migrationClient).keyUsage], [[serverAuth], [clientAuth]])
  const before = [migrationServer, migrationClient].map((name) => shown(name).fingerprint256)
  cluster.kubevirt = { ...cluster.kubevirt, spec: { certificateRotateStrategy: { selfSigned: { ca: { duration: '100h' } } } } }
  await cluster.run()
  const bundle = cluster.objects.get(`configmaps/${certificateNames.authority}`) as ConfigMap
  assert.equal(certificatesOf(bundle.data?.[certificateNames.bundleKey] ?? '').length, 2)
  assert.deepEqual(
    [migrationServer, migrationClient].map((name) => shown(name).fingerprint256),
    before,
  )
  await cluster.clock.advance(120_000)
  await cluster.run()
  for (const name of [migrationServer, migrationClient]) assert.ok(!before.includes(shown(name).fingerprint256), name)
})
