import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { admitVmi, completeVmi } from '../admission.ts'

const volumes = [
  { name: 'root', containerDisk: { image: 'registry.test/guest:v1' } },
  { name: 'claim', persistentVolumeClaim: { claimName: 'claim' } },
]
const valid = {
  metadata: { name: 'vmi', namespace: 'default' },
  spec: {
    volumes,
    domain: {
      memory: { guest: '1Gi' },
      features: { smm: {} },
      devices: {
        disks: [
          { name: 'root', disk: { bus: 'virtio' } },
          { name: 'claim', lun: { bus: 'scsi' } },
        ],
      },
    },
  },
}

/** Returns the refusals of the valid VMI with changes, one per line. */
function refusalsOf(change: object): string[] {
  const vmi = applyMergePatch(valid as never, change as never) as unknown as VirtualMachineInstance
  for (const { path, value } of completeVmi(vmi, defaultClusterConfig, '2026-01-01T00:00:00Z'))
    if (path === '/spec') vmi.spec = value as never
  return admitVmi(vmi, defaultClusterConfig).causes.map(({ field = '', message }) => `${field}: ${message}`)
}

const spec = (change: object): object => ({ spec: change })
const domain = (change: object): object => spec({ domain: change })
const devices = (change: object): object => domain({ devices: change })
const disk = (change: object): object =>
  devices({
    disks: [
      { name: 'root', disk: { bus: 'virtio' }, ...change },
      { name: 'claim', lun: {} },
    ],
  })

