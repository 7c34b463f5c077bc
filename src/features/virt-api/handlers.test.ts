import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import type { VirtualMachineInstancePreset } from '#api/kubevirt/v1/virtual-machine-instance-preset.ts'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import { applyJsonPatch } from '#apimachinery/patch/json-patch.ts'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { notFound, StatusError } from '#apimachinery/errors.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { silentLogger } from '#runtime/process/log.ts'
import type { AdmissionAnswer } from '#runtime/webhook/admission-answer.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { createAdmissionHandlers } from './handlers.ts'

const stored: Readonly<Record<string, object>> = {
  'virtualmachineinstancetypes/small': { metadata: { name: 'small' }, spec: { cpu: { guest: 3 }, memory: { guest: '1Gi' } } },
  'virtualmachinepreferences/spread': { metadata: { name: 'spread' }, spec: { cpu: { preferredCPUTopology: 'spread' } } },
  'persistentvolumeclaims/labelled': {
    metadata: {
      labels: {
        'instancetype.kubevirt.io/default-instancetype': 'small',
        'instancetype.kubevirt.io/default-instancetype-kind': 'VirtualMachineInstancetype',
      },
    },
  },
  'persistentvolumeclaims/bare': { metadata: {} },
  'virtualmachineinstancetypes/pinned': {
    metadata: { name: 'pinned' },
    spec: { cpu: { guest: 1, dedicatedCPUPlacement: true, isolateEmulatorThread: false }, memory: { guest: '1Gi' } },
  },
  'virtualmachines/ran': { metadata: { name: 'ran' }, status: { steadyvm: { hardware: {} } } },
  'virtualmachinepreferences/ceph': { metadata: { name: 'ceph' }, spec: { volumes: { preferredStorageClassName: 'ceph' } } },
  'virtualmachinepreferences/demanding': { metadata: { name: 'demanding' }, spec: { requirements: { memory: { guest: '2Gi' } } } },
}
const presets: VirtualMachineInstancePreset[] = []
const listed: Record<string, readonly object[]> = {}
const handlers = createAdmissionHandlers({
  client: {
    get: (resource, { name }) => {
      const object = stored[`${resource.plural}/${name}`]
      return object === undefined ? Promise.reject(notFound(resource, name)) : Promise.resolve(object as never)
    },
    list: ({ kind }) => Promise.resolve({ metadata: {}, items: (listed[kind] ?? []) as never[] }),
    create: () => Promise.reject(new RangeError('nothing here is created')),
    patch: () => Promise.reject(new RangeError('nothing here is changed')),
  },
  foreignCdi: async () => false,
  presets: { list: () => presets },
  clock: systemClock,
  log: silentLogger,
  config: () => defaultClusterConfig,
})

type UserInfo = AdmissionRequest['userInfo']
const component: UserInfo = { username: 'system:serviceaccount:kubevirt:virt-controller', groups: ['system:serviceaccounts'] }

async function ask(path: string, object: object, oldObject?: object, userInfo: UserInfo = { username: 'bob' }): Promise<AdmissionAnswer> {
  const handler = handlers[path]
  assert.ok(handler !== undefined)
  const operation = oldObject === undefined ? 'CREATE' : 'UPDATE'
  return handler({ uid: 'u', operation, object, oldObject, userInfo } as AdmissionRequest)
}

async function fieldsRefused(path: string, object: object, oldObject?: object): Promise<(string | undefined)[]> {
  const answer = await ask(path, object, oldObject)
  if (answer.allowed) return []
  assert.equal(answer.error.code, 422)
  assert.equal(answer.error.reason, 'Invalid')
  return (answer.error.status.details?.causes ?? []).map((cause) => cause.field)
}

function vm(spec: Partial<VirtualMachineSpec>): VirtualMachine {
  const template = { spec: { domain: { devices: {}, memory: { guest: '1Gi' } } } }
  return { metadata: { name: 'web', namespace: 'default' }, spec: { runStrategy: 'Halted', template, ...spec } }
}

const sized = { instancetype: { name: 'small', kind: 'virtualmachineinstancetype' }, template: { spec: { domain: { devices: {} } } } }
const base = 'spec.template.spec'
const withSpec = (spec: object): Partial<VirtualMachineSpec> => ({
  template: { spec: { domain: { devices: {}, memory: { guest: '1Gi' } }, ...spec } } as VirtualMachineSpec['template'],
})
const withDomain = (domain: object): Partial<VirtualMachineSpec> =>
  withSpec({ domain: { devices: {}, memory: { guest: '1Gi' }, ...domain } })

type Row = readonly [string, VirtualMachine, readonly string[]]
/** A guest with an interface of the pod network. */
const withNic = (nic: object): object =>
  withSpec({ networks: [{ name: 'a', pod: {} }], domain: { devices: { interfaces: [nic] }, memory: { guest: '1Gi' } } })
const nicState = `${base}.domain.devices.interfaces[0].state`
const withCloudInit = (cloudInitNoCloud: object): object => withSpec({ volumes: [{ name: 'seed', cloudInitNoCloud }] })

