import type { VirtualMachineExport } from '#api/export/v1/virtual-machine-export.ts'
import { exitCodes, TaskFailed } from '../../exit-codes.ts'

/** A way to a disk. */
export interface DiskLink {
  /** `internal` or `external`: who can go it. */
  readonly side: string
  readonly url: URL
  /** Certificates of the authority of its server, in PEM. */
  readonly certificates: string
}

/**
 * Returns the ways to a volume of an export that is ready: from within the cluster, then from
 * outside. Pure. @throws TaskFailed when there is none, with the volumes that there are
 */
export function diskLinks({ status }: VirtualMachineExport, volume: string): readonly DiskLink[] {
  const { internal, external } = status?.links ?? {}
  const sides = [
    { side: 'internal', link: internal },
    { side: 'external', link: external },
  ]
  const links = sides.flatMap(({ side, link }) => {
    const formats = link?.volumes?.find(({ name }) => name === volume)?.formats ?? []
    const url = URL.parse(formats.find(({ format }) => format === 'gzip')?.url ?? '')
    return url === null ? [] : [{ side, url, certificates: link?.cert ?? '' }]
  })
  if (links.length > 0) return links
  const volumes = [...new Set(sides.flatMap(({ link }) => link?.volumes ?? []).map(({ name }) => name))]
  throw new TaskFailed(
    exitCodes.preconditionFailed,
    volumes.includes(volume)
      ? `Volume ${volume} has files in place of a disk: if it has one, annotate its claim with cdi.kubevirt.io/storage.contentType=kubevirt, as DataVolumes do`
      : `There is no volume ${volume}: VOLUME_NAME must be one of ${volumes.join(', ') || 'those of the source, which has none'}`,
  )
}
