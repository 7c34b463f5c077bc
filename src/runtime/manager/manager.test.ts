import assert from 'node:assert/strict'
import test from 'node:test'
import { aborted } from '../clock/abort.ts'
import type { LeaderElector } from '../leader-election/elector.ts'
import { LeadershipLost } from '../leader-election/leadership-lost.ts'
import { silentLogger } from '../process/log.ts'
import { createVirtualClock } from '../clock/virtual-clock.ts'
import type { VirtualClock } from '../clock/virtual-clock.ts'
import { createManager } from './manager.ts'
import type { Runnable } from './runnable.ts'

function recorded(log: string[], name: string, clock: VirtualClock, stopMs = 10): Runnable {
  return {
    async run(signal) {
      log.push(`+${name}`)
      await aborted(signal)
      await clock.sleep(stopMs)
      log.push(`-${name}`)
    },
  }
}

test('createManager() stops controllers first, then servers, then caches', async () => {
  const clock = createVirtualClock()
  const log: string[] = []
  const manager = createManager({ log: silentLogger, clock })
  manager.add(recorded(log, 'controller', clock))
  manager.add(recorded(log, 'server', clock), 'servers')
  manager.add(recorded(log, 'cache', clock), 'caches')
  const stop = new AbortController()
  const running = manager.run(stop.signal)
  await clock.settle()
  assert.deepEqual(new Set(log), new Set(['+cache', '+server', '+controller']))
  stop.abort()
  await clock.advance(100)
  await running
  assert.deepEqual(log.slice(3), ['-controller', '-server', '-cache'])
})

test('createManager() stops everything when one part fails, and throws its error', async () => {
  const clock = createVirtualClock()
  const log: string[] = []
  const manager = createManager({ log: silentLogger, clock })
  const cause = new Error('broken')
  manager.add(recorded(log, 'cache', clock), 'caches')
  manager.add({
    run: async () => {
      await clock.sleep(50)
      throw cause
    },
  })
  const running = manager.run(new AbortController().signal)
  const rejected = assert.rejects(running, (error) => error === cause)
  await clock.advance(1_000)
  await rejected
  assert.deepEqual(log, ['+cache', '-cache'])
})

test('createManager() has a time limit for a runnable that does not stop', async () => {
  const clock = createVirtualClock()
  const log: string[] = []
  const manager = createManager({ log: silentLogger, clock, stopWithinMs: 500 })
  manager.add({ run: () => new Promise(() => {}) })
  manager.add(recorded(log, 'cache', clock), 'caches')
  const stop = new AbortController()
  const running = manager.run(stop.signal)
  stop.abort()
  await clock.advance(600)
  await running
  assert.deepEqual(log, ['+cache', '-cache'])
})

test('createManager() runs controllers only while it leads, and everything else always; losing the lease ends the process', async () => {
  const clock = createVirtualClock()
  const log: string[] = []
  const elected = Promise.withResolvers<void>()
  const lose = new AbortController()
  const elector: LeaderElector = {
    isLeader: false,
    isStandby: false,
    async run(signal, lead) {
      await elected.promise
      await lead(AbortSignal.any([signal, lose.signal]))
      if (lose.signal.aborted) throw lose.signal.reason
    },
  }
  const manager = createManager({ log: silentLogger, clock, elector })
  manager.add(recorded(log, 'controller', clock))
  manager.add(recorded(log, 'server', clock), 'servers')
  const running = manager.run(new AbortController().signal)
  const rejected = assert.rejects(running, (error) => error instanceof LeadershipLost)
  await clock.settle()
  assert.deepEqual(log, ['+server'])
  elected.resolve()
  await clock.settle()
  assert.deepEqual(log, ['+server', '+controller'])
  lose.abort(new LeadershipLost('gone'))
  await clock.advance(100)
  await rejected
  assert.deepEqual(log.slice(2), ['-controller', '-server'])
})
