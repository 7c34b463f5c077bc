import type { VirtualMachineExport } from '#api/export/v1/virtual-machine-export.ts'
import { internalHostOf } from '../pod/exporter-service.ts'
import type { Ports } from '../ports.ts'
import type { External, LinkBase } from './link.ts'

/** Returns how clients reach an export, from within the cluster and, if there is a way, outside. */
export function linkBases(
  { authority }: Pick<Ports, 'authority'>,
  { vmExport, external }: { readonly vmExport: VirtualMachineExport; readonly external: External },
): readonly LinkBase[] {
  return [
    { side: 'internal', hostAndBase: internalHostOf(vmExport), certificates: authority.current()?.bundle ?? '' },
    ...(external.base === undefined ? [] : [external.base]),
  ]
}
