import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { notFound, StatusError } from '#apimachinery/errors.ts'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import type { Client } from '#client/client.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { subresourcesGroup } from '#features/subresources/index.ts'
import type { AggregatedResource } from '#runtime/aggregated/aggregated-group.ts'
import { seed } from '../support/effort.ts'
import { startOracle } from './oracle.ts'

/** A request, and what is there when it comes. Both are named `ns/web`. */
interface Case {
  readonly subresource: string
  readonly body: string
  readonly vm: VirtualMachine | null
  readonly vmi: VirtualMachineInstance | null
  readonly gates: readonly string[]
}

interface Answer {
  readonly code: number
  readonly message?: string
  /** VM and VMI after the request. */
  readonly vm: object | null
  readonly vmi: object | null
}

const condition = (type: string): fc.Arbitrary<object | undefined> =>
  fc.option(fc.constant({ type, status: 'True' }), { nil: undefined, freq: 2 })

const conditions = fc
  .tuple(condition('Paused'), condition('AgentConnected'), condition('Ready'))
  .map((all) => all.filter((one) => one !== undefined))

const claim = (name: string, hotpluggable?: boolean): object => ({
  name,
  persistentVolumeClaim: { claimName: `${name}-claim`, ...(hotpluggable === undefined ? {} : { hotpluggable }) },
})

/** Volumes that can be removed, and that cannot. Each has a disk. */
const volumes = [claim('hot', true), claim('fixed'), { name: 'filled', dataVolume: { name: 'filled-claim', hotpluggable: true } }]
const disks = ['hot', 'fixed', 'filled'].map((name) => ({ name, disk: { bus: 'scsi' } }))

const plugged = { name: 'new', disk: { disk: { bus: 'scsi' } }, volumeSource: { persistentVolumeClaim: { claimName: 'new-claim' } } }
const additions: readonly object[] = [
  plugged,
  { ...plugged, name: 'hot' },
  { ...plugged, name: 'hot', volumeSource: { dataVolume: { name: 'other' } } },
  { ...plugged, volumeSource: { persistentVolumeClaim: { claimName: 'fixed-claim' } } },
  { ...plugged, volumeSource: { dataVolume: { name: 'filled-claim' } } },
  { ...plugged, volumeSource: { dataVolume: { name: 'new-claim' } }, disk: { disk: { bus: 'virtio' }, name: 'other', serial: 's' } },
  { ...plugged, dryRun: ['All'] },
  { ...plugged, name: '' },
  { name: 'new' },
  { name: 'new', disk: plugged.disk },
]
const removals: readonly object[] = ['hot', 'fixed', 'filled', 'none', ''].map((name) => ({ name }))

const guest = fc.record(
  {
    volumes: fc.constant(volumes),
    domain: fc.record(
      {
        devices: fc.record(
          {
            disks: fc.constant(disks),
            autoattachSerialConsole: fc.boolean(),
            autoattachGraphicsDevice: fc.boolean(),
            autoattachVSOCK: fc.constant(false),
            clientPassthrough: fc.constant({}),
          },
          { requiredKeys: ['disks'] },
        ),
        features: fc.record({ acpi: fc.record({ enabled: fc.boolean() }) }),
        launchSecurity: fc.record({ sev: fc.record({ attestation: fc.constant({}), session: fc.constant('s') }, { requiredKeys: [] }) }),
      },
      { requiredKeys: ['devices'] },
    ),
    livenessProbe: fc.constantFrom({ guestAgentPing: {} }, { httpGet: { port: 80 } }),
    terminationGracePeriodSeconds: fc.constantFrom(0, 30, 180),
  },
  { requiredKeys: ['domain', 'volumes'] },
)

const vmi = fc
  .record({
    spec: guest,
    status: fc.record(
      {
        phase: fc.constantFrom('Running', 'Running', 'Running', 'Pending', 'Scheduling', 'Scheduled', 'Succeeded', 'Failed', 'Unknown'),
        nodeName: fc.constant('node'),
        conditions,
        evacuationNodeName: fc.constantFrom('node', 'other'),
        changedBlockTracking: fc.record({ state: fc.constantFrom('Enabled', 'Disabled') }),
        interfaces: fc.constantFrom([], [{ name: 'default' }], [{ name: 'default', ipAddress: '127.0.0.1' }]),
      },
      { requiredKeys: ['nodeName', 'phase'] },
    ),
  })
  .map(({ spec, status }) => ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: {
      name: 'web',
      namespace: 'ns',
      uid: 'vmi-uid',
      ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid: 'vm-uid' }],
    },
    spec,
    status,
  }))

