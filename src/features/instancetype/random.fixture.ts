import fc from 'fast-check'
import { deepFreeze } from '#apimachinery/equality.ts'
import type { VirtualMachineInstancetypeSpec } from '#api/instancetype/v1beta1/virtual-machine-instancetype.ts'
import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { defaultClusterConfig, type ClusterConfig } from '#features/cluster-config/index.ts'
import type { ExpansionInputs } from './index.ts'
import { instancetypeOf, preferenceOf, vmOf } from './instancetype.fixture.ts'

type Shape = Readonly<Record<string, fc.Arbitrary<unknown>>>

/** An object that has each of the fields or not. */
function some(shape: Shape, requiredKeys: string[] = []): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(shape, { requiredKeys, noNullPrototype: true })
}

function listOf(item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown[]> {
  return fc.array(item, { maxLength: 3 })
}

const empty = fc.constant({})
const flag = fc.boolean()
const smallNumber = fc.integer({ min: 0, max: 9 })
const quantity = fc.constantFrom('64Mi', '1Gi', '1024Mi', '1.5Gi', '128M', '3Gi', '0.5Gi', '2e9', '1Ti')
const state = some({ enabled: flag })
const bus = fc.constantFrom('virtio', 'scsi', 'sata', 'usb')
const annotationKeys = ['plain', 'a.b/c', 'kubevirt.io/instancetype-name', 'ключ']

/**
 * Texts that tell who has written them, so that a wrong source gives itself away. `''` is what Go
 * writes for nothing.
 */
function mark(owner: string): fc.Arbitrary<string> {
  return fc.constantFrom(`${owner}-1`, `${owner}-2`, `${owner}-3`)
}

function annotations(owner: string): fc.Arbitrary<Record<string, unknown>> {
  return some(Object.fromEntries(annotationKeys.map((key) => [key, mark(owner)])))
}

const launchSecurity = some({ sev: some({ policy: some({ encryptedState: flag }) }), snp: empty, tdx: empty })
const timer = some({ hpet: some({ present: flag }), pit: some({ tickPolicy: fc.constantFrom('delay', 'catchup') }), hyperv: empty })
const hyperv = some({
  relaxed: state,
  vapic: state,
  spinlocks: some({ enabled: flag, spinlocks: smallNumber }),
  synic: empty,
  tlbflush: state,
})
const blockSize = some({ custom: some({ logical: smallNumber, physical: smallNumber }), matchVolume: state })
const numa = some({ guestMappingPassthrough: empty })

function device(owner: string): fc.Arbitrary<Record<string, unknown>> {
  return some({ name: mark(owner), deviceName: mark(owner), tag: mark(owner), virtualGPUOptions: some({ display: state }) }, ['name'])
}

const disk = some(
  {
    name: mark('vm'),
    disk: some({ bus: fc.oneof(bus, fc.constant('')), readonly: flag }),
    cdrom: some({ bus }),
    lun: some({ bus }),
    bootOrder: smallNumber,
    serial: mark('vm'),
    cache: fc.oneof(mark('vm'), fc.constant('')),
    io: mark('vm'),
    blockSize,
    dedicatedIOThread: flag,
  },
  ['name'],
)

const volume = fc.tuple(mark('vm'), fc.constantFrom('emptyDisk', 'containerDisk', 'memoryDump')).map(([name, source]) => ({
  name,
  [source]: { emptyDisk: { capacity: '1Gi' }, containerDisk: { image: 'registry/image' }, memoryDump: { claimName: 'claim' } }[source],
}))

const devices = some({
  disks: listOf(disk),
  filesystems: listOf(some({ name: mark('vm'), virtiofs: empty }, ['name'])),
  interfaces: listOf(
    some({ name: mark('vm'), model: mark('vm'), masquerade: empty, bridge: empty, binding: some({ name: mark('vm') }) }, ['name']),
  ),
  inputs: listOf(some({ name: mark('vm'), bus: mark('vm'), type: mark('vm') }, ['name'])),
  panicDevices: listOf(some({ model: mark('vm') })),
  sound: some({ name: mark('vm'), model: mark('vm') }),
  tpm: some({ enabled: flag, persistent: flag }),
  video: some({ type: mark('vm') }),
  rng: empty,
  disableHotplug: flag,
  useVirtioTransitional: flag,
  blockMultiQueue: flag,
  networkInterfaceMultiqueue: flag,
  autoattachGraphicsDevice: flag,
  autoattachMemBalloon: flag,
  autoattachPodInterface: flag,
  autoattachSerialConsole: flag,
  autoattachInputDevice: flag,
})

/** Fields of the domain that no instance type sets. */
const openDomain: Shape = {
  devices,
  features: some({ acpi: state, apic: some({ enabled: flag, endOfInterrupt: flag }), hyperv, kvm: some({ hidden: flag }), smm: state }),
  firmware: some({
    uuid: mark('vm'),
    serial: mark('vm'),
    bootloader: some({ bios: some({ useSerial: flag }), efi: some({ secureBoot: flag, persistent: flag }) }),
  }),
  machine: some({ type: fc.oneof(mark('vm'), fc.constant('')) }),
  clock: some({ utc: some({ offsetSeconds: smallNumber }), timezone: mark('vm'), timer }),
  cpu: some({ features: listOf(some({ name: fc.constantFrom('a', 'b', 'c'), policy: mark('vm') }, ['name'])), maxSockets: smallNumber }),
  memory: some({ maxGuest: quantity }),
}

/** Fields of the domain including those that instance types set. */
const sizedDomain: Shape = {
  ...openDomain,
  cpu: some({
    sockets: smallNumber,
    cores: smallNumber,
    threads: smallNumber,
    maxSockets: smallNumber,
    model: mark('vm'),
    dedicatedCpuPlacement: flag,
    isolateEmulatorThread: flag,
    numa,
    realtime: some({ mask: mark('vm') }),
  }),
  memory: some({ guest: quantity, maxGuest: quantity, hugepages: some({ pageSize: fc.constantFrom('2Mi', '1Gi') }) }),
  resources: some({
    requests: some({ memory: quantity, cpu: fc.constantFrom('1', '500m', '2.5', 3) }),
    limits: some({ memory: quantity, cpu: fc.constantFrom('1', '4') }),
  }),
  ioThreadsPolicy: mark('vm'),
  ioThreads: some({ supplementalPoolThreadCount: smallNumber }),
  launchSecurity,
}

const openSpec: Shape = {
  volumes: listOf(volume),
  networks: listOf(some({ name: mark('vm'), pod: empty }, ['name'])),
  hostname: mark('vm'),
  subdomain: fc.oneof(mark('vm'), fc.constant('')),
  architecture: fc.constantFrom('amd64', 'arm64', 's390x', ''),
  terminationGracePeriodSeconds: smallNumber,
  tolerations: listOf(some({ key: mark('vm'), operator: fc.constant('Exists') })),
}

const vmSpecs = fc.oneof(
  { arbitrary: some({ ...openSpec, domain: some(openDomain) }), weight: 3 },
  {
    arbitrary: some({ ...openSpec, domain: some(sizedDomain), nodeSelector: some({ zone: mark('vm') }), schedulerName: mark('vm') }),
    weight: 2,
  },
)

/** Templates of VMs, with and without domain, devices, metadata. */
export const vms: fc.Arbitrary<VirtualMachine> = fc
  .tuple(vmSpecs, some({ annotations: annotations('vm'), labels: some({ app: mark('vm') }) }), flag)
  .map(([spec, metadata, isNew]) => {
    const { domain, ...rest } = spec as Partial<VirtualMachineInstanceSpec>
    const vm = vmOf()
    const template = { metadata, spec: { ...rest, ...(domain === undefined ? {} : { domain }) } as VirtualMachineInstanceSpec }
    const { uid: _, ...unborn } = vm.metadata
    return deepFreeze({ ...vm, metadata: isNew ? unborn : vm.metadata, spec: { ...vm.spec, template } })
  })

/** Specs of instance types, some of which admission would refuse. */
export const instancetypeSpecs = some(
  {
    cpu: some(
      {
        guest: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constantFrom(1, 2, 4, 8)),
        model: mark('instancetype'),
        dedicatedCPUPlacement: flag,
        isolateEmulatorThread: flag,
        numa,
        realtime: some({ mask: mark('instancetype') }),
        maxSockets: smallNumber,
      },
      ['guest'],
    ),
    memory: some(
      {
        guest: quantity,
        maxGuest: quantity,
        overcommitPercent: fc.constantFrom(0, 15, 33, 100),
        hugepages: some({ pageSize: fc.constant('2Mi') }),
      },
      ['guest'],
    ),
    nodeSelector: some({ zone: mark('instancetype') }),
    schedulerName: fc.oneof(mark('instancetype'), fc.constant('')),
    ioThreadsPolicy: mark('instancetype'),
    ioThreads: some({ supplementalPoolThreadCount: smallNumber }),
    launchSecurity,
    gpus: listOf(device('instancetype')),
    hostDevices: listOf(device('instancetype')),
    annotations: annotations('instancetype'),
  },
  ['cpu', 'memory'],
) as unknown as fc.Arbitrary<VirtualMachineInstancetypeSpec>

