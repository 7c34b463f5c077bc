import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VolumeStatus } from '#api/kubevirt/v1/volume-status.ts'
import type { VirtualMachineInstance, VirtualMachineInstancePhase } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachineMemoryDumpRequest } from '#api/kubevirt/v1/virtual-machine.ts'
import { decideDump, type DumpDecision } from './decide.ts'

interface Guest {
  readonly phase?: VirtualMachineInstancePhase
  /** The VMI has the volume. */
  readonly has?: boolean
  /** Phase of the volume in the status. */
  readonly shows?: string
  readonly isMigrating?: boolean
  readonly isDeleted?: boolean
}

const root = { name: 'root', containerDisk: { image: 'x' } }
const dump = { name: 'c', memoryDump: { claimName: 'c', hotpluggable: true } }

function guest({ phase = 'Running', has, shows, isMigrating, isDeleted }: Guest): VirtualMachineInstance {
  const status: VolumeStatus[] =
    shows === undefined
      ? []
      : [
          {
            name: 'c',
            target: '',
            phase: shows,
            message: 'why',
            memoryDumpVolume: { claimName: 'c', targetFileName: 'f', startTimestamp: 's', endTimestamp: 'e' },
          },
        ]
  return {
    metadata: { name: 'web', ...(isDeleted === true ? { deletionTimestamp: 't' } : {}) },
    spec: { domain: { devices: {} }, volumes: [root, ...(has === true ? [dump] : [])] },
    status: {
      phase,
      volumeStatus: [{ name: 'root', target: '' }, ...status],
      ...(isMigrating === true ? { migrationState: { startTimestamp: 's', migrationUid: 'm' } } : {}),
    },
  }
}

type Summary = readonly [phase: string | undefined, volumes?: 'adds' | 'removes' | undefined, note?: string]

function summary({ request, volumes, note }: DumpDecision): Summary {
  const change = volumes === undefined ? undefined : volumes.some(({ name }) => name === 'c') ? 'adds' : 'removes'
  return [
    request?.phase,
    ...(change !== undefined || note !== undefined ? [change] : []),
    ...(note === undefined ? [] : [note.text]),
  ] as never
}

const [done, failed, active, attached] = ['MemoryDumpCompleted', 'MemoryDumpFailed', 'MemoryDumpInProgress', 'AttachedToNode'] as const

suite('decideDump()', () => {
  const rows: readonly (readonly [what: string, phase: string, guest: Guest | undefined, expected: Summary])[] = [
    ['begins with a guest that runs', 'Associating', {}, ['InProgress']],
    ['waits for a guest', 'Associating', undefined, ['Associating']],
    ['waits for a guest that starts', 'Associating', { phase: 'Scheduled' }, ['Associating']],
    ['waits for the end of a migration', 'Associating', { isMigrating: true }, ['Associating']],
    ['begins with no guest that ends', 'Associating', { isDeleted: true }, ['Associating']],
    ['begins after the last dump is detached', 'Associating', { has: true, shows: failed }, ['Associating', 'removes']],
    ['waits until it is', 'Associating', { shows: 'Detaching' }, ['Associating']],
    ['attaches the claim', 'InProgress', {}, ['InProgress', 'adds']],
    ['attaches nothing to a guest that moves', 'InProgress', { isMigrating: true }, ['InProgress']],
    ['waits for the node agent', 'InProgress', { has: true, shows: attached }, ['InProgress']],
    ['shows a dump that runs', 'InProgress', { has: true, shows: active }, ['InProgress']],
    ['shows a dump that is complete', 'InProgress', { has: true, shows: done }, ['Unmounting']],
    ['shows a dump that has failed', 'InProgress', { has: true, shows: failed }, ['Failed']],
    ['shows a dump of a guest that has ended since', 'InProgress', { has: true, shows: done, phase: 'Succeeded' }, ['Unmounting']],
    ['dumps the next guest when one has ended', 'InProgress', { has: true, shows: active, phase: 'Failed' }, ['InProgress']],
    ['waits for the next guest', 'InProgress', undefined, ['InProgress']],
    ['detaches the claim, and notes the file', 'Unmounting', { has: true, shows: done }, ['Unmounting', 'removes', 'f']],
    ['waits until it is detached', 'Unmounting', { shows: 'Detaching' }, ['Unmounting', undefined, 'f']],
    ['is complete when it is detached', 'Unmounting', {}, ['Completed', undefined, 'f']],
    ['is complete without a guest', 'Unmounting', undefined, ['Completed', undefined, 'f']],
    ['is complete when the guest has ended', 'Unmounting', { has: true, shows: done, phase: 'Failed' }, ['Completed', undefined, 'f']],
    ['detaches the claim of a dump that has failed', 'Failed', { has: true, shows: failed }, ['Failed', 'removes', 'Memory dump failed']],
    ['leaves a guest alone that is being deleted', 'Failed', { has: true, isDeleted: true }, ['Failed', undefined, 'Memory dump failed']],
    ['keeps what is complete', 'Completed', {}, ['Completed']],
    ['detaches what is to be removed', 'Dissociating', { has: true, shows: active }, ['Dissociating', 'removes']],
    ['waits until it is detached before it forgets', 'Dissociating', { shows: active }, ['Dissociating']],
    ['forgets what is detached', 'Dissociating', {}, [undefined]],
    ['forgets it without a guest', 'Dissociating', undefined, [undefined]],
  ]
  for (const [what, phase, of, expected] of rows)
    test(`${phase}: ${what}`, () => {
      const fileName = phase === 'Unmounting' ? { fileName: 'f' } : {}
      const request: VirtualMachineMemoryDumpRequest = { claimName: 'c', phase, ...fileName }
      assert.deepEqual(summary(decideDump(request, of && guest(of))), expected)
    })

  test('removes what no request asks for', () =>
    assert.deepEqual(decideDump(undefined, guest({ has: true })), { request: undefined, volumes: [root] }))

  test('tells times, file and message', () => {
    const request = { claimName: 'c', phase: 'InProgress' }
    const times = { startTimestamp: 's', endTimestamp: 'e' }
    assert.deepEqual(decideDump(request, guest({ has: true, shows: done })).request, {
      claimName: 'c',
      phase: 'Unmounting',
      ...times,
      fileName: 'f',
    })
    assert.deepEqual(decideDump(request, guest({ has: true, shows: failed })).request, {
      claimName: 'c',
      phase: 'Failed',
      ...times,
      message: 'why',
    })
  })
})
