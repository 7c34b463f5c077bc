import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineInstancetypeSpec } from '#api/instancetype/v1beta1/virtual-machine-instancetype.ts'
import { deepFreeze } from '#apimachinery/equality.ts'
import { defaultClusterConfig, type ClusterConfig } from '#features/cluster-config/index.ts'
import { expand, type Expansion, type Instancetype } from '#features/instancetype/index.ts'
import { pluggableCondition } from '#features/vmi/index.ts'
import { classify, restartMessage } from '../index.ts'
import { templateChanged } from './classify.ts'
import { vmWith } from '../vm.fixture.ts'

type Template = Partial<VirtualMachineInstanceSpec>
const sized: VirtualMachineInstancetypeSpec = { cpu: { guest: 2 }, memory: { guest: '2Gi', maxGuest: '8Gi' } }

function typeOf(spec: VirtualMachineInstancetypeSpec, name = 'small'): Instancetype {
  return deepFreeze({ kind: 'VirtualMachineClusterInstancetype' as const, metadata: { name, uid: name, generation: 1 }, spec })
}

function expanded(type: Instancetype | undefined, template: Template = {}, config: ClusterConfig = defaultClusterConfig): Expansion {
  const spec: Partial<VirtualMachineSpec> = {
    runStrategy: 'Always',
    template: { spec: { domain: { devices: {} }, ...template } },
  }
  return deepFreeze(expand(vmWith(spec), type, undefined, config))
}

/** A running guest that was started from the expansion. */
function guestOf({ vmi }: Expansion, spec: Template = {}, status: Partial<VirtualMachineInstance['status']> = {}): VirtualMachineInstance {
  return deepFreeze({
    metadata: { name: 'web', namespace: 'default', uid: 'vmi-uid', annotations: { ...vmi.metadata.annotations } },
    spec: { ...vmi.spec, ...spec },
    status: {
      phase: 'Running' as const,
      conditions: [{ type: 'LiveMigratable', status: 'True' as const }],
      memory: { guestAtBoot: vmi.spec.domain.memory?.guest ?? '0' },
      ...status,
    },
  })
}

const small = expanded(typeOf(sized))
const more = (parts: Partial<VirtualMachineInstancetypeSpec>): Instancetype => typeOf({ ...sized, ...parts }, 'large')
const memory = (guest: string): Instancetype => more({ memory: { guest, maxGuest: '8Gi' } })
const updated = 'memory updated in template spec'

interface Row {
  readonly reason: string
  readonly before?: Expansion
  readonly after: Expansion
  readonly vmi?: VirtualMachineInstance
  readonly kind: 'unchanged' | 'live' | 'restart'
  readonly paths?: readonly string[]
  readonly message?: string
  readonly config?: ClusterConfig
}

const sockets = 'spec.domain.cpu.sockets'
const guest = 'spec.domain.memory.guest'
const request = 'spec.domain.resources.requests.memory'
const name = 'metadata.annotations[kubevirt.io/cluster-instancetype-name]'
const running = (spec: Template = {}, status: Partial<VirtualMachineInstance['status']> = {}): VirtualMachineInstance =>
  guestOf(small, spec, status)

const onBlue = (state?: string): Template => ({
  networks: [
    { name: 'default', pod: {} },
    { name: 'blue', multus: { networkName: 'blue' } },
  ],
  domain: {
    devices: {
      interfaces: [
        { name: 'default', masquerade: {} },
        { name: 'blue', bridge: {}, ...(state === undefined ? {} : { state }) },
      ],
    },
  },
})
const [alone, blue] = [
  expanded(typeOf(sized), {
    networks: [{ name: 'default', pod: {} }],
    domain: { devices: { interfaces: [{ name: 'default', masquerade: {} }] } },
  }),
  expanded(typeOf(sized), onBlue()),
]
const cardless = expanded(typeOf(sized), { domain: { devices: { autoattachPodInterface: false } } })
/** A guest that was given the interface while it ran. */
const plugged = (state?: string): VirtualMachineInstance => guestOf(expanded(typeOf(sized), onBlue(state)))
const blueInterface = 'spec.domain.devices.interfaces[blue]'

