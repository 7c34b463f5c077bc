import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine, VirtualMachinePrintableStatus } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachinePool, VirtualMachinePoolSpec } from '#api/pool/v1beta1/virtual-machine-pool.ts'
import { decide } from './decide.ts'
import { poolFinalizer, revisionLabel } from './names.ts'

const now = Date.UTC(2026, 0, 1, 1)
const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z' }

/** Template of generation `image`; `disks` are in the DataVolume templates. */
function specOf(image: string, more: Partial<VirtualMachinePoolSpec> = {}, disks = 'disk'): VirtualMachinePoolSpec {
  const labels = { app: 'web' }
  return {
    selector: { matchLabels: labels },
    virtualMachineTemplate: {
      metadata: { labels },
      spec: {
        dataVolumeTemplates: [{ metadata: { name: disks }, spec: {} }],
        template: { metadata: { labels: { image } }, spec: { domain: { devices: {} } } },
      },
    },
    ...more,
  }
}

function poolOf(spec: VirtualMachinePoolSpec, metadata: object = {}): VirtualMachinePool {
  return { metadata: { name: 'web', namespace: 'shop', uid: 'u', generation: 9, ...metadata }, spec }
}

interface MemberOptions {
  readonly revision?: string
  readonly guestRevision?: string
  readonly isReady?: boolean
  readonly hasGuest?: boolean
  readonly metadata?: object
  readonly status?: VirtualMachine['status']
}

interface Member {
  readonly vm: VirtualMachine
  readonly vmi: VirtualMachineInstance | undefined
}

function member(ordinal: number, options: MemberOptions = {}): Member {
  const { revision = 'web-9', guestRevision = revision, isReady = true, hasGuest = true, metadata, status } = options
  const name = `web-${ordinal}`
  const template = { metadata: { labels: {} }, spec: { domain: { devices: {} } } }
  const vm: VirtualMachine = {
    metadata: { name, uid: name, labels: { [revisionLabel]: revision }, finalizers: [poolFinalizer], ...metadata },
    spec: { template },
    ...(status === undefined ? {} : { status }),
  }
  const conditions = [{ type: 'Ready', status: isReady ? ('True' as const) : ('False' as const) }]
  const vmi: VirtualMachineInstance = {
    metadata: { name, labels: { [revisionLabel]: guestRevision } },
    spec: template.spec,
    status: { phase: 'Running', conditions },
  }
  return { vm, vmi: hasGuest ? vmi : undefined }
}

interface Case {
  readonly pool: VirtualMachinePool
  readonly members: readonly Member[]
  readonly taken?: readonly string[]
  readonly isSettled?: boolean
  /** Revision web-9 has the spec of the pool. */
  readonly revisions?: Readonly<Record<string, VirtualMachinePoolSpec>>
}

/** The decision in words: `create 0 1; remove web-2`. */
function decided({ pool, members, taken = [], isSettled = true, revisions = {} }: Case): string {
  const vms = members.map(({ vm }) => vm)
  const decision = decide({
    pool,
    vms,
    vmiOf: (vm) => members.find((one) => one.vm === vm)?.vmi,
    revisions: new Map(Object.entries({ 'web-9': pool.spec, ...revisions })),
    isTaken: (name) => taken.includes(name) || vms.some(({ metadata }) => metadata.name === name),
    isSettled,
    now,
  })
  const words = Object.entries(decision).map(([what, value]) => {
    if (!Array.isArray(value)) return `${what} ${String(value)}`
    const names = value.map((item: number | string | VirtualMachine | { vm: VirtualMachine }) => {
      if (typeof item !== 'object') return String(item)
      return 'vm' in item ? (item.vm.metadata.name ?? '') : (item.metadata.name ?? '')
    })
    return names.length === 0 ? '' : `${what} ${names.join(' ')}`
  })
  return words.filter((word) => word !== '').join('; ')
}