const topologies = ['sockets', 'cores', 'threads', 'spread', 'any', 'preferSpread', 'preferCores', 'nonsense']

/** Specs of preferences, some of which admission would refuse. */
export const preferenceSpecs = some({
  cpu: some({
    preferredCPUTopology: fc.constantFrom(...topologies),
    spreadOptions: some({ across: fc.constantFrom('SocketsCores', 'SocketsCoresThreads', 'CoresThreads', 'nonsense'), ratio: smallNumber }),
    preferredCPUFeatures: listOf(some({ name: fc.constantFrom('b', 'c', 'd'), policy: mark('preference') }, ['name'])),
  }),
  devices: some({
    preferredAutoattachGraphicsDevice: flag,
    preferredAutoattachMemBalloon: flag,
    preferredAutoattachPodInterface: flag,
    preferredAutoattachSerialConsole: flag,
    preferredAutoattachInputDevice: flag,
    preferredDisableHotplug: flag,
    preferredVirtualGPUOptions: some({ display: state }),
    preferredSoundModel: mark('preference'),
    preferredUseVirtioTransitional: flag,
    preferredInputBus: mark('preference'),
    preferredInputType: mark('preference'),
    preferredDiskBus: fc.oneof(fc.constant('virtio'), mark('preference')),
    preferredLunBus: mark('preference'),
    preferredCdromBus: mark('preference'),
    preferredDiskDedicatedIoThread: flag,
    preferredDiskCache: mark('preference'),
    preferredDiskIO: mark('preference'),
    preferredDiskBlockSize: blockSize,
    preferredInterfaceModel: mark('preference'),
    preferredRng: empty,
    preferredBlockMultiQueue: flag,
    preferredNetworkInterfaceMultiQueue: flag,
    preferredTPM: some({ enabled: flag, persistent: flag }),
    preferredInterfaceMasquerade: empty,
    preferredPanicDeviceModel: mark('preference'),
    preferredVideoType: mark('preference'),
  }),
  features: some({
    preferredAcpi: state,
    preferredApic: some({ enabled: flag, endOfInterrupt: flag }),
    preferredHyperv: hyperv,
    preferredKvm: some({ hidden: flag }),
    preferredPvspinlock: state,
    preferredSmm: state,
  }),
  firmware: some({
    preferredUseBios: flag,
    preferredUseBiosSerial: flag,
    preferredUseEfi: flag,
    preferredUseSecureBoot: flag,
    preferredEfi: some({ secureBoot: flag, persistent: flag }),
  }),
  machine: some({ preferredMachineType: fc.oneof(mark('preference'), fc.constant('')) }),
  clock: some({ preferredClockOffset: some({ utc: empty, timezone: mark('preference') }), preferredTimer: timer }),
  preferredSubdomain: mark('preference'),
  preferredTerminationGracePeriodSeconds: smallNumber,
  preferredArchitecture: fc.constantFrom('amd64', 'arm64', 's390x'),
  preferSpreadSocketToCoreRatio: smallNumber,
  preferredLaunchSecurity: launchSecurity,
  annotations: annotations('preference'),
  requirements: some({ cpu: some({ guest: smallNumber }, ['guest']), memory: some({ guest: quantity }, ['guest']) }),
}) as unknown as fc.Arbitrary<VirtualMachinePreferenceSpec>