const vm = fc
  .record({
    runStrategy: fc.constantFrom('Always', 'Halted', 'Manual', 'RerunOnFailure', 'Once'),
    isBoolean: fc.boolean(),
    status: fc.record(
      {
        created: fc.boolean(),
        snapshotInProgress: fc.constant('snapshot'),
        startFailure: fc.constant({ consecutiveFailCount: 1 }),
        stateChangeRequests: fc.constantFrom([], [], [], [{ action: 'Start' }], [{ action: 'Stop', uid: 'vmi-uid' }]),
        conditions: fc.constantFrom(
          [],
          [],
          [],
          [{ type: 'ManualRecoveryRequired', status: 'True' }],
          [{ type: 'VolumesChange', status: 'True' }],
        ),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ runStrategy, isBoolean, status }) => ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace: 'ns', uid: 'vm-uid' },
    spec: {
      ...(isBoolean && (runStrategy === 'Always' || runStrategy === 'Halted') ? { running: runStrategy === 'Always' } : { runStrategy }),
      template: { spec: { volumes, domain: { devices: { disks } } } },
    },
    status,
  }))

/** Bodies of each subresource beside the empty one. */
const bodies: Readonly<Record<string, readonly object[]>> = {
  'virtualmachines/start': [{ paused: true }, { paused: false }, { dryRun: ['All'] }],
  'virtualmachines/stop': [{ gracePeriod: 0 }, { gracePeriod: 60 }, { dryRun: ['All'] }],
  'virtualmachines/restart': [{ gracePeriodSeconds: 0 }, { gracePeriodSeconds: 5 }, { gracePeriodSeconds: -1 }, { dryRun: ['All'] }],
  'virtualmachines/migrate': [{ dryRun: ['All'] }, { addedNodeSelector: { zone: 'a' } }],
  'virtualmachineinstances/pause': [{ dryRun: ['All'] }],
  'virtualmachineinstances/unpause': [{ dryRun: ['All'] }],
  'virtualmachineinstances/freeze': [{ unfreezeTimeout: '1m' }],
  'virtualmachineinstances/evacuate/cancel': [{ evacuationNodeName: 'node' }, { dryRun: ['All'] }],
  'virtualmachines/evacuate/cancel': [{ evacuationNodeName: 'node' }, { dryRun: ['All'] }],
  'virtualmachineinstances/sev/setupsession': [{ session: 's', dhCert: 'c' }, { session: 's' }, { dhCert: 'c' }],
  'virtualmachineinstances/sev/injectlaunchsecret': [{ header: 'h', secret: 's' }, { header: 'h' }],
  'virtualmachines/addvolume': additions,
  'virtualmachines/removevolume': [...removals, { name: 'hot', dryRun: ['All'] }],
  'virtualmachineinstances/addvolume': additions,
  'virtualmachineinstances/removevolume': removals,
  'virtualmachines/objectgraph': [{ includeOptionalNodes: false }, { labelSelector: { matchLabels: { a: 'b' } } }],
  'virtualmachineinstances/objectgraph': [],
  'virtualmachines/portforward': [],
  'virtualmachineinstances/portforward': [],
  'virtualmachineinstances/unfreeze': [],
  'virtualmachineinstances/reset': [],
  'virtualmachineinstances/softreboot': [],
  'virtualmachineinstances/console': [],
  'virtualmachineinstances/vnc': [],
  'virtualmachineinstances/vnc/screenshot': [],
  'virtualmachineinstances/usbredir': [],
  'virtualmachineinstances/vsock': [],
  'virtualmachineinstances/guestosinfo': [],
  'virtualmachineinstances/userlist': [],
  'virtualmachineinstances/filesystemlist': [],
  'virtualmachineinstances/backup': [],
  'virtualmachineinstances/redefine-checkpoint': [],
  'virtualmachineinstances/sev/fetchcertchain': [],
  'virtualmachineinstances/sev/querylaunchmeasurement': [],
  'start-cluster-profiler': [],
  'stop-cluster-profiler': [],
  'dump-cluster-profiler': [],
}

