import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { writeGuestImage } from '#features/guest-image.fixture.ts'
import type { TestMachine } from './machine.ts'

/** Arguments with which the demo guest's kernel boots without KVM: see docs/guest.md. */
export const demoKernelArguments =
  'console=ttyS0 quiet panic=-1 no_timer_check nokaslr mitigations=off tsc=unstable edd=off cryptomgr.notests noreplace-smp'

/**
 * Returns a VM of the demo guest as a user would write it. `disk`: size of an additional empty
 * disk.
 */
export function demoVirtualMachine(
  name: string,
  options: { runStrategy?: string; instancetype?: string; memory?: string; cores?: number; disk?: string; namespace?: string } = {},
): string {
  const { disk } = options
  const sized =
    options.instancetype === undefined ? { cpu: { cores: options.cores ?? 1 }, memory: { guest: options.memory ?? '96Mi' } } : {}
  return JSON.stringify({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: options.namespace ?? 'default' },
    spec: {
      runStrategy: options.runStrategy ?? 'Always',
      ...(options.instancetype === undefined ? {} : { instancetype: { kind: 'VirtualMachineInstancetype', name: options.instancetype } }),
      template: {
        metadata: { labels: { app: name } },
        spec: {
          terminationGracePeriodSeconds: 15,
          domain: {
            ...sized,
            firmware: {
              kernelBoot: {
                container: { image: 'steadyvm.io/demo-guest:v1', kernelPath: '/boot/vmlinuz', initrdPath: '/boot/initrd' },
                kernelArgs: demoKernelArguments,
              },
            },
            devices: {
              autoattachGraphicsDevice: false,
              autoattachPodInterface: false,
              ...(disk === undefined ? {} : { disks: [{ name: 'scratch' }] }),
            },
          },
          ...(disk === undefined ? {} : { volumes: [{ name: 'scratch', emptyDisk: { capacity: disk } }] }),
        },
      },
    },
  })
}

/**
 * Returns a VM whose guest does nothing but power off on the power button: for tests that look into
 * no guest. It starts in a tenth of the demo guest's processor time. Adds its image to the machine.
 */
export function powerButtonVirtualMachine(
  { home }: Pick<TestMachine, 'home'>,
  name: string,
  options: { readonly runStrategy?: string } = {},
): string {
  const image = join(home, 'images', 'tests/power-button', 'v1')
  if (!existsSync(image)) writeGuestImage(image)
  return editGuest(demoVirtualMachine(name, { ...options, memory: '32Mi' }), (spec) => {
    const { firmware: _, devices, ...domain } = spec.domain
    return {
      ...spec,
      domain: { ...domain, devices: { ...devices, disks: [{ name: 'boot' }] } },
      volumes: [{ name: 'boot', containerDisk: { image: 'tests/power-button:v1' } }],
    }
  })
}

/**
 * Returns a VM of the demo guest that an eviction must not stop. With a bridged interface (and a
 * network `pod`) it cannot be migrated either.
 */
export function protectedVirtualMachine(name: string, devices: { readonly interfaces?: readonly object[] } = {}): string {
  const { interfaces } = devices
  return editGuest(demoVirtualMachine(name, { memory: '80Mi' }), (spec) => ({
    ...spec,
    ...(interfaces === undefined ? {} : { networks: [{ name: 'pod', pod: {} }] }),
    domain: { ...spec.domain, devices: { ...spec.domain.devices, ...devices } },
    evictionStrategy: 'LiveMigrate',
  }))
}

/** Returns a VM whose only disk is the volume. */
export function diskVirtualMachine(name: string, volume: object, resources: object = {}): string {
  return disksVirtualMachine(name, { data: volume }, resources)
}

/** Returns a VM with a disk for each volume, in this order. */
export function disksVirtualMachine(name: string, volumes: Readonly<Record<string, object>>, resources: object = {}): string {
  const disks = Object.keys(volumes).map((disk) => ({ name: disk, disk: { bus: 'virtio' } }))
  return editGuest(demoVirtualMachine(name, { memory: '80Mi' }), (spec) => ({
    ...spec,
    domain: { ...spec.domain, devices: { ...spec.domain.devices, disks }, resources },
    volumes: Object.entries(volumes).map(([disk, volume]) => ({ name: disk, ...volume })),
  }))
}

/** Returns a VM of the demo guest that has one CPU and 1Gi, and may get more while it runs. */
export function growingVirtualMachine(name: string, resources: object = {}): string {
  return editGuest(demoVirtualMachine(name), (spec) => ({
    ...spec,
    domain: { ...spec.domain, cpu: { sockets: 1, maxSockets: 4 }, memory: { guest: '1Gi', maxGuest: '2Gi' }, resources },
  }))
}

interface GuestSpec {
  readonly domain: { readonly devices: object; readonly firmware?: object }
}

/** Returns the VM with an edited template. */
export function editGuest(vm: string, edit: (spec: GuestSpec) => object): string {
  const parsed = JSON.parse(vm) as { spec: { template: { spec: GuestSpec } } }
  const { spec, ...template } = parsed.spec.template
  return JSON.stringify({ ...parsed, spec: { ...parsed.spec, template: { ...template, spec: edit(spec) } } })
}