/** Asks for no memory. */
const bare = { template: { spec: { domain: { devices: {} } } } }
const rows: readonly Row[] = [
  ['a plain VM', vm({}), []],
  ['a VM sized by name', vm(sized), []],
  ['a VM whose instance type does not exist yet', vm({ ...sized, instancetype: { name: 'later' } }), []],
  ['a VM whose namespaced instance type does not exist yet', vm({ ...sized, instancetype: { ...sized.instancetype, name: 'later' } }), []],
  ['a VM whose preference does not exist yet', vm({ preference: { name: 'later' } }), []],
  ['a VM whose namespaced preference does not exist yet', vm({ preference: { name: 'later', kind: 'VirtualMachinePreference' } }), []],
  ['a VM that spreads without instance type', vm({ preference: { name: 'spread', kind: 'VirtualMachinePreference' } }), []],
  ...(['requests', 'limits'] as const).flatMap((list) =>
    (['cpu', 'memory'] as const).map((resource): Row => [
      `${list} of ${resource} beside an instance type`,
      vm({ ...sized, template: { spec: { domain: { devices: {}, resources: { [list]: { [resource]: '1' } } } } } }),
      [`${base}.domain.resources.${list}.${resource}`],
    ]),
  ),
  ...(['sockets', 'cores', 'threads'] as const).map((axis): Row => [
    `${axis} beside an instance type`,
    vm({ ...sized, template: { spec: { domain: { devices: {}, cpu: { [axis]: 2 } } } } }),
    [`${base}.domain.cpu.${axis}`],
  ]),
  ['a VM without memory that is to run', vm({ ...bare, runStrategy: 'Always' }), [`${base}.domain.memory.guest`]],
  ['a VM without memory that is not to run', vm(bare), []],
  ['both running and runStrategy', vm({ running: true }), ['spec.running']],
  ['neither running nor runStrategy', vm({ runStrategy: undefined as never }), ['spec.running']],
  ['invalid node labels', vm(withSpec({ nodeSelector: { 'bad key!': 'b' } })), [`${base}.nodeSelector`]],
  ['an unknown strategy', vm({ runStrategy: 'Sometimes' as never }), ['spec.runStrategy']],
  ['a matcher without name', vm({ ...sized, instancetype: {} }), ['spec.instancetype']],
  [
    'a matcher with both name and volume',
    vm({ preference: { name: 'a', kind: 'b', inferFromVolume: 'v' } }),
    ['spec.preference.name', 'spec.preference.kind'],
  ],
  ['a bad policy', vm({ preference: { name: 'a', inferFromVolumeFailurePolicy: 'x' } }), ['spec.preference.inferFromVolumeFailurePolicy']],
  ['memory beside an instance type', vm({ ...sized, ...withDomain({}) }), [`${base}.domain.memory.guest`]],
  [
    'CPUs that cannot be spread',
    vm({ ...sized, preference: { name: 'spread', kind: 'VirtualMachinePreference' } }),
    ['instancetype.spec.cpu.guest'],
  ],
  [
    'too little memory for the preference',
    vm({ ...sized, preference: { name: 'demanding', kind: 'VirtualMachinePreference' } }),
    ['spec.instancetype'],
  ],
  ['a disk without volume', vm(withDomain({ devices: { disks: [{ name: 'a' }] } })), [`${base}.domain.devices.disks[0].name`]],
  [
    'duplicate names',
    vm(
      withSpec({
        volumes: [
          { name: 'a', emptyDisk: { capacity: '1Gi' } },
          { name: 'a', containerDisk: { image: 'x' } },
        ],
      }),
    ),
    [`${base}.volumes[1].name`],
  ],
  [
    'a volume with two sources',
    vm(withSpec({ volumes: [{ name: 'a', emptyDisk: { capacity: '1' }, containerDisk: { image: 'x' } }] })),
    [`${base}.volumes[0]`],
  ],
  [
    'an empty disk of size 0',
    vm(withSpec({ volumes: [{ name: 'a', emptyDisk: { capacity: '0' } }] })),
    [`${base}.volumes[0].emptyDisk.capacity`],
  ],
  [
    'a host disk without the gate, without a type, with a size for an existing one',
    vm(
      withSpec({
        volumes: [
          { name: 'a', hostDisk: { path: '/d.img', type: 'Disk', capacity: '1Gi' } },
          { name: 'b', hostDisk: { path: '', type: 'x' } },
        ],
      }),
    ),
    [
      `${base}.volumes[0].hostDisk.capacity`,
      `${base}.volumes[1].hostDisk.path`,
      `${base}.volumes[1].hostDisk.type`,
      `${base}.volumes[0]`,
      `${base}.volumes[1]`,
    ],
  ],
  ['negative memory', vm(withDomain({ memory: { guest: '-1Gi' } })), [`${base}.domain.memory.guest`]],
  ['a negative CPU count', vm(withDomain({ cpu: { cores: -1 } })), [`${base}.domain.cpu.cores`]],
  [
    'a request above its limit',
    vm(withDomain({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } })),
    [`${base}.domain.resources.requests.cpu`],
  ],
  [
    'an unknown bus',
    vm(
      withSpec({
        domain: { devices: { disks: [{ name: 'a', disk: { bus: 'ide' } }] }, memory: { guest: '1Gi' } },
        volumes: [{ name: 'a', emptyDisk: { capacity: '1Gi' } }],
      }),
    ),
    [`${base}.domain.devices.disks[0].disk.bus`],
  ],
  [
    'an interface without network',
    vm(withDomain({ devices: { interfaces: [{ name: 'a', bridge: {} }] } })),
    [`${base}.domain.devices.interfaces[0].name`],
  ],
  [
    'an interface with an invalid name',
    vm(
      withSpec({
        domain: { devices: { interfaces: [{ name: 'a,romfile=/etc/passwd', masquerade: {} }] }, memory: { guest: '1Gi' } },
        networks: [{ name: 'a,romfile=/etc/passwd', pod: {} }],
      }),
    ),
    [`${base}.domain.devices.interfaces[0].name`],
  ],
  [
    'kernel arguments without kernel',
    vm(withDomain({ firmware: { kernelBoot: { kernelArgs: 'x' } } })),
    [`${base}.domain.firmware.kernelBoot.kernelArgs`],
  ],
  [
    'a Hyper-V enlightenment without its dependency',
    vm(withDomain({ features: { hyperv: { synic: {}, vpindex: { enabled: false } } } })),
    [`${base}.domain.features.hyperv.synic`],
  ],
  [
    'more CPUs than the machine type supports',
    vm(withDomain({ cpu: { sockets: 2 ** 31 - 1, cores: 2 ** 31 - 1, threads: 2 ** 31 - 1 } })),
    [`${base}.domain.cpu`],
  ],
  ['more memory than the machine type supports', vm(withDomain({ memory: { guest: '1e30' } })), [`${base}.domain.memory.guest`]],
  ['an unknown I/O threads policy', vm(withDomain({ ioThreadsPolicy: 'many' })), [`${base}.domain.ioThreadsPolicy`]],
  [
    'an unknown disk I/O mode',
    vm(
      withSpec({
        domain: { devices: { disks: [{ name: 'a', io: 'fast' }] }, memory: { guest: '1Gi' } },
        volumes: [{ name: 'a', emptyDisk: { capacity: '1Gi' } }],
      }),
    ),
    [`${base}.domain.devices.disks[0].io`],
  ],
  [
    'a block size that is not a power of two',
    vm(
      withSpec({
        domain: {
          devices: { disks: [{ name: 'a', disk: { bus: 'virtio' }, blockSize: { custom: { logical: 513, physical: 515 } } }] },
          memory: { guest: '1Gi' },
        },
        volumes: [{ name: 'a', emptyDisk: { capacity: '1Gi' } }],
      }),
    ),
    ['logical', 'physical'].map((size) => `${base}.domain.devices.disks[0].blockSize.custom.${size}`),
  ],
  [
    'a block size that is too large',
    vm(
      withSpec({
        domain: {
          devices: { disks: [{ name: 'a', blockSize: { custom: { logical: 512, physical: 4_194_304 } } }] },
          memory: { guest: '1Gi' },
        },
        volumes: [{ name: 'a', emptyDisk: { capacity: '1Gi' } }],
      }),
    ),
    [`${base}.domain.devices.disks[0].blockSize.custom.physical`],
  ],
  [
    'a logical block size above the physical one',
    vm(
      withSpec({
        domain: { devices: { disks: [{ name: 'a', blockSize: { custom: { logical: 4096, physical: 512 } } }] }, memory: { guest: '1Gi' } },
        volumes: [{ name: 'a', emptyDisk: { capacity: '1Gi' } }],
      }),
    ),
    [`${base}.domain.devices.disks[0].blockSize.custom.logical`],
  ],
  [
    'two block sizes',
    vm(
      withSpec({
        domain: { devices: { disks: [{ name: 'a', blockSize: { custom: { logical: 512, physical: 4096 } } }] }, memory: { guest: '1Gi' } },
        volumes: [{ name: 'a', emptyDisk: { capacity: '1Gi' } }],
      }),
    ),
    [],
  ],
  [
    'an unknown interface model',
    vm(withDomain({ devices: { interfaces: [{ name: 'a', model: 'fast', bridge: {} }] } })),
    [`${base}.domain.devices.interfaces[0].name`, `${base}.domain.devices.interfaces[0].model`],
  ],
  [
    'an input device without a type',
    vm(withDomain({ devices: { inputs: [{ name: 'a', bus: 'ps2', type: 'mouse' }] } })),
    [`${base}.domain.devices.inputs[0].bus`, `${base}.domain.devices.inputs[0].type`],
  ],
  [
    'a panic device without a model',
    vm(withDomain({ devices: { panicDevices: [{ model: 'loud' }] } })),
    [`${base}.domain.devices.panicDevices[0].model`],
  ],
  [
    'an unknown CPU feature policy',
    vm(withDomain({ cpu: { features: [{ name: 'vmx', policy: 'maybe' }] } })),
    [`${base}.domain.cpu.features[0].policy`],
  ],
  ['an interface without a binding', vm(withNic({ name: 'a' })), [`${base}.domain.devices.interfaces[0]`]],
  ['an interface with two bindings', vm(withNic({ name: 'a', bridge: {}, masquerade: {} })), [`${base}.domain.devices.interfaces[0]`]],
  ['an interface that is to be absent', vm(withNic({ name: 'a', masquerade: {}, state: 'absent' })), [nicState, nicState]],
  ['cloud-init with user data', vm(withCloudInit({ userData: '#cloud-config' })), []],
  ['cloud-init with network data alone', vm(withCloudInit({ networkDataBase64: 'e30=' })), []],
  ['cloud-init without data', vm(withCloudInit({})), [`${base}.volumes[0].cloudInitNoCloud`]],
  ['cloud-init with two sources', vm(withCloudInit({ userData: 'a', secretRef: { name: 's' } })), [`${base}.volumes[0].cloudInitNoCloud`]],
  ['cloud-init with much data', vm(withCloudInit({ userData: 'x'.repeat(2049) })), [`${base}.volumes[0].cloudInitNoCloud`]],
  [
    'cloud-init with what is not base64',
    vm(withCloudInit({ userDataBase64: '%' })),
    [`${base}.volumes[0].cloudInitNoCloud.userDataBase64`],
  ],
  ['a subdomain with dots', vm(withSpec({ subdomain: 'a.b' })), [`${base}.subdomain`]],
  ['a negative grace period', vm(withSpec({ terminationGracePeriodSeconds: -1 })), [`${base}.terminationGracePeriodSeconds`]],
]

