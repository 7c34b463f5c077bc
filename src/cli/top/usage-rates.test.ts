import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstanceUsage } from '#features/guest-access/index.ts'
import { ratesBetween, sumOf } from './usage-rates.ts'

const reading = (second: number, changes: Partial<VirtualMachineInstanceUsage> = {}): VirtualMachineInstanceUsage => ({
  apiVersion: 'subresources.kubevirt.io/v1',
  kind: 'VirtualMachineInstanceUsage',
  timestamp: new Date(second * 1000).toISOString(),
  run: '1-1',
  cpuSeconds: second / 2,
  memory: { residentBytes: 10, domainBytes: 20, guestUsedBytes: 5 },
  disks: [{ name: 'root', reads: second, writes: 2 * second, readBytes: 100 * second, writtenBytes: 200 * second }],
  interfaces: [{ name: 'default', receivedBytes: 1000 * second, transmittedBytes: 2000 * second }],
  ...changes,
})

suite('ratesBetween()', () => {
  test('are differences by the clock of the node', () =>
    assert.deepEqual(ratesBetween(reading(10), reading(14)), {
      cores: 0.5,
      residentBytes: 10,
      domainBytes: 20,
      guestUsedBytes: 5,
      receivedBytes: 1000,
      transmittedBytes: 2000,
      readBytes: 100,
      writtenBytes: 200,
      reads: 1,
      writes: 2,
    }))

  test('of a device that was plugged in begin at zero, and one that was unplugged does not count', () => {
    const plugged = { name: 'hot', reads: 4, writes: 0, readBytes: 400, writtenBytes: 0 }
    assert.equal(ratesBetween(reading(10, { disks: [] }), reading(12, { disks: [plugged] }))?.readBytes, 200)
    assert.equal(ratesBetween(reading(10), reading(12, { disks: [] }))?.readBytes, 0)
  })

  for (const [title, before, after] of [
    ['another QEMU', reading(10), reading(12, { run: '2-9' })],
    ['the same instant', reading(10), reading(10)],
    ['a clock that was put back', reading(10), reading(9)],
  ] as const)
    test(`are none for ${title}`, () => assert.equal(ratesBetween(before, after), undefined))
})

test('sumOf() adds all up', () => {
  const rates = ratesBetween(reading(10), reading(14))
  assert.ok(rates)
  const sum = sumOf([rates, rates])
  assert.deepEqual([sum.cores, sum.residentBytes, sum.writes, sumOf([]).cores], [1, 20, 4, 0])
})
