// Takes longer than 45 s: it boots a guest for every kill point.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { before, suite, test } from 'node:test'
import { pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { startTestCluster, until, type TestCluster } from '#features/cluster.fixture.ts'
import {
  bootedGuest,
  guestsOnDisk,
  launcherProcesses,
  noSwtpm,
  nothingLeft,
  qemuBinary,
  testHost,
  webVm,
  webVmi,
  withTpm,
} from '#features/node-agent/guest.fixture.ts'
import type { Host } from '#features/node-agent/index.ts'
import { connectQmp, isRunning, pressPowerButton } from '#qemu/index.ts'
import { effort, everyNth } from '../support/effort.ts'
import { CrashInjection, installCrashInjection } from '../support/crash/crash-injection.ts'

type Part = 'kubelet' | 'node-agent'
type Stops = Record<Part, () => Promise<void>>

const key = { namespace: 'default', name: 'web' }
const concurrency = 3
const both: readonly Part[] = ['kubelet', 'node-agent']

let host: Host

/**
 * Runs the scenario with a crash before step 1, 2, 3 … until it completes before the crash.
 */
async function atEveryStep(atLeast: number, scenario: (at: number) => Promise<CrashInjection>): Promise<void> {
  const numbers = everyNth({ default: 20, long: 1 })
  for (;;) {
    const steps = Array.from({ length: concurrency }, () => numbers.next().value as number)
    const injections = await Promise.all(
      steps.map((step) =>
        scenario(step).catch((cause: unknown) => {
          throw new Error(`Killed before step ${step}`, { cause })
        }),
      ),
    )
    const completed = injections.find((injection, index) => injection.steps < (steps[index] ?? 0))
    if (completed === undefined) continue
    assert.ok(completed.steps >= atLeast, `only ${completed.steps} steps: ${completed.effects.join(', ')}`)
    return
  }
}

/** Starts a cluster in which these parts run under the injection. */
async function startInjectedCluster(parts: readonly Part[], injection: CrashInjection): Promise<{ cluster: TestCluster; stops: Stops }> {
  const cluster = await startTestCluster({ host })
  cluster.start('virt-controller')
  const start = (part: Part): (() => Promise<void>) =>
    parts.includes(part) ? startInjected(cluster, part, injection) : cluster.start(part)
  return { cluster, stops: { kubelet: start('kubelet'), 'node-agent': start('node-agent') } }
}

function startInjected(cluster: TestCluster, part: Part, injection: CrashInjection): () => Promise<void> {
  return injection.run(() =>
    cluster.start(
      part,
      (client) => injection.client(client),
      () => injection.isKilled,
    ),
  )
}

/** Stops parts gracefully and restarts them under the injection. */
async function restartParts(cluster: TestCluster, parts: readonly Part[], injection: CrashInjection, stops: Stops): Promise<Stops> {
  for (const part of parts) await stops[part]()
  return { ...stops, ...Object.fromEntries(parts.map((part) => [part, startInjected(cluster, part, injection)])) }
}

/** Restarts parts that the injection killed. */
async function replaceKilled(cluster: TestCluster, parts: readonly Part[], injection: CrashInjection, stops: Stops): Promise<void> {
  if (!injection.isKilled) return injection.disable()
  const gone = parts.map((part) => [part, stops[part]()] as const)
  // The next kubelet ends unfinished work of a killed one, such as a hook; its promise is pending
  // until then.
  for (const [part, over] of gone) if (part !== 'kubelet') await over
  for (const part of parts) cluster.start(part)
}

function assertOneGuest(cluster: TestCluster): void {
  assert.equal(launcherProcesses(cluster).length, 1, 'one QEMU')
  assert.equal(guestsOnDisk(cluster).length, 1, 'one pod')
}

/** Asserts one QEMU and one swtpm, and no launcher shell. */
function assertOneGuestWithTpm(cluster: TestCluster): void {
  const programs = launcherProcesses(cluster).map((pid) => basename(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] ?? ''))
  assert.deepEqual(programs.toSorted(), ['qemu-system-x86_64', 'swtpm'])
  assert.equal(guestsOnDisk(cluster).length, 1, 'one pod')
}

async function remove(cluster: TestCluster): Promise<void> {
  await cluster.client.delete(virtualMachines, key)
  await nothingLeft(cluster)
}

async function ended(cluster: TestCluster): Promise<VirtualMachineInstance> {
  return until(async () => {
    const vmi = await webVmi(cluster)
    return (vmi?.status?.phase === 'Succeeded' || vmi?.status?.phase === 'Failed') && vmi
  })
}

const parts: readonly (readonly [string, readonly Part[]])[] = [
  ['node agent', ['node-agent']],
  ['kubelet', ['kubelet']],
  ['kubelet and node agent at once', ['kubelet', 'node-agent']],
]

before(async () => {
  host = { ...(await testHost()), tpmEmulator: '/usr/bin/swtpm' }
  installCrashInjection()
})