suite('/virtualmachines-validate', () => {
  for (const [name, object, fields] of rows) {
    test(`${fields.length === 0 ? 'admits' : 'refuses'} ${name}`, async () => {
      assert.deepEqual(await fieldsRefused('/virtualmachines-validate', object), fields)
    })
  }

  const shapes: readonly (readonly [string, object, readonly string[]])[] = [
    ['nothing', {}, ['']],
    ['a kind alone', { kind: 'x' }, ['']],
    ['a name', { name: 'a' }, []],
    ['a volume', { inferFromVolume: 'root' }, []],
    ['a volume and a name', { inferFromVolume: 'root', name: 'a' }, ['.name']],
    ['a volume and a kind', { inferFromVolume: 'root', kind: 'x' }, ['.kind']],
    ['a volume, a name and a kind', { inferFromVolume: 'root', name: 'a', kind: 'x' }, ['.name', '.kind']],
    ['a policy that is known', { inferFromVolume: 'root', inferFromVolumeFailurePolicy: 'Reject' }, []],
    ['an invalid policy', { inferFromVolume: 'root', inferFromVolumeFailurePolicy: 'reject' }, ['.inferFromVolumeFailurePolicy']],
  ]
  const changes: readonly (readonly [string, object | undefined, object | undefined, boolean])[] = [
    ['names something for the first time', undefined, { name: 'a', revisionName: 'r' }, true],
    ['removes the name', { name: 'a', revisionName: 'r' }, undefined, true],
    ['stays the same', { name: 'a', revisionName: 'r' }, { name: 'a', revisionName: 'r' }, true],
    ['changes the name and keeps the revision', { name: 'a', revisionName: 'r' }, { name: 'b', revisionName: 'r' }, false],
    ['changes name and revision', { name: 'a', revisionName: 'r' }, { name: 'b', revisionName: 's' }, true],
    ['changes the name and clears the revision', { name: 'a', revisionName: 'r' }, { name: 'b' }, true],
    ['changes the name and has no revision', { name: 'a' }, { name: 'b' }, true],
    ['requests the newest revision', { name: 'a', revisionName: 'r' }, { name: 'a' }, true],
  ]
  for (const field of ['instancetype', 'preference'] as const) {
    const bare = { template: { spec: { domain: { devices: {} } } }, runStrategy: 'Halted' as const }
    const naming = (matcher: object | undefined) =>
      vm({ ...bare, ...withDomain({}), ...(matcher === undefined ? {} : { [field]: matcher }) })
    for (const [name, matcher, refused] of shapes) {
      test(`judges a matcher of the ${field} with ${name}`, async () => {
        const fields = refused.map((suffix) => `spec.${field}${suffix}`)
        assert.deepEqual(await fieldsRefused('/virtualmachines-validate', naming(matcher)), fields)
      })
    }
    for (const [name, before, after, allowed] of changes) {
      test(`${allowed ? 'admits' : 'refuses'} a VM whose ${field} matcher ${name}`, async () => {
        const fields = allowed ? [] : [`spec.${field}.revisionName`]
        assert.deepEqual(await fieldsRefused('/virtualmachines-validate', naming(after), naming(before)), fields)
      })
    }
  }

  test('does not validate a VM that is being deleted', async () => {
    const dying = { ...vm({ running: true }), metadata: { name: 'web', deletionTimestamp: '2026-01-01T00:00:00Z' } }
    assert.deepEqual(await fieldsRefused('/virtualmachines-validate', dying), [])
  })

  test('warns about fields without effect, and about deprecated ones', async () => {
    const answer = await ask(
      '/virtualmachines-validate',
      vm({ runStrategy: undefined as never, running: false, ...withSpec({ dnsPolicy: 'Default' }) }),
    )
    assert.deepEqual(answer.warnings, [
      'spec.running is deprecated, please use spec.runStrategy instead.',
      'spec.template.spec.dnsPolicy is kept, but nothing acts on it yet',
    ])
  })

  test('warns about the volume of a dump, which a VM from KubeVirt has', async () => {
    const { warnings } = await ask(
      '/virtualmachines-validate',
      vm(withSpec({ volumes: [{ name: 'dump', memoryDump: { claimName: 'dump' } }] })),
    )
    assert.match(warnings?.join() ?? '', /memoryDump is kept, but has no effect/)
  })

  test('warns about an invalid hardware policy, of VMs and of the cluster', async () => {
    const annotations = { 'steadyvm.io/hardware-changes': 'Deny' }
    const warning =
      'metadata.annotations[steadyvm.io/hardware-changes] is "Deny", which is none of Allow, Warn, Refuse: it counts as Refuse'
    const plain = vm({})
    const answer = await ask('/virtualmachines-validate', { ...plain, metadata: { ...plain.metadata, annotations } }, plain)
    assert.deepEqual([answer.allowed, answer.warnings], [true, [warning]])
    const kubevirt = { metadata: { namespace: 'kubevirt', name: 'kubevirt' }, spec: {} }
    const { warnings } = await ask('/kubevirts-validate', { ...kubevirt, metadata: { ...kubevirt.metadata, annotations } }, kubevirt)
    assert.deepEqual(warnings, [warning])
  })

  test('warns of missing memory of a VM that is not to run', async () => {
    const alternatives = ['memory.guest', 'memory.hugepages.pageSize', 'resources.requests.memory'].map(
      (field) => `'${base}.domain.${field}'`,
    )
    const missing = `no memory requested, at least one of ${alternatives.slice(0, 2).join(', ')} or ${alternatives[2]} must be set`
    assert.deepEqual((await ask('/virtualmachines-validate', vm(bare))).warnings, [`${missing}; the VM cannot start`])
  })

  test('warns about settings without effect in VMs as in instance types', async () => {
    const pinned = vm({ ...sized, instancetype: { name: 'pinned', kind: 'VirtualMachineInstancetype' } })
    const field = 'spec.template.spec.domain.cpu.dedicatedCpuPlacement'
    const warning = `no node assigns CPUs to a single guest: ${field}; the VM cannot start`
    assert.deepEqual((await ask('/virtualmachines-validate', pinned)).warnings, [warning])
    const started = { ...pinned, spec: { ...pinned.spec, runStrategy: 'Always' as const } }
    assert.deepEqual(await fieldsRefused('/virtualmachines-validate', started), [field])
    const { spec } = stored['virtualmachineinstancetypes/pinned'] as { readonly spec: object }
    assert.deepEqual((await ask('/virtualmachineinstancetypes-validate', { metadata: {}, spec })).warnings, [
      'spec.cpu.dedicatedCPUPlacement is kept, but nothing acts on it yet',
    ])
    assert.deepEqual((await ask('/virtualmachines-validate', vm(sized))).warnings, [])
  })
})

