import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { InstancetypeMatcher, InstancetypeStatusRef, PinnedHardwareStatus, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { refreshAnnotation } from '../index.ts'
import { vmOf } from '../instancetype.fixture.ts'
import { pinOf, type Pin } from './pin.ts'

interface Row {
  readonly reason: string
  readonly matcher?: InstancetypeMatcher
  readonly ref?: InstancetypeStatusRef | null
  readonly memory?: PinnedHardwareStatus
  readonly asked?: string
  readonly handled?: string
  readonly replaced?: Record<string, string>
  readonly pin: Pin | undefined
}

const recorded = { controllerRevisionRef: { name: 'old' } }
const kept: Pin = { name: 'old', by: 'status' }
const small = { name: 'small', ...recorded }
const own = { name: 'small', kind: 'VirtualMachineInstancetype' }

const rows: readonly Row[] = [
  { reason: 'the VM has no matcher', ref: small, pin: undefined },
  { reason: 'no revision is captured yet', matcher: { name: 'small' }, pin: undefined },
  { reason: 'the status holds null', matcher: { name: 'small' }, ref: null, pin: undefined },
  { reason: 'an empty reference is none', matcher: { name: 'small' }, ref: {}, pin: undefined },
  { reason: 'it is pinned', matcher: { name: 'small' }, ref: small, pin: kept },
  { reason: 'the name was changed', matcher: { name: 'large' }, ref: small, pin: undefined },
  { reason: 'only the kind was changed', matcher: own, ref: small, pin: undefined },
  { reason: 'only the kind was cleared', matcher: { name: 'small' }, ref: { ...own, ...recorded }, pin: undefined },
  {
    reason: 'an empty kind is the cluster’s',
    matcher: { name: 'small', kind: '' },
    ref: { ...small, kind: 'virtualmachineclusterinstancetypes' },
    pin: kept,
  },
  {
    reason: 'case is ignored',
    matcher: { name: 'small', kind: 'virtualmachineinstancetype' },
    ref: { ...own, ...recorded },
    pin: kept,
  },
  {
    reason: 'the plural is accepted',
    matcher: { name: 'small', kind: 'VirtualMachineInstancetypes' },
    ref: { ...own, ...recorded },
    pin: kept,
  },
  { reason: 'the status names a kind that does not exist', matcher: { name: 'small' }, ref: { ...small, kind: 'Pod' }, pin: undefined },
  { reason: 'the spec names a revision', matcher: { name: 'small', revisionName: 'mine' }, pin: { name: 'mine', by: 'spec' } },
  {
    reason: 'the spec wins over the status',
    matcher: { name: 'small', revisionName: 'mine' },
    ref: small,
    pin: { name: 'mine', by: 'spec' },
  },
  {
    reason: 'the revision that the spec names was replaced',
    matcher: { name: 'small', revisionName: 'mine' },
    ref: small,
    replaced: { mine: 'upgraded' },
    pin: { name: 'upgraded', by: 'spec' },
  },
  {
    reason: 'the pinned revision was replaced',
    matcher: { name: 'small' },
    ref: small,
    replaced: { old: 'upgraded' },
    pin: { name: 'upgraded', by: 'status' },
  },
  {
    reason: 'a name like a property of every JavaScript object is no kind',
    matcher: { name: 'small', revisionName: 'constructor' },
    replaced: {},
    pin: { name: 'constructor', by: 'spec' },
  },
  {
    reason: 'the spec no longer names its revision',
    matcher: { name: 'small' },
    ref: small,
    memory: { specRevisionName: 'old' },
    pin: undefined,
  },
  {
    reason: 'an empty name is removed, too',
    matcher: { name: 'small', revisionName: '' },
    ref: small,
    memory: { specRevisionName: 'old' },
    pin: undefined,
  },
  { reason: 'a refresh is requested', matcher: { name: 'small' }, ref: small, asked: '1', pin: undefined },
  { reason: 'another refresh is requested', matcher: { name: 'small' }, ref: small, asked: '2', handled: '1', pin: undefined },
  { reason: 'the refresh was completed', matcher: { name: 'small' }, ref: small, asked: '1', handled: '1', pin: kept },
  {
    reason: 'a refresh does not change a revision pinned by the spec',
    matcher: { name: 'small', revisionName: 'mine' },
    ref: small,
    asked: '1',
    pin: { name: 'mine', by: 'spec' },
  },
  { reason: 'the volume was changed', matcher: { inferFromVolume: 'b' }, ref: { inferFromVolume: 'a', ...recorded }, pin: undefined },
]

suite('pinOf()', () => {
  for (const { reason, matcher, ref, memory, asked, handled, replaced, pin } of rows) {
    test(`returns ${pin?.name ?? 'undefined'}: ${reason}`, () => {
      const bare = vmOf()
      const vm: VirtualMachine = {
        metadata: { ...bare.metadata, ...(asked === undefined ? {} : { annotations: { [refreshAnnotation]: asked } }) },
        spec: { ...bare.spec, ...(matcher === undefined ? {} : { instancetype: matcher }) },
        status: {
          ...(ref === undefined ? {} : { instancetypeRef: ref }),
          steadyvm: {
            ...(memory === undefined ? {} : { instancetype: memory }),
            ...(handled === undefined ? {} : { refresh: handled }),
            ...(replaced === undefined ? {} : { replaced }),
          },
        },
      }
      assert.deepEqual(pinOf(vm, 'instancetype'), pin)
    })
  }
})
