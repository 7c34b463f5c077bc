import { createHash } from 'node:crypto'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { credentialVolume } from '#features/vmi/index.ts'
import type { GuestAgent } from '#qemu/index.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Guest } from '../guest/guest.ts'
import type { Host } from '../node/host.ts'
import { readObjectFiles, sshKeysIn } from '../volumes/object-files.ts'
import { askAgent } from './ask-agent.ts'
import { createGuestPoller } from './guest-poller.ts'

/** Result of the last transfer of credentials into a guest. */
export type CredentialState = { readonly kind: 'synchronized' } | { readonly kind: 'failed'; readonly message: string }

/** Keeps the credentials of guests up to date, through their agents. */
export interface CredentialKeeper extends Disposable {
  /**
   * Returns the last result; undefined before the first one, and for a VMI without credentials for
   * the agent. Works in the background.
   */
  stateOf(guest: Guest, vmi: VirtualMachineInstance): CredentialState | undefined
  /** Stops for a guest without agent, or that is gone. A guest that comes back gets all anew. */
  forget(guest: Pick<Guest, 'podUid'>): void
}

/** Milliseconds between looks at the Secrets, which the kubelet renews within a minute or two. */
const intervalMs = 10_000

/** A command for the agent. */
interface AgentCommand {
  readonly execute: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** What is known of a guest that has credentials. */
interface Synchronization {
  readonly state: CredentialState
  /** Hash of what the guest has. */
  readonly applied?: string
}

/** Creates the keeper of a node. */
export function createCredentialKeeper({ clock, host }: { readonly clock: Clock; readonly host: Host }): CredentialKeeper {
  const poller = createGuestPoller<Synchronization>({ clock, intervalMs })
  return {
    ...poller,
    stateOf(guest, vmi) {
      if (!usesAgent(vmi)) return undefined
      return poller.latest(guest, (before) => synchronize(guest, vmi, host, before))?.state
    },
  }
}

/** Gives a guest its credentials, unless it has them. */
async function synchronize(
  guest: Guest,
  vmi: VirtualMachineInstance,
  host: Host,
  before: Synchronization | undefined,
): Promise<Synchronization> {
  try {
    const commands = await commandsFor(guest, vmi, host)
    const applied = createHash('sha256').update(JSON.stringify(commands)).digest('hex')
    if (before?.applied !== applied) await askAgent(guest, (agent) => apply(agent, commands))
    return { state: { kind: 'synchronized' }, applied }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { ...before, state: { kind: 'failed', message } }
  }
}

function usesAgent({ spec }: VirtualMachineInstance): boolean {
  return (spec.accessCredentials ?? []).some(
    ({ sshPublicKey, userPassword }) => (sshPublicKey ?? userPassword)?.propagationMethod.qemuGuestAgent !== undefined,
  )
}

async function apply(agent: GuestAgent, commands: readonly AgentCommand[]): Promise<void> {
  for (const command of commands) await agent.execute(command.execute, command.arguments)
}

/** Returns the commands that give a guest what its Secrets hold now. */
async function commandsFor(guest: Guest, { spec }: VirtualMachineInstance, host: Host): Promise<readonly AgentCommand[]> {
  const place = await guest.filePlace(host)
  const read = (secretName: string): Promise<ReadonlyMap<string, Buffer>> =>
    readObjectFiles(place, { podVolume: credentialVolume(secretName), kind: 'secret' })
  const keys = new Map<string, string[]>()
  const passwords: AgentCommand[] = []
  for (const { sshPublicKey, userPassword } of spec.accessCredentials ?? []) {
    const users = sshPublicKey?.propagationMethod.qemuGuestAgent?.users
    const keySecret = sshPublicKey?.source.secret?.secretName
    if (users !== undefined && keySecret !== undefined) {
      const found = sshKeysIn(await read(keySecret))
      for (const user of users) keys.set(user, [...(keys.get(user) ?? []), ...found])
    }
    const passwordSecret = userPassword?.source.secret?.secretName
    if (userPassword?.propagationMethod.qemuGuestAgent === undefined || passwordSecret === undefined) continue
    for (const [username, content] of await read(passwordSecret)) passwords.push(setPassword(username, content))
  }
  return [...[...keys].map(([username, own]) => setKeys(username, own)), ...passwords]
}

/** Replaces the keys of a user: one that is removed from the Secret ends to work. */
function setKeys(username: string, keys: readonly string[]): AgentCommand {
  return { execute: 'guest-ssh-add-authorized-keys', arguments: { username, keys, reset: true } }
}

function setPassword(username: string, content: Buffer): AgentCommand {
  const password = Buffer.from(content.toString().trim()).toString('base64')
  return { execute: 'guest-set-user-password', arguments: { username, password, crypted: false } }
}
