import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { Vcpu } from '#qemu/index.ts'
import { decidePlug, offeredBytes, type PlugDecision, type ObservedSize, type RequestedSize } from './requested-size.ts'

const mebibyte = 2 ** 20

function observedSize(plugged: number, places: number, change: Partial<ObservedSize> = {}): ObservedSize {
  const all = Array.from({ length: places }, (_, socket): Vcpu => ({ type: 'cpu', socket, core: 0, thread: 0, plugged: socket < plugged }))
  const device = { id: 'm', bytes: 0, requestedBytes: 0, maxBytes: 3072 * mebibyte, blockBytes: 2 * mebibyte }
  return {
    places: all,
    memory: { baseBytes: 1024 * mebibyte, devices: [device] },

    runState: 'running',
    isMoving: false,
    ...change,
  }
}

const tight = { memoryWait: { reason: 'WaitsForPod', message: 'its pod is resized' } } as const
const fixed = { memory: { baseBytes: 1024 * mebibyte, devices: [] } }
const wanted = (vcpus: number, mebibytes: number): RequestedSize => ({ vcpus, memoryBytes: mebibytes * mebibyte })

const rows: readonly (readonly [string, RequestedSize, ObservedSize, Omit<PlugDecision, 'refused'>, PlugDecision['refused']])[] = [
  ['has the requested size', wanted(1, 1024), observedSize(1, 4), {}, {}],
  ['gets vCPUs', wanted(3, 1024), observedSize(1, 4), { vcpus: 3 }, {}],
  ['gets the missing vCPUs', wanted(3, 1024), observedSize(2, 4), { vcpus: 3 }, {}],
  ['gets memory', wanted(1, 2048), observedSize(1, 4), { memoryBytes: 2048 * mebibyte }, {}],
  ['gets vCPUs before its pod allows memory', wanted(2, 2048), observedSize(1, 4, tight), { vcpus: 2, wait: tight.memoryWait }, {}],
  ['gets both', wanted(2, 2048), observedSize(1, 4), { vcpus: 2, memoryBytes: 2048 * mebibyte }, {}],
  [
    'keeps its vCPUs',
    wanted(1, 1024),
    observedSize(2, 4),
    {},
    { sockets: 'the guest has 2 CPUs, and none can be taken out while it runs' },
  ],
  [
    'is limited to its slots',
    wanted(5, 1024),
    observedSize(1, 4),
    {},
    { sockets: 'the guest was started with room for 4 CPUs, and 5 are wanted' },
  ],
  ['has no memory slots', wanted(1, 2048), observedSize(1, 4, fixed), {}, { memory: 'the guest was started without room for more memory' }],
  [
    'gets one, and is refused the other',
    wanted(2, 2048),
    observedSize(1, 4, fixed),
    { vcpus: 2 },
    { memory: 'the guest was started without room for more memory' },
  ],
  [
    'does not accept more',
    wanted(2, 1024),
    observedSize(1, 4, { socketsObstacle: 'it has no ACPI to be told by' }),
    {},
    { sockets: 'it has no ACPI to be told by' },
  ],
  ['is migrating', wanted(2, 1024), observedSize(1, 4, { isMoving: true }), {}, { sockets: 'it is being moved to another node' }],
  ['has stopped', wanted(1, 2048), observedSize(1, 4, { runState: 'io-error' }), {}, { memory: 'it is in state "io-error"' }],
  ['is paused, and is plugged, too', wanted(2, 1024), observedSize(1, 4, { runState: 'paused' }), { vcpus: 2 }, {}],
]

suite('decidePlug() for a running guest', () => {
  for (const [reason, size, observed, plug, refused] of rows) {
    test(reason, () => assert.deepEqual(decidePlug(size, observed), { ...plug, refused }))
  }

  test('never removes vCPUs or exceeds the headroom, and plugs or refuses every request', () => {
    const count = fc.integer({ min: 1, max: 8 })
    const blocks = fc.integer({ min: 0, max: 4096 })
    fc.assert(
      fc.property(count, count, count, blocks, fc.boolean(), (plugged, places, vcpus, mebibytes, isMoving) => {
        const observed = observedSize(Math.min(plugged, places), places, { isMoving })
        const size = wanted(vcpus, mebibytes)
        const decision = decidePlug(size, observed)
        if (decision.vcpus !== undefined) assert.ok(decision.vcpus > Math.min(plugged, places) && decision.vcpus <= places && !isMoving)
        const hasVcpus = vcpus === Math.min(plugged, places)
        assert.equal(Number(hasVcpus) + Number(decision.vcpus !== undefined) + Number(decision.refused.sockets !== undefined), 1)
        const hasMemory = size.memoryBytes === offeredBytes(observed.memory)
        assert.equal(Number(hasMemory) + Number(decision.memoryBytes !== undefined) + Number(decision.refused.memory !== undefined), 1)
      }),
    )
  })
})