const rows: readonly Row[] = [
  { reason: 'nothing was changed', after: small, kind: 'unchanged', paths: [] },
  {
    reason: 'quantities are compared by value',
    after: expanded(typeOf({ ...sized, memory: { guest: '2048Mi', maxGuest: '8Gi' } })),
    kind: 'unchanged',
  },
  {
    reason: 'an empty list equals an absent one',
    after: expanded(typeOf(sized), { tolerations: [], nodeSelector: {} }),
    kind: 'unchanged',
  },
  { reason: 'an interface can be plugged', before: alone, after: blue, vmi: guestOf(alone), kind: 'live', paths: [blueInterface] },
  { reason: 'a plugged interface is no change', before: alone, after: blue, vmi: plugged(), kind: 'unchanged', paths: [] },
  {
    reason: 'a link can be cut',
    before: blue,
    after: expanded(typeOf(sized), onBlue('down')),
    vmi: guestOf(blue),
    kind: 'live',
    paths: [blueInterface],
  },
  {
    reason: 'an interface can be unplugged',
    before: blue,
    after: expanded(typeOf(sized), onBlue('absent')),
    vmi: guestOf(blue),
    kind: 'live',
    paths: [blueInterface],
  },
  {
    reason: 'an absent interface that the guest has released is no change',
    before: blue,
    after: expanded(typeOf(sized), onBlue('absent')),
    vmi: guestOf(alone),
    kind: 'unchanged',
  },
  { reason: 'nor is one that is then removed', before: blue, after: alone, vmi: guestOf(alone), kind: 'unchanged' },
  { reason: 'an interface can be plugged again', before: blue, after: blue, vmi: guestOf(alone), kind: 'live', paths: [blueInterface] },
  {
    reason: 'an interface on the pod network cannot be plugged',
    before: cardless,
    after: expanded(typeOf(sized), {
      networks: [{ name: 'default', pod: {} }],
      domain: { devices: { autoattachPodInterface: false, interfaces: [{ name: 'default', masquerade: {} }] } },
    }),
    vmi: guestOf(cardless),
    kind: 'restart',
    message: templateChanged,
  },
  {
    reason: 'an interface is removed without being absent first',
    before: blue,
    after: alone,
    vmi: guestOf(blue),
    kind: 'restart',
    message: templateChanged,
  },
  { reason: 'a plugged interface is removed so', before: alone, after: alone, vmi: plugged(), kind: 'restart', message: templateChanged },
  {
    reason: 'interfaces wait, too, where changes are staged',
    before: alone,
    after: blue,
    vmi: guestOf(alone),
    kind: 'restart',
    config: { ...defaultClusterConfig, rolloutStrategy: 'Stage' },
  },
  { reason: 'sockets can be plugged', after: expanded(more({ cpu: { guest: 4 } })), kind: 'live', paths: [sockets, name] },
  { reason: 'memory can be plugged', after: expanded(memory('4Gi')), kind: 'live', paths: [guest, name] },
  {
    reason: 'the overcommit of the instance type is kept',
    after: expanded(more({ memory: { guest: '4Gi', maxGuest: '8Gi', overcommitPercent: 25 } })),
    kind: 'live',
    paths: [guest, request, name],
  },
  {
    reason: 'a removed matcher is detected from the VMI, too',
    after: expanded(typeOf(sized)),
    vmi: { ...guestOf(small), metadata: { name: 'web' } },
    kind: 'live',
    paths: [name],
  },
  { reason: 'placement applies to later migrations', after: expanded(typeOf(sized), { nodeSelector: { disk: 'ssd' } }), kind: 'live' },
  {
    reason: 'an unscheduled pod keeps its rules',
    after: expanded(typeOf(sized), { nodeSelector: { disk: 'ssd' } }),
    vmi: running({}, { phase: 'Scheduling' }),
    kind: 'restart',
    message: 'the guest is being placed by the rules that its pod was made with',
  },
  { reason: 'tolerations, too', after: expanded(typeOf(sized), { tolerations: [{ key: 'a', operator: 'Exists' }] }), kind: 'live' },
  { reason: 'affinity, too', after: expanded(typeOf(sized), { affinity: { nodeAffinity: {} } }), kind: 'live' },
  {
    reason: 'an earlier live change is detected from the VMI',
    after: expanded(more({ cpu: { guest: 4 } })),
    vmi: guestOf(expanded(more({ cpu: { guest: 4 } }))),
    kind: 'unchanged',
  },
  {
    reason: 'plugged sockets cannot be removed',
    after: small,
    vmi: running({ domain: { ...small.vmi.spec.domain, cpu: { ...small.vmi.spec.domain.cpu, sockets: 3 } } }),
    kind: 'restart',
    message: 'Reduction of CPU socket count requires a restart',
  },
  {
    reason: 'fewer sockets are requested',
    after: expanded(more({ cpu: { guest: 1 } })),
    kind: 'restart',
    message: 'Reduction of CPU socket count requires a restart',
  },
  {
    reason: 'there are not enough slots for the sockets',
    after: expanded(more({ cpu: { guest: 9 } })),
    kind: 'restart',
    message: "CPU sockets updated in template spec to a value higher than what's available",
  },
  {
    reason: 'the CPU model does not support it',
    after: expanded(more({ cpu: { guest: 4 } }), { architecture: 'arm64' }),
    before: expanded(typeOf(sized), { architecture: 'arm64' }),
    vmi: guestOf(expanded(typeOf(sized), { architecture: 'arm64' })),
    kind: 'restart',
    message: "ARM doesn't support CPU hotplug",
  },
  {
    reason: 'dedicated CPUs are assigned at the start',
    after: expanded(more({ cpu: { guest: 2, dedicatedCPUPlacement: true } })),
    kind: 'restart',
    message: templateChanged,
  },
  { reason: 'maxSockets is fixed at the start', after: expanded(more({ cpu: { guest: 2, maxSockets: 16 } })), kind: 'restart' },
  { reason: 'maxGuest is fixed at the start', after: expanded(more({ memory: { guest: '2Gi', maxGuest: '9Gi' } })), kind: 'restart' },
  {
    reason: 'devices are fixed at the start',
    after: expanded(typeOf(sized), { domain: { devices: { rng: {} } } }),
    kind: 'restart',
    message: templateChanged,
  },
  {
    reason: 'a live field waits for the fields that need a restart',
    after: expanded(more({ cpu: { guest: 4 } }), { hostname: 'x' }),
    kind: 'restart',
  },
  {
    reason: 'the reason for all guests is reported first',
    after: expanded(more({ cpu: { guest: 1 } }), { hostname: 'x' }),
    kind: 'restart',
    message: templateChanged,
  },
  {
    reason: 'a request alone applies to the next pod',
    after: expanded(more({ memory: { guest: '2Gi', maxGuest: '8Gi', overcommitPercent: 25 } })),
    kind: 'restart',
    message: templateChanged,
  },
  {
    reason: 'memory can be plugged without migratability',
    after: expanded(memory('4Gi')),
    vmi: running({}, { conditions: [{ type: 'LiveMigratable', status: 'False' }] }),
    kind: 'live',
  },
  {
    reason: 'it was started without memory slots',
    after: expanded(memory('4Gi')),
    vmi: running({}, { conditions: [{ type: pluggableCondition, status: 'False', reason: 'NoRoomForMemory', message: 'no room' }] }),
    kind: 'restart',
    message: `${updated}. Memory-hotplug is not available for this VM configuration: no room`,
  },
  {
    reason: 'missing memory slots do not affect sockets',
    after: expanded(more({ cpu: { guest: 4 } })),
    vmi: running({}, { conditions: [{ type: pluggableCondition, status: 'False', reason: 'NoRoomForMemory' }] }),
    kind: 'live',
    paths: [sockets, name],
  },
  {
    reason: 'an agent of an older release plugs nothing',
    after: expanded(memory('4Gi')),
    vmi: running({}, { conditions: [{ type: pluggableCondition, status: 'False', reason: 'NotImplemented', message: 'not yet' }] }),
    kind: 'restart',
    message: `${updated}. Memory-hotplug is not available for this VM configuration: not yet`,
  },
  {
    reason: 'a hotplug has failed before',
    after: expanded(memory('4Gi')),
    vmi: running({}, { conditions: [{ type: 'HotMemoryChange', status: 'False' }] }),
    kind: 'restart',
    message: `${updated}. Memory-hotplug failed and is not available for this VM configuration`,
  },
  {
    reason: 'no memory was reserved for it',
    after: expanded(memory('4Gi')),
    vmi: running({ domain: { ...small.vmi.spec.domain, memory: { guest: '2Gi' } } }),
    kind: 'restart',
    message: `${updated}. Memory-hotplug is not available for this VM configuration`,
  },
  {
    reason: 'memory cannot shrink below the size at the start',
    after: expanded(memory('1Gi')),
    kind: 'restart',
    message: `${updated} to a value lower than what the VM started with`,
  },
  {
    reason: 'memory cannot exceed the maximum',
    after: expanded(memory('9Gi')),
    kind: 'restart',
    message: `${updated} to a value higher than what's available`,
  },
  {
    reason: 'memory must be a multiple of the block size',
    after: expanded(memory('3G')),
    kind: 'restart',
    message: 'memory hotplug not supported, the memory is no multiple of 2Mi',
  },
  {
    reason: 'changes are staged in this cluster',
    after: expanded(more({ cpu: { guest: 4 } })),
    kind: 'restart',
    message: templateChanged,
    config: { ...defaultClusterConfig, rolloutStrategy: 'Stage' },
  },
  {
    reason: 'the guest has ended',
    after: expanded(more({ cpu: { guest: 4 } })),
    vmi: running({}, { phase: 'Succeeded' }),
    kind: 'restart',
  },
]

