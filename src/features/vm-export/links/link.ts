import type { VirtualMachineExportLink, VirtualMachineExportVolumeFormat } from '#api/export/v1/virtual-machine-export.ts'
import { serverUris, type LinkSide } from '../export-task.ts'
import type { SourceVolume } from '../source/source.ts'

/** How clients of one side reach the server. */
export interface LinkBase {
  readonly side: LinkSide
  /** Host and path in front of the server's paths, without scheme. */
  readonly hostAndBase: string
  /** Certificates of the authorities of the host, in PEM. */
  readonly certificates: string
}

/** How clients from outside reach the server of an export. */
export interface External {
  /** Undefined: there is no way, as in KubeVirt without an Ingress. */
  readonly base?: LinkBase
  /** What is missing, and what to do. */
  readonly problem?: string
}

/** Builds the links of one side, in KubeVirt's order. Pure. */
export function linkOf(
  { side, hostAndBase, certificates }: LinkBase,
  volumes: readonly SourceVolume[],
  hasManifests: boolean,
): VirtualMachineExportLink {
  const url = (uri: string): string => `https://${hostAndBase}${uri}`
  return {
    cert: certificates.trim(),
    manifests: [
      ...(hasManifests ? [{ type: 'all', url: url(serverUris.manifests(side)) }] : []),
      { type: 'auth-header-secret', url: url(serverUris.secret(side)) },
    ],
    volumes: volumes.map(({ name, isDisk }) => ({
      name,
      formats: formatsOf(name, isDisk).map(({ format, url: uri }) => ({ format, url: url(uri) })),
    })),
  }
}

function formatsOf(claim: string, isDisk: boolean): readonly VirtualMachineExportVolumeFormat[] {
  return isDisk
    ? [
        { format: 'raw', url: serverUris.raw(claim) },
        { format: 'gzip', url: serverUris.gzip(claim) },
      ]
    : [
        // KubeVirt cleans the path, which drops the slash.
        { format: 'dir', url: serverUris.folder(claim).replace(/\/$/, '') },
        { format: 'tar.gz', url: serverUris.archive(claim) },
      ]
}