const requests: fc.Arbitrary<Case> = fc.constantFrom(...Object.keys(bodies)).chain((subresource) =>
  fc.record({
    subresource: fc.constant(subresource),
    body: fc.constantFrom('', ...(bodies[subresource] ?? []).map((body) => JSON.stringify(body))),
    vm: fc.option(vm, { freq: 8 }),
    vmi: fc.option(vmi, { freq: 8 }),
    gates: fc.subarray(['ObjectGraph']),
  }),
) as unknown as fc.Arbitrary<Case>

/** Answers as virt-api of steadyvm, whose virt-handler accepts everything. */
async function answerOf({ subresource: path, body, vm: machine, vmi: instance, gates }: Case): Promise<Answer> {
  const objects: Record<string, object | null> = { virtualmachines: machine, virtualmachineinstances: instance }
  const after = () => ({ vm: objects['virtualmachines'] ?? null, vmi: objects['virtualmachineinstances'] ?? null })
  const accepted = { type: 'application/json', bytes: Buffer.from('{}') }
  const client: Pick<Client, 'get' | 'list' | 'patch' | 'create'> = {
    get: async (resource, { name }) => {
      const object = objects[resource.plural]
      if (object === null || object === undefined) throw notFound(resource, name)
      return object as never
    },
    list: async () => ({ metadata: {}, items: [] }),
    create: async (_, object) => object as never,
    patch: async (resource, _, patch, { dryRun = false } = {}) => {
      assert.ok(patch.type === 'merge')
      const next = applyMergePatch(objects[resource.plural], patch.body) as object
      if (!dryRun) objects[resource.plural] = next
      return next as never
    },
  }
  const { resources } = subresourcesGroup({
    client,
    config: () => ({ ...defaultClusterConfig, featureGates: [...gates, 'WorkloadEncryptionSEV', 'DeclarativeHotplugVolumes'] }),
    version: '',
    agents: {
      connect: async () => ({ headers: {}, socket: { once: () => {} }, head: Buffer.alloc(0) }) as never,
      ask: async () => accepted,
    },
  })
  const found = resources.find((one) => nameOf(one) === path)
  const request = {
    caller: { username: '', groups: [], extra: {} },
    namespace: 'ns',
    name: 'web',
    query: new URLSearchParams(),
    signal: new AbortController().signal,
  }
  try {
    if (found?.stream !== undefined) {
      await found.stream({ ...request, tail: '1', upgradeHeaders: {} })
      return { code: 101, ...after() }
    }
    const [handler] = Object.values(found?.handlers ?? {})
    assert.ok(handler !== undefined, path)
    return { code: (await handler({ ...request, body })).code, ...after() }
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return { code: error.code, message: error.message, ...after() }
  }
}

function nameOf({ resource, subresource }: AggregatedResource): string {
  return subresource === undefined ? resource : `${resource}/${subresource}`
}

interface UpstreamAnswer {
  readonly code: number
  readonly message?: string
  readonly writes: readonly { readonly what: string; readonly object: object; readonly dryRun: boolean }[]
}

