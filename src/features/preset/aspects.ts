import { semanticEqual } from '#apimachinery/equality.ts'
import { compareQuantities, isQuantity, parseQuantity } from '#apimachinery/quantity.ts'
import type { ClockOffset } from '#api/kubevirt/v1/domain/clock.ts'
import type { DomainSpec } from '#api/kubevirt/v1/domain/domain.ts'

/** A part of a domain that a preset gives as a whole, or not at all. */
export interface Aspect {
  /** Path below `spec.domain`. */
  readonly path: string
  /** Undefined when the domain does not set it. */
  read(domain: DomainSpec): unknown
  writeInto(domain: DomainSpec, value: unknown): void
}

const fixed: readonly Aspect[] = [
  whole('cpu'),
  whole('firmware'),
  {
    path: 'clock',
    read: ({ clock }) => (clock?.utc === undefined && clock?.timezone === undefined ? undefined : offsetOf(clock)),
    writeInto: (domain, value) => (domain.clock = { ...domain.clock, ...(value as ClockOffset) }),
  },
  {
    path: 'clock.timer',
    read: ({ clock }) => clock?.timer,
    writeInto: (domain, value) => (domain.clock = { ...domain.clock, timer: value as NonNullable<DomainSpec['clock']>['timer'] & object }),
  },
  whole('features'),
  {
    path: 'devices.watchdog',
    read: ({ devices }) => devices?.watchdog,
    writeInto: (domain, value) => (domain.devices = { ...domain.devices, watchdog: value as DomainSpec['devices']['watchdog'] & object }),
  },
  whole('ioThreadsPolicy'),
]

function whole(path: keyof DomainSpec): Aspect {
  return { path, read: (domain) => domain[path], writeInto: (domain, value) => void Object.assign(domain, { [path]: value }) }
}

function offsetOf({ utc, timezone }: ClockOffset): ClockOffset {
  return { ...(utc === undefined ? {} : { utc }), ...(timezone === undefined ? {} : { timezone }) }
}

/** Returns the aspects that a domain sets. */
export function aspectsOf(domain: DomainSpec): readonly Aspect[] {
  const requests = Object.keys(domain.resources?.requests ?? {}).map(request)
  return [...requests, ...fixed].filter((aspect) => aspect.read(domain) !== undefined)
}

function request(name: string): Aspect {
  return {
    path: `resources.requests[${name}]`,
    read: ({ resources }) => resources?.requests?.[name],
    writeInto: (domain, value) => {
      domain.resources = { ...domain.resources, requests: { ...domain.resources?.requests, [name]: value as string } }
    },
  }
}

/** Reports whether two domains set it to the same value; quantities by value. */
export function agree(a: unknown, b: unknown): boolean {
  const [left, right] = [quantityOf(a), quantityOf(b)]
  return left === undefined || right === undefined ? semanticEqual(a, b) : compareQuantities(left, right) === 0
}

function quantityOf(value: unknown): ReturnType<typeof parseQuantity> | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  return isQuantity(value) ? parseQuantity(value) : undefined
}