suite('/virtualmachines-mutate', () => {
  const rooted = { spec: { domain: { devices: {} }, volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'labelled' } }] } }
  const inferring = vm({ runStrategy: 'Halted', instancetype: { inferFromVolume: 'root' }, template: rooted })
  const mutated = async (object: object, oldObject?: object): Promise<VirtualMachine | undefined> => {
    const answer = await ask('/virtualmachines-mutate', object, oldObject)
    assert.ok(answer.allowed)
    return answer.patch === undefined ? undefined : (applyJsonPatch(object, answer.patch) as VirtualMachine)
  }

  test('sets the inferred name, and changes nothing else', async () => {
    const named = await mutated(inferring)
    assert.deepEqual(named?.spec, { ...inferring.spec, instancetype: { name: 'small', kind: 'VirtualMachineInstancetype' } })
    const { annotations, ...metadata } = named.metadata
    assert.deepEqual(metadata, inferring.metadata)
    assert.deepEqual(Object.keys(annotations ?? {}), ['steadyvm.io/inferred-from'])
    assert.deepEqual(await fieldsRefused('/virtualmachines-validate', named), [])
  })

  test('accepts the same manifest after the inference, and changes nothing', async () => {
    const stored = await mutated(inferring)
    assert.ok(stored !== undefined)
    const applied = { ...stored, spec: { ...stored.spec, instancetype: { ...stored.spec.instancetype, inferFromVolume: 'root' } } }
    assert.deepEqual(await mutated(applied, stored), stored)
  })

  test('is idempotent', async () => {
    const matcher = fc.option(
      fc.record(
        {
          name: fc.constantFrom('', 'small', 'mine'),
          kind: fc.constantFrom('', 'VirtualMachineInstancetype', 'x'),
          revisionName: fc.constantFrom('', 'r'),
          inferFromVolume: fc.constantFrom('', 'root', 'bare', 'disk', 'none'),
          inferFromVolumeFailurePolicy: fc.constantFrom('Ignore', 'Reject'),
        },
        { requiredKeys: [] },
      ),
      { nil: undefined },
    )
    const volumes = [
      ...rooted.spec.volumes,
      { name: 'bare', persistentVolumeClaim: { claimName: 'bare' } },
      { name: 'disk', emptyDisk: { capacity: '1Mi' } },
    ]
    const template = { spec: { domain: { devices: {}, memory: { guest: '1Gi' } }, volumes } }
    /** The object after admission; undefined when it is refused. */
    const admitted = async (object: VirtualMachine, old?: VirtualMachine): Promise<VirtualMachine | undefined> => {
      const answer = await ask('/virtualmachines-mutate', object, old).catch((error: unknown) => {
        assert.ok(error instanceof StatusError && error.code === 400, String(error))
        return { allowed: false } as const
      })
      if (!answer.allowed) return undefined
      return answer.patch === undefined ? object : (applyJsonPatch(object, answer.patch) as VirtualMachine)
    }
    await fc.assert(
      fc.asyncProperty(matcher, matcher, async (instancetype, preference) => {
        const matchers = { ...(instancetype && { instancetype }), ...(preference && { preference }) }
        const sent = vm({ runStrategy: 'Halted', template: template as never, ...matchers })
        const stored = await admitted(sent)
        if (stored === undefined) return
        assert.ok([stored.spec.instancetype, stored.spec.preference].every((each) => (each?.inferFromVolume ?? '') === ''))
        assert.deepEqual(await admitted(stored, stored), stored)
        // An applied manifest is merged into the stored object, field by field.
        const again = { ...stored, spec: applyMergePatch(stored.spec, sent.spec) as VirtualMachineSpec }
        assert.deepEqual(await admitted(again, stored), stored)
      }),
      { numRuns: 300 },
    )
  })

  const preference = { name: 'ceph', kind: 'VirtualMachinePreference' }
  const classes: readonly (readonly [string, object, object, object])[] = [
    ['the preferred storage class to a claim', preference, { pvc: {} }, { pvc: { storageClassName: 'ceph' } }],
    ['it to storage', preference, { storage: {} }, { storage: { storageClassName: 'ceph' } }],
    ['it to both', preference, { pvc: {}, storage: {} }, { pvc: { storageClassName: 'ceph' }, storage: { storageClassName: 'ceph' } }],
    ['nothing to a claim of a class', preference, { pvc: { storageClassName: 'own' } }, { pvc: { storageClassName: 'own' } }],
    ['nothing to a claim of no class', preference, { pvc: { storageClassName: '' } }, { pvc: { storageClassName: '' } }],
    ['nothing to a volume without claim', preference, { source: { blank: {} } }, { source: { blank: {} } }],
    ['nothing by a preference about other things', { ...preference, name: 'spread' }, { pvc: {} }, { pvc: {} }],
    ['nothing by a missing preference', { ...preference, name: 'later' }, { pvc: {} }, { pvc: {} }],
    ['nothing by an unknown kind', { ...preference, kind: 'x' }, { pvc: {} }, { pvc: {} }],
  ]
  for (const [name, matcher, sent, wanted] of classes) {
    test(`sets ${name}`, async () => {
      const object = vm({ preference: matcher, dataVolumeTemplates: [{ metadata: { name: 'root' }, spec: sent }] })
      const stored = (await mutated(object)) ?? object
      assert.deepEqual(stored.spec, { ...object.spec, dataVolumeTemplates: [{ metadata: { name: 'root' }, spec: wanted }] })
      assert.equal(await mutated(stored, stored), undefined)
    })
  }

  test('drops a matcher under the failure policy Ignore', async () => {
    const instancetype = { inferFromVolume: 'root', inferFromVolumeFailurePolicy: 'Ignore' }
    const volumes = [{ name: 'root', containerDisk: { image: 'x' } }]
    const sent = vm({ instancetype, template: { spec: { domain: { devices: {}, memory: { guest: '1Gi' } }, volumes } } })
    const { instancetype: _, ...spec } = sent.spec
    assert.deepEqual((await mutated(sent))?.spec, spec)
  })

  test('drops memory that only compensates for a missing name', async () => {
    const instancetype = { inferFromVolume: 'root', inferFromVolumeFailurePolicy: 'Ignore' }
    const domain = { devices: {}, memory: { guest: '1Gi' } }
    const sent = vm({ instancetype, template: { spec: { ...rooted.spec, domain } } })
    assert.deepEqual((await mutated(sent))?.spec.template, rooted)
  })

  const left: readonly (readonly [string, object])[] = [
    ['infers nothing', vm(sized)],
    ['goes', { ...inferring, metadata: { ...inferring.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    ['has no spec', { metadata: {} }],
    ['is malformed', { metadata: {}, spec: { instancetype: { inferFromVolume: 'root' }, template: { spec: { volumes: 'none' } } } }],
  ]
  for (const [name, object] of left) {
    test(`does not change a VM that ${name}`, async () => assert.equal(await mutated(object), undefined))
  }

  const refused: readonly (readonly [string, object, readonly string[]])[] = [
    ['a name beside the volume', { inferFromVolume: 'root', name: 'small' }, ['spec.instancetype.name']],
    ['a kind beside the volume', { inferFromVolume: 'root', kind: 'x' }, ['spec.instancetype.kind']],
    [
      'an invalid policy',
      { inferFromVolume: 'root', inferFromVolumeFailurePolicy: 'Maybe' },
      ['spec.instancetype.inferFromVolumeFailurePolicy'],
    ],
  ]
  for (const [name, instancetype, fields] of refused) {
    test(`refuses ${name}`, async () => {
      assert.deepEqual(await fieldsRefused('/virtualmachines-mutate', vm({ instancetype, template: rooted })), fields)
    })
  }

  test('keeps memory beside an inferred type, so that the validator finds the conflict', async () => {
    for (const inferFromVolumeFailurePolicy of [undefined, 'Reject']) {
      const instancetype = { inferFromVolume: 'root', ...(inferFromVolumeFailurePolicy && { inferFromVolumeFailurePolicy }) }
      const domain = { devices: {}, memory: { guest: '1Gi' } }
      const named = await mutated(vm({ instancetype, template: { spec: { ...rooted.spec, domain } } }))
      assert.ok(named !== undefined)
      assert.deepEqual(await fieldsRefused('/virtualmachines-validate', named), [`${base}.domain.memory.guest`])
    }
  })

  test('answers 400 when the volume has no name', async () => {
    for (const volume of ['none', 'bare', 'missing']) {
      const volumes = ['bare', 'missing'].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }))
      const sent = vm({ instancetype: { inferFromVolume: volume }, template: { spec: { ...rooted.spec, volumes } } })
      await assert.rejects(ask('/virtualmachines-mutate', sent), { code: 400 })
    }
  })
})