const extremeCounts = fc.constantFrom(0, 1, 2, 3, 4096, 4097, 2 ** 31, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER, -1, 1.5)
const extremeQuantities = fc.constantFrom<string | number>(
  '1Gi',
  '1e30',
  '2Pi',
  '4Pi',
  '9E',
  '8Ei',
  '1n',
  '-1Gi',
  '0',
  '',
  'plenty',
  '１Gi',
  `1${'0'.repeat(300)}`,
  '1e999999999',
  Number.MAX_SAFE_INTEGER,
  1.5,
)
const extremeTexts = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom('__proto__', 'constructor', 'a'.repeat(253), ''))
const extremeMaps = fc.dictionary(extremeTexts, extremeTexts, { maxKeys: 3, noNullPrototype: true })

/** Instance types that make no sense, are too large, or are written in other scripts. */
export const extremeInstancetypeSpecs = some(
  {
    cpu: some({ guest: extremeCounts, maxSockets: extremeCounts, model: extremeTexts }, ['guest']),
    memory: some(
      {
        guest: extremeQuantities,
        maxGuest: extremeQuantities,
        overcommitPercent: fc.constantFrom(0, 1, 100, 101, -1, 2 ** 31),
        hugepages: some({ pageSize: extremeQuantities }),
      },
      ['guest'],
    ),
    schedulerName: extremeTexts,
    ioThreads: some({ supplementalPoolThreadCount: extremeCounts }),
    nodeSelector: extremeMaps,
    annotations: extremeMaps,
  },
  ['cpu', 'memory'],
) as unknown as fc.Arbitrary<VirtualMachineInstancetypeSpec>

