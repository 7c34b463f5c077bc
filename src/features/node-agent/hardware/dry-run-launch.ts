import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { launcherPaths } from '#features/launcher/index.ts'
import { buildArguments } from '#qemu/index.ts'
import { guestDomainOf } from '../domain/domain.ts'
import type { GuestFiles } from '../domain/guest-files.ts'
import type { Host } from '../node/host.ts'

/**
 * Builds the command line with placeholder files, for comparison with another dry run and for
 * rehearsals without firmware. Pure. @throws UnsupportedGuest
 */
export function dryRunArguments(vmi: VirtualMachineInstance, host: Host): string[] {
  const paths = launcherPaths('/imagined/pods', '/imagined/run', vmi.metadata.uid ?? '')
  return buildArguments(guestDomainOf(vmi, { files: imaginedFiles(vmi), paths, host, nowMs: 0 }))
}

function imaginedFiles({ spec }: VirtualMachineInstance): GuestFiles {
  const { devices, firmware } = spec.domain
  const volumes = (devices.disks ?? []).map(
    ({ name, cdrom }) => [name, { path: `/imagined/${name}`, format: 'raw', readOnly: cdrom !== undefined }] as const,
  )
  return {
    volumes: new Map(volumes),
    ...(firmware?.kernelBoot?.container === undefined
      ? {}
      : { kernel: { kernelPath: '/imagined/kernel', initrdPath: '/imagined/initrd' } }),
    ...(firmware?.bootloader?.efi === undefined ? {} : { firmware: { codePath: '/imagined/code', variablesPath: '/imagined/variables' } }),
  }
}