suite('/virtualmachineinstances-mutate', () => {
  test('completes a VMI once', async () => {
    const vmi = {
      metadata: { name: 'web' },
      spec: { domain: { devices: {}, memory: { guest: '1Gi' } }, volumes: [{ name: 'a', emptyDisk: { capacity: '1Gi' } }] },
    }
    const answer = await ask('/virtualmachineinstances-mutate', vmi)
    assert.ok(answer.allowed)
    const completed = applyJsonPatch(vmi, answer.patch ?? []) as typeof vmi & { status: { phase: string } }
    assert.equal(completed.status.phase, 'Pending')
    assert.deepEqual((completed.spec.domain.devices as { disks?: unknown }).disks, [{ name: 'a', disk: { bus: 'sata' } }])
    const again = await ask('/virtualmachineinstances-mutate', completed)
    assert.deepEqual(again.allowed && again.patch, [])
    assert.deepEqual(await fieldsRefused('/virtualmachineinstances-validate-create', completed), [])
  })

  test('refuses a status from users, which node agents would act on', async () => {
    const migrationState = { migrationUid: 'm', sourceState: { steadyvm: { launch: '{}' } } }
    const vmi = {
      metadata: { name: 'web' },
      spec: { domain: { devices: {} } },
      status: { phase: 'Running', nodeName: 'a', migrationState },
    }
    const answer = await ask('/virtualmachineinstances-mutate', vmi)
    assert.ok(answer.allowed)
    const { status } = applyJsonPatch(vmi, answer.patch ?? []) as { status: Record<string, unknown> }
    assert.deepEqual([status['phase'], Object.keys(status)], ['Pending', ['phase', 'phaseTransitionTimestamps']])
  })
})