suite('a process killed between any two of its side effects', { skip: !existsSync(qemuBinary) }, () => {
  // Killing both at once covers more states than killing each alone.
  for (const [name, killedParts] of effort === 'long' ? parts : parts.slice(-1)) {
    test(`${name}, while a guest starts: one guest runs, of the requested VMI`, () =>
      atEveryStep(8, async (at) => {
        const injection = new CrashInjection(at)
        const { cluster, stops } = await startInjectedCluster(killedParts, injection)
        await using _ = cluster
        await cluster.client.create(virtualMachines, webVm('Always', 20))
        const first = await until(() => webVmi(cluster))
        await Promise.race([injection.killed, bootedGuest(cluster).catch(() => {})])
        await replaceKilled(cluster, killedParts, injection, stops)
        await bootedGuest(cluster)
        assert.equal((await webVmi(cluster))?.metadata.uid, first.metadata.uid)
        assertOneGuest(cluster)
        await remove(cluster)
        return injection
      }))

    test(`${name}, while it adopts a guest: the guest keeps running`, () =>
      atEveryStep(2, async (at) => {
        const injection = new CrashInjection(at)
        const { cluster, stops } = await startInjectedCluster([], injection)
        await using _ = cluster
        await cluster.client.create(virtualMachines, webVm('Always', 20))
        const { process } = await bootedGuest(cluster)
        const again = await restartParts(cluster, killedParts, injection, stops)
        await Promise.race([injection.killed, injection.paused(200)])
        await replaceKilled(cluster, killedParts, injection, again)
        await new Promise((resolve) => setTimeout(resolve, 100))
        assert.ok(isRunning(process))
        assertOneGuest(cluster)
        assert.equal((await webVmi(cluster))?.status?.phase, 'Running')
        await remove(cluster)
        return injection
      }))

    test(`${name}, while the guest powers itself off: the VMI succeeds, and QEMU exits`, () =>
      atEveryStep(3, async (at) => {
        const injection = new CrashInjection(at)
        const { cluster, stops } = await startInjectedCluster([], injection)
        await using _ = cluster
        await cluster.client.create(virtualMachines, webVm('Once', 20))
        const { record } = await bootedGuest(cluster)
        const again = await restartParts(cluster, killedParts, injection, stops)
        {
          using tools = await connectQmp((record?.monitor ?? '').replace('agent.qmp', 'tools.qmp'))
          await pressPowerButton(tools)
        }
        await Promise.race([
          injection.killed,
          ended(cluster)
            .catch(() => {})
            .then(() => until(() => launcherProcesses(cluster).length === 0)),
        ])
        await replaceKilled(cluster, killedParts, injection, again)
        const vmi = await ended(cluster)
        assert.deepEqual([vmi.status?.phase, vmi.status?.reason], ['Succeeded', 'GuestShutdown'])
        await until(() => launcherProcesses(cluster).length === 0)
        await remove(cluster)
        return injection
      }))

    for (const { what, grace, boots, outcome } of [
      { what: 'shut down by ACPI', grace: 20, boots: true, outcome: ['Succeeded', 'GuestShutdown'] },
      { what: 'killed after its grace period', grace: 1, boots: false, outcome: ['Failed', 'Killed'] },
    ]) {
      test(`${name}, while the guest of a deleted pod is ${what}: the VMI reports it`, () =>
        atEveryStep(4, async (at) => {
          const injection = new CrashInjection(at)
          const { cluster, stops } = await startInjectedCluster([], injection)
          await using _ = cluster
          await startUnresponsive(cluster, grace, boots)
          const again = await restartParts(cluster, killedParts, injection, stops)
          const [pod] = (await cluster.client.list(pods, { namespace: 'default' })).items
          await cluster.client.delete(pods, { namespace: 'default', name: pod?.metadata.name ?? '' })
          await Promise.race([
            injection.killed,
            ended(cluster)
              .catch(() => {})
              .then(() => until(() => launcherProcesses(cluster).length === 0)),
          ])
          await replaceKilled(cluster, killedParts, injection, again)
          const vmi = await ended(cluster)
          assert.deepEqual([vmi.status?.phase, vmi.status?.reason], outcome)
          await until(() => launcherProcesses(cluster).length === 0)
          await remove(cluster)
          return injection
        }))
    }

    test(`${name}, while a running VM is deleted: the guest powers off, and nothing is left`, () =>
      atEveryStep(6, async (at) => {
        const injection = new CrashInjection(at)
        const { cluster, stops } = await startInjectedCluster([], injection)
        await using _ = cluster
        await cluster.client.create(virtualMachines, webVm('Always', 20))
        await bootedGuest(cluster)
        const again = await restartParts(cluster, killedParts, injection, stops)
        const phases = recordEndings(cluster)
        await cluster.client.delete(virtualMachines, key)
        await Promise.race([injection.killed, nothingLeft(cluster).catch(() => {})])
        await replaceKilled(cluster, killedParts, injection, again)
        await nothingLeft(cluster)
        assert.equal((await phases).at(-1), 'Succeeded GuestShutdown')
        return injection
      }))
  }

  test(
    'kubelet and node agent at once, while a guest with a TPM starts: it has one TPM, and no process is left afterwards',
    { skip: noSwtpm },
    () =>
      atEveryStep(8, async (at) => {
        const injection = new CrashInjection(at)
        const { cluster, stops } = await startInjectedCluster(both, injection)
        await using _ = cluster
        await cluster.client.create(virtualMachines, withTpm(webVm('Always', 20)))
        await Promise.race([injection.killed, bootedGuest(cluster).catch(() => {})])
        await replaceKilled(cluster, both, injection, stops)
        await bootedGuest(cluster)
        assertOneGuestWithTpm(cluster)
        await remove(cluster)
        return injection
      }),
  )
})

