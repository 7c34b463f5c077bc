import type { FirmwareImage } from '#qemu/index.ts'
import type { Host } from './host.ts'

/** UEFI firmware for q35, without and with enrolled keys. */
export const firmwareImages: readonly FirmwareImage[] = [
  { codePath: '/fw/secure', variablesTemplate: '/fw/secure-vars', machines: ['pc-q35-*'], features: ['secure-boot', 'enrolled-keys'] },
  { codePath: '/fw/plain', variablesTemplate: '/fw/plain-vars', machines: ['pc-q35-*'], features: [] },
]

/** A node without KVM, for tests of pure functions. */
export const imaginedHost: Host = {
  accelerator: 'tcg',
  acceleratorReason: '',
  qemuBinary: '/usr/bin/qemu',
  version: '7.2.22',
  machineAliases: { q35: 'pc-q35-7.2', pc: 'pc-i440fx-7.2' },
  machineTypes: ['pc-q35-7.2', 'pc-q35-6.0', 'pc-i440fx-7.2', 'microvm', 'none'],
  deprecatedMachineTypes: [],
  cpuModels: ['qemu64', 'Westmere'],
  cpuFeatures: ['aes', 'tsc-adjust'],
  deviceModels: [],
  firmware: firmwareImages,
  tpmEmulator: '/usr/bin/swtpm',
}