suite('/virtualmachineinstances-mutate-update', () => {
  const path = '/virtualmachineinstances-mutate-update'
  const old = { metadata: { name: 'web' }, spec: {}, status: { phase: 'Running', nodeName: 'a', steadyvm: { launcher: 'b' } } }
  const after = async (sent: object, before: object, user?: typeof component): Promise<unknown> => {
    const answer = await ask(path, sent, before, user)
    assert.ok(answer.allowed)
    return applyJsonPatch(sent, answer.patch ?? [])
  }

  test('keeps the stored status when a typed client sends the object', async () => {
    const sent = { ...old, metadata: { name: 'web', labels: { a: 'b' } }, status: { phase: 'Running', nodeName: 'a', guestOSInfo: {} } }
    assert.deepEqual(await after(sent, old), { ...sent, status: old.status })
    assert.deepEqual(await after({ metadata: { name: 'web' }, spec: {} }, old), old)
    const { status: _, ...bare } = old
    assert.deepEqual(await after(old, bare), bare)
    assert.match(JSON.stringify(await ask(path, sent, old)), /left as it was/)
  })

  test('lets the components write it', async () =>
    assert.deepEqual(await after({ ...old, status: {} }, old, component), { ...old, status: {} }))
})

suite('/virtualmachineinstances-validate-update', () => {
  const path = '/virtualmachineinstances-validate-update'
  const spec = { domain: { cpu: { sockets: 1 }, memory: { guest: '1Gi' }, devices: {} }, evictionStrategy: 'None' }
  const labels = { size: 'small', 'kubevirt.io/nodeName': 'a' }
  const old = { metadata: { name: 'web', labels }, spec, status: { phase: 'Running', nodeName: 'a' } }
  const labelled = (more: object): object => ({ ...old, metadata: { ...old.metadata, labels: { ...labels, ...more } } })
  const cases: readonly (readonly [string, object, readonly string[]])[] = [
    ['nothing', old, []],
    ['a note', { ...old, metadata: { ...old.metadata, annotations: { a: 'b' } } }, []],
    ['a label of its own', labelled({ size: 'large', team: 'red' }), []],
    ['the notation of a size', { ...old, spec: { ...spec, domain: { ...spec.domain, memory: { guest: '1024Mi' }, resources: {} } } }, []],
    ['an empty field that means nothing', { ...old, spec: { ...spec, nodeSelector: null } }, []],
    ['the CPUs', { ...old, spec: { ...spec, domain: { ...spec.domain, cpu: { sockets: 3 } } } }, ['spec']],
    ['the machine', { ...old, spec: { ...spec, domain: { ...spec.domain, machine: { type: 'pc' } } } }, ['spec']],
    ['its eviction', { ...old, spec: { ...spec, evictionStrategy: 'Bogus' } }, ['spec']],
    ['where it may run', { ...old, spec: { ...spec, nodeSelector: { a: 'b' } } }, ['spec']],
    ['its grace period', { ...old, spec: { ...spec, terminationGracePeriodSeconds: 0 } }, ['spec']],
    ['its node', labelled({ 'kubevirt.io/nodeName': 'b' }), ['metadata.labels']],
    ['its target node', labelled({ 'kubevirt.io/migrationTargetNodeName': 'b' }), ['metadata.labels']],
    ['its status', { ...old, status: { ...old.status, nodeName: 'b' } }, ['status']],
  ]
  for (const [name, changed, wanted] of cases) {
    test(`${wanted.length === 0 ? 'allows' : 'refuses'} a user to change ${name}`, async () => {
      assert.deepEqual(await fieldsRefused(path, changed, old), wanted)
      assert.equal((await ask(path, changed, old, component)).allowed, true)
    })
  }

  test("uses KubeVirt's messages", async () => {
    const answer = await ask(path, { ...labelled({ 'kubevirt.io/nodeName': null }), spec: {} }, old)
    assert.deepEqual(answer.allowed || answer.error.status.details?.causes?.map(({ reason, message }) => `${reason}: ${message}`), [
      'FieldValueNotSupported: update of VMI object is restricted',
      'FieldValueNotSupported: modification of the following reserved kubevirt.io/ labels on a VMI object is prohibited: kubevirt.io/nodeName',
    ])
  })
})

