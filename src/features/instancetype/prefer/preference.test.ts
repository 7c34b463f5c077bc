import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Draft } from '../apply/draft.ts'
import { applyPreferenceInto } from './preference.ts'

interface Row {
  readonly name: string
  readonly vm?: Omit<Partial<VirtualMachineInstanceSpec>, 'domain'> & { readonly domain?: Partial<VirtualMachineInstanceSpec['domain']> }
  readonly preference: VirtualMachinePreferenceSpec
  /** Expected domain of the VMI, except for fields that are the same in all cases. */
  readonly domain?: Partial<VirtualMachineInstanceSpec['domain']>
  readonly spec?: Partial<VirtualMachineInstanceSpec>
}

const rows: readonly Row[] = [
  {
    name: 'adds CPU features that are not listed, even without any CPU',
    preference: { cpu: { preferredCPUFeatures: [{ name: 'a' }] } },
    domain: { cpu: { features: [{ name: 'a' }] } },
  },
  {
    name: 'keeps the policy of a CPU feature that is listed',
    vm: { domain: { cpu: { features: [{ name: 'a', policy: 'disable' }] } } },
    preference: { cpu: { preferredCPUFeatures: [{ name: 'a', policy: 'require' }, { name: 'b' }] } },
    domain: { cpu: { features: [{ name: 'a', policy: 'disable' }, { name: 'b' }] } },
  },
  {
    name: 'sets automatic devices only where the VM does not',
    vm: { domain: { devices: { autoattachGraphicsDevice: true } } },
    preference: { devices: { preferredAutoattachGraphicsDevice: false, preferredAutoattachMemBalloon: false } },
    domain: { devices: { autoattachGraphicsDevice: true, autoattachMemBalloon: false } },
  },
  {
    name: 'disables hotplug against the VM',
    vm: { domain: { devices: { disableHotplug: false } } },
    preference: { devices: { preferredDisableHotplug: true } },
    domain: { devices: { disableHotplug: true } },
  },
  {
    name: 'makes a disk of what has no kind, with bus, cache, io, block size and I/O thread',
    vm: { domain: { devices: { disks: [{ name: 'a' }] } } },
    preference: {
      devices: {
        preferredDiskBus: 'virtio',
        preferredDiskCache: 'none',
        preferredDiskIO: 'native',
        preferredDiskBlockSize: { matchVolume: {} },
        preferredDiskDedicatedIoThread: true,
      },
    },
    domain: {
      devices: {
        disks: [
          { name: 'a', disk: { bus: 'virtio' }, cache: 'none', io: 'native', blockSize: { matchVolume: {} }, dedicatedIOThread: true },
        ],
      },
    },
  },
  {
    name: 'gives an I/O thread to virtio disks only, and other buses to cdroms and luns',
    vm: {
      domain: {
        devices: {
          disks: [
            { name: 'a', disk: { bus: 'sata' } },
            { name: 'b', cdrom: {} },
            { name: 'c', lun: {} },
          ],
        },
      },
    },
    preference: { devices: { preferredDiskDedicatedIoThread: true, preferredCdromBus: 'scsi', preferredLunBus: 'virtio' } },
    domain: {
      devices: {
        disks: [
          { name: 'a', disk: { bus: 'sata' } },
          { name: 'b', cdrom: { bus: 'scsi' } },
          { name: 'c', lun: { bus: 'virtio' } },
        ],
      },
    },
  },
  {
    name: 'sets masquerade for the pod network interface without a binding only',
    vm: {
      domain: { devices: { interfaces: [{ name: 'a' }, { name: 'b' }, { name: 'c', bridge: {} }] } },
      networks: [
        { name: 'a', pod: {} },
        { name: 'b', multus: { networkName: 'x' } },
        { name: 'c', pod: {} },
      ],
    },
    preference: { devices: { preferredInterfaceMasquerade: {}, preferredInterfaceModel: 'e1000e' } },
    domain: {
      devices: {
        interfaces: [
          { name: 'a', model: 'e1000e', masquerade: {} },
          { name: 'b', model: 'e1000e' },
          { name: 'c', model: 'e1000e', bridge: {} },
        ],
      },
    },
  },
  {
    name: 'sets defaults of inputs, adds rng and TPM',
    vm: { domain: { devices: { inputs: [{ name: 'i', type: 'keyboard' }] } } },
    preference: {
      devices: { preferredInputBus: 'virtio', preferredInputType: 'tablet', preferredRng: {}, preferredTPM: { persistent: true } },
    },
    domain: { devices: { inputs: [{ name: 'i', type: 'keyboard', bus: 'virtio' }], rng: {}, tpm: { persistent: true } } },
  },
  {
    name: 'keeps a TPM that the VM has disabled',
    vm: { domain: { devices: { tpm: { enabled: false } } } },
    preference: { devices: { preferredTPM: {} } },
    domain: { devices: { tpm: { enabled: false } } },
  },
  {
    name: 'adds a panic device',
    preference: { devices: { preferredPanicDeviceModel: 'isa' } },
    domain: { devices: { panicDevices: [{ model: 'isa' }] } },
  },
  {
    name: 'sets the model of existing panic devices',
    vm: { domain: { devices: { panicDevices: [{}, { model: 'hyperv' }] } } },
    preference: { devices: { preferredPanicDeviceModel: 'isa' } },
    domain: { devices: { panicDevices: [{ model: 'isa' }, { model: 'hyperv' }] } },
  },
  { name: 'adds a video device', preference: { devices: { preferredVideoType: 'vga' } }, domain: { devices: { video: { type: 'vga' } } } },
  {
    name: 'sets the model of an existing sound device',
    vm: { domain: { devices: { sound: { name: 's' } } } },
    preference: { devices: { preferredSoundModel: 'ac97' } },
    domain: { devices: { sound: { name: 's', model: 'ac97' } } },
  },
  { name: 'adds no sound device', preference: { devices: { preferredSoundModel: 'ac97' } }, domain: { devices: {} } },
  {
    name: 'sets display options of virtual GPUs',
    vm: { domain: { devices: { gpus: [{ name: 'g' }] } } },
    preference: { devices: { preferredVirtualGPUOptions: { display: { enabled: true } } } },
    domain: { devices: { gpus: [{ name: 'g', virtualGPUOptions: { display: { enabled: true } } }] } },
  },
  {
    name: 'merges Hyper-V feature by feature, and overwrites ACPI',
    vm: { domain: { features: { acpi: { enabled: true }, hyperv: { relaxed: { enabled: false } } } } },
    preference: { features: { preferredAcpi: { enabled: false }, preferredHyperv: { relaxed: {}, vapic: {} }, preferredSmm: {} } },
    domain: { features: { acpi: { enabled: false }, hyperv: { relaxed: { enabled: false }, vapic: {} }, smm: {} } },
  },
  {
    name: 'boots by BIOS where the VM has no boot loader',
    preference: { firmware: { preferredUseBios: true, preferredUseBiosSerial: true } },
    domain: { firmware: { bootloader: { bios: { useSerial: true } } } },
  },
  {
    name: 'keeps the EFI of the VM, and sets its unset secure boot',
    vm: { domain: { firmware: { bootloader: { efi: {} } } } },
    preference: { firmware: { preferredUseBios: true, preferredUseSecureBoot: false } },
    domain: { firmware: { bootloader: { efi: { secureBoot: false } } } },
  },
  {
    name: 'lets preferredEfi win over the older preferences',
    preference: { firmware: { preferredEfi: { persistent: true }, preferredUseEfi: true, preferredUseSecureBoot: true } },
    domain: { firmware: { bootloader: { efi: { persistent: true } } } },
  },
  {
    name: 'sets the clock only when the VM has neither format of an offset',
    vm: { domain: { clock: { timezone: 'UTC' } } },
    preference: { clock: { preferredClockOffset: { utc: {} }, preferredTimer: { hpet: { present: false } } } },
    domain: { clock: { timezone: 'UTC', timer: { hpet: { present: false } } } },
  },
  { name: 'sets the machine type', preference: { machine: { preferredMachineType: 'pc' } }, domain: { machine: { type: 'pc' } } },
  {
    name: 'keeps the machine type of the VM',
    vm: { domain: { machine: { type: 'q35' } } },
    preference: { machine: { preferredMachineType: 'pc' } },
    domain: { machine: { type: 'q35' } },
  },
  {
    name: 'sets subdomain, grace period and architecture',
    preference: { preferredSubdomain: 's', preferredTerminationGracePeriodSeconds: 0, preferredArchitecture: 'arm64' },
    spec: { subdomain: 's', terminationGracePeriodSeconds: 0, architecture: 'arm64' },
  },
  {
    name: 'keeps a grace period of 0',
    vm: { terminationGracePeriodSeconds: 0 },
    preference: { preferredTerminationGracePeriodSeconds: 9 },
    spec: { terminationGracePeriodSeconds: 0 },
  },
  // KubeVirt's bug 10313: these two overwrote what the VM said.
  {
    name: 'keeps the BIOS serial console of the VM',
    vm: { domain: { firmware: { bootloader: { bios: { useSerial: false } } } } },
    preference: { firmware: { preferredUseBios: true, preferredUseBiosSerial: true } },
    domain: { firmware: { bootloader: { bios: { useSerial: false } } } },
  },
  {
    name: 'keeps the secure boot of the VM',
    vm: { domain: { firmware: { bootloader: { efi: { secureBoot: false } } } } },
    preference: { firmware: { preferredUseEfi: true, preferredUseSecureBoot: true } },
    domain: { firmware: { bootloader: { efi: { secureBoot: false } } } },
  },
  // KubeVirt's bug 12985: a VM with BIOS got EFI besides.
  {
    name: 'gives no EFI to a VM with BIOS, by preferredEfi',
    vm: { domain: { firmware: { bootloader: { bios: {} } } } },
    preference: { firmware: { preferredEfi: { persistent: true } } },
    domain: { firmware: { bootloader: { bios: {} } } },
  },
  {
    name: 'gives no EFI to a VM with BIOS, by preferredUseEfi',
    vm: { domain: { firmware: { bootloader: { bios: {} } } } },
    preference: { firmware: { preferredUseEfi: true, preferredUseSecureBoot: true } },
    domain: { firmware: { bootloader: { bios: {} } } },
  },
  {
    name: 'keeps the EFI of a VM from preferredEfi',
    vm: { domain: { firmware: { bootloader: { efi: { secureBoot: true } } } } },
    preference: { firmware: { preferredEfi: { persistent: true } } },
    domain: { firmware: { bootloader: { efi: { secureBoot: true } } } },
  },
  {
    name: 'boots by EFI with secure boot, by the older preferences',
    preference: { firmware: { preferredUseEfi: true, preferredUseSecureBoot: true } },
    domain: { firmware: { bootloader: { efi: { secureBoot: true } } } },
  },
  {
    name: 'does not enable EFI that is not preferred',
    preference: {
      firmware: { preferredUseEfi: false, preferredUseBios: false, preferredUseSecureBoot: true, preferredUseBiosSerial: true },
    },
    domain: { firmware: { bootloader: {} } },
  },
  {
    name: 'keeps UUID and serial number of the VM beside a boot loader',
    vm: { domain: { firmware: { uuid: 'u', serial: 's' } } },
    preference: { firmware: { preferredUseBios: true } },
    domain: { firmware: { uuid: 'u', serial: 's', bootloader: { bios: {} } } },
  },
  {
    name: 'sets no masquerade for an interface with a binding plugin or without a network',
    vm: {
      domain: { devices: { interfaces: [{ name: 'a', binding: { name: 'plugin' } }, { name: 'b' }] } },
      networks: [{ name: 'a', pod: {} }],
    },
    preference: { devices: { preferredInterfaceMasquerade: {} } },
    domain: { devices: { interfaces: [{ name: 'a', binding: { name: 'plugin' } }, { name: 'b' }] } },
  },
  {
    name: 'gives an I/O thread by the bus that the preference itself chooses',
    vm: { domain: { devices: { disks: [{ name: 'a', disk: {}, dedicatedIOThread: false }, { name: 'b' }] } } },
    preference: { devices: { preferredDiskBus: 'virtio', preferredDiskDedicatedIoThread: true } },
    domain: {
      devices: {
        disks: [
          { name: 'a', disk: { bus: 'virtio' }, dedicatedIOThread: false },
          { name: 'b', disk: { bus: 'virtio' }, dedicatedIOThread: true },
        ],
      },
    },
  },
  {
    name: 'keeps bus, cache, io and block size of a disk, and treats empty strings as unset',
    vm: {
      domain: {
        devices: {
          disks: [
            { name: 'a', disk: { bus: 'scsi' }, cache: 'none', io: 'native', blockSize: { custom: { logical: 512 } } },
            { name: 'b', disk: { bus: '' }, cache: '', io: '' },
          ],
        },
      },
    },
    preference: {
      devices: {
        preferredDiskBus: 'sata',
        preferredDiskCache: 'writeback',
        preferredDiskIO: 'threads',
        preferredDiskBlockSize: { matchVolume: {} },
      },
    },
    domain: {
      devices: {
        disks: [
          { name: 'a', disk: { bus: 'scsi' }, cache: 'none', io: 'native', blockSize: { custom: { logical: 512 } } },
          { name: 'b', disk: { bus: 'sata' }, cache: 'writeback', io: 'threads', blockSize: { matchVolume: {} } },
        ],
      },
    },
  },
  {
    name: 'adds a TPM that keeps its state',
    preference: { devices: { preferredTPM: { persistent: true } } },
    domain: { devices: { tpm: { persistent: true } } },
  },
  {
    name: 'keeps the TPM of the VM as it is',
    vm: { domain: { devices: { tpm: {} } } },
    preference: { devices: { preferredTPM: { persistent: true } } },
    domain: { devices: { tpm: {} } },
  },
  {
    name: 'sets the type of a video device that has none',
    vm: { domain: { devices: { video: {} } } },
    preference: { devices: { preferredVideoType: 'vga' } },
    domain: { devices: { video: { type: 'vga' } } },
  },
  {
    name: 'keeps the type of the video device of the VM',
    vm: { domain: { devices: { video: { type: 'bochs' } } } },
    preference: { devices: { preferredVideoType: 'vga' } },
    domain: { devices: { video: { type: 'bochs' } } },
  },
  {
    name: 'keeps the model of a sound device',
    vm: { domain: { devices: { sound: { name: 's', model: 'ich9' } } } },
    preference: { devices: { preferredSoundModel: 'ac97' } },
    domain: { devices: { sound: { name: 's', model: 'ich9' } } },
  },
  {
    name: 'sets the other device options only where the VM does not',
    vm: { domain: { devices: { blockMultiQueue: false, rng: {} } } },
    preference: {
      devices: {
        preferredBlockMultiQueue: true,
        preferredNetworkInterfaceMultiQueue: true,
        preferredUseVirtioTransitional: true,
        preferredRng: {},
      },
    },
    domain: { devices: { blockMultiQueue: false, networkInterfaceMultiqueue: true, useVirtioTransitional: true, rng: {} } },
  },
  {
    name: 'keeps display options of a GPU',
    vm: { domain: { devices: { gpus: [{ name: 'g', virtualGPUOptions: {} }] } } },
    preference: { devices: { preferredVirtualGPUOptions: { display: { enabled: true } } } },
    domain: { devices: { gpus: [{ name: 'g', virtualGPUOptions: {} }] } },
  },
  {
    name: 'adds features, and keeps those of the VM',
    vm: { domain: { features: { apic: {}, kvm: { hidden: false }, pvspinlock: {}, smm: { enabled: false } } } },
    preference: {
      features: {
        preferredApic: { endOfInterrupt: true },
        preferredKvm: { hidden: true },
        preferredPvspinlock: { enabled: false },
        preferredSmm: { enabled: true },
        preferredHyperv: { vendorid: { vendorid: 'v' } },
      },
    },
    domain: {
      features: { apic: {}, kvm: { hidden: false }, pvspinlock: {}, smm: { enabled: false }, hyperv: { vendorid: { vendorid: 'v' } } },
    },
  },
  {
    name: 'sets clock and timers',
    preference: { clock: { preferredClockOffset: { timezone: 'Europe/Prague' }, preferredTimer: { rtc: { tickPolicy: 'catchup' } } } },
    domain: { clock: { timezone: 'Europe/Prague', timer: { rtc: { tickPolicy: 'catchup' } } } },
  },
  {
    name: 'keeps the timers of the VM, all of them',
    vm: { domain: { clock: { utc: {}, timer: {} } } },
    preference: { clock: { preferredClockOffset: { timezone: 'Europe/Prague' }, preferredTimer: { rtc: {} } } },
    domain: { clock: { utc: {}, timer: {} } },
  },
  {
    name: 'keeps subdomain and architecture of the VM',
    vm: { subdomain: 'own', architecture: 's390x' },
    preference: { preferredSubdomain: 's', preferredArchitecture: 'arm64' },
    spec: { subdomain: 'own', architecture: 's390x' },
  },
  {
    name: 'treats an empty subdomain and architecture as unset',
    vm: { subdomain: '', architecture: '' },
    preference: { preferredSubdomain: 's', preferredArchitecture: 'arm64' },
    spec: { subdomain: 's', architecture: 'arm64' },
  },
  {
    name: 'sets launch security if VM and instance type do not',
    preference: { preferredLaunchSecurity: { tdx: {} } },
    domain: { launchSecurity: { tdx: {} } },
  },
  {
    name: 'keeps the launch security of the VM or its instance type',
    vm: { domain: { launchSecurity: { snp: {} } } },
    preference: { preferredLaunchSecurity: { tdx: {} } },
    domain: { launchSecurity: { snp: {} } },
  },
]

suite('applyPreferenceInto()', () => {
  for (const { name, vm, preference, domain, spec } of rows) {
    test(name, () => {
      const draft: Draft = { spec: structuredClone({ ...vm, domain: { devices: {}, ...vm?.domain } }), annotations: {} }
      applyPreferenceInto(draft, preference)
      for (const [field, value] of Object.entries(domain ?? {})) assert.deepEqual(draft.spec.domain[field as 'cpu'], value)
      for (const [field, value] of Object.entries(spec ?? {})) assert.deepEqual(draft.spec[field as 'subdomain'], value)
    })
  }

  test('adds annotations and never changes one', () => {
    const draft: Draft = { spec: { domain: { devices: {} } }, annotations: { a: '1' } }
    applyPreferenceInto(draft, { annotations: { a: '2', b: '2', constructor: '3' } as Record<string, string> })
    assert.deepEqual(draft.annotations, { a: '1', b: '2', constructor: '3' })
  })

  test('changes nothing when the preference is empty', () => {
    const draft: Draft = { spec: { domain: { devices: {} } }, annotations: {} }
    applyPreferenceInto(draft, {})
    assert.deepEqual(draft, { spec: { domain: { devices: {} } }, annotations: {} })
  })
})
