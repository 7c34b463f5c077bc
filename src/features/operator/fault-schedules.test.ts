import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createSeededRandom, type SeededRandom } from '#runtime/seeded-random.fixture.ts'
import { componentNames } from './manifests/install-strategy.ts'
import { killed, SimulatedCluster } from './simulated-cluster.fixture.ts'
import { repeats, seed as firstSeed } from '#test/effort.ts'

const storms = repeats({ default: 8, long: 60 })

const good = ['v1.0.0', 'v2.0.0', 'v3.0.0'] as const
/** Its node agents fail on every node. */
const bad = 'v5.0.0'
/** Its node agents work, and its virt-controller or virt-api fails. */
const badDeployment = 'v4.0.0'
const faults = ['crashes', 'hangs', 'is silent', 'loses guests'] as const

/** One cluster whose administrators, nodes and operator do whatever comes to a seed's mind. */
async function storm(seed: number): Promise<void> {
  const random = createSeededRandom(seed)
  const world = new SimulatedCluster(2 + random.below(5))
  world.broken.set(bad, random.pick(faults))
  const component = random.pick([componentNames.controller, componentNames.api])
  world.brokenDeployments.set(`${component} ${badDeployment}`, random.pick(['crashes', 'hangs', 'has no pods'] as const))
  const operator = mortal(world)
  const live = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      await operator.work()
      check(world)
      await world.step(1_000)
      check(world)
    }
  }
  await live(20)
  assert.equal(world.kubevirt.status?.observedKubeVirtVersion, 'v1.0.0')
  for (let event = 0; event < 25; event++) {
    happen(world, operator, random)
    await live(random.below(12))
  }
  // At the end there are no more faults, and a working version is requested.
  for (const node of world.nodes) node.isReady = true
  world.findings.clear()
  operator.spare()
  const wanted = random.pick(good)
  world.ask(wanted)
  await live(240)
  const versions = [
    ...world.agentVersions(),
    world.versionAt(`deployments/${componentNames.controller}`),
    world.versionAt(`deployments/${componentNames.api}`),
  ]
  assert.deepEqual(new Set(versions), new Set([wanted]), JSON.stringify(world.kubevirt.status))
  assert.equal(world.kubevirt.status?.steadyvm?.upgrade, undefined, JSON.stringify(world.kubevirt.status))
  for (const kind of ['clusterroles', 'roles'] as const) assert.deepEqual(world.rightsBy(kind), [wanted], kind)
  const major = Number(wanted[1])
  const registered = world.asked().filter((name) => name !== 'new-kinds.steadyvm.io')
  assert.deepEqual(registered, ['all', `of-v${major - 1}`, `of-v${major}`])
}

function happen(world: SimulatedCluster, operator: ReturnType<typeof mortal>, random: SeededRandom): void {
  const node = world.nodes[random.below(world.nodes.length)]
  switch (random.below(7)) {
    case 0:
    case 1:
      return world.ask(random.pick(good))
    case 2:
      return world.ask(random.pick([bad, badDeployment]))
    case 3:
      // One that is lost in the moment in which its agent starts cannot be told from one that was
      // lost before.
      if (node !== undefined && !world.isStarting(node.name)) node.isReady = !node.isReady
      return
    case 4:
      return operator.killAt(1 + random.below(6), random.pick(['before', 'after'] as const))
    case 5: {
      const blocks = { id: 'Something', message: 'is in the way', blocks: true }
      world.findings.set(random.pick(good), random.below(2) === 0 ? [] : [blocks])
      return
    }
    case 6: {
      const path = `deployments/${random.pick([componentNames.controller, componentNames.api])}`
      const object = world.objects.get(path)
      const { generation = 0 } = object?.metadata ?? {}
      if (object !== undefined)
        world.objects.set(path, {
          ...object,
          spec: { ...(object.spec as object), replicas: 3 },
          metadata: { ...object.metadata, generation: generation + 1 },
        })
    }
  }
}

/**
 * Invariants: a version that cannot work runs on one node at most, and every component has the RBAC
 * and the CRDs of its version.
 */
function check(world: SimulatedCluster): void {
  const agents = world.agentVersions()
  assert.ok(agents.filter((version) => version === bad).length <= 1, `${agents.join()} run`)
  const { controller, api } = componentNames
  const others = [controller, api].map((name) => world.versionAt(`deployments/${name}`))
  assert.ok(!others.includes(bad), `${others.join()} run`)
  world.checkAdmission()
  if (world.kubevirt.status?.observedKubeVirtVersion === undefined) return
  for (const version of [...agents, ...others]) {
    assert.ok(world.rights().includes(version), `${version} has no rights`)
    assert.ok(
      world.kinds().some((kind) => kind.startsWith(version)),
      `${version} has no kind`,
    )
  }
}

/** An operator that is started again when it was killed. */
function mortal(world: SimulatedCluster): {
  work(): Promise<void>
  killAt(write: number, moment: 'before' | 'after'): void
  spare(): void
} {
  let operate = world.operator()
  const spare = (): void => {
    world.onWrite = () => {}
  }
  return {
    async work() {
      try {
        await operate()
      } catch {
        operate = world.operator()
      }
    },
    killAt(write, moment) {
      let left = write
      world.onWrite = (now) => {
        if (now !== moment || --left > 0) return
        spare()
        killed()
      }
    },
    spare,
  }
}

suite('an upgrade with random changes, node failures and kills', () => {
  test(`it converges, and every component has its RBAC and CRDs (${storms} schedules from seed ${firstSeed})`, async () => {
    for (let seed = firstSeed; seed < firstSeed + storms; seed++) {
      try {
        await storm(seed)
      } catch (cause) {
        throw new Error(`STEADYVM_SEED=${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, {
          cause,
        })
      }
    }
  })
})