suite('/virtualmachineinstances-validate-create', () => {
  const path = '/virtualmachineinstances-validate-create'
  const spec = { architecture: 'amd64', domain: { devices: {}, memory: { guest: '1Gi' } } }
  const placed = { metadata: { name: 'web', labels: { 'kubevirt.io/nodeName': 'a' } }, spec }

  test('refuses labels that are reserved for the system', async () => {
    assert.deepEqual(await fieldsRefused(path, placed), ['metadata.labels'])
    assert.equal((await ask(path, placed, undefined, component)).allowed, true)
  })

  test('lets a VM that has run start again whatever rules are new, but not into the node', async () => {
    const owned = (name: string, more: object): object => ({
      metadata: { name: 'web', ownerReferences: [{ kind: 'VirtualMachine', name }] },
      spec: { ...spec, ...more },
    })
    const [late, host] = [{ dnsPolicy: 'Mine' }, { volumes: [{ name: 'a', hostDisk: { path: '/a', type: 'Disk' } }] }]
    assert.equal((await ask(path, owned('ran', late), undefined, component)).allowed, true)
    assert.equal((await ask(path, owned('ran', host), undefined, component)).allowed, false)
    assert.equal((await ask(path, owned('new', late), undefined, component)).allowed, false)
    assert.equal((await ask(path, owned('ran', late))).allowed, false)
  })

  test('refuses an eviction of an unknown pod', async () => {
    const bogus = { metadata: { name: 'web' }, spec: { ...spec, evictionStrategy: 'Bogus' } }
    assert.deepEqual(await fieldsRefused(path, bogus), ['spec.evictionStrategy'])
  })
})

suite('a VM that has run with hardware that a later release refuses', () => {
  const path = '/virtualmachines-validate'
  const old = { ...vm(withSpec({ dnsPolicy: 'Mine' })), status: { steadyvm: { hardware: {} } } }
  const started = { ...old, spec: { ...old.spec, runStrategy: 'Always' as const } }

  test('can be started, and is refused once its hardware changes', async () => {
    assert.deepEqual(await fieldsRefused(path, started, old), [])
    assert.deepEqual(await fieldsRefused(path, started, { ...old, status: {} }), [`${base}.dnsPolicy`])
    const changed = vm(withSpec({ dnsPolicy: 'Mine', hostname: 'a' }))
    assert.deepEqual(await fieldsRefused(path, changed, old), [`${base}.dnsPolicy`])
  })
})

suite('pools and replica sets', () => {
  const labels = { app: 'web' }
  const template = { metadata: { labels }, spec: { domain: { devices: {}, memory: { guest: '1Gi' } }, dnsPolicy: 'Default' } }
  const badTemplate = { ...template, spec: { domain: { ...template.spec.domain, devices: { disks: [{ name: 'a' }] } } } }
  const poolOf = (spec: object): object => ({
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: { matchLabels: labels }, virtualMachineTemplate: { metadata: { labels }, spec } },
  })
  const replicaSetOf = (of: object): object => ({ metadata: { name: 'web' }, spec: { selector: { matchLabels: labels }, template: of } })
  const inPool = 'spec.virtualMachineTemplate.spec.template.spec'
  const disk = 'domain.devices.disks[0].name'
  const rows: readonly (readonly [string, string, object, readonly string[]])[] = [
    ['a pool', 'pool', poolOf({ runStrategy: 'Always', template }), []],
    ['a pool with a wrong disk', 'pool', poolOf({ runStrategy: 'Always', template: badTemplate }), [`${inPool}.${disk}`]],
    ['a pool of VMs that do not say when to run', 'pool', poolOf({ template }), ['spec.virtualMachineTemplate.spec.running']],
    ['a pool without template', 'pool', { metadata: {}, spec: { virtualMachineTemplate: {} } }, ['spec.virtualMachineTemplate.spec']],
    [
      'a pool whose instance type conflicts',
      'pool',
      poolOf({ runStrategy: 'Always', instancetype: { name: 'small', kind: 'VirtualMachineInstancetype' }, template }),
      [`${inPool}.domain.memory.guest`],
    ],
    ['a replica set', 'replicaset', replicaSetOf(template), []],
    ['a replica set with a wrong disk', 'replicaset', replicaSetOf(badTemplate), [`spec.template.spec.${disk}`]],
    ['a replica set that selects others', 'replicaset', replicaSetOf({ ...template, metadata: {} }), ['spec.selector']],
  ]
  for (const [name, kind, object, fields] of rows)
    test(`${fields.length === 0 ? 'admits' : 'refuses'} ${name}`, async () => {
      assert.deepEqual(await fieldsRefused(`/virtualmachine${kind}-validate`, object), fields)
    })

  test('warns about fields without effect, with their path', async () => {
    for (const [kind, object, path] of [
      ['pool', poolOf({ runStrategy: 'Always', template }), inPool],
      ['replicaset', replicaSetOf(template), 'spec.template.spec'],
    ] as const) {
      const { warnings } = await ask(`/virtualmachine${kind}-validate`, object)
      assert.deepEqual(warnings, [`${path}.dnsPolicy is kept, but nothing acts on it yet`])
    }
  })

  test('admits everything while they are being deleted', async () => {
    const object = { metadata: { name: 'web', deletionTimestamp: '2026-01-01T00:00:00Z' }, spec: {} }
    for (const kind of ['pool', 'replicaset']) assert.ok((await ask(`/virtualmachine${kind}-validate`, object)).allowed)
  })
})

