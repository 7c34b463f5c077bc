import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { lockHome, LockTimedOut, type LockRequest } from './home-lock.ts'

suite('lockHome()', () => {
  let home = ''
  before(async () => void (home = await mkdtemp(join(tmpdir(), 'steadyvm-lock-'))))
  after(() => rm(home, { recursive: true }))
  const request = (timeoutMs: number): LockRequest => ({
    purpose: 'a test',
    timeoutMs,
    now: () => performance.now(),
    sleep: (ms) => setTimeout(ms),
  })

  test('allows one holder at a time', async () => {
    let holders = 0
    await Promise.all(
      Array.from({ length: 5 }, async () => {
        using _lock = await lockHome(home, request(10_000))
        assert.equal(++holders, 1)
        await setTimeout(5)
        holders--
      }),
    )
  })

  test('is the same lock through a symbolic link, and names its holder on a timeout', async () => {
    using _lock = await lockHome(home, request(1_000))
    const link = `${home}-link`
    await symlink(home, link)
    await assert.rejects(lockHome(link, request(30)), (error: Error) => {
      assert.ok(
        error instanceof LockTimedOut && error.message.includes('a test') && error.message.includes(String(process.pid)),
        error.message,
      )
      return true
    })
    await rm(link)
  })

  test('is released when its holder is killed', async () => {
    const module = join(import.meta.dirname, 'home-lock.ts')
    const script = `
      const { lockHome } = await import(${JSON.stringify(module)})
      await lockHome(${JSON.stringify(home)}, { purpose: 'x', timeoutMs: 1000, now: () => 0, sleep: async () => {} })
      process.stdout.write('held')
      setInterval(() => {}, 1000)`
    const holder = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(holder.stdout, 'data')
    await assert.rejects(lockHome(home, request(0)), LockTimedOut)
    holder.kill('SIGKILL')
    using _lock = await lockHome(home, request(10_000))
  })
})
