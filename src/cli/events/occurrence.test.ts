import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { CoreEvent } from '#api/core/v1/event.ts'
import { changesBetween, lastChangesOf, occurrenceOf, type Conditioned } from './occurrence.ts'
import { historyOf, vmiFinder, type Stored } from './sources.ts'
import { isAbout, parseSubject } from './subject.ts'

const at = (second: number): string => `2026-05-01T10:00:${String(second).padStart(2, '0')}Z`
const eventOf = (changes: object, kind = 'VirtualMachine', name = 'web', apiVersion = 'kubevirt.io/v1'): CoreEvent =>
  ({
    metadata: { name: 'e', namespace: 'shop', creationTimestamp: at(0) },
    involvedObject: { kind, name, namespace: 'shop', apiVersion },
    reason: 'Started',
    message: 'It runs\nnow ',
    type: 'Normal',
    ...changes,
  }) as unknown as CoreEvent
const vmOf = (name: string, ...conditions: readonly object[]): Conditioned =>
  ({ metadata: { namespace: 'shop', name }, status: { conditions } }) as unknown as Conditioned

suite('occurrenceOf()', () => {
  for (const [title, changes, time, count] of [
    ['a legacy event has the time of its last occurrence', { firstTimestamp: at(1), lastTimestamp: at(5), count: 3 }, at(5), 3],
    ['a new one the time of its series', { eventTime: at(1), series: { count: 4, lastObservedTime: at(6) } }, at(6), 4],
    ['a single new one its own', { eventTime: at(2), lastTimestamp: null, firstTimestamp: null }, at(2), 1],
    ['one without times that of its creation', {}, at(0), 1],
  ] as const)
    test(title, () => {
      const found = occurrenceOf(eventOf(changes))
      assert.deepEqual([found.time, found.count, found.message], [time, count, 'It runs now'])
    })
})

suite('changes of conditions', () => {
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: at(3) }

  test('of stored objects are those that say when they were', () =>
    assert.deepEqual(
      lastChangesOf(
        'VirtualMachine',
        vmOf('web', { ...ready, reason: 'R', message: 'm' }, { type: 'Paused', status: 'False', lastTransitionTime: null }),
      ).map(({ time, type, reason, message }) => [time, type, reason, message]),
      [[at(3), 'Condition', 'Ready=True', 'R: m']],
    ))

  for (const [title, old, next, expected] of [
    ['a new one', vmOf('web'), vmOf('web', ready), [[at(3), 'Ready=True']]],
    ['another status', vmOf('web', { ...ready, status: 'False' }), vmOf('web', ready), [[at(3), 'Ready=True']]],
    ['another reason, which has no time', vmOf('web', ready), vmOf('web', { ...ready, reason: 'Why' }), [[at(9), 'Ready=True']]],
    ['another message only', vmOf('web', ready), vmOf('web', { ...ready, message: '2 of 3' }), []],
    ['one that is gone', vmOf('web', ready), vmOf('web'), []],
  ] as const)
    test(`of an update: ${title}`, () =>
      assert.deepEqual(
        changesBetween('VirtualMachine', old, next, at(9)).map(({ time, reason }) => [time, reason]),
        expected,
      ))
})

suite('what is shown', () => {
  const migration = { metadata: { namespace: 'shop', name: 'move' }, spec: { vmiName: 'web' } } as unknown as Conditioned
  const stored: Stored = {
    objects: new Map([
      ['VirtualMachine', [vmOf('web', { type: 'Ready', status: 'True', lastTransitionTime: at(2) })]],
      ['VirtualMachineInstanceMigration', [migration]],
    ]),
    events: [
      eventOf({ lastTimestamp: at(3) }),
      eventOf({ lastTimestamp: at(1) }, 'VirtualMachineInstance', 'web'),
      eventOf({ lastTimestamp: at(4) }, 'VirtualMachineInstanceMigration', 'move'),
      eventOf({ lastTimestamp: at(5) }, 'VirtualMachine', 'db'),
      eventOf({ lastTimestamp: at(6) }, 'Pod', 'web', 'v1'),
    ],
  }
  const shown = (subject: string): string[] => {
    const parsed = parseSubject(subject)
    return historyOf(stored)
      .filter((one) => isAbout(parsed, one, vmiFinder(stored)))
      .map(({ time, object }) => `${time.slice(17, 19)} ${object.kind}/${object.name}`)
  }

  test('is of known kinds, in the order of time', () =>
    assert.deepEqual(
      historyOf(stored).map(({ time }) => time),
      [at(1), at(2), at(3), at(4), at(5)],
    ))

  for (const subject of ['vm/web', 'web', 'vmi/web', 'virtualmachines.kubevirt.io/web'])
    test(`--for ${subject} is a VM with its guest and migrations`, () =>
      assert.deepEqual(shown(subject), [
        '01 VirtualMachineInstance/web',
        '02 VirtualMachine/web',
        '03 VirtualMachine/web',
        '04 VirtualMachineInstanceMigration/move',
      ]))

  test('--for vmim/NAME is the migration alone', () => assert.deepEqual(shown('vmim/move'), ['04 VirtualMachineInstanceMigration/move']))
  for (const wrong of ['pod/web', 'vm/', 'vm/a/b', ''])
    test(`--for "${wrong}" is refused`, () => assert.throws(() => parseSubject(wrong), { name: 'CommandError' }))
})
