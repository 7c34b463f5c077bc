import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { RoleBinding } from '#api/rbac/v1/role.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { timestamp } from '#runtime/clock.ts'
import { componentNames } from './manifests/install-strategy.ts'
import { killed, SimulatedCluster } from './simulated-cluster.fixture.ts'
import { repeats } from '#test/effort.ts'

const controller = `deployments/${componentNames.controller}`
const api = `deployments/${componentNames.api}`

/**
 * Asserts that every running component has the RBAC and the CRDs of its version, and that the
 * storage version is unchanged.
 */
function assertGround(world: SimulatedCluster): void {
  world.checkAdmission()
  // At first, everything comes at once.
  if (world.kubevirt.status?.observedKubeVirtVersion === undefined) return
  for (const version of [...world.agentVersions(), world.versionAt(controller), world.versionAt(api)].filter((each) => each !== '')) {
    assert.ok(world.rights().includes(version), `${version} has no rights`)
    assert.ok(
      world.kinds().some((kind) => kind.startsWith(version)),
      `${version} has no kind: ${world.kinds().join()}`,
    )
  }
  assert.equal(world.kinds().filter((kind) => kind.endsWith('*')).length, 1)
}

/** Lets the operator work until nothing is under way; `check` sees every state in between. */
async function settle(world: SimulatedCluster, check: () => void = () => {}, limit: number = 400): Promise<void> {
  let operate = world.operator()
  for (let round = 0; round < limit; round++) {
    try {
      await operate()
    } catch {
      // Killed, or too late: another one takes over.
      operate = world.operator()
    }
    assertGround(world)
    check()
    await world.step(1_000)
    assertGround(world)
    check()
    const { status, spec, metadata } = world.kubevirt
    const { upgrade } = status?.steadyvm ?? {}
    const isOver = upgrade === undefined || (upgrade.stage === 'Workloads' && upgrade.skipped !== undefined)
    const isTold = status?.observedGeneration === metadata.generation && isOver
    const isThere =
      status?.observedKubeVirtVersion === (spec.imageTag ?? 'v1.0.0') || status?.steadyvm?.rejected?.generation === metadata.generation
    if (isTold && isThere && status?.targetDeploymentID === status?.observedDeploymentID) return
  }
  assert.fail(`nothing comes of it: ${JSON.stringify(world.kubevirt.status)} ${world.agentVersions().join()}`)
}

const isTrue = ({ status }: KubeVirt, type: string): boolean => findCondition(status?.conditions, type)?.status === 'True'

async function installed(nodes: number): Promise<SimulatedCluster> {
  const world = new SimulatedCluster(nodes)
  await settle(world)
  assert.deepEqual(
    world.agentVersions(),
    Array.from({ length: nodes }, () => 'v1.0.0'),
  )
  return world
}

