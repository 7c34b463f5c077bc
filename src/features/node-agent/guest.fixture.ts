import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import { queryCapabilities, type ProcessIdentity } from '#qemu/index.ts'
import { found, until, type TestCluster } from '../cluster.fixture.ts'
import type { Host } from './node/host.ts'

export const qemuBinary = '/usr/bin/qemu-system-x86_64'

/** This machine without KVM. `binary` replaces QEMU. */
export async function testHost(binary: string = qemuBinary): Promise<Host> {
  const capabilities = await queryCapabilities(qemuBinary, 'tcg')
  return { ...capabilities, accelerator: 'tcg', acceleratorReason: 'for tests', qemuBinary: binary, firmware: [], tpmEmulator: undefined }
}

/** VM "web", whose guest powers off on ACPI power button. */
export function webVm(runStrategy: NonNullable<VirtualMachine['spec']['runStrategy']>, graceSeconds: number): VirtualMachine {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      runStrategy,
      template: {
        spec: {
          domain: { memory: { guest: '16Mi' }, devices: { autoattachGraphicsDevice: false } },
          terminationGracePeriodSeconds: graceSeconds,
          volumes: [{ name: 'boot', containerDisk: { image: 'guest' } }],
        },
      },
    },
  }
}

/** `skip` value for tests that need swtpm. */
export const noSwtpm: string | false = existsSync('/usr/bin/swtpm') ? false : 'no swtpm: run "node tools/setup.mjs --test"'

/** Adds a TPM to the VM. */
export function withTpm(vm: VirtualMachine): VirtualMachine {
  const { template } = vm.spec
  const domain = { ...template.spec.domain, devices: { ...template.spec.domain.devices, tpm: {} } }
  return { ...vm, spec: { ...vm.spec, template: { ...template, spec: { ...template.spec, domain } } } }
}

/** Files and process of one guest. */
export interface GuestOnDisk {
  readonly podUid: string
  readonly record: LaunchRecord | undefined
  /** Undefined before the launcher has started. */
  readonly process: ProcessIdentity | undefined
  readonly serial: string
  /** Recorded hardware fingerprint of this launch. */
  readonly hardware: string | undefined
}

/** Lists the guests with a pod directory. */
export function guestsOnDisk(cluster: TestCluster): readonly GuestOnDisk[] {
  if (!existsSync(cluster.podsDirectory)) return []
  return readdirSync(cluster.podsDirectory).map((podUid) => {
    const read = (name: string): string | undefined => {
      try {
        return readFileSync(join(cluster.podsDirectory, podUid, 'volumes/kubernetes.io~empty-dir/private', name), 'latin1')
      } catch {
        return undefined
      }
    }
    const record = read('launch.json')
    const [pid, startTicks] = (read('process') ?? '').split(' ')
    return {
      podUid,
      record: record === undefined ? undefined : (JSON.parse(record) as LaunchRecord),
      process: startTicks === undefined ? undefined : { pid: Number(pid), startTicks: Number(startTicks) },
      serial: read('serial.log') ?? '',
      hardware: read('hardware'),
    }
  })
}

/**
 * Lists the PIDs of launchers and QEMUs of this cluster. Read from the kernel, so that none is
 * missed.
 */
export function launcherProcesses(cluster: TestCluster): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const environment = readFileSync(`/proc/${name}/environ`, 'latin1')
      const isOurs = environment.includes(`POD_DIR=${cluster.podsDirectory}/`) && environment.includes('STEADYVM_CONTAINER=')
      return isOurs && /^State:\s+[^ZX]/m.test(readFileSync(`/proc/${name}/status`, 'utf8')) ? [Number(name)] : []
    } catch {
      return []
    }
  })
}

export const webVmi = (cluster: TestCluster): Promise<VirtualMachineInstance | undefined> =>
  found(cluster.client, virtualMachineInstances, 'web')

/** Waits for a running guest whose boot code has printed to the serial console. */
export async function bootedGuest(cluster: TestCluster, notUid?: string): Promise<GuestOnDisk & { readonly process: ProcessIdentity }> {
  return until(async () => {
    const vmi = await webVmi(cluster)
    if (vmi?.status?.phase !== 'Running' || vmi.metadata.uid === notUid) return false
    const guest = guestsOnDisk(cluster).find(({ record }) => record?.vmi.uid === vmi.metadata.uid)
    if (guest?.process === undefined || !guest.serial.endsWith('!')) return false
    return { ...guest, process: guest.process }
  })
}

/** Waits until no process, file or object of VM "web" is left. The VM must have been deleted. */
export async function nothingLeft(cluster: TestCluster): Promise<void> {
  const left = async (): Promise<readonly unknown[]> => [
    ...((await found(cluster.client, virtualMachines, 'web')) === undefined ? [] : ['vm']),
    ...((await webVmi(cluster)) === undefined ? [] : ['vmi']),
    ...(await cluster.client.list(pods, { namespace: 'default' })).items.map(({ metadata }) => metadata.name),
    ...launcherProcesses(cluster),
    ...readdirSync(cluster.podsDirectory),
    ...readdirSync(join(cluster.directory, 'run')),
  ]
  try {
    await until(async () => (await left()).length === 0)
  } catch (cause) {
    throw new RangeError(`left over: ${(await left()).join(', ')}`, { cause })
  }
}