const current = specOf('new')
const old = specOf('old')
const with2 = (more: Partial<VirtualMachinePoolSpec>, image = 'new'): VirtualMachinePool => poolOf(specOf(image, { replicas: 2, ...more }))
const two = [member(0), member(1)]
const status = (printableStatus: VirtualMachinePrintableStatus, minutes: number): VirtualMachine['status'] => ({
  printableStatus,
  conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: new Date(now - minutes * 60_000).toISOString() }],
})

const numbers: readonly (readonly [string, Case, string])[] = [
  ['creates one VM when nothing is said', { pool: poolOf(current), members: [] }, 'create 0'],
  ['takes the first free names', { pool: poolOf(specOf('new', { replicas: 4 })), members: [member(1)], taken: ['web-2'] }, 'create 0 3 4'],
  ['is content', { pool: with2({}), members: two }, ''],
  ['waits until the cache shows its writes', { pool: with2({ replicas: 5 }), members: two, isSettled: false }, ''],
  ['does nothing while paused', { pool: with2({ replicas: 5, paused: true }), members: two }, ''],
  ['deletes any VM', { pool: with2({ replicas: 1 }), members: two }, 'remove web-0'],
  [
    'deletes in the order of the policy',
    { pool: with2({ replicas: 1, scaleInStrategy: { proactive: { selectionPolicy: { sortPolicy: 'DescendingOrder' } } } }), members: two },
    'remove web-1',
  ],
  ['leaves the deletion to users', { pool: with2({ replicas: 1, scaleInStrategy: { opportunistic: {} } }), members: two }, ''],
  ['leaves the deletion to users, if unmanaged', { pool: with2({ replicas: 1, scaleInStrategy: { unmanaged: {} } }), members: two }, ''],
  [
    'says when the selectors match too few',
    {
      pool: with2({
        replicas: 0,
        scaleInStrategy: { proactive: { selectionPolicy: { selectors: { labelSelector: { matchLabels: { app: 'x' } } } } } },
      }),
      members: two,
    },
    'obstacle 2 VMs are to be deleted, and spec.scaleInStrategy.proactive.selectionPolicy.selectors matches 0',
  ],
  [
    'counts VMs being deleted, and gives them up',
    { pool: with2({}), members: [member(0), member(1, { metadata: deleted })] },
    'release web-1',
  ],
  [
    'deletes no more than needed while one is being deleted',
    { pool: with2({ replicas: 2 }), members: [...two, member(2, { metadata: deleted })] },
    'release web-2',
  ],
  [
    'gives up a deleted VM while it is paused',
    { pool: with2({ paused: true }), members: [member(0, { metadata: deleted })] },
    'release web-0',
  ],
  ['gives up all VMs at its end', { pool: poolOf(current, deleted), members: two }, 'release web-0 web-1'],
]