/** Upstream's virt-handler is no WebSocket here: its answer shows that a stream was accepted. */
function answerOfUpstream({ code, message = '', writes }: UpstreamAnswer, { vm: machine, vmi: instance }: Case): Answer {
  const written = (kind: string, before: object | null): object | null =>
    writes.find(({ what, dryRun }) => !dryRun && new RegExp(`^patch ${kind}(/status)?$`).test(what))?.object ?? before
  const after = { vm: written('virtualmachines', machine), vmi: written('virtualmachineinstances', instance) }
  if (/websocket|Can't connect|dialing VM|hijacker/i.test(message)) return { code: 101, ...after }
  return message === '' ? { code, ...after } : { code, message, ...after }
}

/**
 * What the VM controller acts on, and the grace period of the guest. Two effects differ on purpose:
 * a stop that is refused upstream has changed the grace period, and a paused start upstream leaves
 * the run strategy to the VM controller.
 */
function effectOf({ code, vm: machine, vmi: instance }: Answer): object {
  const { spec, status } = (machine ?? {}) as Partial<VirtualMachine>
  const { spec: guestSpec, status: guestStatus } = (instance ?? {}) as Partial<VirtualMachineInstance>
  return {
    strategy: status?.stateChangeRequests?.some(({ data }) => data?.['paused'] === 'true') ? 'any' : (spec?.runStrategy ?? spec?.running),
    requests: status?.stateChangeRequests ?? [],
    isBackingOff: (status?.startFailure ?? null) !== null,
    grace: code === 409 ? 'any' : guestSpec?.terminationGracePeriodSeconds,
    evacuationNode: guestStatus?.evacuationNodeName,
    volumes: [spec?.template?.spec, guestSpec].map((each) => [each?.volumes, each?.domain?.devices?.disks]),
  }
}

/** Answers that differ on purpose: of upstream and of steadyvm, as `code message`. */
const deliberate: readonly (readonly [subresources: RegExp, upstream: RegExp, own: RegExp, why: string])[] = [
  [
    /\/(guestosinfo|userlist|filesystemlist|vnc\/screenshot|sev\/\w+)$/,
    /^500 (?!Internal)/,
    /^(404|409|400) /,
    'upstream answers 500 to whatever it refuses, with the same text',
  ],
  [/^virtualmachines\/(start|restart)$/, /^500 .*stop\/start already underway/, /^409 .*stop\/start already underway/, 'it is a conflict'],
  [/portforward$/, /^101/, /^400 .*has no address/, 'upstream connects to its own machine'],
  [/(backup|redefine-checkpoint|sev\/\w+)$/, /^(200|202|400 Unable to connect)/, /^501 /, 'no guest has the feature'],
  [/\/reset$/, /^200/, /^400 Failed to reset non-running VMI with phase Scheduled/, 'the guest has not been started yet'],
  [/\/freeze$/, /^200/, /^400 Unfreeze timeout/, 'virt-handler refuses it upstream'],
  [/evacuate\/cancel$/, /^500 .*patch virtualmachineinstances/, /^200/, 'the name of the node may be left out'],
  [/evacuate\/cancel$/, /^500 .*patch virtualmachineinstances/, /^409 .*not being evacuated from node/, 'it is a conflict'],
]

function isDeliberate(subresource: string, upstream: Answer, own: Answer): boolean {
  const [theirs, ours] = [upstream, own].map(({ code, message = '' }) => `${code} ${message}`)
  return deliberate.some(([of, first, second]) => of.test(subresource) && first.test(theirs ?? '') && second.test(ours ?? ''))
}

test('subresources answer with the codes and texts of KubeVirt', { timeout: 1_800_000 }, async (context) => {
  const started = await startOracle('subresources')
  if ('missing' in started) return context.skip(started.missing)
  await using oracle = started.oracle
  const seen = new Map<string, string>()
  const accepted = new Set<string>()
  await fc.assert(
    fc.asyncProperty(requests, async (asked) => {
      const upstream = answerOfUpstream((await oracle.ask(asked)) as UpstreamAnswer, asked)
      const own = await answerOf(asked)
      if (own.code < 400) accepted.add(asked.subresource)
      if (isDeliberate(asked.subresource, upstream, own)) return
      const [theirs, ours] = [upstream, own].map((answer) => ({ code: answer.code, message: answer.message, effect: effectOf(answer) }))
      if (!isDeepStrictEqual(theirs, ours))
        seen.set(JSON.stringify({ subresource: asked.subresource, theirs, ours }), JSON.stringify(asked))
    }),
    { seed, numRuns: 20_000 },
  )
  assert.deepEqual([...seen], [])
  const refused = Object.keys(bodies).filter((subresource) => !accepted.has(subresource))
  assert.deepEqual(refused.toSorted(), [
    'dump-cluster-profiler',
    'start-cluster-profiler',
    'stop-cluster-profiler',
    'virtualmachineinstances/backup',
    'virtualmachineinstances/redefine-checkpoint',
    'virtualmachineinstances/sev/fetchcertchain',
    'virtualmachineinstances/sev/injectlaunchsecret',
    'virtualmachineinstances/sev/querylaunchmeasurement',
    'virtualmachineinstances/sev/setupsession',
    'virtualmachineinstances/vsock',
  ])
})
