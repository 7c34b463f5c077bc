import type { Domain } from './domain.ts'
import { option } from './option.ts'

/** Firmware and direct kernel boot. */
export function firmwareArguments(domain: Domain): string[] {
  const { firmware, kernel } = domain
  return [
    ...(firmware.kind === 'efi' ? efiArguments(firmware) : firmware.useSerial ? ['-fw_cfg', 'name=etc/sercon-port,string=2'] : []),
    ...(kernel === undefined
      ? []
      : [
          '-kernel',
          kernel.kernelPath,
          ...(kernel.initrdPath === undefined ? [] : ['-initrd', kernel.initrdPath]),
          ...(kernel.commandLine === '' ? [] : ['-append', kernel.commandLine]),
        ]),
  ]
}

function efiArguments(firmware: { codePath: string; variablesPath: string; secureBoot: boolean }): string[] {
  return [
    '-drive',
    `if=pflash,unit=0,format=raw,readonly=on,${option('file', firmware.codePath)}`,
    '-drive',
    `if=pflash,unit=1,format=raw,${option('file', firmware.variablesPath)}`,
    ...(firmware.secureBoot ? ['-global', 'driver=cfi.pflash01,property=secure,value=on'] : []),
  ]
}
