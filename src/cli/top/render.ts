import { table } from '../render/terminal.ts'
import type { UsageRates } from './usage-rates.ts'

/** A VM with a guest that runs. */
export interface VmUsage {
  readonly namespace: string
  readonly name: string
  readonly node: string
  /** CPUs of the guest. */
  readonly cpus: number
  readonly usage: UsageRates
}

/** A node, and what its guests use. */
export interface NodeUsage {
  readonly name: string
  readonly guests: number
  /** What pods may request of it. */
  readonly allocatable: { readonly cores: number; readonly memoryBytes: number }
  readonly usage: UsageRates
}

/** Value of `--sort-by`. */
export type SortKey = 'name' | 'cpu' | 'memory' | 'network' | 'disk'

/** How to print. */
export interface TopView {
  readonly sortBy: SortKey
  readonly isWide: boolean
  readonly headers: boolean
  /** VMs of several namespaces. */
  readonly withNamespace: boolean
}

const amounts: Readonly<Record<Exclude<SortKey, 'name'>, (usage: UsageRates) => number>> = {
  cpu: ({ cores }) => cores,
  memory: ({ residentBytes }) => residentBytes,
  network: ({ receivedBytes, transmittedBytes }) => receivedBytes + transmittedBytes,
  disk: ({ readBytes, writtenBytes }) => readBytes + writtenBytes,
}

/** Sorts by name, or by an amount with the largest first. Pure. */
export function sorted<T extends { readonly name: string; readonly namespace?: string; readonly usage: UsageRates }>(
  rows: readonly T[],
  by: SortKey,
): T[] {
  const byName = (a: T, b: T): number => (a.namespace ?? '').localeCompare(b.namespace ?? '') || a.name.localeCompare(b.name)
  if (by === 'name') return rows.toSorted(byName)
  const amount = amounts[by]
  return rows.toSorted((a, b) => amount(b.usage) - amount(a.usage) || byName(a, b))
}

const traffic = ['RX/s', 'TX/s', 'READ/s', 'WRITE/s'] as const

/** Renders VMs in kubectl's columns, with the rates of network and disks. Pure. */
export function renderVms(rows: readonly VmUsage[], { isWide, headers, withNamespace, sortBy }: TopView): string {
  const head = [
    ...(withNamespace ? ['NAMESPACE'] : []),
    'NAME',
    'CPU(cores)',
    'MEMORY(bytes)',
    ...traffic,
    ...(isWide ? ['CPU(%)', 'GUEST USED', 'GUEST MEMORY', 'READS/s', 'WRITES/s', 'NODE'] : []),
  ]
  const lines = sorted(rows, sortBy).map(({ namespace, name, node, cpus, usage }) => [
    ...(withNamespace ? [namespace] : []),
    name,
    cores(usage.cores),
    mebibytes(usage.residentBytes),
    ...trafficOf(usage),
    ...(isWide
      ? [
          percent(usage.cores, cpus),
          usage.guestUsedBytes === undefined ? '<unknown>' : mebibytes(usage.guestUsedBytes),
          mebibytes(usage.domainBytes),
          String(Math.round(usage.reads)),
          String(Math.round(usage.writes)),
          node,
        ]
      : []),
  ])
  return table([...(headers ? [head] : []), ...lines])
}

/** Renders nodes in kubectl's columns. Pure. */
export function renderNodes(rows: readonly NodeUsage[], { isWide, headers, sortBy }: TopView): string {
  const head = [
    'NAME',
    'GUESTS',
    'CPU(cores)',
    'CPU(%)',
    'MEMORY(bytes)',
    'MEMORY(%)',
    ...traffic,
    ...(isWide ? ['READS/s', 'WRITES/s'] : []),
  ]
  const lines = sorted(rows, sortBy).map(({ name, guests, allocatable, usage }) => [
    name,
    String(guests),
    cores(usage.cores),
    percent(usage.cores, allocatable.cores),
    mebibytes(usage.residentBytes),
    percent(usage.residentBytes, allocatable.memoryBytes),
    ...trafficOf(usage),
    ...(isWide ? [String(Math.round(usage.reads)), String(Math.round(usage.writes))] : []),
  ])
  return table([...(headers ? [head] : []), ...lines])
}

function trafficOf({ receivedBytes, transmittedBytes, readBytes, writtenBytes }: UsageRates): string[] {
  return [receivedBytes, transmittedBytes, readBytes, writtenBytes].map(size)
}

/** `12m`, as kubectl prints it. */
function cores(count: number): string {
  return `${Math.round(count * 1000)}m`
}

function percent(part: number, whole: number): string {
  return whole > 0 ? `${Math.round((part / whole) * 100)}%` : '<unknown>'
}

/** `48Mi`, as kubectl prints it. */
function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)}Mi`
}

/** A rate, which may be small: `0`, `312`, `5.0Ki`, `120Mi`. */
function size(bytes: number): string {
  const units = ['', 'Ki', 'Mi', 'Gi'] as const
  const index = units.findLastIndex((_, power) => bytes >= 1024 ** power)
  const value = bytes / 1024 ** Math.max(0, index)
  return index <= 0 ? String(Math.round(bytes)) : `${value < 10 ? value.toFixed(1) : Math.round(value)}${units[index]}`
}