/** Preferences of the same kind. */
export const extremePreferenceSpecs = some({
  cpu: some({
    preferredCPUTopology: fc.oneof(fc.constantFrom(...topologies), extremeTexts),
    spreadOptions: some({
      across: fc.oneof(fc.constantFrom('SocketsCores', 'SocketsCoresThreads', 'CoresThreads'), extremeTexts),
      ratio: extremeCounts,
    }),
  }),
  preferSpreadSocketToCoreRatio: extremeCounts,
  preferredSubdomain: extremeTexts,
  preferredTerminationGracePeriodSeconds: extremeCounts,
  preferredArchitecture: extremeTexts,
  annotations: extremeMaps,
  requirements: some({
    cpu: some({ guest: extremeCounts }, ['guest']),
    memory: some({ guest: extremeQuantities }, ['guest']),
    architecture: extremeTexts,
  }),
}) as unknown as fc.Arbitrary<VirtualMachinePreferenceSpec>

const configs = some({
  networkInterface: fc.constantFrom('bridge', 'masquerade'),
  maxHotplugRatio: fc.integer({ min: 1, max: 8 }),
  maxCpuSockets: fc.constantFrom(1, 16),
  maxGuest: fc.constantFrom('512Mi', '8Gi'),
  memoryOvercommitPercent: fc.constantFrom(100, 150, 300),
  rolloutStrategy: fc.constantFrom('LiveUpdate', 'Stage'),
}).map((changes): ClusterConfig => deepFreeze({ ...defaultClusterConfig, ...(changes as Partial<ClusterConfig>) }))

/** A VM with or without instance type and preference, frozen as objects from caches are. */
export const expansionInputs: fc.Arbitrary<ExpansionInputs> = fc.record(
  {
    vm: vms,
    instancetype: fc.option(
      instancetypeSpecs.map((spec) => ({ object: instancetypeOf(spec) })),
      { nil: undefined, freq: 4 },
    ),
    preference: fc.option(
      preferenceSpecs.map((spec) => ({ object: preferenceOf(spec) })),
      { nil: undefined, freq: 4 },
    ),
    config: configs,
  },
  { noNullPrototype: true },
)
