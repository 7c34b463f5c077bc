import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { trimIdleHeap, type HeapHost } from './idle-heap.ts'
import { silentLogger } from './log.ts'
import { createVirtualClock } from '../clock/virtual-clock.ts'

const MiB = 2 ** 20

/** Runs the trimmer over looks at the heap in MiB and the CPU in ms since the look before. */
async function collections(looks: readonly { readonly heap: number; readonly busyMs: number }[]): Promise<number[]> {
  const clock = createVirtualClock()
  const stop = new AbortController()
  let [heap, cpu, look] = [0, 0, 0]
  const collected: number[] = []
  const host: HeapHost = {
    memoryUsage: () => ({ heapTotal: heap * MiB }),
    cpuUsage: () => ({ user: cpu * 1000, system: 0 }),
    collectGarbage() {
      collected.push(look)
      heap = 20
    },
  }
  const trimming = trimIdleHeap({ clock, log: silentLogger, host }, stop.signal)
  for (const { heap: size, busyMs } of looks) {
    look += 1
    heap = size
    cpu += busyMs
    await clock.advance(10_000)
  }
  stop.abort()
  await trimming
  return collected
}

suite('trimIdleHeap()', () => {
  for (const { reason, looks, want } of [
    {
      reason: 'waits until the process is idle',
      looks: [
        { heap: 400, busyMs: 9_000 },
        { heap: 400, busyMs: 10 },
      ],
      want: [2],
    },
    { reason: 'leaves a small heap alone', looks: [{ heap: 20, busyMs: 10 }], want: [] },
    {
      reason: 'trims twice, and again only after the heap has grown',
      looks: [
        { heap: 400, busyMs: 10 },
        { heap: 22, busyMs: 10 },
        { heap: 43, busyMs: 10 },
        { heap: 45, busyMs: 10 },
      ],
      want: [1, 2, 4],
    },
  ])
    test(reason, async () => assert.deepEqual(await collections(looks), want))

  test('returns garbage of this process to the kernel', async () => {
    const clock = createVirtualClock()
    const stop = new AbortController()
    const garbage = { objects: Array.from({ length: 500_000 }, (_, index) => ({ index })) }
    assert.equal(garbage.objects.splice(0).length, 500_000)
    const before = process.memoryUsage().heapTotal
    const trimming = trimIdleHeap({ clock, log: silentLogger }, stop.signal)
    await clock.advance(10_000)
    stop.abort()
    await trimming
    assert.ok(process.memoryUsage().heapTotal < before - 10 * MiB, `${before} before, ${process.memoryUsage().heapTotal} after`)
  })
})
