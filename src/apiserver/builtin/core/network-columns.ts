import type { Endpoints } from '#api/core/v1/endpoints.ts'
import type { Service } from '#api/core/v1/service.ts'
import type { EndpointSlice } from '#api/discovery/v1/endpoint-slice.ts'
import { ageColumn, columnsOf, labelText, nameColumn, orNone } from '#apiserver/registry/columns.ts'
import type { TableColumn } from '#apiserver/registry/resource-definition.ts'

/** Number of addresses or ports in a cell; the rest is counted. */
const shown = 3

function some(items: readonly string[]): string {
  if (items.length <= shown) return orNone(items.join(','))
  return `${items.slice(0, shown).join(',')} + ${items.length - shown} more...`
}

function externalAddress({ spec, status }: Service): string {
  const own = spec?.externalIPs ?? []
  if (spec?.type === 'ExternalName') return spec.externalName ?? ''
  if (spec?.type !== 'LoadBalancer') return orNone(own.join(','))
  const balanced = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname ?? '')
  const all = [...balanced, ...own]
  return all.length === 0 ? '<pending>' : all.join(',')
}

function ports({ spec }: Service): string {
  const texts = (spec?.ports ?? []).map(({ port, nodePort, protocol = 'TCP' }) =>
    nodePort === undefined || nodePort === 0 ? `${port}/${protocol}` : `${port}:${nodePort}/${protocol}`,
  )
  return orNone(texts.join(','))
}

const service = columnsOf<Service>()
const endpoints = columnsOf<Endpoints>()
const slice = columnsOf<EndpointSlice>()

/** Columns of `kubectl get services`. */
export const serviceColumns: readonly TableColumn[] = [
  nameColumn,
  service('Type', ({ spec }) => spec?.type ?? 'ClusterIP'),
  service('Cluster-IP', ({ spec }) => orNone(spec?.clusterIP)),
  service('External-IP', externalAddress),
  service('Port(s)', ports),
  ageColumn,
  service('Selector', ({ spec }) => labelText(spec?.selector), { priority: 1 }),
]

/** Columns of `kubectl get endpoints`. */
export const endpointsColumns: readonly TableColumn[] = [
  nameColumn,
  endpoints('Endpoints', ({ subsets }) =>
    some(
      (subsets ?? []).flatMap(({ addresses = [], ports: open = [] }) =>
        open.length === 0 ? addresses.map(({ ip }) => ip) : open.flatMap(({ port }) => addresses.map(({ ip }) => `${ip}:${port}`)),
      ),
    ),
  ),
  ageColumn,
]

/** Columns of `kubectl get endpointslices`. */
export const endpointSliceColumns: readonly TableColumn[] = [
  nameColumn,
  slice('AddressType', ({ addressType }) => addressType),
  slice('Ports', ({ ports: open }) =>
    open === undefined || open.length === 0 ? '<unset>' : some(open.map(({ port }) => String(port ?? '*'))),
  ),
  slice('Endpoints', ({ endpoints: all }) => ((all ?? []).length === 0 ? '<unset>' : some(all.flatMap(({ addresses }) => addresses)))),
  ageColumn,
]
