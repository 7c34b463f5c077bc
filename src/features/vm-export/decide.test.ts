import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod, PodPhase } from '#api/core/v1/pod.ts'
import type { VirtualMachineExport } from '#api/export/v1/virtual-machine-export.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { decide, expirationOf, type Observed } from './decide.ts'
import { statusOf } from './report.ts'
import type { External, LinkBase } from './links/link.ts'
import { initializing, notReady, type SourceState } from './source/source.ts'

const created = '2026-01-01T00:00:00Z'
const vmExport: VirtualMachineExport = {
  metadata: { namespace: 'n', name: 'e', uid: 'u', creationTimestamp: created },
  spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' }, tokenSecretRef: 'mine' },
}
const vm: VirtualMachine = { metadata: { namespace: 'n', name: 'web' }, spec: { template: { spec: { domain: { devices: {} } } } } }
const claimOf = (name: string): PersistentVolumeClaim => ({ metadata: { namespace: 'n', name } })
const source: SourceState = {
  volumes: [
    { name: 'root', claim: claimOf('root'), isDisk: true },
    { name: 'state', claim: claimOf('state'), isDisk: false },
  ],
  isAvailable: true,
  ready: initializing,
  vmName: 'web',
  vm,
}
const inUse: SourceState = { ...source, isAvailable: false, ready: notReady('InUse', 'it runs') }
const nothing: SourceState = { volumes: [], isAvailable: false, ready: notReady('VMNoVolumes'), vmName: 'web', isSkipped: true }

function podOf(phase: PodPhase, more: Partial<Pod['metadata']> = {}, isReady = false, claims: readonly string[] = ['root', 'state']): Pod {
  return {
    metadata: { namespace: 'n', name: 'virt-export-e', uid: 'p', annotations: { 'kubevirt.io/export.certParameters': 'now' }, ...more },
    spec: {
      containers: [],
      volumes: [{ name: 'token' }, ...claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }))],
    },
    status: { phase, conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
  }
}
const base: Observed = {
  vmExport,
  source,
  external: {},
  pod: undefined,
  hasService: true,
  hasAuthority: true,
  certificateParameters: 'now',
  now: Date.parse(created) + 60_000,
}
const deletionTimestamp = '2026-01-01T00:00:30Z'
const pending = podOf('Pending')
const serving = podOf('Running', {}, true)
const outside: External = { base: { side: 'external', hostAndBase: 'x.test', certificates: '' } }
const withAddress = (address: string): Pod =>
  podOf('Running', { annotations: { ...serving.metadata.annotations, 'steadyvm.io/external-address': address } }, true)

/**
 * Rows: what is observed, what is done, then phase and reason of the status, and whether there are
 * links.
 */
const rows: readonly (readonly [string, Partial<Observed>, string, string?, string?, boolean?])[] = [
  ['being deleted', { vmExport: { ...vmExport, metadata: { ...vmExport.metadata, deletionTimestamp } } }, 'none'],
  ['that has expired', { now: Date.parse(created) + 7_200_000 }, 'expire'],
  ['that has expired while it waits', { source: inUse, now: Date.parse(created) + 7_200_000 }, 'expire'],
  ['with its own time to live', { vmExport: { ...vmExport, spec: { ...vmExport.spec, ttlDuration: '30s' } } }, 'expire'],
  ['that is new', { hasService: false }, 'service, create', 'Pending', 'PodPending', false],
  ['without certificates', { hasAuthority: false }, '', 'Pending', 'Initializing', false],
  ['of a running VM', { source: inUse }, '', 'Pending', 'InUse', false],
  ['of nothing', { source: nothing }, '', 'Skipped', 'VMNoVolumes', false],
  ['whose pod waits', { pod: pending }, 'equip', 'Pending', 'PodPending', false],
  ['whose pod waits and would get no certificate', { pod: pending, hasAuthority: false }, '', 'Pending', 'PodPending', false],
  ['whose pod starts', { pod: podOf('Running') }, '', 'Pending', 'Unknown', false],
  ['whose pod serves', { pod: serving }, '', 'Ready', 'PodReady', true],
  ['whose VM starts', { pod: serving, source: inUse }, 'delete ExportPaused', 'Pending', 'InUse', false],
  ['whose VM has other disks now', { pod: podOf('Running', {}, true, ['root']) }, 'delete ExportPaused', 'Pending', 'Initializing', false],
  ['whose source is gone', { pod: serving, source: nothing }, 'delete ExportPaused', 'Skipped', 'VMNoVolumes', false],
  [
    'whose pod has come to its deadline',
    { pod: podOf('Succeeded') },
    'delete ExporterPodFailedOrCompleted',
    'Pending',
    'Initializing',
    false,
  ],
  ['whose pod has failed', { pod: podOf('Failed') }, 'delete ExporterPodFailedOrCompleted', 'Pending', 'Initializing', false],
  [
    'with other durations',
    { pod: serving, certificateParameters: 'new' },
    'delete CertificateParametersChanged',
    'Pending',
    'Initializing',
    false,
  ],
  [
    'that an Ingress leads to now',
    { pod: withAddress(''), external: outside },
    'delete ExternalAddressChanged',
    'Pending',
    'Initializing',
    false,
  ],
  ['that an Ingress leads to', { pod: withAddress('x.test'), external: outside }, '', 'Ready', 'PodReady', true],
  ['whose pod is of an earlier release', { pod: serving, external: outside }, '', 'Ready', 'PodReady', true],
  ['whose pod ends', { pod: podOf('Running', { deletionTimestamp }, true) }, '', 'Pending', 'Unknown', false],
]