/** One witness of each rule. All rules are compared with upstream in the long tier. */
const rows: readonly (readonly [name: string, change: object, refusal: RegExp])[] = [
  [
    'too small a request',
    domain({ resources: { requests: { memory: '500k' } } }),
    /requests\.memory '500k': must be greater than or equal to 1M\.$/,
  ],
  [
    'a page size',
    domain({ memory: { hugepages: { pageSize: '3Mi' } } }),
    /is not a multiple of the page size spec\.domain\.memory\.hugepages\.pageSize '3Mi'$/,
  ],
  ['an unknown page size', domain({ memory: { hugepages: { pageSize: 'big' } } }), /^spec\.domain\.memory\.hugepages\.pageSize: /],
  [
    'a fraction of a dedicated CPU',
    domain({ cpu: { dedicatedCpuPlacement: true, cores: 3 }, resources: { requests: { cpu: '2500m' } } }),
    /CPU requests must be an interger$/,
  ],
  ['a thread of the emulator', domain({ cpu: { isolateEmulatorThread: true } }), /^spec\.domain\.cpu\.isolateEmulatorThread: /],
  [
    'a NUMA topology',
    domain({ cpu: { numa: { guestMappingPassthrough: {} } } }),
    /hugepages must be requested when NUMA topology strategy is set/,
  ],
  [
    'a realtime guest',
    domain({ cpu: { realtime: {} } }),
    /guestMappingPassthrough must be defined when spec\.domain\.cpu\.realtime is used$/,
  ],
  [
    'an unknown machine type',
    domain({ machine: { type: 'isapc' } }),
    /type is not supported: isapc \(allowed values: \[q35\* pc-q35\*\]\)$/,
  ],
  ['an unknown architecture', spec({ architecture: 'vax' }), /^spec\.architecture: unsupported architecture: vax$/],
  [
    'secure boot',
    domain({ features: null, firmware: { bootloader: { efi: {} } } }),
    /SecureBoot requires SMM, which is currently disabled\.$/,
  ],
  [
    'an ACPI table',
    domain({ firmware: { acpi: { slicNameRef: 'root' } } }),
    /acpi\.slicNameRef: spec\.acpi refers to Volume of unsupported type\.$/,
  ],
  [
    'a kernel outside of its image',
    domain({ firmware: { kernelBoot: { container: { image: 'a', kernelPath: '../vmlinuz' } } } }),
    /kernelPath must be an absolute path to a file without relative components$/,
  ],
  [
    'an image outside of itself',
    spec({ volumes: [{ name: 'root', containerDisk: { image: 'a', path: '/a/../../b' } }, volumes[1]] }),
    /^spec\.volumes\[0\]\.containerDisk: .*without relative components$/,
  ],
  ['a pool without threads', domain({ ioThreadsPolicy: 'supplementalPool' }), /the number of iothreads needs to be set and positive/],
  ['both kinds of encryption', domain({ launchSecurity: { sev: {}, snp: {} } }), /One and only one launchSecurity type can be set$/],
  ['encryption without EFI', domain({ launchSecurity: { sev: {} } }), /SEV requires OVMF \(UEFI\)$/],
  ['a closed gate', domain({ launchSecurity: { tdx: {} } }), /WorkloadEncryptionTDX feature gate is not enabled in kubevirt-config$/],
  [
    'passed and chosen enlightenments',
    domain({ features: { hyperv: {}, hypervPassthrough: {} } }),
    /Please use either HyperV or HypervPassthrough\.$/,
  ],
  ['a sound device', devices({ sound: { name: 's', model: 'gus' } }), /^spec\.domain\.devices\.sound: Sound device type is not supported/],
  [
    'a video device without graphics',
    devices({ autoattachGraphicsDevice: false, video: { type: 'vga' } }),
    /not allowed when autoattachGraphicsDevice is set to false$/,
  ],
  ['a video device', devices({ video: { type: 'cga' } }), /video model 'cga' is not supported on amd64 architecture$/],
  ['a watchdog', devices({ watchdog: { name: 'w', diag288: {} } }), /amd64 only supports I6300ESB watchdog device$/],
  ['a GPU without a name', devices({ gpus: [{ name: 'g' }] }), /contains GPUs without deviceName or claimRequest/],
  [
    'a device of the node',
    devices({ hostDevices: [{ name: 'h', deviceName: 'vendor/card' }] }),
    /Host Devices feature gate is not enabled in kubevirt-config$/,
  ],
  ['a claim', spec({ resourceClaims: [{ name: 'c' }] }), /must specify one of: resourceClaimName, resourceClaimTemplateName$/],
  ['a disk on IDE', disk({ disk: { bus: 'ide' } }), /^spec\.domain\.devices\.disks\[0\]\.disk\.bus: IDE bus is not supported$/],
  ['a read-only SATA disk', disk({ disk: { bus: 'sata', readonly: true } }), /sata hard-disks do not support read-only\.$/],
  ['a virtio CD-ROM', disk({ disk: undefined, cdrom: { bus: 'virtio' } }), /Bus type virtio is invalid for CD-ROM device$/],
  ['a serial number', disk({ serial: 'a b' }), /must be made up of the following characters/],
  ['an error policy', disk({ errorPolicy: 'retry' }), /errorPolicy has invalid value "retry"$/],
  ['a PCI address', disk({ disk: { bus: 'virtio', pciAddress: '1' } }), /has malformed PCI address \(1\)\.$/],
  ['a thread for SATA', disk({ disk: { bus: 'sata' }, dedicatedIOThread: true }), /IOThreads are not supported for disks on a sata bus$/],
  ['a LUN of an image', disk({ disk: undefined, lun: {} }), /lun can only be mapped to a DataVolume or PersistentVolumeClaim volume\.$/],
  [
    'a reservation',
    devices({ disks: [{ name: 'root' }, { name: 'claim', lun: { reservation: true } }] }),
    /persistent reservation is not enabled/,
  ],
  ['a secret without name', spec({ volumes: [...volumes, { name: 's', secret: {} }] }), /^spec\.volumes\[2\]\.secret\.secretName: /],
  [
    'a folder of the launcher',
    spec({ volumes: [...volumes, { name: 'f', containerPath: { path: '/var/run/kubevirt' } }] }),
    /uses reserved path prefix '\/var\/run\/kubevirt'$/,
  ],
  ['a claim as filesystem', devices({ filesystems: [{ name: 'claim', virtiofs: {} }] }), /virtiofs feature gate is not enabled for PVC$/],
  ['a utility volume', spec({ utilityVolumes: [{ name: 'u', claimName: 'c' }] }), /utility volumes can only be added via hotplug$/],
  ['a probe without handler', spec({ readinessProbe: {} }), /must be set if a spec\.readinessProbe is specified$/],
  [
    'a probe without pod network',
    spec({
      networks: [{ name: 'n', multus: { networkName: 'n' } }],
      livenessProbe: { tcpSocket: { port: 1 } },
      domain: { devices: { interfaces: [{ name: 'n', bridge: {} }] } },
    }),
    /is only allowed if the Pod Network is attached$/,
  ],
  [
    'a paused guest that is probed',
    spec({ startStrategy: 'Paused', livenessProbe: { exec: { command: ['a'] } } }),
    /Pausing VMI with LivenessProbe is not supported$/,
  ],
  ['name servers', spec({ dnsPolicy: 'None' }), /must provide `dnsConfig` when `dnsPolicy` is None$/],
  ['a name server', spec({ dnsConfig: { nameservers: ['here'] } }), /must be valid IP address: here$/],
  ['a DNS policy', spec({ dnsPolicy: 'Mine' }), /spec\.dnsPolicy in body should be one of/],
  [
    'a toleration',
    spec({ tolerations: [{ operator: 'Maybe' }] }),
    /^spec\.tolerations\[0\]\.operator: spec\.tolerations\.operator in body should be one of/,
  ],
  [
    'a spread',
    spec({ topologySpreadConstraints: [{ maxSkew: 0, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule' }] }),
    /maxSkew: Invalid value: 0: must be greater than zero$/,
  ],
  [
    'an affinity',
    spec({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } }),
    /must have at least one node selector term$/,
  ],
  ['a credential', spec({ accessCredentials: [{}] }), /must have exactly one access credential type set$/],
  [
    'a key without volume',
    spec({ accessCredentials: [{ sshPublicKey: { source: { secret: { secretName: 's' } }, propagationMethod: { noCloud: {} } } }] }),
    /requires a noCloud volume to exist/,
  ],
  ['a service account', spec({ serviceAccountName: 'A' }), /is not a valid service account name: /],
  [
    'a sidecar',
    { metadata: { annotations: { 'hooks.kubevirt.io/hookSidecars': '[]' } } },
    /^metadata\.annotations: sidecar feature gate is not enabled/,
  ],
  [
    'ignition',
    { metadata: { annotations: { 'kubevirt.io/ignitiondata': '{}' } } },
    /ExperimentalIgnitionSupport feature gate is not enabled/,
  ],
  [
    'BIOS of arm64',
    spec({ architecture: 'arm64', domain: { firmware: { bootloader: { bios: {} } } } }),
    /Arm64 does not support bios boot/,
  ],
]

suite('admission of a VMI', () => {
  test('accepts the VMI that the rows change', () => assert.deepEqual(refusalsOf({}), []))

  for (const [name, change, refusal] of rows) {
    test(`refuses ${name}`, () => {
      const refusals = refusalsOf(change)
      assert.ok(
        refusals.some((line) => refusal.test(line)),
        refusals.join('\n'),
      )
    })
  }

  test('refuses bridges to the pod network where the cluster does not permit them', () => {
    const interfaces = [{ name: 'default', bridge: {} }]
    const vmi = applyMergePatch(
      valid as never,
      { spec: { networks: [{ name: 'default', pod: {} }], domain: { devices: { interfaces } } } } as never,
    )
    const causesWith = (permitsPodBridge: boolean): string[] =>
      admitVmi(vmi as never, { ...defaultClusterConfig, permitsPodBridge }).causes.map(({ field = '', message }) => `${field}: ${message}`)
    const path = 'spec.domain.devices.interfaces[0].name'
    assert.deepEqual(causesWith(false), [`${path}: Bridge on pod network configuration is not enabled under kubevirt-config`])
    assert.ok(!causesWith(true).some((line) => line.startsWith(path)))
  })

  test('opens gates', () => {
    const metadata = { name: 'vmi', annotations: { 'hooks.kubevirt.io/hookSidecars': '[]' } }
    const config = { ...defaultClusterConfig, featureGates: ['Sidecar'] }
    const vmi = { ...valid, metadata, spec: { ...valid.spec, architecture: 'amd64' } } as unknown as VirtualMachineInstance
    const { causes, warnings } = admitVmi(vmi, config)
    assert.deepEqual([causes, warnings], [[], ['metadata.annotations.hooks.kubevirt.io/hookSidecars is kept, but nothing acts on it yet']])
  })
})
