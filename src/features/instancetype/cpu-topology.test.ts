import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import { layOutCpus } from './cpu-topology.ts'

type Row = readonly [vcpus: number, across: string, ratio: number | undefined, sockets: number, cores: number, threads: number]

const rows: readonly Row[] = [
  [1, 'SocketsCores', 2, 1, 1, 1],
  [2, 'SocketsCores', 2, 1, 2, 1],
  [4, 'SocketsCores', undefined, 2, 2, 1],
  [6, 'SocketsCores', 2, 3, 2, 1],
  [8, 'SocketsCores', 2, 4, 2, 1],
  [3, 'SocketsCores', 3, 1, 3, 1],
  [6, 'SocketsCores', 3, 2, 3, 1],
  [9, 'SocketsCores', 3, 3, 3, 1],
  [12, 'SocketsCores', 3, 4, 3, 1],
  [4, 'SocketsCores', 4, 1, 4, 1],
  [8, 'SocketsCores', 4, 2, 4, 1],
  [12, 'SocketsCores', 4, 3, 4, 1],
  [16, 'SocketsCores', 4, 4, 4, 1],
  [4, 'SocketsCoresThreads', 2, 1, 2, 2],
  [8, 'SocketsCoresThreads', 2, 2, 2, 2],
  [12, 'SocketsCoresThreads', 2, 3, 2, 2],
  [16, 'SocketsCoresThreads', 2, 4, 2, 2],
  [6, 'SocketsCoresThreads', 3, 1, 3, 2],
  [12, 'SocketsCoresThreads', 3, 2, 3, 2],
  [18, 'SocketsCoresThreads', 3, 3, 3, 2],
  [24, 'SocketsCoresThreads', 3, 4, 3, 2],
  [8, 'SocketsCoresThreads', 4, 1, 4, 2],
  [16, 'SocketsCoresThreads', 4, 2, 4, 2],
  [24, 'SocketsCoresThreads', 4, 3, 4, 2],
  [36, 'SocketsCoresThreads', 4, 4, 4, 2],
  [2, 'CoresThreads', 2, 1, 1, 2],
  [4, 'CoresThreads', 2, 1, 2, 2],
  [6, 'CoresThreads', 2, 1, 3, 2],
  [8, 'CoresThreads', 2, 1, 4, 2],
]

suite('layOutCpus()', () => {
  for (const [vcpus, across, ratio, sockets, cores, threads] of rows) {
    for (const name of ['spread', 'preferSpread']) {
      test(`spreads ${vcpus} over ${across} with ratio ${ratio} as ${name}`, () => {
        const spreadOptions = { across, ...(ratio === undefined ? {} : { ratio }) }
        assert.deepEqual(layOutCpus(vcpus, { cpu: { preferredCPUTopology: name, spreadOptions } }), { sockets, cores, threads })
      })
    }
  }

  for (const [name, axis] of [
    ['sockets', 'sockets'],
    ['preferSockets', 'sockets'],
    ['any', 'sockets'],
    ['preferAny', 'sockets'],
    ['cores', 'cores'],
    ['preferCores', 'cores'],
    ['threads', 'threads'],
    ['preferThreads', 'threads'],
  ] as const) {
    test(`puts all CPUs on ${axis} for ${name}`, () => {
      const expected = { sockets: 1, cores: 1, threads: 1, [axis]: 6 }
      assert.deepEqual(layOutCpus(6, { cpu: { preferredCPUTopology: name } }), expected)
    })
  }

  test('uses sockets by default', () => {
    assert.deepEqual(layOutCpus(3, undefined), { sockets: 3, cores: 1, threads: 1 })
  })

  test('uses the deprecated ratio only when the current one is missing', () => {
    const older: VirtualMachinePreferenceSpec = { preferSpreadSocketToCoreRatio: 4, cpu: { preferredCPUTopology: 'spread' } }
    assert.equal(layOutCpus(8, older).cores, 4)
    assert.equal(layOutCpus(8, { ...older, cpu: { ...older.cpu, spreadOptions: { ratio: 2 } } }).cores, 2)
  })

  test('returns at least one CPU for every ratio, and never more than requested when the ratio divides the number', () => {
    const across = fc.constantFrom('SocketsCores', 'SocketsCoresThreads', 'CoresThreads')
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 512 }), fc.integer({ min: 0, max: 9 }), across, (vcpus, ratio, over) => {
        const layout = layOutCpus(vcpus, { cpu: { preferredCPUTopology: 'spread', spreadOptions: { across: over, ratio } } })
        for (const count of Object.values(layout)) assert.ok(Number.isInteger(count) && count >= 1)
        const unit = (ratio || 2) * (over === 'SocketsCoresThreads' ? 2 : 1)
        if (vcpus > 1 && vcpus % unit === 0) assert.equal(layout.sockets * layout.cores * layout.threads, vcpus)
      }),
    )
  })
})
