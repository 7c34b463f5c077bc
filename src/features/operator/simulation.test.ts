import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { RoleBinding } from '#api/rbac/v1/role.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { componentNames, exportProxyService, metricsService } from './manifests/install-strategy.ts'
import { killed, SimulatedCluster } from './simulated-cluster.fixture.ts'
import { repeats } from '#test/effort.ts'

const controller = `deployments/${componentNames.controller}`
const api = `deployments/${componentNames.api}`

/**
 * Asserts that every running component has the RBAC and the CRDs of its version, that the storage
 * version is unchanged, and that the Services are there.
 */
function assertGround(cluster: SimulatedCluster): void {
  cluster.checkAdmission()
  // At first, everything comes at once.
  if (cluster.kubevirt.status?.observedKubeVirtVersion === undefined) return
  for (const version of [...cluster.agentVersions(), cluster.versionAt(controller), cluster.versionAt(api)].filter((each) => each !== '')) {
    assert.ok(cluster.rights().includes(version), `${version} has no rights`)
    assert.ok(
      cluster.kinds().some((kind) => kind.startsWith(version)),
      `${version} has no kind: ${cluster.kinds().join()}`,
    )
  }
  assert.equal(cluster.kinds().filter((kind) => kind.endsWith('*')).length, 1)
  for (const name of [componentNames.api, exportProxyService, metricsService])
    assert.ok(cluster.objects.has(`services/${name}`), `the Service ${name} is gone`)
}

/** Lets the operator work until nothing is under way; `check` sees every state in between. */
async function settle(cluster: SimulatedCluster, check: () => void = () => {}, limit: number = 400): Promise<void> {
  let operate = cluster.operator()
  for (let round = 0; round < limit; round++) {
    try {
      await operate()
    } catch {
      // Killed, or too late: another one takes over.
      operate = cluster.operator()
    }
    assertGround(cluster)
    check()
    await cluster.step(1_000)
    assertGround(cluster)
    check()
    const { status, spec, metadata } = cluster.kubevirt
    const { upgrade } = status?.steadyvm ?? {}
    const isOver = upgrade === undefined || (upgrade.stage === 'Workloads' && upgrade.skipped !== undefined)
    const isTold = status?.observedGeneration === metadata.generation && isOver
    const isThere =
      status?.observedKubeVirtVersion === (spec.imageTag ?? 'v1.0.0') || status?.steadyvm?.rejected?.generation === metadata.generation
    if (isTold && isThere && status?.targetDeploymentID === status?.observedDeploymentID) return
  }
  assert.fail(`nothing comes of it: ${JSON.stringify(cluster.kubevirt.status)} ${cluster.agentVersions().join()}`)
}

const isTrue = ({ status }: KubeVirt, type: string): boolean => findCondition(status?.conditions, type)?.status === 'True'

async function installed(nodes: number): Promise<SimulatedCluster> {
  const cluster = new SimulatedCluster(nodes)
  await settle(cluster)
  assert.deepEqual(
    cluster.agentVersions(),
    Array.from({ length: nodes }, () => 'v1.0.0'),
  )
  return cluster
}