suite('classify()', () => {
  for (const { reason, before = small, after, vmi = running(), kind, paths, message, config = defaultClusterConfig } of rows) {
    test(`returns ${kind}: ${reason}`, () => {
      const classification = classify(before, after, vmi, config)
      assert.equal(classification.kind, kind, JSON.stringify(classification.fields))
      const found = classification.fields.map(({ path }) => path)
      if (paths !== undefined) assert.deepEqual(found.toSorted(), paths.toSorted())
      if (message !== undefined) assert.equal(restartMessage(classification), message)
    })
  }

  test('returns old and new value of each field, and applies all at the next start of a halted VM', () => {
    const { kind, fields } = classify(small, expanded(more({ cpu: { guest: 4 } })), undefined, defaultClusterConfig)
    assert.equal(kind, 'restart')
    assert.deepEqual(
      fields.find(({ path }) => path === sockets),
      { path: sockets, old: 2, new: 4, kind: 'restart' },
    )
  })

  test('includes a changed cluster default, but not one derived from another change', () => {
    const after = expanded(typeOf(sized), {}, { ...defaultClusterConfig, maxHotplugRatio: 8 })
    const paths = classify(small, after, running(), defaultClusterConfig).fields.map(({ path }) => path)
    assert.deepEqual(paths, ['spec.domain.cpu.maxSockets'])
  })
})
