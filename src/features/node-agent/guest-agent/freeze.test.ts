import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { serveAgent } from '#qemu/agent/agent-server.fixture.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import type { Guest } from '../guest/guest.ts'
import { createFreezer, isFrozen, type Freezer } from './freeze.ts'

interface Bench {
  readonly guest: Guest
  readonly clock: ReturnType<typeof createVirtualClock>
  /** Commands that the agent got. */
  readonly commands: string[]
  readonly freezer: () => Freezer
}

/** A guest whose agent freezes, unless `refuses`. */
async function bench(t: TestContext, refuses: boolean = false): Promise<Bench> {
  const directory = await mkdtemp(join(tmpdir(), 'freeze-'))
  const commands: string[] = []
  let state = 'thawed'
  t.after(() => rm(directory, { recursive: true, force: true }))
  await serveAgent(t, join(directory, 'guest-agent'), ({ execute }) => {
    commands.push(execute)
    if (execute === 'guest-fsfreeze-freeze' && refuses) return { error: { desc: 'no' } }
    if (execute === 'guest-fsfreeze-status') return { return: state }
    state = execute.endsWith('freeze') ? 'frozen' : 'thawed'
    return { return: 1 }
  })
  const clock = createVirtualClock()
  const guest = {
    podUid: 'p',
    paths: { recordDirectory: directory, runDirectory: directory },
    inspect: () => Promise.resolve({ kind: 'running' }),
    changed: () => {},
  } as unknown as Guest
  const log = { warn: () => {} } as never
  return {
    guest,
    clock,
    commands,
    freezer: () =>
      createFreezer({
        guests: {
          all: function* () {
            yield { namespace: 'n', name: 'g', guest }
          },
        },
        clock,
        log,
      }),
  }
}

const until = async (condition: () => boolean): Promise<void> => {
  for (let tries = 0; tries < 12_000 && !condition(); tries++) await new Promise((resolve) => setTimeout(resolve, 5))
  assert.ok(condition())
}

suite('createFreezer()', () => {
  test('freezes once, and thaws on request', async (t) => {
    const { guest, commands, freezer } = await bench(t)
    using own = freezer()
    await own.freeze(guest, 60_000)
    await own.freeze(guest, 60_000)
    assert.equal(commands.filter((command) => command === 'guest-fsfreeze-freeze').length, 1)
    assert.equal(await isFrozen(guest), true)
    await own.thaw(guest)
    assert.equal(commands.at(-1), 'guest-fsfreeze-thaw')
    assert.equal(await isFrozen(guest), false)
  })

  test('thaws after the limit', async (t) => {
    const { guest, clock, commands, freezer } = await bench(t)
    using own = freezer()
    await own.freeze(guest, 60_000)
    await clock.advance(59_999)
    assert.ok(!commands.includes('guest-fsfreeze-thaw'))
    await clock.advance(1)
    await until(() => commands.includes('guest-fsfreeze-thaw'))
    await until(() => !existsSync(join(guest.paths.recordDirectory, 'frozen')))
  })

  test('the next process thaws after the limit of a killed one', async (t) => {
    const { guest, clock, commands, freezer } = await bench(t)
    const killed = freezer()
    await killed.freeze(guest, 60_000)
    killed[Symbol.dispose]()
    using next = freezer()
    await next.resume()
    await clock.advance(60_000)
    await until(() => commands.includes('guest-fsfreeze-thaw'))
  })

  test('a guest that refuses is not reported as frozen', async (t) => {
    const { guest, freezer } = await bench(t, true)
    using own = freezer()
    await assert.rejects(own.freeze(guest, 60_000), /refused "guest-fsfreeze-freeze": no/)
    assert.equal(await isFrozen(guest), false)
  })
})