suite('the operator', () => {
  test('upgrades the agents first and the API last, and is never Degraded meanwhile', async () => {
    const cluster = await installed(12)
    cluster.ask('v2.0.0')
    await settle(cluster, () => {
      assert.ok(!isTrue(cluster.kubevirt, 'Degraded') && isTrue(cluster.kubevirt, 'Available'))
      if (cluster.versionAt(controller) === 'v2.0.0') assert.ok(!cluster.agentVersions().includes('v1.0.0'))
      if (cluster.versionAt(api) === 'v2.0.0') assert.equal(cluster.versionAt(controller), 'v2.0.0')
    })
    assert.equal(cluster.versionAt(api), 'v2.0.0')
    const told = cluster.events.filter((event) => event.includes('v2.0.0'))
    assert.deepEqual(
      told.map((event) => event.split(': ').at(-1)),
      ['Preflight', 'Expand', 'NodeAgents', 'Controllers', 'API', 'Workloads', 'Contract', 'Upgrade to v2.0.0 completed'],
    )
  })

  test('keeps objects that only the older version needs for some time, and then removes them', async () => {
    const cluster = await installed(2)
    cluster.objects.set('deployments/old', {
      metadata: { name: 'old', namespace: 'kubevirt', labels: { 'app.kubernetes.io/managed-by': 'virt-operator' } },
    } as KubeObject)
    cluster.objects.set('deployments/of-a-user', { metadata: { name: 'of-a-user', namespace: 'kubevirt' } } as KubeObject)
    cluster.ask('v3.0.0')
    const byStage = new Map<string, string>()
    await settle(cluster, () => {
      const { stage } = cluster.kubevirt.status?.steadyvm?.upgrade ?? {}
      if (stage !== undefined) byStage.set(stage, `${cluster.rights().join('+')} ${cluster.kinds().join('+')}`)
      if (stage === 'Workloads')
        assert.ok(!isTrue(cluster.kubevirt, 'Progressing') && cluster.kubevirt.status?.observedKubeVirtVersion === 'v3.0.0')
    })
    assert.equal(byStage.get('API'), 'v1.0.0+v3.0.0 v1.0.0*+v2.0.0+v3.0.0')
    assert.equal(byStage.get('Workloads'), byStage.get('API'))
    assert.deepEqual([cluster.rights(), cluster.kinds()], [['v3.0.0'], ['v2.0.0', 'v3.0.0*']])
    assert.deepEqual(cluster.rightsBy('roles'), ['v3.0.0'], 'in its own namespace, too')
    assert.ok(!cluster.objects.has('deployments/old') && cluster.objects.has('deployments/of-a-user'))
  })

  test('can roll back before and after that, and removes no kind', async () => {
    for (const patience of [5, 60]) {
      const cluster = await installed(2)
      cluster.ask('v2.0.0')
      const operate = cluster.operator()
      for (let round = 0; cluster.kubevirt.status?.steadyvm?.upgrade?.stage !== 'Workloads'; round++) {
        assert.ok(round < 200)
        await operate()
        await cluster.step(1_000)
      }
      for (let round = 0; round < patience; round++) {
        await operate()
        await cluster.step(1_000)
      }
      assert.deepEqual(cluster.rights(), patience === 5 ? ['v1.0.0', 'v2.0.0'] : ['v2.0.0'])
      cluster.ask('v1.0.0')
      await settle(cluster)
      assert.deepEqual(cluster.rights(), ['v1.0.0'])
      assert.ok(cluster.kinds().some((kind) => kind.startsWith('v2.0.0')))
    }
  })

  test('restores removed rights, and removes added ones', async () => {
    const cluster = await installed(1)
    for (const rules of [[], [{ verbs: ['*'] }]]) {
      const role = cluster.objects.get('clusterroles/component')
      cluster.objects.set('clusterroles/component', { ...role, rules } as KubeObject)
      await cluster.operator()()
      assert.deepEqual(cluster.rights(), ['v1.0.0'])
    }
  })

  test('restores a removed binding after its role', async () => {
    const cluster = await installed(1)
    const made = cluster.objects.get('rolebindings/component')
    assert.equal((made as Partial<RoleBinding> | undefined)?.roleRef?.name, 'component')
    cluster.objects.delete('rolebindings/component')
    cluster.objects.delete('roles/component')
    cluster.onWrite = (moment) =>
      assert.ok(moment === 'before' || !cluster.objects.has('rolebindings/component') || cluster.objects.has('roles/component'))
    await cluster.operator()()
    assert.deepEqual(
      (cluster.objects.get('rolebindings/component') as Partial<RoleBinding>).subjects,
      (made as Partial<RoleBinding>).subjects,
    )
    assert.deepEqual(cluster.rights(), ['v1.0.0'])
  })

  test('restores a deleted or edited CRD, and reads no CRD without a change', async () => {
    const cluster = await installed(1)
    const operate = cluster.operator()
    const path = 'customresourcedefinitions/things'
    await operate()
    const [made, looks] = [cluster.objects.get(path), cluster.looks]
    assert.ok(made !== undefined)
    await operate()
    assert.equal(cluster.looks, looks)
    cluster.objects.delete(path)
    await operate()
    assert.deepEqual(cluster.kinds(), ['v1.0.0*'])
    await cluster.clock.advance(2_000)
    await operate()
    cluster.objects.set(path, { ...made, spec: { versions: [] }, metadata: { ...made.metadata, generation: 7 } } as KubeObject)
    await operate()
    assert.deepEqual(cluster.kinds(), ['v1.0.0'], 'who stores what is left as it is')
  })

  test('backs off from a CRD that another client keeps changing', async () => {
    const cluster = await installed(1)
    const path = 'customresourcedefinitions/things'
    const operate = cluster.operator()
    await operate()
    let repairs = 0
    for (let second = 0; second < 600; second++) {
      cluster.objects.delete(path)
      await operate()
      if (cluster.objects.has(path)) repairs++
      await cluster.clock.advance(1_000)
    }
    assert.ok(repairs >= 5 && repairs <= 12, `${repairs} repairs`)
  })

  test('restores an edited Service, and writes nothing without an edit', async () => {
    const cluster = await installed(1)
    const path = `services/${componentNames.api}`
    const made = cluster.objects.get(path)
    assert.match(cluster.kubevirt.status?.generations?.find(({ resource }) => resource === 'services')?.hash ?? '', /^[0-9a-f]{40}$/)
    cluster.objects.set(path, { ...made, spec: { ...(made?.spec as object), ports: [] } } as KubeObject)
    await cluster.operator()()
    assert.deepEqual(cluster.objects.get(path)?.spec, made?.spec)
    cluster.onWrite = () => assert.fail('nothing is written')
    await cluster.operator()()
  })

  test('downgrades the API first and the agents last', async () => {
    const cluster = await installed(3)
    cluster.ask('v2.0.0')
    await settle(cluster)
    cluster.ask('v1.0.0')
    await settle(cluster, () => {
      if (cluster.agentVersions().includes('v1.0.0')) assert.equal(cluster.versionAt(controller), 'v1.0.0')
      if (cluster.versionAt(controller) === 'v1.0.0') assert.equal(cluster.versionAt(api), 'v1.0.0')
    })
  })

  for (const fault of ['crashes', 'hangs', 'is silent', 'loses guests'] as const) {
    test(`rolls back a version whose agent ${fault}, runs it on at most one node, and does not retry it by itself`, async () => {
      const cluster = await installed(5)
      cluster.broken.set('v2.0.0', fault)
      cluster.ask('v2.0.0')
      const started = cluster.clock.now()
      await settle(cluster, () => assert.ok(cluster.agentVersions().filter((version) => version === 'v2.0.0').length <= 1))
      assert.ok(cluster.clock.now() - started < 60_000)
      assert.ok(isTrue(cluster.kubevirt, 'CanaryFailed') && isTrue(cluster.kubevirt, 'Available'))
      assert.deepEqual(new Set(cluster.agentVersions()), new Set(['v1.0.0']))
      assert.equal(cluster.versionAt(api), 'v1.0.0')
      const operate = cluster.operator()
      for (let round = 0; round < 100; round++) {
        await operate()
        await cluster.step(1_000)
        assert.ok(!cluster.agentVersions().includes('v2.0.0'))
      }
      // The release is fixed, and requested again.
      cluster.broken.clear()
      cluster.ask('v2.0.0')
      await settle(cluster)
      assert.ok(!isTrue(cluster.kubevirt, 'CanaryFailed'))
      assert.deepEqual(new Set(cluster.agentVersions()), new Set(['v2.0.0']))
    })
  }

  test('rolls back a version that is healthy on its first node only, with its CRDs', async () => {
    const cluster = await installed(5)
    cluster.broken.set('v3.0.0', 'works once')
    cluster.ask('v3.0.0')
    await settle(cluster, () => assert.ok(cluster.agentVersions().filter((version) => version === 'v3.0.0').length <= 2))
    assert.ok(isTrue(cluster.kubevirt, 'CanaryFailed'))
    assert.match(cluster.kubevirt.status?.steadyvm?.rejected?.message ?? '', /node-1 is not ready after 30 s/)
    for (let round = 0; round < 40; round++) {
      await cluster.operator()()
      await cluster.step(1_000)
    }
    assert.deepEqual(new Set([...cluster.agentVersions(), cluster.versionAt(api)]), new Set(['v1.0.0']))
    // An older one than it may have things stored as it likes.
    cluster.ask('v2.0.0')
    await settle(cluster)
    assert.deepEqual(cluster.kinds(), ['v1.0.0', 'v2.0.0*'])
  })

  test('does not wait for a node that is not ready, and upgrades it later', async () => {
    const cluster = await installed(4)
    const [lost] = cluster.nodes
    assert.ok(lost !== undefined)
    lost.isReady = false
    cluster.ask('v2.0.0')
    let skipped: readonly string[] | undefined
    await settle(cluster, () => (skipped ??= cluster.kubevirt.status?.steadyvm?.upgrade?.skipped))
    assert.deepEqual(skipped, [lost.name])
    assert.deepEqual(cluster.agentVersions(), ['v1.0.0', 'v2.0.0', 'v2.0.0', 'v2.0.0'])
    assert.ok(cluster.rights().includes('v1.0.0'), 'its agent may still be at work')
    lost.isReady = true
    for (let round = 0; round < 60; round++) {
      await cluster.operator()()
      await cluster.step(1_000)
    }
    assert.deepEqual(new Set(cluster.agentVersions()), new Set(['v2.0.0']))
    assert.deepEqual(cluster.rights(), ['v2.0.0'])
  })

  for (const [what, then] of [
    ['another one', 'v3.0.0'],
    ['the one before', 'v1.0.0'],
  ] as const) {
    test(`goes to ${what} from any stage when the target changes`, async () => {
      for (let seconds = 0; seconds < 60; seconds += repeats({ default: 20, long: 3 })) {
        const cluster = await installed(3)
        cluster.ask('v2.0.0')
        const operate = cluster.operator()
        for (let round = 0; round < seconds; round++) {
          await operate()
          await cluster.step(1_000)
        }
        cluster.ask(then)
        await settle(cluster)
        assert.deepEqual(new Set([...cluster.agentVersions(), cluster.versionAt(controller), cluster.versionAt(api)]), new Set([then]))
      }
    })
  }

  for (const then of ['v1.0.0', 'v2.0.0']) {
    test(`never has callers that are newer than their servers when the target changes to ${then} during the upgrade to v3.0.0`, async () => {
      for (let seconds = 0; seconds < 60; seconds += repeats({ default: 20, long: 2 })) {
        const cluster = await installed(3)
        const check = (): void => {
          const [oldest = ''] = cluster.agentVersions()
          const [callers, front] = [cluster.versionAt(controller), cluster.versionAt(api)]
          assert.ok(front <= callers && callers <= oldest, `after ${seconds} s: ${front}, ${callers}, ${cluster.agentVersions().join()}`)
        }
        cluster.ask('v3.0.0')
        const operate = cluster.operator()
        for (let round = 0; round < seconds; round++) {
          await operate()
          await cluster.step(1_000)
          if (cluster.agentVersions().length === 3) check()
        }
        cluster.ask(then)
        await settle(cluster, () => cluster.agentVersions().length < 3 || check())
      }
    })
  }

  test('changes nothing while the upgrade check has a blocking finding, and proceeds when it is resolved', async () => {
    const cluster = await installed(3)
    const finding = { id: 'NoRoom', message: 'there is no room', fix: 'make room', blocks: true }
    cluster.findings.set('v2.0.0', [{ ...finding, id: 'Note', blocks: false }, finding])
    cluster.ask('v2.0.0')
    const operate = cluster.operator()
    for (let round = 0; round < 40; round++) {
      await operate()
      await cluster.step(1_000)
      assert.deepEqual(
        [...cluster.agentVersions(), cluster.versionAt(controller), cluster.versionAt(api)].filter((version) => version !== 'v1.0.0'),
        [],
      )
    }
    assert.ok(isTrue(cluster.kubevirt, 'PreflightFailed') && isTrue(cluster.kubevirt, 'Available') && !isTrue(cluster.kubevirt, 'Degraded'))
    assert.deepEqual(
      cluster.kubevirt.status?.steadyvm?.plan?.findings.map(({ id }) => id),
      ['NoRoom', 'Note'],
    )
    assert.equal(cluster.events.filter((event) => event.startsWith('PreflightFailed')).length, 1)
    cluster.findings.clear()
    await settle(cluster)
    assert.equal(cluster.versionAt(api), 'v2.0.0')
    assert.ok(!isTrue(cluster.kubevirt, 'PreflightFailed'))
    // A rollback has a plan, too, but findings about the former target are dropped.
    cluster.findings.set('v1.0.0', [finding])
    cluster.ask('v1.0.0')
    for (let round = 0; round < 3; round++) await operate()
    assert.ok(isTrue(cluster.kubevirt, 'PreflightFailed'))
    cluster.ask('v2.0.0')
    await operate()
    assert.ok(!isTrue(cluster.kubevirt, 'PreflightFailed'))
    assert.equal(cluster.kubevirt.status?.steadyvm?.plan, undefined)
  })

  test('registers webhooks of a new version only when no old server is left, and blocks new kinds until then', async () => {
    const cluster = await installed(2)
    assert.deepEqual(cluster.asked(), ['all', 'of-v0', 'of-v1'])
    cluster.ask('v2.0.0')
    const byStage = new Map<string, string>()
    await settle(cluster, () => byStage.set(cluster.kubevirt.status?.steadyvm?.upgrade?.stage ?? '', cluster.asked().join()))
    assert.equal(byStage.get('NodeAgents'), 'all,new-kinds.steadyvm.io,of-v0,of-v1')
    assert.equal(byStage.get('Workloads'), 'all,of-v1,of-v2')
    cluster.ask('v1.0.0')
    await settle(cluster)
    assert.deepEqual(cluster.asked(), ['all', 'new-kinds.steadyvm.io', 'of-v0', 'of-v1'], 'what a newer version has brought stays closed')
  })

  test('reports an unready component of a complete version with the reason, and its recovery', async () => {
    const cluster = await installed(2)
    const operate = cluster.operator()
    const madeAt = timestamp(cluster.clock.now())
    const metadata = {
      name: 'stuck',
      namespace: 'kubevirt',
      creationTimestamp: madeAt,
      labels: { 'kubevirt.io': componentNames.controller },
    }
    const [startedAt, finishedAt] = ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z']
    const terminated = { exitCode: 1, message: 'no such flag', startedAt, finishedAt }
    const containerStatuses = [{ restartCount: 3, lastState: { terminated } }]
    cluster.put('pods', { metadata, spec: {}, status: { containerStatuses } } as unknown as KubeObject)
    const before = cluster.objects.get(controller)
    cluster.objects.set(controller, { ...before, status: { ...(before?.status as object), availableReplicas: 0 } } as KubeObject)
    for (let second = 0; second <= 40; second++) {
      await operate()
      const isLong = second >= 30
      assert.equal(isTrue(cluster.kubevirt, 'Degraded'), isLong, `after ${second} s`)
      assert.equal(isTrue(cluster.kubevirt, 'Available'), !isLong, `after ${second} s`)
      await cluster.clock.advance(1_000)
    }
    const { reason, message } = findCondition(cluster.kubevirt.status?.conditions, 'Degraded') ?? {}
    assert.equal(reason, 'ComponentsNotReady')
    assert.match(message ?? '', /virt-controller: 0 of 1 ready.*no such flag/)
    assert.equal(cluster.kubevirt.status?.phase, 'Deployed')
    cluster.objects.delete('pods/stuck')
    cluster.objects.set(controller, before as KubeObject)
    await operate()
    assert.ok(!isTrue(cluster.kubevirt, 'Degraded') && isTrue(cluster.kubevirt, 'Available'))
  })

  test('reports that a complete version cannot be repaired, and when it can', async () => {
    const cluster = await installed(1)
    cluster.objects.delete(api)
    for (const [code, isSaid] of [
      [503, false],
      [422, true],
    ] as const) {
      cluster.onWrite = () => {
        cluster.onWrite = () => {}
        throw new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'is invalid', code })
      }
      await assert.rejects(cluster.operator()())
      assert.equal(isTrue(cluster.kubevirt, 'Degraded'), isSaid)
      assert.equal(findCondition(cluster.kubevirt.status?.conditions, 'Synchronized')?.message === 'is invalid', isSaid)
    }
    await cluster.operator()()
    assert.ok(isTrue(cluster.kubevirt, 'Synchronized') && !isTrue(cluster.kubevirt, 'Degraded') && cluster.objects.has(api))
  })

  test('restores edited components', async () => {
    const cluster = await installed(2)
    const object = cluster.objects.get(api)
    assert.ok(object !== undefined)
    cluster.objects.set(api, { ...object, spec: { replicas: 7 }, metadata: { ...object.metadata, generation: 99 } })
    await cluster.operator()()
    assert.equal((cluster.objects.get(api)?.spec as { replicas?: number } | undefined)?.replicas, 2)
  })

  test('is Progressing until all node agents of a changed configuration are ready, and Available meanwhile', async () => {
    const cluster = await installed(3)
    const operate = cluster.operator()
    const { metadata, spec, status } = cluster.kubevirt
    cluster.put('kubevirts', { metadata: { ...metadata, generation: 99 }, spec: { ...spec, productName: 'product' }, status } as KubeObject)
    const label = 'app.kubernetes.io/part-of'
    const outdated = (): number =>
      [...cluster.objects].filter(([path, pod]) => path.startsWith('pods/agent-') && pod.metadata?.labels?.[label] !== 'product').length
    let rounds = 0
    do {
      await operate()
      assert.ok(isTrue(cluster.kubevirt, 'Available'))
      if (outdated() > 0) assert.ok(isTrue(cluster.kubevirt, 'Progressing'), `${outdated()} agents of the former configuration`)
      await cluster.step(1_000)
    } while (isTrue(cluster.kubevirt, 'Progressing') && ++rounds < 100)
    assert.equal(outdated(), 0)
    assert.ok(rounds > 3 && cluster.nodes.every(({ name }) => !cluster.isStarting(name)), `${rounds} rounds`)
  })

  test('scales the API servers with the number of nodes, without replacing existing ones', async () => {
    const cluster = await installed(1)
    const size = (): number | undefined => (cluster.objects.get(api)?.spec as { replicas?: number } | undefined)?.replicas
    assert.equal(size(), 1)
    cluster.nodes.push({ name: 'another', isReady: false })
    await cluster.operator()()
    assert.equal(size(), 2)
    assert.equal(cluster.kubevirt.status?.steadyvm?.upgrade, undefined, 'that is no upgrade')
    assert.equal(findCondition(cluster.kubevirt.status?.conditions, 'Available')?.status, 'True')
  })

  for (const moment of ['before', 'after'] as const) {
    test(`may be killed ${moment} any of its writes`, async () => {
      for (let nth = 1; nth <= 24; nth += repeats({ default: 8, long: 1 })) {
        const cluster = new SimulatedCluster(3)
        let writes = 0
        cluster.onWrite = (now) => void (now === moment && ++writes % nth === 0 && writes < 60 && killed())
        await settle(cluster)
        cluster.ask('v2.0.0')
        await settle(cluster)
        assert.deepEqual(new Set([...cluster.agentVersions(), cluster.versionAt(controller), cluster.versionAt(api)]), new Set(['v2.0.0']))
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
        const cluster = await installed(3)
        cluster.brokenDeployments.set(`${component} v2.0.0`, fault)
        cluster.ask('v2.0.0')
        let stage: string | undefined
        await settle(cluster, () => {
          const { upgrade } = cluster.kubevirt.status?.steadyvm ?? {}
          if (upgrade?.to === 'v2.0.0') stage = upgrade.stage
        })
        assert.equal(stage, component === 'virt-api' ? 'API' : 'Controllers')
        const { rejected } = cluster.kubevirt.status?.steadyvm ?? {}
        assert.equal(rejected?.version, 'v2.0.0')
        assert.match(rejected.message, new RegExp(`^${component}`))
        assert.match(rejected.message, reason)
        assert.equal(cluster.versionAt(controller), 'v1.0.0')
        assert.equal(cluster.versionAt(api), 'v1.0.0')
        assert.ok(isTrue(cluster.kubevirt, 'CanaryFailed') && isTrue(cluster.kubevirt, 'Available'))
      })
    }
  }

  test('waits for the soak time of each component before the next stage', async () => {
    const cluster = await installed(1)
    cluster.ask('v2.0.0')
    const since = new Map<string, number>()
    await settle(cluster, () => {
      const { stage = '' } = cluster.kubevirt.status?.steadyvm?.upgrade ?? {}
      if (!since.has(stage)) since.set(stage, cluster.clock.now())
    })
    const at = (stage: string): number => since.get(stage) ?? 0
    assert.ok(at('API') - at('Controllers') >= 10_000, 'virt-controller was not soaked')
    assert.ok(at('Workloads') - at('API') >= 10_000, 'virt-api was not soaked')
  })

  test('is not Available while the only pods of a component crash', async () => {
    const cluster = await installed(1)
    cluster.brokenDeployments.set('virt-controller v1.0.0', 'crashes')
    const operate = cluster.operator()
    for (let round = 0; round < 60; round++) {
      await operate()
      await cluster.step(1_000)
      if (round > 15) assert.ok(!isTrue(cluster.kubevirt, 'Available') && isTrue(cluster.kubevirt, 'Degraded'), `round ${round}`)
    }
  })
})