const updates: readonly (readonly [string, Case, string])[] = [
  [
    'updates VMs of another template',
    { pool: with2({}), members: [member(0), member(1, { revision: 'web-8' })], revisions: { 'web-8': old } },
    'update web-1',
  ],
  ['updates VMs of an unknown revision', { pool: with2({}), members: [member(0), member(1, { revision: 'gone' })] }, 'update web-1'],
  [
    'leaves a VM alone when only the number changed',
    { pool: with2({}), members: [member(0), member(1, { revision: 'web-8' })], revisions: { 'web-8': current } },
    '',
  ],
  [
    'updates nothing if unmanaged, and prunes',
    {
      pool: with2({ updateStrategy: { unmanaged: {} } }),
      members: [member(0), member(1, { revision: 'web-8' })],
      revisions: { 'web-8': old, 'web-7': old },
    },
    'prune web-7',
  ],
  [
    'updates only VMs that are selected',
    {
      pool: with2({
        updateStrategy: { proactive: { selectionPolicy: { selectors: { labelSelector: { matchLabels: { app: 'x' } } } } } },
      }),
      members: [member(0, { revision: 'web-8' }), member(1, { revision: 'web-8' })],
      revisions: { 'web-8': old },
    },
    '',
  ],
  [
    'restarts guests',
    {
      pool: with2({}),
      members: [member(0, { guestRevision: 'web-8' }), member(1, { guestRevision: 'web-8' })],
      revisions: { 'web-8': old },
    },
    'restart web-0 web-1',
  ],
  [
    'restarts no guest if opportunistic',
    {
      pool: with2({ updateStrategy: { opportunistic: {} } }),
      members: [member(0, { guestRevision: 'web-8' }), member(1)],
      revisions: { 'web-8': old },
    },
    '',
  ],
  [
    'restarts as many as may be unavailable',
    {
      pool: with2({ maxUnavailable: 1, updateStrategy: { proactive: { selectionPolicy: { sortPolicy: 'DescendingOrder' } } } }),
      members: [member(0, { guestRevision: 'web-8' }), member(1, { guestRevision: 'web-8' })],
      revisions: { 'web-8': old },
    },
    'restart web-1',
  ],
  [
    'waits while one is unavailable',
    {
      pool: with2({ maxUnavailable: '50%' }),
      members: [member(0, { guestRevision: 'web-8' }), member(1, { hasGuest: false })],
      revisions: { 'web-8': old },
    },
    '',
  ],
  [
    'restarts guests that are not ready whatever the limit',
    {
      pool: with2({ maxUnavailable: 1 }),
      members: [member(0, { guestRevision: 'web-8' }), member(1, { guestRevision: 'web-8', isReady: false })],
      revisions: { 'web-8': old },
    },
    'restart web-1',
  ],
  [
    'relabels guests of the same template',
    { pool: with2({}), members: [member(0), member(1, { guestRevision: 'web-8' })], revisions: { 'web-8': specOf('new') } },
    'relabel web-1',
  ],
  [
    'deletes VMs whose disks changed',
    { pool: with2({}), members: [member(0), member(1, { guestRevision: 'web-8' })], revisions: { 'web-8': specOf('new', {}, 'other') } },
    'remove web-1',
  ],
  [
    'prunes revisions that nothing was made from',
    {
      pool: with2({}),
      members: [member(0), member(1, { revision: 'web-8' })],
      revisions: { 'web-8': current, 'web-7': old, 'web-6': old },
    },
    'prune web-7 web-6',
  ],
]

const autohealing = { startUpFailureThreshold: 2 }
const failures: readonly (readonly [string, Case, string])[] = [
  ['ignores failures', { pool: with2({}), members: [member(0), member(1, { status: status('CrashLoopBackOff', 60) })] }, ''],
  [
    'replaces a VM that failed often',
    { pool: with2({ autohealing }), members: [member(0), member(1, { status: { startFailure: { consecutiveFailCount: 2 } } })] },
    'remove web-1',
  ],
  [
    'replaces a VM that failed for long',
    { pool: with2({ autohealing }), members: [member(0), member(1, { status: status('ErrorPvcNotFound', 6) })] },
    'remove web-1',
  ],
  [
    'waits for a VM that has failed for a short time',
    { pool: with2({ autohealing }), members: [member(0), member(1, { status: status('ErrorUnschedulable', 4) })] },
    'requeueAfterMs 60000',
  ],
  [
    'waits as long as it is told',
    {
      pool: with2({ autohealing: { minFailingToStartDuration: '10m' } }),
      members: [member(0), member(1, { status: status('ImagePullBackOff', 6) })],
    },
    'requeueAfterMs 240000',
  ],
  [
    'leaves stopped VMs alone',
    { pool: with2({ autohealing }), members: [member(0), member(1, { hasGuest: false, status: status('Stopped', 60) })] },
    '',
  ],
]

for (const [title, table] of [
  ['number of VMs', numbers],
  ['update', updates],
  ['failures', failures],
] as const)
  suite(`decide(): ${title}`, () => {
    for (const [what, given, expected] of table)
      test(what, () => {
        assert.equal(decided(given), expected)
      })
  })
