import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import { activeMigration } from '#features/vmi/index.ts'
import {
  plugCard,
  QmpClosed,
  readCards,
  readFreePorts,
  removeBackend,
  requestUnplug,
  setLink,
  type Interface,
  type QmpConnection,
} from '#qemu/index.ts'
import { guestInterfacesOf } from '../domain/interfaces.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'
import type { Guest } from '../guest/guest.ts'
import { podOf, type Ports } from '../guest/ports.ts'
import { attachCards, launcherOf } from '../network/attach-cards.ts'
import { InterfaceMissing } from '../network/interface-missing.ts'
import { tapName } from '../network/tap.ts'
import { decideCards, mayChangeCards } from './requested-cards.ts'

/** A network card of a running guest, as its status shows it. */
export interface GuestCard extends Pick<Interface, 'name' | 'mac' | 'queues'> {
  readonly isConnected: boolean
  readonly link: 'up' | 'down'
}

/** Cards of a running guest, and what it lacks. */
export interface GuestCardState {
  readonly cards: readonly GuestCard[]
  /** Why cards are not as the VMI wants them, by the name of the interface. */
  readonly refused: ReadonlyMap<string, string>
  /** Cards that Multus has not attached to the pod. A migration to another pod brings them. */
  readonly missing: readonly string[]
  /** True while a guest has not released a card, which QEMU does not always report. */
  readonly isReleasing: boolean
}

interface Running {
  readonly guest: Guest
  readonly record: LaunchRecord
  readonly vmi: VirtualMachineInstance
}

/** Limit in milliseconds for the commands about cards. */
const timeoutMs = 10_000

/**
 * Plugs, unplugs, connects and disconnects cards as the VMI wants. Reads everything from QEMU, so
 * that a restarted agent continues. Undefined when QEMU does not answer.
 */
export async function reconcileCards(ports: Ports, running: Running): Promise<GuestCardState | undefined> {
  const { guest, record, vmi } = running
  const { interfaces = [] } = vmi.spec.domain.devices
  const launched = record.domain.interfaces
  if (!mayChangeCards({ interfaces }, launched) && !wasDisconnected(vmi))
    return {
      cards: inOrderOf(
        interfaces,
        launched.map((card) => cardOf(card)),
      ),
      refused: new Map(),
      missing: [],
      isReleasing: false,
    }
  try {
    return await guest.query((qmp) => change(ports, running, qmp), timeoutMs)
  } catch (error) {
    if (error instanceof QmpClosed) return undefined
    throw error
  }
}

async function change(ports: Ports, running: Running, qmp: QmpConnection): Promise<GuestCardState> {
  const { guest, record, vmi } = running
  const { interfaces = [] } = vmi.spec.domain.devices
  const networks = vmi.spec.networks ?? []
  const isMoving = activeMigration(vmi) !== undefined
  const [present, freePorts] = await Promise.all([readCards(qmp), readFreePorts(qmp)])
  const decision = decideCards({ interfaces, networks }, { present, freePorts, isMoving })
  const refused = new Map(decision.refused)
  // The hardware changes. Clear the fingerprint first: an agent that dies in between must not leave
  // a stale one.
  if (decision.plug.length + decision.unplug.length > 0) await guest.clearFingerprint()
  const missing: string[] = []
  for (const { name, port } of decision.plug) {
    const trouble = await plug(ports, running, qmp, { name, port })
    if (trouble === undefined) ports.recorder.event(vmi, 'Normal', 'InterfacePlugged', `The running guest has got interface "${name}".`)
    else refused.set(name, trouble.message)
    if (trouble instanceof InterfaceMissing) missing.push(name)
  }
  for (const name of decision.unplug) {
    const trouble = await requestUnplug(qmp, name)
    if (trouble !== undefined) refused.set(name, trouble)
  }
  for (const name of decision.remove) {
    await removeBackend(qmp, name)
    await ports.network?.detachCard(await launcherOf(guest), name)
  }
  const known = new Map(record.domain.interfaces.map((card) => [card.name, card]))
  const cards: GuestCard[] = []
  for (const card of decision.plug.length === 0 ? present : await readCards(qmp)) {
    const link = linkOf(vmi, card.name)
    await setLink(qmp, card.name, link === 'up')
    cards.push(cardOf(known.get(card.name) ?? { ...card, backend: { kind: 'tap', device: '' } }, link))
  }
  return { cards: inOrderOf(interfaces, cards), refused, missing, isReleasing: decision.unplug.length > 0 }
}

/** Returns why the card cannot be plugged in; undefined when it is. */
async function plug(
  ports: Ports,
  { guest, record, vmi }: Running,
  qmp: QmpConnection,
  { name, port }: { readonly name: string; readonly port: number },
): Promise<Error | undefined> {
  const { uuid, cpu, machine } = record.domain
  const vcpus = cpu.sockets * cpu.cores * cpu.threads
  try {
    const card = guestInterfacesOf(vmi, { uuid, vcpus, hasPorts: true }, (one) => tapName(guest.podUid, one)).find(
      (one) => one.name === name,
    )
    if (card === undefined || ports.network?.addressOf(podOf(ports, guest, vmi)) === undefined)
      return new UnsupportedGuest('the guest was started without a network: restart the VM')
    await attachCards(ports, guest, vmi, { interfaces: [card] })
    const refusal = await plugCard(qmp, { ...card, port }, machine)
    return refusal === undefined ? undefined : new UnsupportedGuest(refusal)
  } catch (error) {
    if (error instanceof UnsupportedGuest) return error
    throw error
  }
}

/** Sets the links of a guest before its CPUs start, so that it sees no other state first. */
export async function connectCards(guest: Guest, vmi: VirtualMachineInstance): Promise<void> {
  const down = (vmi.spec.domain.devices.interfaces ?? []).filter(({ state }) => state === 'down')
  if (down.length === 0) return
  await guest.query(async (qmp) => {
    for (const { name } of down) await setLink(qmp, name, false)
  }, timeoutMs)
}

function linkOf({ spec }: VirtualMachineInstance, name: string): 'up' | 'down' {
  return spec.domain.devices.interfaces?.find((card) => card.name === name)?.state === 'down' ? 'down' : 'up'
}

/** An agent that was not running when the state changed knows it from the status. */
function wasDisconnected({ status }: VirtualMachineInstance): boolean {
  return status?.interfaces?.some(({ linkState }) => linkState === 'down') === true
}

function cardOf(
  { name, mac, queues, backend }: Pick<Interface, 'name' | 'mac' | 'queues' | 'backend'>,
  link: 'up' | 'down' = 'up',
): GuestCard {
  return { name, mac, ...(queues === undefined ? {} : { queues }), isConnected: backend.kind === 'tap', link }
}

function inOrderOf(interfaces: readonly { readonly name: string }[], cards: readonly GuestCard[]): GuestCard[] {
  const position = new Map(interfaces.map(({ name }, index) => [name, index]))
  return cards.toSorted((a, b) => (position.get(a.name) ?? interfaces.length) - (position.get(b.name) ?? interfaces.length))
}
