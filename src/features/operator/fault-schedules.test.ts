import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createSeededRandom, type SeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { componentNames } from './manifests/install-strategy.ts'
import { killed, SimulatedCluster } from './simulated-cluster.fixture.ts'
import { repeats, seed as firstSeed } from '#test/effort.ts'

const schedules = repeats({ default: 5, long: 60 })

const good = ['v1.0.0', 'v2.0.0', 'v3.0.0'] as const
/** A version whose node agents fail on every node. */
const bad = 'v5.0.0'
/** A version whose node agents work, and whose virt-controller or virt-api fails. */
const badDeployment = 'v4.0.0'
const faults = ['crashes', 'hangs', 'is silent', 'loses guests'] as const

/** Runs a cluster with random changes by administrators, node failures and operator kills. */
async function runSchedule(seed: number): Promise<void> {
  const random = createSeededRandom(seed)
  const cluster = new SimulatedCluster(2 + random.below(5))
  cluster.broken.set(bad, random.pick(faults))
  const component = random.pick([componentNames.controller, componentNames.api])
  cluster.brokenDeployments.set(`${component} ${badDeployment}`, random.pick(['crashes', 'hangs', 'has no pods'] as const))
  const operator = restartingOperator(cluster)
  const live = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      await operator.work()
      check(cluster)
      await cluster.step(1_000)
      check(cluster)
    }
  }
  await live(20)
  assert.equal(cluster.kubevirt.status?.observedKubeVirtVersion, 'v1.0.0')
  for (let event = 0; event < 25; event++) {
    applyEvent(cluster, operator, random)
    await live(random.below(12))
  }
  // At the end there are no more faults, and a working version is requested.
  for (const node of cluster.nodes) node.isReady = true
  cluster.findings.clear()
  operator.stopKilling()
  const wanted = random.pick(good)
  cluster.ask(wanted)
  await live(240)
  const versions = [
    ...cluster.agentVersions(),
    cluster.versionAt(`deployments/${componentNames.controller}`),
    cluster.versionAt(`deployments/${componentNames.api}`),
  ]
  assert.deepEqual(new Set(versions), new Set([wanted]), JSON.stringify(cluster.kubevirt.status))
  assert.equal(cluster.kubevirt.status?.steadyvm?.upgrade, undefined, JSON.stringify(cluster.kubevirt.status))
  for (const kind of ['clusterroles', 'roles'] as const) assert.deepEqual(cluster.rightsBy(kind), [wanted], kind)
  const major = Number(wanted[1])
  const registered = cluster.asked().filter((name) => name !== 'new-kinds.steadyvm.io')
  assert.deepEqual(registered, ['all', `of-v${major - 1}`, `of-v${major}`])
}

function applyEvent(cluster: SimulatedCluster, operator: ReturnType<typeof restartingOperator>, random: SeededRandom): void {
  const node = cluster.nodes[random.below(cluster.nodes.length)]
  switch (random.below(7)) {
    case 0:
    case 1:
      return cluster.ask(random.pick(good))
    case 2:
      return cluster.ask(random.pick([bad, badDeployment]))
    case 3:
      // A node that fails while its agent starts cannot be distinguished from one that failed
      // before.
      if (node !== undefined && !cluster.isStarting(node.name)) node.isReady = !node.isReady
      return
    case 4:
      return operator.killAt(1 + random.below(6), random.pick(['before', 'after'] as const))
    case 5: {
      const blocks = { id: 'Something', message: 'is in the way', blocks: true }
      cluster.findings.set(random.pick(good), random.below(2) === 0 ? [] : [blocks])
      return
    }
    case 6: {
      const path = `deployments/${random.pick([componentNames.controller, componentNames.api])}`
      const object = cluster.objects.get(path)
      const { generation = 0 } = object?.metadata ?? {}
      if (object !== undefined)
        cluster.objects.set(path, {
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
function check(cluster: SimulatedCluster): void {
  const agents = cluster.agentVersions()
  assert.ok(agents.filter((version) => version === bad).length <= 1, `${agents.join()} run`)
  const { controller, api } = componentNames
  const others = [controller, api].map((name) => cluster.versionAt(`deployments/${name}`))
  assert.ok(!others.includes(bad), `${others.join()} run`)
  cluster.checkAdmission()
  if (cluster.kubevirt.status?.observedKubeVirtVersion === undefined) return
  for (const version of [...agents, ...others]) {
    assert.ok(cluster.rights().includes(version), `${version} has no rights`)
    assert.ok(
      cluster.kinds().some((kind) => kind.startsWith(version)),
      `${version} has no kind`,
    )
  }
}

/** Returns an operator that is restarted after each kill. */
function restartingOperator(cluster: SimulatedCluster): {
  work(): Promise<void>
  killAt(write: number, moment: 'before' | 'after'): void
  stopKilling(): void
} {
  let operate = cluster.operator()
  const stopKilling = (): void => {
    cluster.onWrite = () => {}
  }
  return {
    async work() {
      try {
        await operate()
      } catch {
        operate = cluster.operator()
      }
    },
    killAt(write, moment) {
      let left = write
      cluster.onWrite = (now) => {
        if (now !== moment || --left > 0) return
        stopKilling()
        killed()
      }
    },
    stopKilling,
  }
}

suite('an upgrade with random changes, node failures and kills', () => {
  test(`it converges, and every component has its RBAC and CRDs (${schedules} schedules from seed ${firstSeed})`, async () => {
    for (let seed = firstSeed; seed < firstSeed + schedules; seed++) {
      try {
        await runSchedule(seed)
      } catch (cause) {
        throw new Error(`STEADYVM_SEED=${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, {
          cause,
        })
      }
    }
  })
})
