import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { HardwareRecord } from '#api/steadyvm/v1alpha1/hardware-record.ts'
import { refusalOf, renderHardware, type ExpectedStart } from './hardware.ts'

const paint = (_style: string, text: string): string => text
const changes = Array.from({ length: 8 }, (_, index) => ({ name: `device d${index}: serial`, before: 'a', after: 'b' }))
const record: HardwareRecord = {
  metadata: { name: 'web' },
  version: 1,
  fingerprint: 'b'.repeat(64),
  launch: 'l',
  facts: { 'machine: type': 'pc-q35-10.0' },
  history: [
    { fingerprint: 'b'.repeat(64), since: '2026-02-01T00:00:00Z', reason: 'Release', qemu: '10.0.2', changes },
    { fingerprint: 'a'.repeat(64), since: '2026-01-01T00:00:00Z', reason: 'FirstStart', qemu: '7.2.22' },
  ],
}

const same: ExpectedStart = { kind: 'known', changes: [], policy: 'Warn' }

suite('renderHardware()', () => {
  test('lists the fields of each change, newest first, and all of them with -o wide', () => {
    const short = renderHardware(record, same, { isWide: false, paint }).split('\n')
    assert.match(short[1] ?? '', /^b{12} .*another QEMU +10\.0\.2$/)
    assert.deepEqual(short.slice(7, 9), ['    device d5: serial: a → b', '    and 2 more'])
    assert.match(short[9] ?? '', /^a{12} /)
    assert.doesNotMatch(short.join('\n'), /pc-q35-10\.0/)
    const wide = renderHardware(record, same, { isWide: true, paint })
    assert.match(wide, /device d7: serial: a → b/)
    assert.match(wide, /machine: type +pc-q35-10\.0/)
  })

  const more = { kind: 'known', changes } as const
  const rows: readonly (readonly [string, ExpectedStart, RegExp])[] = [
    ['nothing', same, /next start shows it the same/],
    ['changes that are refused', { ...more, policy: 'Refuse' }, /not started before that is accepted.*\n {4}device d0: serial: a → b\n/],
    ['changes with a warning', { ...more, policy: 'Warn' }, /which is told then.*\n {4}device d0/],
    ['changes without a warning', { ...more, policy: 'Allow' }, /policy Allow.*\n {4}device d0/],
    ['a VM that does not run', { kind: 'halted', policy: 'Warn' }, /does not run/],
    ['an unknown next start', { kind: 'unknown', policy: 'Warn' }, /cannot be told now/],
  ]
  for (const [name, ahead, expected] of rows) {
    test(`describes the next start: ${name}`, () => {
      assert.match(renderHardware(record, ahead, { isWide: false, paint }), expected)
    })
  }
})

suite('refusalOf()', () => {
  const vm = (reason: string): Parameters<typeof refusalOf>[0] => ({
    metadata: {},
    spec: { template: { spec: { domain: { devices: {} } } } },
    status: { conditions: [{ type: 'steadyvm.io/HardwareChanged', status: 'True', reason, message: 'm' }] },
  })
  test('returns the message of a VM whose start was refused, and of no other', () => {
    assert.deepEqual([refusalOf(vm('Refused')), refusalOf(vm('Release'))], ['m', undefined])
  })
})