suite('QEMU or its launcher, killed before any side effect of kubelet and node agent', { skip: !existsSync(qemuBinary) }, () => {
  /** Kills QEMU or its launcher before step `at`, and counts the killed processes. */
  const killAt = (at: number): { injection: CrashInjection; target: { cluster?: TestCluster; killed: number } } => {
    const target: { cluster?: TestCluster; killed: number } = { killed: 0 }
    const injection = new CrashInjection(0, (step) => {
      if (step !== at || target.cluster === undefined) return
      for (const pid of launcherProcesses(target.cluster)) if (kill(pid)) target.killed++
    })
    return { injection, target }
  }

  test('while a guest starts: the VMI fails with the reason, or the guest runs', () =>
    atEveryStep(8, async (at) => {
      const { injection, target } = killAt(at)
      await using cluster = await startTestCluster({ host })
      target.cluster = cluster
      cluster.start('virt-controller')
      for (const part of both) startInjected(cluster, part, injection)
      await cluster.client.create(virtualMachines, webVm('Once', 20))
      const vmi = await until(async () => {
        const current = await webVmi(cluster)
        return (current?.status?.phase === 'Failed' || guestsOnDisk(cluster)[0]?.serial.endsWith('!') === true) && current
      })
      injection.disable()
      if (target.killed > 0) {
        const { status } = await ended(cluster)
        assert.equal(status?.phase, 'Failed', `after a kill before ${injection.effects.at(-1)}`)
        assert.ok(['GuestCrashed', 'LauncherEnded', 'PodFailed'].includes(status?.reason ?? ''), `${status?.reason}`)
        await until(() => launcherProcesses(cluster).length === 0)
      } else {
        assert.notEqual(vmi.status?.phase, 'Failed')
        assertOneGuest(cluster)
      }
      await remove(cluster)
      return injection
    }))

  test('while a guest is shut down: the VMI reports how it ended', () =>
    atEveryStep(4, async (at) => {
      const { injection, target } = killAt(at)
      const { cluster, stops } = await startInjectedCluster([], injection)
      await using _ = cluster
      await cluster.client.create(virtualMachines, webVm('Once', 20))
      await bootedGuest(cluster)
      target.cluster = cluster
      await restartParts(cluster, both, injection, stops)
      const [pod] = (await cluster.client.list(pods, { namespace: 'default' })).items
      await cluster.client.delete(pods, { namespace: 'default', name: pod?.metadata.name ?? '' })
      const { status } = await ended(cluster)
      await until(() => launcherProcesses(cluster).length === 0)
      injection.disable()
      const end = `${status?.phase} ${status?.reason}`
      assert.ok(end === 'Succeeded GuestShutdown' || (target.killed > 0 && end === 'Failed GuestCrashed'), end)
      await remove(cluster)
      return injection
    }))
})

function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}

/**
 * Starts a guest that reacts to the power button, or one without a boot disk, which does not.
 */
async function startUnresponsive(cluster: TestCluster, graceSeconds: number, boots: boolean): Promise<void> {
  const vm = webVm('Once', graceSeconds)
  const { template } = vm.spec
  const unresponsive = { ...template.spec, volumes: [{ name: 'boot', emptyDisk: { capacity: '1Mi' } }] }
  await cluster.client.create(virtualMachines, boots ? vm : { ...vm, spec: { ...vm.spec, template: { spec: unresponsive } } })
  if (boots) await bootedGuest(cluster)
  else await until(async () => (await webVmi(cluster))?.status?.phase === 'Running')
}

/** Returns `phase reason` of the VMI at every change until its deletion. */
async function recordEndings(cluster: TestCluster, signal = new AbortController().signal): Promise<readonly string[]> {
  const endings: string[] = []
  const list = await cluster.client.list(virtualMachineInstances, { namespace: 'default' })
  const resourceVersion = list.metadata.resourceVersion ?? ''
  for await (const { type, object } of cluster.client.watch(virtualMachineInstances, { namespace: 'default', resourceVersion, signal })) {
    if (type === 'DELETED') return endings
    if (type === 'MODIFIED') endings.push(`${object.status?.phase} ${object.status?.reason}`)
  }
  return endings
}
