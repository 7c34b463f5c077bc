import { constants, accessSync, readFileSync } from 'node:fs'

/** Chosen accelerator, with the reason. */
export interface AcceleratorChoice {
  readonly accelerator: 'kvm' | 'tcg'
  /** Reason for the choice, in one sentence. */
  readonly reason: string
}

/** Hardware virtualization of the host. */
export interface HostVirtualization {
  /** Flags of the first CPU. */
  readonly cpuFlags: readonly string[]
  /** Reason why /dev/kvm cannot be used, or undefined. */
  readonly kvmDeviceError: string | undefined
}

/**
 * Chooses between KVM and emulation. Opening /dev/kvm proves nothing: some hosts offer the device
 * without hardware virtualization below it, and guests then hang or die after minutes. Only the
 * CPU's own flag together with a usable device counts. `override` is the administrator's choice.
 */
export function chooseAccelerator(host: HostVirtualization, override?: string): AcceleratorChoice {
  if (override === 'kvm') return { accelerator: 'kvm', reason: 'KVM, because STEADYVM_ACCELERATOR asks for it' }
  if (override === 'tcg') return { accelerator: 'tcg', reason: 'TCG emulation, because STEADYVM_ACCELERATOR asks for it' }
  const hardware = host.cpuFlags.find((flag) => flag === 'vmx' || flag === 'svm')
  if (host.kvmDeviceError !== undefined) return { accelerator: 'tcg', reason: `TCG emulation, because ${host.kvmDeviceError}` }
  if (hardware === undefined) {
    return { accelerator: 'tcg', reason: 'TCG emulation, because /dev/kvm is there but the CPU has neither vmx nor svm' }
  }
  return { accelerator: 'kvm', reason: `KVM, because the CPU has ${hardware} and /dev/kvm can be used` }
}

/** Reads the inputs of {@link chooseAccelerator} from this host. */
export function inspectHost(): HostVirtualization {
  return { cpuFlags: readCpuFlags(), kvmDeviceError: readKvmDeviceError() }
}

function readCpuFlags(): string[] {
  try {
    const line = /^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))
    return (line?.[1] ?? '').trim().split(/\s+/)
  } catch {
    return []
  }
}

function readKvmDeviceError(): string | undefined {
  try {
    accessSync('/dev/kvm', constants.R_OK | constants.W_OK)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no /dev/kvm' : '/dev/kvm may not be opened by this user'
  }
}