function done(step: ReturnType<typeof decide>): string {
  if (step.kind !== 'keep') return step.kind
  const { pod } = step
  const ofPod = pod.kind === 'none' ? [] : [pod.kind === 'delete' ? `delete ${pod.why.reason}` : pod.kind]
  return [...(step.createService ? ['service'] : []), ...ofPod].join(', ')
}

const bases: readonly LinkBase[] = [
  { side: 'internal', hostAndBase: 'virt-export-e.n.svc', certificates: 'CA\n' },
  { side: 'external', hostAndBase: 'x.test/api/export', certificates: 'OTHER' },
]

suite('an export', () => {
  for (const [reason, more, expected, phase, readiness, hasLinks] of rows) {
    test(reason, () => {
      const observed = { ...base, ...more }
      const step = decide(observed)
      assert.equal(done(step), expected)
      if (step.kind !== 'keep') return
      const status = statusOf(observed, step, bases)
      assert.deepEqual(
        [
          status.phase,
          status.conditions?.find(({ type }) => type === 'Ready')?.reason,
          status.links.internal !== null,
          status.links.external !== null,
        ],
        [phase, readiness, hasLinks, hasLinks],
      )
    })
  }
})

suite('statusOf()', () => {
  const step = { kind: 'keep', createService: false, createClaims: [], pod: { kind: 'none' } } as const

  test('names the server, and has the formats of each volume', () => {
    const { conditions, links, ...rest } = statusOf({ ...base, pod: serving }, step, bases)
    assert.deepEqual(rest, {
      phase: 'Ready',
      serviceName: 'virt-export-e',
      tokenSecretRef: 'mine',
      ttlExpirationTime: '2026-01-01T02:00:00Z',
      virtualMachineName: 'web',
    })
    assert.deepEqual(
      conditions?.map(({ type, status }) => [type, status]),
      [
        ['Ready', 'True'],
        ['ExternalLinks', 'False'],
      ],
    )
    const internal = 'https://virt-export-e.n.svc'
    assert.deepEqual(links.internal, {
      cert: 'CA',
      manifests: [
        { type: 'all', url: `${internal}/internal/manifests/all` },
        { type: 'auth-header-secret', url: `${internal}/internal/manifests/secret` },
      ],
      volumes: [
        {
          name: 'root',
          formats: [
            { format: 'raw', url: `${internal}/volumes/root/disk.img` },
            { format: 'gzip', url: `${internal}/volumes/root/disk.img.gz` },
          ],
        },
        {
          name: 'state',
          formats: [
            { format: 'dir', url: `${internal}/volumes/state/dir` },
            { format: 'tar.gz', url: `${internal}/volumes/state/disk.tar.gz` },
          ],
        },
      ],
    })
    assert.equal(links.external?.manifests?.[0]?.url, 'https://x.test/api/export/external/manifests/all')
    assert.equal(links.external?.volumes?.[0]?.formats?.[0]?.url, 'https://x.test/api/export/volumes/root/disk.img')
  })

  test('names a token that the controller makes only once there is one', () => {
    const { tokenSecretRef: _given, ...spec } = vmExport.spec
    const open = { ...base, vmExport: { ...vmExport, spec } }
    const secretOf = (observed: Observed, pod: Parameters<typeof statusOf>[1]['pod']) =>
      statusOf(observed, { ...step, pod }, bases).tokenSecretRef
    assert.equal(secretOf(open, { kind: 'none' }), undefined)
    assert.equal(secretOf(open, { kind: 'create' }), 'export-token-e')
    assert.equal(secretOf({ ...open, pod: serving }, { kind: 'none' }), 'export-token-e')
  })

  test('has no manifests without a VM', () => {
    const { vm: _vm, ...claims } = source
    const { links } = statusOf({ ...base, source: claims, pod: serving }, step, bases)
    assert.deepEqual(
      links.internal?.manifests?.map(({ type }) => type),
      ['auth-header-secret'],
    )
  })
})

test('expirationOf() is two hours by default', () => assert.equal(expirationOf(vmExport) - Date.parse(created), 7_200_000))
