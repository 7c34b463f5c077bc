import { componentNamespace } from '#api/access/component-users.ts'
import { configMaps } from '#api/core/v1/resources.ts'
import { virtualMachineExports } from '#api/export/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { certificateNames } from '#features/certificates/index.ts'
import { serviceNameOf } from '../names.ts'

/** The part of an export that a path leads to. */
export interface ExportRoute {
  readonly namespace: string
  readonly name: string
  /** Path and query for the export server. */
  readonly url: string
}

/** Beginning of all external paths of exports, as in KubeVirt. See cmd/published-servers.ts. */
export const externalPrefix = '/api/export.kubevirt.io/'

/** Returns the path of an export in front of those of its server. */
export function externalPathOf(namespace: string, name: string): string {
  return `${externalPrefix}v1/namespaces/${namespace}/virtualmachineexports/${name}`
}

/**
 * Reads a path by the rules of KubeVirt's virt-exportproxy. Undefined: it leads to no export. Pure.
 */
export function readExportRoute(url: string): ExportRoute | undefined {
  const match =
    /^\/api\/export\.kubevirt\.io\/(?:v1|v1beta1|v1alpha1)\/namespaces\/([a-z0-9-]+)\/virtualmachineexports\/([a-z0-9.-]+)(\/.*)$/.exec(url)
  const [, namespace = '', name = '', rest = ''] = match ?? []
  return match === null ? undefined : { namespace, name, url: rest }
}

/** The answer to a path that leads to no export. */
export interface ExportRefusal {
  readonly code: number
  readonly text: string
}

/** Where a request for an export goes. */
export interface ExportTarget {
  readonly namespace: string
  readonly service: string
  readonly port: number
  readonly url: string
  /** Authorities of the certificate of the server, in PEM. */
  readonly authorities: string
}

/**
 * Finds the server of an external path. Codes where there is none are those of
 * virt-exportproxy. The token is checked by the server.
 */
export async function findExportServer(client: Pick<Client, 'get'>, url: string): Promise<ExportTarget | ExportRefusal> {
  const route = readExportRoute(url)
  if (route === undefined) return { code: 400, text: 'the path must name an export, and what of it to download' }
  const { namespace, name } = route
  const vmExport = await found(client.get(virtualMachineExports, { namespace, name }))
  if (vmExport === undefined) return { code: 404, text: `VirtualMachineExport ${namespace}/${name} does not exist` }
  const bundle = await found(client.get(configMaps, { namespace: componentNamespace, name: certificateNames.exportAuthority }))
  if (vmExport.status?.phase !== 'Ready' || bundle === undefined)
    return { code: 503, text: `VirtualMachineExport ${namespace}/${name} is not ready: see its status, and try again` }
  return {
    namespace,
    service: serviceNameOf(vmExport),
    port: 443,
    url: route.url,
    authorities: bundle.data?.[certificateNames.bundleKey] ?? '',
  }
}
