import type { Interface as VmiInterface } from '#api/kubevirt/v1/domain/interface.ts'
import type { Network } from '#api/kubevirt/v1/network.ts'
import { isSecondary } from '#features/network-attachment/index.ts'
import type { PresentCard } from '#qemu/index.ts'

/** What the VMI says of its interfaces. */
export interface RequestedCards {
  readonly interfaces: readonly VmiInterface[]
  readonly networks: readonly Network[]
}

/** Observed cards of a running guest. */
export interface ObservedCards {
  readonly present: readonly Pick<PresentCard, 'name' | 'port'>[]
  /** Hotplug ports without a device, the lowest first. */
  readonly freePorts: readonly number[]
  /** True during a migration: the target was started with the cards of that moment. */
  readonly isMoving: boolean
}

/** Changes of cards to make now, and why others are impossible. */
export interface CardDecision {
  readonly plug: readonly { readonly name: string; readonly port: number }[]
  /** Cards that the guest is asked to release. */
  readonly unplug: readonly string[]
  /** Cards that the guest has released, or never had: what they were attached to is removed. */
  readonly remove: readonly string[]
  /** Reasons by the name of the interface. */
  readonly refused: ReadonlyMap<string, string>
}

/** Decides which cards to plug and to unplug. Pure. */
export function decideCards({ interfaces, networks }: RequestedCards, { present, freePorts, isMoving }: ObservedCards): CardDecision {
  const secondary = new Set(networks.filter(isSecondary).map(({ name }) => name))
  const byName = new Map(present.map((card) => [card.name, card]))
  const unwanted = interfaces.filter(({ name, state }) => state === 'absent' && secondary.has(name)).map(({ name }) => name)
  const missing = interfaces.filter(({ name, state }) => state !== 'absent' && !byName.has(name)).map(({ name }) => name)
  const fixed = unwanted.filter((name) => byName.has(name) && byName.get(name)?.port === undefined)
  const unplug = unwanted.filter((name) => byName.get(name)?.port !== undefined)
  const remove = unwanted.filter((name) => !byName.has(name))
  if (isMoving) {
    const message = 'the guest is being moved to another node'
    return { plug: [], unplug: [], remove: [], refused: new Map([...missing, ...unplug, ...fixed].map((name) => [name, message])) }
  }
  const pluggable = missing.filter((name) => secondary.has(name))
  const places = new Map(pluggable.map((name, index) => [name, freePorts[index]]))
  return {
    plug: [...places].flatMap(([name, port]) => (port === undefined ? [] : [{ name, port }])),
    unplug,
    remove,
    refused: new Map([
      ...fixed.map((name) => [name, 'it was started with the card in a place that is not for hotplug: restart the VM'] as const),
      ...missing
        .filter((name) => !secondary.has(name))
        .map((name) => [name, 'only cards on networks of Multus can be plugged in'] as const),
      ...[...places].flatMap(([name, port]) => (port === undefined ? [[name, 'the guest has no free port: restart the VM'] as const] : [])),
    ]),
  }
}

/**
 * Reports whether the cards of a guest have to be looked at: in most guests they never change.
 * Pure.
 */
export function mayChangeCards(
  { interfaces }: Pick<RequestedCards, 'interfaces'>,
  launched: readonly { readonly name: string }[],
): boolean {
  const names = new Set(launched.map(({ name }) => name))
  return interfaces.length !== names.size || interfaces.some(({ name, state }) => !names.has(name) || (state ?? '') !== '')
}
