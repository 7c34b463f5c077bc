import { isIPv4 } from 'node:net'
import type { Service, ServicePort, ServiceSpec } from '#api/core/v1/service.ts'
import { invalid } from '#apimachinery/errors.ts'
import type { AdmissionPlugin, AdmissionRequest } from '#apiserver/admission/chain.ts'
import { hasClusterAddress, hasNodePorts, isHeadless } from '#api/core/v1/service-type.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import { addressRange } from './address-range.ts'
import { createReservations } from './reservations.ts'

const servicesKey = '/services'
const claimIndex = 'service-address'

/**
 * Loopback addresses, which no other machine can use. Nothing listens on them; clients in the
 * machine use endpoints.
 */
const addresses = addressRange('127.96.0.0/12')
const nodePorts = { first: 30_000, last: 32_767 }

/** Dependencies of {@link createServiceAddress}. */
export interface ServiceAddressOptions {
  readonly store: ObjectStore
  readonly now: () => number
  /** Returns numbers in [0, 1). */
  readonly random: () => number
}

/** Assigns cluster IPs and node ports to services, each to one service only. */
export function createServiceAddress(options: ServiceAddressOptions): AdmissionPlugin {
  const claims = openClaims(options)
  return {
    name: 'ServiceAddress',
    resources: new Set([servicesKey]),
    mutate(request) {
      const { target, object } = request
      if (target.subresource !== '' || request.operation === 'DELETE') return undefined
      const service = object as Service
      const { spec } = service
      if (spec === undefined) return undefined
      const clusterIP = addressFor(claims, spec, request)
      const ports = hasNodePorts(spec) ? spec.ports?.map((port, index) => nodePortFor(claims, port, index, request)) : undefined
      const isComplete = clusterIP === undefined && (ports ?? []).every((port, index) => port === spec.ports?.[index])
      if (isComplete) return undefined
      const given = clusterIP === undefined ? {} : { clusterIP, clusterIPs: [clusterIP] }
      const next: Service = { ...service, spec: { ...spec, ...given, ...(ports === undefined ? {} : { ports }) } }
      return next
    },
  }
}

/**
 * Index of addresses and ports by owner, stored or reserved. One index serves both, as their
 * formats differ.
 */
interface Claims {
  /** Reserves a value for the target of the request. Returns false when another service has it. */
  take(value: string, request: AdmissionRequest): boolean
  /** Reserves the first free value, starting at a random position. */
  takeAny(size: number, at: (index: number) => string, request: AdmissionRequest): string | undefined
}

function openClaims({ store, now, random }: ServiceAddressOptions): Claims {
  store.addIndex(servicesKey, claimIndex, (object) => claimsOf(object as Service))
  const reserved = createReservations(now)
  store.subscribe(servicesKey, undefined, ({ entry }) => {
    for (const value of claimsOf(entry.object as Service)) reserved.release(value)
  })
  const take = (value: string, { target, dryRun }: AdmissionRequest): boolean => {
    const owner = `${target.namespace ?? ''}/${target.name}`
    const others = store.byIndex(servicesKey, claimIndex, value).filter(({ object }) => keyOf(object as Service) !== owner)
    if (others.length > 0 || reserved.has(value, owner)) return false
    if (!dryRun) reserved.add(value, owner)
    return true
  }
  return {
    take,
    takeAny(size, at, request) {
      const start = Math.floor(random() * size)
      for (let step = 0; step < size; step++) {
        const value = at((start + step) % size)
        if (take(value, request)) return value
      }
      return undefined
    },
  }
}

function claimsOf({ spec = {} }: Service): string[] {
  const ips = (spec.clusterIPs ?? []).filter((address) => address !== '' && address !== 'None')
  return [...ips, ...(spec.ports ?? []).flatMap(({ nodePort = 0 }) => (nodePort === 0 ? [] : [String(nodePort)]))]
}

function keyOf({ metadata }: Service): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`
}

/** Returns the address to set; undefined for none. */
function addressFor(claims: Claims, spec: ServiceSpec, request: AdmissionRequest): string | undefined {
  const { clusterIP = '', clusterIPs = [] } = spec
  if (!hasClusterAddress(spec) || isHeadless(spec)) return undefined
  if (clusterIP === '') {
    const found = claims.takeAny(addresses.size, (index) => addresses.at(index), request)
    if (found === undefined) throw failed(request, 'spec.clusterIPs', clusterIPs, 'failed to allocate a serviceIP: range is full')
    return found
  }
  // Validation refuses a malformed address.
  if (clusterIP === (request.old as Service | undefined)?.spec?.clusterIP || !isIPv4(clusterIP)) return undefined
  const fail = (why: string): Error => failed(request, 'spec.clusterIPs', clusterIPs, `failed to allocate IP ${clusterIP}: ${why}`)
  if (!addresses.has(clusterIP))
    throw fail(`the provided IP (${clusterIP}) is not in the valid range. The range of valid IPs is ${addresses.text}`)
  if (!claims.take(clusterIP, request)) throw fail('provided IP is already allocated')
  return undefined
}

function nodePortFor(claims: Claims, port: ServicePort, index: number, request: AdmissionRequest): ServicePort {
  const { nodePort: wanted = 0 } = port
  const field = `spec.ports[${index}].nodePort`
  const { first, last } = nodePorts
  if (wanted === 0) {
    const found = claims.takeAny(last - first + 1, (offset) => String(first + offset), request)
    if (found === undefined) throw failed(request, field, wanted, 'failed to allocate a nodePort: range is full')
    return { ...port, nodePort: Number(found) }
  }
  if (wanted < first || wanted > last) {
    throw failed(request, field, wanted, `provided port is not in the valid range. The range of valid ports is ${first}-${last}`)
  }
  if (!claims.take(String(wanted), request)) throw failed(request, field, wanted, 'provided port is already allocated')
  return port
}

function failed({ target }: AdmissionRequest, field: string, value: unknown, why: string): Error {
  const message = `Invalid value: ${JSON.stringify(value)}: ${why}`
  return invalid(target.definition, target.name, [{ reason: 'FieldValueInvalid', field, message }])
}
