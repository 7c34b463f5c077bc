import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { virtualMachineClones } from '#api/clone/v1beta1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineRestores, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { defaultClusterConfig, type ClusterConfig } from '#features/cluster-config/index.ts'
import { SimulatedApi } from '../revision-upgrade/simulated-api.fixture.ts'
import { runUntilIdle } from './run-until-idle.fixture.ts'
import { leakedObjects } from './leaked-objects.fixture.ts'
import { Processes } from './processes.fixture.ts'
import { createSeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { at, namespace, VmWorkload } from './vm-workload.fixture.ts'
import { InvariantChecker } from './invariant-checker.fixture.ts'
import { everyNth } from '#test/effort.ts'

const minute = 60_000
const own: ClusterConfig = defaultClusterConfig
const shared: ClusterConfig = { ...own, featureGates: ['SharedRevisions'] }
/** Upper bound of the number of writes. */
const mostWrites = 80

/** A cluster in which VM `a` has its hardware, and all controllers run. */
class Place {
  readonly api: SimulatedApi = new SimulatedApi()
  config: ClusterConfig
  writes = 0
  /** Called with each write, by its number. */
  onWrite: (write: number) => void = () => {}
  readonly #processes = new Processes(this.api, createSeededRandom(1))
  readonly #witness = new InvariantChecker(this.api)

  constructor(config: ClusterConfig) {
    this.config = config
    this.api.now = () => this.#processes.now
    this.api.absent = []
    new VmWorkload(this.api, createSeededRandom(1)).create('a', 'Halted')
    this.api.onWrite = (verb, object, old) => {
      try {
        this.#witness.check(verb, object, old)
      } catch (error) {
        this.#processes.fail(error)
      }
      this.writes += 1
      this.onWrite(this.writes)
    }
  }

  ask(resource: ResourceType<KubeObject>, name: string, spec: object): void {
    this.api.put(resource, { metadata: at(name), spec } as KubeObject)
  }

  async settle(): Promise<void> {
    for (let hour = 0; hour < 3; hour++) {
      await runUntilIdle(this.api, this.#processes, { now: () => this.#processes.now, config: () => this.config })
      this.#processes.now += 11 * minute
    }
  }
}

const machine = (name: string): object => ({ apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name })
const takeSnapshot = (place: Place): void => place.ask(virtualMachineSnapshots, 'snapshot-0', { source: machine('a') })
const restoreTo = (target: string) => (place: Place) =>
  place.ask(virtualMachineRestores, 'restore-0', { target: machine(target), virtualMachineSnapshotName: 'snapshot-0' })

/** Requests, and their expected results. */
const asked: Readonly<
  Record<string, { readonly isPrepared?: boolean; ask: (place: Place) => void; isDone: (api: SimulatedApi) => unknown }>
> = {
  'a snapshot': {
    ask: takeSnapshot,
    isDone: (api) => api.get(virtualMachineSnapshots, namespace, 'snapshot-0')?.status?.readyToUse,
  },
  'a restore': {
    isPrepared: true,
    ask: restoreTo('a'),
    isDone: (api) => api.get(virtualMachineRestores, namespace, 'restore-0')?.status?.complete,
  },
  'a restore to a new VM': {
    isPrepared: true,
    ask: restoreTo('b'),
    isDone: (api) => api.get(virtualMachines, namespace, 'b')?.status?.instancetypeRef,
  },
  'a clone': {
    ask: (place) => place.ask(virtualMachineClones, 'clone-0', { source: machine('a'), target: machine('b') }),
    isDone: (api) => api.get(virtualMachineClones, namespace, 'clone-0')?.status?.phase === 'Succeeded',
  },
}

async function play(what: string, [from, to]: readonly [ClusterConfig, ClusterConfig], write: number, later: number): Promise<boolean> {
  const { isPrepared = false, ask, isDone } = asked[what] ?? assert.fail(what)
  const place = new Place(from)
  await place.settle()
  if (isPrepared) takeSnapshot(place)
  await place.settle()
  const before = place.writes
  place.onWrite = (now) => {
    if (now - before === write) place.config = to
    if (now - before === write + later) place.config = from
  }
  ask(place)
  await place.settle()
  place.config = from
  await place.settle()
  const told = `switched at write ${write}, and back ${later} writes later`
  assert.ok(isDone(place.api), `${told}: ${what} is not done`)
  assert.deepEqual(leakedObjects(place.api, place.config, false), [], told)
  return place.writes - before > write
}

suite('the gate of shared revisions', () => {
  for (const what of Object.keys(asked)) {
    for (const [way, gates] of [
      ['on and off', [own, shared]],
      ['off and on', [shared, own]],
    ] as const) {
      test(`is switched ${way} during ${what}, at each write`, async () => {
        for (const later of [2, 7]) {
          for (const write of everyNth({ default: 11, long: 1 })) {
            if (await play(what, gates, write, later)) continue
            assert.ok(write < mostWrites && write > 5, `${write} writes`)
            break
          }
        }
      })
    }
  }
})
