import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { serveAgent, type AgentCommand } from '#qemu/agent/agent-server.fixture.ts'
import { LauncherNotReady, type Guest } from '../guest/guest.ts'
import type { Host } from '../node/host.ts'
import { createCredentialKeeper, type CredentialState } from './credentials.ts'

/** A guest with an agent, and the commands that the agent got. */
async function guestWithAgent(t: TestContext): Promise<{
  readonly guest: Guest
  readonly secret: string
  readonly keys: () => unknown[]
  readonly place: { isReady: boolean }
}> {
  const directory = mkdtempSync(join(tmpdir(), 'credentials-'))
  const secrets = join(directory, 'secrets')
  mkdirSync(secrets)
  const commands: AgentCommand[] = []
  t.after(() => rmSync(directory, { recursive: true }))
  await serveAgent(t, join(directory, 'guest-agent'), (command) => {
    commands.push(command)
    return { return: {} }
  })
  const place = { isReady: true }
  const guest = {
    podUid: 'u1',
    paths: { runDirectory: directory },
    changed: () => {},
    async filePlace() {
      if (!place.isReady) throw new LauncherNotReady('the launcher of pod u1 does not run')
      return { root: '', view: { object: () => secrets } }
    },
  }
  const secret = join(secrets, 'key')
  writeFileSync(secret, 'ssh-ed25519 first\n')
  return { guest: guest as unknown as Guest, secret, place, keys: () => commands.map((command) => command.arguments?.['keys']) }
}

const vmi = {
  spec: {
    accessCredentials: [
      { sshPublicKey: { source: { secret: { secretName: 'keys' } }, propagationMethod: { qemuGuestAgent: { users: ['root'] } } } },
    ],
  },
} as unknown as VirtualMachineInstance

suite('createCredentialKeeper()', () => {
  test('replaces keys when the Secret changes, and only then; a failure does not stay', async (t) => {
    const { guest, secret, keys, place } = await guestWithAgent(t)
    const clock = createVirtualClock()
    using keeper = createCredentialKeeper({ clock, host: {} as Host })
    const until = async (condition: () => boolean, failure: string): Promise<void> => {
      for (let looks = 0; !condition(); looks++) {
        if (looks === 500) assert.fail(failure)
        await clock.advance(10_000)
        // The agent's socket takes real time.
        await sleep(2)
      }
    }
    const becomes = async (expected: CredentialState['kind']): Promise<void> => {
      await until(() => keeper.stateOf(guest, vmi)?.kind === expected, `the state does not become ${expected}`)
    }
    await becomes('synchronized')
    assert.deepEqual(keys(), [['ssh-ed25519 first']])
    place.isReady = false
    await becomes('failed')
    place.isReady = true
    await becomes('synchronized')
    assert.equal(keys().length, 1)
    writeFileSync(secret, 'ssh-ed25519 second\n')
    await until(() => keys().length === 2, 'the new key is not sent')
    assert.deepEqual(keys()[1], ['ssh-ed25519 second'])
  })

  test('has nothing to do without credentials for the agent', () => {
    using keeper = createCredentialKeeper({ clock: createVirtualClock(), host: {} as Host })
    assert.equal(keeper.stateOf({ podUid: 'u1' } as Guest, { spec: {} } as VirtualMachineInstance), undefined)
  })
})