suite('presets', () => {
  const vmi = { metadata: { name: 'web', namespace: 'ns', labels: { size: 'small' } }, spec: { domain: { devices: {} } } }
  const metadata = { name: 'small', namespace: 'ns' }
  const small = { metadata, spec: { selector: { matchLabels: { size: 'small' } }, domain: { resources: { requests: { memory: '1Gi' } } } } }
  const having = async (list: readonly object[], run: () => Promise<void>): Promise<void> => {
    presets.push(...(list as VirtualMachineInstancePreset[]))
    await run().finally(() => presets.splice(0))
  }

  test('complete a VMI that sets nothing', async () => {
    await having([small], async () => {
      const answer = await ask('/virtualmachineinstances-mutate', vmi)
      assert.ok(answer.allowed)
      const completed = applyJsonPatch(vmi, answer.patch ?? []) as VirtualMachine & { spec: VirtualMachineSpec['template']['spec'] }
      assert.equal(completed.spec.domain.memory?.guest, '1Gi')
      assert.equal(completed.metadata.annotations?.['virtualmachinepreset.kubevirt.io/small'], 'kubevirt.io/v1')
      assert.deepEqual(await fieldsRefused('/virtualmachineinstances-validate-create', completed), [])
    })
  })

  test('refuse a VMI when they contradict each other', async () => {
    const other = {
      metadata: { ...metadata, name: 'other' },
      spec: { selector: {}, domain: { resources: { requests: { memory: '2Gi' } } } },
    }
    await having([small, other], () => assert.rejects(ask('/virtualmachineinstances-mutate', vmi), { code: 400 }))
  })

  test('are refused with an empty selector', async () => {
    assert.deepEqual(await fieldsRefused('/vmipreset-validate-create', small), [])
    const broken = { metadata, spec: { selector: { matchExpressions: [{ key: 'a', operator: 'Like' }] } } }
    assert.deepEqual(await fieldsRefused('/vmipreset-validate-create', broken), ['spec.selector'])
  })
})

suite('instance type and preference validators', () => {
  const instancetypes: readonly (readonly [object, readonly string[]])[] = [
    [{ cpu: { guest: 1 }, memory: { guest: '1Gi', overcommitPercent: 100 } }, []],
    [{ cpu: { guest: 0 }, memory: { guest: '0' } }, []],
    [{ cpu: { guest: 1 }, memory: { guest: '-1' } }, ['spec.memory.guest']],
    [{ cpu: { guest: 1 }, memory: { guest: '1Gi', overcommitPercent: 101 } }, ['spec.memory.overcommitPercent']],
    [
      { cpu: { guest: 1 }, memory: { guest: '1Gi', overcommitPercent: 1, hugepages: { pageSize: '2Mi' } } },
      ['spec.memory.overcommitPercent'],
    ],
  ]
  for (const [spec, fields] of instancetypes) {
    test(`judges ${JSON.stringify(spec)}`, async () => {
      assert.deepEqual(await fieldsRefused('/virtualmachineclusterinstancetypes-validate', { metadata: {}, spec }), fields)
    })
  }

  const preferences: readonly (readonly [object, readonly string[], number])[] = [
    [{ cpu: { preferredCPUTopology: 'cores' } }, [], 0],
    [{ cpu: { preferredCPUTopology: 'preferCores' } }, [], 1],
    [{ cpu: { preferredCPUTopology: 'heaps' } }, ['spec.cpu.preferredCPUTopology'], 0],
    [{ cpu: { preferredCPUTopology: 'spread', spreadOptions: { across: 'Towns' } } }, ['spec.cpu.spreadOptions.across'], 0],
    [{ cpu: { preferredCPUTopology: 'spread', spreadOptions: { across: 'CoresThreads', ratio: 3 } } }, ['spec.cpu.spreadOptions.ratio'], 0],
  ]
  for (const [spec, fields, warnings] of preferences) {
    test(`judges ${JSON.stringify(spec)}`, async () => {
      assert.deepEqual(await fieldsRefused('/virtualmachinepreferences-validate', { metadata: {}, spec }), fields)
      assert.equal((await ask('/virtualmachinepreferences-validate', { metadata: {}, spec })).warnings?.length, warnings)
    })
  }
})

suite('/kubevirts-validate', () => {
  const create = (namespace: string, name: string): Promise<AdmissionAnswer> => {
    const object = { metadata: { namespace, name }, spec: {} }
    const request = { uid: 'u', operation: 'CREATE', namespace, name, object, userInfo: { username: 'jane' } }
    return handlers['/kubevirts-validate']?.(request as never) ?? assert.fail()
  }

  test('admits the first object, and the same one again, which the API server refuses', async () => {
    listed['KubeVirt'] = []
    assert.equal((await create('kubevirt', 'kubevirt')).allowed, true)
    listed['KubeVirt'] = [{ metadata: { namespace: 'kubevirt', name: 'kubevirt' } }]
    assert.equal((await create('kubevirt', 'kubevirt')).allowed, true)
  })

  test('refuses a second object in any namespace', async () => {
    listed['KubeVirt'] = [{ metadata: { namespace: 'kubevirt', name: 'kubevirt' } }]
    for (const [namespace, name] of [
      ['kubevirt', 'other'],
      ['elsewhere', 'kubevirt'],
    ] as const) {
      await assert.rejects(create(namespace, name), (error: StatusError) => {
        assert.deepEqual([error.code, error.message], [400, 'Kubevirt is already created: kubevirt/kubevirt'])
        return true
      })
    }
  })
})
