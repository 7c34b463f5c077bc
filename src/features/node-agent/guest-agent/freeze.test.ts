import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
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
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', (data: Buffer) => {
      for (const line of data.toString('latin1').replaceAll('\u00ff', '').split('\n').filter(Boolean)) {
        const { execute, arguments: { id } = {} } = JSON.parse(line) as { execute: string; arguments?: { id?: number } }
        if (execute === 'guest-sync-delimited') socket.write(Buffer.concat([Buffer.of(0xff), Buffer.from(`{"return":${id}}\n`)]))
        else {
          commands.push(execute)
          if (execute === 'guest-fsfreeze-freeze' && refuses) socket.write('{"error":{"desc":"no"}}\n')
          else {
            if (execute !== 'guest-fsfreeze-status') state = execute.endsWith('freeze') ? 'frozen' : 'thawed'
            socket.write(`${JSON.stringify({ return: execute === 'guest-fsfreeze-status' ? state : 1 })}\n`)
          }
        }
      }
    })
  }).listen(join(directory, 'guest-agent'))
  await once(server, 'listening')
  const clock = createVirtualClock()
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await rm(directory, { recursive: true, force: true })
  })
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
  for (let tries = 0; tries < 500 && !condition(); tries++) await new Promise((resolve) => setTimeout(resolve, 5))
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