suite('the operator', () => {
  test('upgrades the agents first and the API last, and is never Degraded meanwhile', async () => {
    const world = await installed(12)
    world.ask('v2.0.0')
    await settle(world, () => {
      assert.ok(!isTrue(world.kubevirt, 'Degraded') && isTrue(world.kubevirt, 'Available'))
      if (world.versionAt(controller) === 'v2.0.0') assert.ok(!world.agentVersions().includes('v1.0.0'))
      if (world.versionAt(api) === 'v2.0.0') assert.equal(world.versionAt(controller), 'v2.0.0')
    })
    assert.equal(world.versionAt(api), 'v2.0.0')
    const told = world.events.filter((event) => event.includes('v2.0.0'))
    assert.deepEqual(
      told.map((event) => event.split(': ').at(-1)),
      ['Preflight', 'Expand', 'NodeAgents', 'Controllers', 'API', 'Workloads', 'Contract', 'Upgrade to v2.0.0 completed'],
    )
  })

  test('keeps objects that only the older version needs for some time, and then removes them', async () => {
    const world = await installed(2)
    world.objects.set('deployments/old', {
      metadata: { name: 'old', namespace: 'kubevirt', labels: { 'app.kubernetes.io/managed-by': 'virt-operator' } },
    } as KubeObject)
    world.objects.set('deployments/of-a-user', { metadata: { name: 'of-a-user', namespace: 'kubevirt' } } as KubeObject)
    world.ask('v3.0.0')
    const seen = new Map<string, string>()
    await settle(world, () => {
      const { stage } = world.kubevirt.status?.steadyvm?.upgrade ?? {}
      if (stage !== undefined) seen.set(stage, `${world.rights().join('+')} ${world.kinds().join('+')}`)
      if (stage === 'Workloads')
        assert.ok(!isTrue(world.kubevirt, 'Progressing') && world.kubevirt.status?.observedKubeVirtVersion === 'v3.0.0')
    })
    assert.equal(seen.get('API'), 'v1.0.0+v3.0.0 v1.0.0*+v2.0.0+v3.0.0')
    assert.equal(seen.get('Workloads'), seen.get('API'))
    assert.deepEqual([world.rights(), world.kinds()], [['v3.0.0'], ['v2.0.0', 'v3.0.0*']])
    assert.deepEqual(world.rightsBy('roles'), ['v3.0.0'], 'in its own namespace, too')
    assert.ok(!world.objects.has('deployments/old') && world.objects.has('deployments/of-a-user'))
  })

  test('can roll back before and after that, and removes no kind', async () => {
    for (const patience of [5, 60]) {
      const world = await installed(2)
      world.ask('v2.0.0')
      const operate = world.operator()
      for (let round = 0; world.kubevirt.status?.steadyvm?.upgrade?.stage !== 'Workloads'; round++) {
        assert.ok(round < 200)
        await operate()
        await world.step(1_000)
      }
      for (let round = 0; round < patience; round++) {
        await operate()
        await world.step(1_000)
      }
      assert.deepEqual(world.rights(), patience === 5 ? ['v1.0.0', 'v2.0.0'] : ['v2.0.0'])
      world.ask('v1.0.0')
      await settle(world)
      assert.deepEqual(world.rights(), ['v1.0.0'])
      assert.ok(world.kinds().some((kind) => kind.startsWith('v2.0.0')))
    }
  })

  test('restores removed rights, and removes added ones', async () => {
    const world = await installed(1)
    for (const rules of [[], [{ verbs: ['*'] }]]) {
      const role = world.objects.get('clusterroles/component')
      world.objects.set('clusterroles/component', { ...role, rules } as KubeObject)
      await world.operator()()
      assert.deepEqual(world.rights(), ['v1.0.0'])
    }
  })

  test('restores a removed binding after its role', async () => {
    const world = await installed(1)
    const made = world.objects.get('rolebindings/component')
    assert.equal((made as Partial<RoleBinding> | undefined)?.roleRef?.name, 'component')
    world.objects.delete('rolebindings/component')
    world.objects.delete('roles/component')
    world.onWrite = (moment) =>
      assert.ok(moment === 'before' || !world.objects.has('rolebindings/component') || world.objects.has('roles/component'))
    await world.operator()()
    assert.deepEqual(
      (world.objects.get('rolebindings/component') as Partial<RoleBinding>).subjects,
      (made as Partial<RoleBinding>).subjects,
    )
    assert.deepEqual(world.rights(), ['v1.0.0'])
  })

  test('restores a deleted or edited CRD, and reads no CRD without a change', async () => {
    const world = await installed(1)
    const operate = world.operator()
    const path = 'customresourcedefinitions/things'
    await operate()
    const [made, looks] = [world.objects.get(path), world.looks]
    assert.ok(made !== undefined)
    await operate()
    assert.equal(world.looks, looks)
    world.objects.delete(path)
    await operate()
    assert.deepEqual(world.kinds(), ['v1.0.0*'])
    await world.clock.advance(2_000)
    await operate()
    world.objects.set(path, { ...made, spec: { versions: [] }, metadata: { ...made.metadata, generation: 7 } } as KubeObject)
    await operate()
    assert.deepEqual(world.kinds(), ['v1.0.0'], 'who stores what is left as it is')
  })

  test('backs off from a CRD that another client keeps changing', async () => {
    const world = await installed(1)
    const path = 'customresourcedefinitions/things'
    const operate = world.operator()
    await operate()
    let repairs = 0
    for (let second = 0; second < 600; second++) {
      world.objects.delete(path)
      await operate()
      if (world.objects.has(path)) repairs++
      await world.clock.advance(1_000)
    }
    assert.ok(repairs >= 5 && repairs <= 12, `${repairs} repairs`)
  })

  test('restores an edited Service, and writes nothing without an edit', async () => {
    const world = await installed(1)
    const path = `services/${componentNames.api}`
    const made = world.objects.get(path)
    assert.match(world.kubevirt.status?.generations?.find(({ resource }) => resource === 'services')?.hash ?? '', /^[0-9a-f]{40}$/)
    world.objects.set(path, { ...made, spec: { ...(made?.spec as object), ports: [] } } as KubeObject)
    await world.operator()()
    assert.deepEqual(world.objects.get(path)?.spec, made?.spec)
    world.onWrite = () => assert.fail('nothing is written')
    await world.operator()()
  })

  test('downgrades the API first and the agents last', async () => {
    const world = await installed(3)
    world.ask('v2.0.0')
    await settle(world)
    world.ask('v1.0.0')
    await settle(world, () => {
      if (world.agentVersions().includes('v1.0.0')) assert.equal(world.versionAt(controller), 'v1.0.0')
      if (world.versionAt(controller) === 'v1.0.0') assert.equal(world.versionAt(api), 'v1.0.0')
    })
  })

  for (const fault of ['crashes', 'hangs', 'is silent', 'loses guests'] as const) {
    test(`rolls back a version whose agent ${fault}, runs it on at most one node, and does not retry it by itself`, async () => {
      const world = await installed(5)
      world.broken.set('v2.0.0', fault)
      world.ask('v2.0.0')
      const started = world.clock.now()
      await settle(world, () => assert.ok(world.agentVersions().filter((version) => version === 'v2.0.0').length <= 1))
      assert.ok(world.clock.now() - started < 60_000)
      assert.ok(isTrue(world.kubevirt, 'CanaryFailed') && isTrue(world.kubevirt, 'Available'))
      assert.deepEqual(new Set(world.agentVersions()), new Set(['v1.0.0']))
      assert.equal(world.versionAt(api), 'v1.0.0')
      const operate = world.operator()
      for (let round = 0; round < 100; round++) {
        await operate()
        await world.step(1_000)
        assert.ok(!world.agentVersions().includes('v2.0.0'))
      }
      // The release is fixed, and requested again.
      world.broken.clear()
      world.ask('v2.0.0')
      await settle(world)
      assert.ok(!isTrue(world.kubevirt, 'CanaryFailed'))
      assert.deepEqual(new Set(world.agentVersions()), new Set(['v2.0.0']))
    })
  }

  test('rolls back a version that is healthy on its first node only, with its CRDs', async () => {
    const world = await installed(5)
    world.broken.set('v3.0.0', 'works once')
    world.ask('v3.0.0')
    await settle(world, () => assert.ok(world.agentVersions().filter((version) => version === 'v3.0.0').length <= 2))
    assert.ok(isTrue(world.kubevirt, 'CanaryFailed'))
    assert.match(world.kubevirt.status?.steadyvm?.rejected?.message ?? '', /node-1 is not ready after 30 s/)
    for (let round = 0; round < 40; round++) {
      await world.operator()()
      await world.step(1_000)
    }
    assert.deepEqual(new Set([...world.agentVersions(), world.versionAt(api)]), new Set(['v1.0.0']))
    // An older one than it may have things stored as it likes.
    world.ask('v2.0.0')
    await settle(world)
    assert.deepEqual(world.kinds(), ['v1.0.0', 'v2.0.0*'])
  })

  test('does not wait for a node that is not ready, and upgrades it later', async () => {
    const world = await installed(4)
    const [lost] = world.nodes
    assert.ok(lost !== undefined)
    lost.isReady = false
    world.ask('v2.0.0')
    let skipped: readonly string[] | undefined
    await settle(world, () => (skipped ??= world.kubevirt.status?.steadyvm?.upgrade?.skipped))
    assert.deepEqual(skipped, [lost.name])
    assert.deepEqual(world.agentVersions(), ['v1.0.0', 'v2.0.0', 'v2.0.0', 'v2.0.0'])
    assert.ok(world.rights().includes('v1.0.0'), 'its agent may still be at work')
    lost.isReady = true
    for (let round = 0; round < 60; round++) {
      await world.operator()()
      await world.step(1_000)
    }
    assert.deepEqual(new Set(world.agentVersions()), new Set(['v2.0.0']))
    assert.deepEqual(world.rights(), ['v2.0.0'])
  })

  for (const [what, then] of [
    ['another one', 'v3.0.0'],
    ['the one before', 'v1.0.0'],
  ] as const) {
    test(`goes to ${what} from any stage when the target changes`, async () => {
      for (let seconds = 0; seconds < 60; seconds += repeats({ default: 12, long: 3 })) {
        const world = await installed(3)
        world.ask('v2.0.0')
        const operate = world.operator()
        for (let round = 0; round < seconds; round++) {
          await operate()
          await world.step(1_000)
        }
        world.ask(then)
        await settle(world)
        assert.deepEqual(new Set([...world.agentVersions(), world.versionAt(controller), world.versionAt(api)]), new Set([then]))
      }
    })
  }

  for (const then of ['v1.0.0', 'v2.0.0']) {
    test(`never has callers that are newer than their servers when the target changes to ${then} during the upgrade to v3.0.0`, async () => {
      for (let seconds = 0; seconds < 60; seconds += repeats({ default: 12, long: 2 })) {
        const world = await installed(3)
        const check = (): void => {
          const [oldest = ''] = world.agentVersions()
          const [callers, front] = [world.versionAt(controller), world.versionAt(api)]
          assert.ok(front <= callers && callers <= oldest, `after ${seconds} s: ${front}, ${callers}, ${world.agentVersions().join()}`)
        }
        world.ask('v3.0.0')
        const operate = world.operator()
        for (let round = 0; round < seconds; round++) {
          await operate()
          await world.step(1_000)
          if (world.agentVersions().length === 3) check()
        }
        world.ask(then)
        await settle(world, () => world.agentVersions().length < 3 || check())
      }
    })
  }

  test('changes nothing while the upgrade check has a blocking finding, and proceeds when it is resolved', async () => {
    const world = await installed(3)
    const finding = { id: 'NoRoom', message: 'there is no room', fix: 'make room', blocks: true }
    world.findings.set('v2.0.0', [{ ...finding, id: 'Note', blocks: false }, finding])
    world.ask('v2.0.0')
    const operate = world.operator()
    for (let round = 0; round < 40; round++) {
      await operate()
      await world.step(1_000)
      assert.deepEqual(
        [...world.agentVersions(), world.versionAt(controller), world.versionAt(api)].filter((version) => version !== 'v1.0.0'),
        [],
      )
    }
    assert.ok(isTrue(world.kubevirt, 'PreflightFailed') && isTrue(world.kubevirt, 'Available') && !isTrue(world.kubevirt, 'Degraded'))
    assert.deepEqual(
      world.kubevirt.status?.steadyvm?.plan?.findings.map(({ id }) => id),
      ['NoRoom', 'Note'],
    )
    assert.equal(world.events.filter((event) => event.startsWith('PreflightFailed')).length, 1)
    world.findings.clear()
    await settle(world)
    assert.equal(world.versionAt(api), 'v2.0.0')
    assert.ok(!isTrue(world.kubevirt, 'PreflightFailed'))
    // A rollback has a plan, too, but findings about the former target are dropped.
    world.findings.set('v1.0.0', [finding])
    world.ask('v1.0.0')
    for (let round = 0; round < 3; round++) await operate()
    assert.ok(isTrue(world.kubevirt, 'PreflightFailed'))
    world.ask('v2.0.0')
    await operate()
    assert.ok(!isTrue(world.kubevirt, 'PreflightFailed'))
    assert.equal(world.kubevirt.status?.steadyvm?.plan, undefined)
  })

  test('registers webhooks of a new version only when no old server is left, and blocks new kinds until then', async () => {
    const world = await installed(2)
    assert.deepEqual(world.asked(), ['all', 'of-v0', 'of-v1'])
    world.ask('v2.0.0')
    const seen = new Map<string, string>()
    await settle(world, () => seen.set(world.kubevirt.status?.steadyvm?.upgrade?.stage ?? '', world.asked().join()))
    assert.equal(seen.get('NodeAgents'), 'all,new-kinds.steadyvm.io,of-v0,of-v1')
    assert.equal(seen.get('Workloads'), 'all,of-v1,of-v2')
    world.ask('v1.0.0')
    await settle(world)
    assert.deepEqual(world.asked(), ['all', 'new-kinds.steadyvm.io', 'of-v0', 'of-v1'], 'what a newer version has brought stays closed')
  })

  test('reports an unready component of a complete version with the reason, and its recovery', async () => {
    const world = await installed(2)
    const operate = world.operator()
    const madeAt = timestamp(world.clock.now())
    const metadata = {
      name: 'stuck',
      namespace: 'kubevirt',
      creationTimestamp: madeAt,
      labels: { 'kubevirt.io': componentNames.controller },
    }
    const [startedAt, finishedAt] = ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z']
    const terminated = { exitCode: 1, message: 'no such flag', startedAt, finishedAt }
    const containerStatuses = [{ restartCount: 3, lastState: { terminated } }]
    world.put('pods', { metadata, spec: {}, status: { containerStatuses } } as unknown as KubeObject)
    const before = world.objects.get(controller)
    world.objects.set(controller, { ...before, status: { ...(before?.status as object), availableReplicas: 0 } } as KubeObject)
    for (let second = 0; second <= 40; second++) {
      await operate()
      const isLong = second >= 30
      assert.equal(isTrue(world.kubevirt, 'Degraded'), isLong, `after ${second} s`)
      assert.equal(isTrue(world.kubevirt, 'Available'), !isLong, `after ${second} s`)
      await world.clock.advance(1_000)
    }
    const { reason, message } = findCondition(world.kubevirt.status?.conditions, 'Degraded') ?? {}
    assert.equal(reason, 'ComponentsNotReady')
    assert.match(message ?? '', /virt-controller: 0 of 1 ready.*no such flag/)
    assert.equal(world.kubevirt.status?.phase, 'Deployed')
    world.objects.delete('pods/stuck')
    world.objects.set(controller, before as KubeObject)
    await operate()
    assert.ok(!isTrue(world.kubevirt, 'Degraded') && isTrue(world.kubevirt, 'Available'))
  })

  test('reports that a complete version cannot be repaired, and when it can', async () => {
    const world = await installed(1)
    world.objects.delete(api)
    for (const [code, isSaid] of [
      [503, false],
      [422, true],
    ] as const) {
      world.onWrite = () => {
        world.onWrite = () => {}
        throw new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'is invalid', code })
      }
      await assert.rejects(world.operator()())
      assert.equal(isTrue(world.kubevirt, 'Degraded'), isSaid)
      assert.equal(findCondition(world.kubevirt.status?.conditions, 'Synchronized')?.message === 'is invalid', isSaid)
    }
    await world.operator()()
    assert.ok(isTrue(world.kubevirt, 'Synchronized') && !isTrue(world.kubevirt, 'Degraded') && world.objects.has(api))
  })

  test('restores edited components', async () => {
    const world = await installed(2)
    const object = world.objects.get(api)
    assert.ok(object !== undefined)
    world.objects.set(api, { ...object, spec: { replicas: 7 }, metadata: { ...object.metadata, generation: 99 } })
    await world.operator()()
    assert.equal((world.objects.get(api)?.spec as { replicas?: number } | undefined)?.replicas, 2)
  })

  test('scales the API servers with the number of nodes, without replacing existing ones', async () => {
    const world = await installed(1)
    const size = (): number | undefined => (world.objects.get(api)?.spec as { replicas?: number } | undefined)?.replicas
    assert.equal(size(), 1)
    world.nodes.push({ name: 'another', isReady: false })
    await world.operator()()
    assert.equal(size(), 2)
    assert.equal(world.kubevirt.status?.steadyvm?.upgrade, undefined, 'that is no upgrade')
    assert.equal(findCondition(world.kubevirt.status?.conditions, 'Available')?.status, 'True')
  })

  for (const moment of ['before', 'after'] as const) {
    test(`may be killed ${moment} any of its writes`, async () => {
      for (let nth = 1; nth <= 24; nth += repeats({ default: 6, long: 1 })) {
        const world = new SimulatedCluster(3)
        let writes = 0
        world.onWrite = (now) => void (now === moment && ++writes % nth === 0 && writes < 60 && killed())
        await settle(world)
        world.ask('v2.0.0')
        await settle(world)
        assert.deepEqual(new Set([...world.agentVersions(), world.versionAt(controller), world.versionAt(api)]), new Set(['v2.0.0']))
      }
    })
  }

  for (const component of ['virt-controller', 'virt-api']) {
    for (const [fault, reason] of [
      ['crashes', /exit code 1: cannot start/],
      ['hangs', /not ready after 30 s/],
      ['has no pods', /no pod was created within 30 s/],
    ] as const) {
      test(`rolls back a version whose ${component} ${fault}, and is available meanwhile only while it is`, async () => {
        const world = await installed(3)
        world.brokenDeployments.set(`${component} v2.0.0`, fault)
        world.ask('v2.0.0')
        let stage: string | undefined
        await settle(world, () => {
          const { upgrade } = world.kubevirt.status?.steadyvm ?? {}
          if (upgrade?.to === 'v2.0.0') stage = upgrade.stage
        })
        assert.equal(stage, component === 'virt-api' ? 'API' : 'Controllers')
        const { rejected } = world.kubevirt.status?.steadyvm ?? {}
        assert.equal(rejected?.version, 'v2.0.0')
        assert.match(rejected.message, new RegExp(`^${component}`))
        assert.match(rejected.message, reason)
        assert.equal(world.versionAt(controller), 'v1.0.0')
        assert.equal(world.versionAt(api), 'v1.0.0')
        assert.ok(isTrue(world.kubevirt, 'CanaryFailed') && isTrue(world.kubevirt, 'Available'))
      })
    }
  }

  test('waits for the soak time of each component before the next stage', async () => {
    const world = await installed(1)
    world.ask('v2.0.0')
    const since = new Map<string, number>()
    await settle(world, () => {
      const { stage = '' } = world.kubevirt.status?.steadyvm?.upgrade ?? {}
      if (!since.has(stage)) since.set(stage, world.clock.now())
    })
    const at = (stage: string): number => since.get(stage) ?? 0
    assert.ok(at('API') - at('Controllers') >= 10_000, 'virt-controller was not soaked')
    assert.ok(at('Workloads') - at('API') >= 10_000, 'virt-api was not soaked')
  })

  test('is not Available while the only pods of a component crash', async () => {
    const world = await installed(1)
    world.brokenDeployments.set('virt-controller v1.0.0', 'crashes')
    const operate = world.operator()
    for (let round = 0; round < 60; round++) {
      await operate()
      await world.step(1_000)
      if (round > 15) assert.ok(!isTrue(world.kubevirt, 'Available') && isTrue(world.kubevirt, 'Degraded'), `round ${round}`)
    }
  })
})
