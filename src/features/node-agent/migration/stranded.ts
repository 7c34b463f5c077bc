import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { migrationInFlight } from '#features/vmi/index.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import type { Progress } from '../act.ts'
import type { Guest } from '../guest.ts'
import type { Ports } from '../ports.ts'
import { look, ranBefore, type Leaving } from './leaving.ts'
import { windUp } from './stay.ts'
import { say } from './word.ts'

/** States in which QEMU stands still for a migration. */
const strandedIn: ReadonlySet<string> = new Set(['postmigrate', 'finish-migrate'])

/**
 * A migration can be declared over while this node's agent is silent, and its QEMU still stands still for it. Who has come back lets the guest go on. Undefined
 * when that is not so, which the API itself has to say: a cache may be older than the migration.
 */
export async function wakeStranded(ports: Ports, { guest, record, vmi, observed }: Omit<Leaving, 'state'>): Promise<Progress | undefined> {
  const { name = '', namespace = '', uid } = vmi.metadata
  if (!strandedIn.has(observed.runState ?? '') || observed.stopSinceMs !== undefined) return undefined
  const now: VirtualMachineInstance = await ports.client.get(virtualMachineInstances, { namespace, name })
  const state = now.status?.migrationState
  const isOver = state?.failed === true && migrationInFlight(now) === undefined && now.status?.phase === 'Running'
  if (now.metadata.uid !== uid || now.status?.nodeName !== ports.nodeName || !isOver || !ranBefore(state)) return undefined
  await windUp(ports, { guest, record, vmi, observed, state })
  return look()
}

/** A source that still sends memory of a guest that runs elsewhere is needed; whoever waits for the rest has to hear that it has ended. */
export async function tellOfLostSource(ports: Ports, guest: Guest, { vmi: { namespace, name, uid } }: LaunchRecord): Promise<void> {
  if ((await guest.inspect()).kind !== 'gone') return
  const vmi = await ports.client.get(virtualMachineInstances, { namespace, name }).catch(() => undefined)
  const state = vmi === undefined || vmi.metadata.uid !== uid ? undefined : migrationInFlight(vmi)
  if (vmi === undefined || state?.mode !== 'PostCopy' || state.sourceNode !== ports.nodeName) return
  if (state.sourceState?.steadyvm?.gone !== true) await say(ports, vmi, { sourceState: { steadyvm: { gone: true } } })
}
