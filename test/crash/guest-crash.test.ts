// Takes longer than 45 s: it boots a guest for every death that it tries.
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
import { CrashInjection, makeMortal } from '../support/crash/crash-injection.ts'

type Part = 'kubelet' | 'node-agent'
type Stops = Record<Part, () => Promise<void>>

const key = { namespace: 'default', name: 'web' }
const together = 3
const both: readonly Part[] = ['kubelet', 'node-agent']

let host: Host

/**
 * Runs the scenario with a death before step 1, 2, 3 … until it ends before the death would have
 * come.
 */
async function atEveryStep(atLeast: number, scenario: (at: number) => Promise<CrashInjection>): Promise<void> {
  const numbers = everyNth({ default: 12, long: 1 })
  for (;;) {
    const steps = Array.from({ length: together }, () => numbers.next().value as number)
    const lives = await Promise.all(
      steps.map((step) =>
        scenario(step).catch((cause: unknown) => {
          throw new Error(`It died before step ${step}`, { cause })
        }),
      ),
    )
    const survivor = lives.find((life, index) => life.steps < (steps[index] ?? 0))
    if (survivor === undefined) continue
    assert.ok(survivor.steps >= atLeast, `only ${survivor.steps} steps: ${survivor.effects.join(', ')}`)
    return
  }
}

/** A cluster in which these parts live no longer than `life`; the others live on. */
async function mortalCluster(parts: readonly Part[], life: CrashInjection): Promise<{ cluster: TestCluster; stops: Stops }> {
  const cluster = await startTestCluster({ host })
  cluster.start('virt-controller')
  const start = (part: Part): (() => Promise<void>) => (parts.includes(part) ? startMortal(cluster, part, life) : cluster.start(part))
  return { cluster, stops: { kubelet: start('kubelet'), 'node-agent': start('node-agent') } }
}

function startMortal(cluster: TestCluster, part: Part, life: CrashInjection): () => Promise<void> {
  return life.live(() =>
    cluster.start(
      part,
      (client) => life.client(client),
      () => life.isDead,
    ),
  )
}

/** Ends parts well and starts them anew with a life. */
async function makeAgain(cluster: TestCluster, parts: readonly Part[], life: CrashInjection, stops: Stops): Promise<Stops> {
  for (const part of parts) await stops[part]()
  return { ...stops, ...Object.fromEntries(parts.map((part) => [part, startMortal(cluster, part, life)])) }
}

/** Starts parts anew whose life is over. */
async function replaceDead(cluster: TestCluster, parts: readonly Part[], life: CrashInjection, stops: Stops): Promise<void> {
  if (!life.isDead) return life.spare()
  const gone = parts.map((part) => [part, stops[part]()] as const)
  // What a dead kubelet has begun, such as a hook, is ended by the next one; until then its remains
  // here wait.
  for (const [part, over] of gone) if (part !== 'kubelet') await over
  for (const part of parts) cluster.start(part)
}

function assertOneGuest(cluster: TestCluster): void {
  assert.equal(launcherProcesses(cluster).length, 1, 'one QEMU')
  assert.equal(guestsOnDisk(cluster).length, 1, 'one pod')
}

/** One QEMU, one TPM, and no shell that has started them. */
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
  makeMortal()
})

suite('a process killed between any two of its side effects', { skip: !existsSync(qemuBinary) }, () => {
  // Both at once meet more states than each alone.
  for (const [name, mortal] of effort === 'long' ? parts : parts.slice(-1)) {
    test(`${name}, while a guest starts: one guest runs, of the requested VMI`, () =>
      atEveryStep(8, async (at) => {
        const life = new CrashInjection(at)
        const { cluster, stops } = await mortalCluster(mortal, life)
        await using _ = cluster
        await cluster.client.create(virtualMachines, webVm('Always', 20))
        const first = await until(() => webVmi(cluster))
        await Promise.race([life.died, bootedGuest(cluster).catch(() => {})])
        await replaceDead(cluster, mortal, life, stops)
        await bootedGuest(cluster)
        assert.equal((await webVmi(cluster))?.metadata.uid, first.metadata.uid)
        assertOneGuest(cluster)
        await remove(cluster)
        return life
      }))

    test(`${name}, while it adopts a guest: the guest keeps running`, () =>
      atEveryStep(2, async (at) => {
        const life = new CrashInjection(at)
        const { cluster, stops } = await mortalCluster([], life)
        await using _ = cluster
        await cluster.client.create(virtualMachines, webVm('Always', 20))
        const { process } = await bootedGuest(cluster)
        const again = await makeAgain(cluster, mortal, life, stops)
        await Promise.race([life.died, new Promise((resolve) => setTimeout(resolve, 200))])
        await replaceDead(cluster, mortal, life, again)
        await new Promise((resolve) => setTimeout(resolve, 100))
        assert.ok(isRunning(process))
        assertOneGuest(cluster)
        assert.equal((await webVmi(cluster))?.status?.phase, 'Running')
        await remove(cluster)
        return life
      }))

    test(`${name}, while the guest powers itself off: the VMI succeeds, and QEMU exits`, () =>
      atEveryStep(3, async (at) => {
        const life = new CrashInjection(at)
        const { cluster, stops } = await mortalCluster([], life)
        await using _ = cluster
        await cluster.client.create(virtualMachines, webVm('Once', 20))
        const { record } = await bootedGuest(cluster)
        const again = await makeAgain(cluster, mortal, life, stops)
        {
          using tools = await connectQmp((record?.monitor ?? '').replace('agent.qmp', 'tools.qmp'))
          await pressPowerButton(tools)
        }
        await Promise.race([
          life.died,
          ended(cluster)
            .catch(() => {})
            .then(() => until(() => launcherProcesses(cluster).length === 0)),
        ])
        await replaceDead(cluster, mortal, life, again)
        const vmi = await ended(cluster)
        assert.deepEqual([vmi.status?.phase, vmi.status?.reason], ['Succeeded', 'GuestShutdown'])
        await until(() => launcherProcesses(cluster).length === 0)
        await remove(cluster)
        return life
      }))

    for (const { what, grace, boots, outcome } of [
      { what: 'shut down by ACPI', grace: 20, boots: true, outcome: ['Succeeded', 'GuestShutdown'] },
      { what: 'killed after its grace period', grace: 1, boots: false, outcome: ['Failed', 'Killed'] },
    ]) {
      test(`${name}, while the guest of a deleted pod is ${what}: the VMI reports it`, () =>
        atEveryStep(4, async (at) => {
          const life = new CrashInjection(at)
          const { cluster, stops } = await mortalCluster([], life)
          await using _ = cluster
          await runDeaf(cluster, grace, boots)
          const again = await makeAgain(cluster, mortal, life, stops)
          const [pod] = (await cluster.client.list(pods, { namespace: 'default' })).items
          await cluster.client.delete(pods, { namespace: 'default', name: pod?.metadata.name ?? '' })
          await Promise.race([
            life.died,
            ended(cluster)
              .catch(() => {})
              .then(() => until(() => launcherProcesses(cluster).length === 0)),
          ])
          await replaceDead(cluster, mortal, life, again)
          const vmi = await ended(cluster)
          assert.deepEqual([vmi.status?.phase, vmi.status?.reason], outcome)
          await until(() => launcherProcesses(cluster).length === 0)
          await remove(cluster)
          return life
        }))
    }

    test(`${name}, while a running VM is deleted: the guest powers off, and nothing is left`, () =>
      atEveryStep(6, async (at) => {
        const life = new CrashInjection(at)
        const { cluster, stops } = await mortalCluster([], life)
        await using _ = cluster
        await cluster.client.create(virtualMachines, webVm('Always', 20))
        await bootedGuest(cluster)
        const again = await makeAgain(cluster, mortal, life, stops)
        const phases = watchEndings(cluster)
        await cluster.client.delete(virtualMachines, key)
        await Promise.race([life.died, nothingLeft(cluster).catch(() => {})])
        await replaceDead(cluster, mortal, life, again)
        await nothingLeft(cluster)
        assert.equal((await phases).at(-1), 'Succeeded GuestShutdown')
        return life
      }))
  }

  test(
    'kubelet and node agent at once, while a guest with a TPM starts: it has one TPM, and no process is left afterwards',
    { skip: noSwtpm },
    () =>
      atEveryStep(8, async (at) => {
        const life = new CrashInjection(at)
        const { cluster, stops } = await mortalCluster(both, life)
        await using _ = cluster
        await cluster.client.create(virtualMachines, withTpm(webVm('Always', 20)))
        await Promise.race([life.died, bootedGuest(cluster).catch(() => {})])
        await replaceDead(cluster, both, life, stops)
        await bootedGuest(cluster)
        assertOneGuestWithTpm(cluster)
        await remove(cluster)
        return life
      }),
  )
})

suite('QEMU or its launcher, killed before any side effect of kubelet and node agent', { skip: !existsSync(qemuBinary) }, () => {
  /** Kills before step `at`, and says whether anything was there to be killed. */
  const killAt = (at: number): { life: CrashInjection; target: { cluster?: TestCluster; killed: number } } => {
    const target: { cluster?: TestCluster; killed: number } = { killed: 0 }
    const life = new CrashInjection(0, (step) => {
      if (step !== at || target.cluster === undefined) return
      for (const pid of launcherProcesses(target.cluster)) if (kill(pid)) target.killed++
    })
    return { life, target }
  }

  test('while a guest starts: the VMI fails with the reason, or the guest runs', () =>
    atEveryStep(8, async (at) => {
      const { life, target } = killAt(at)
      await using cluster = await startTestCluster({ host })
      target.cluster = cluster
      cluster.start('virt-controller')
      for (const part of both) startMortal(cluster, part, life)
      await cluster.client.create(virtualMachines, webVm('Once', 20))
      const vmi = await until(async () => {
        const seen = await webVmi(cluster)
        return (seen?.status?.phase === 'Failed' || guestsOnDisk(cluster)[0]?.serial.endsWith('!') === true) && seen
      })
      life.spare()
      if (target.killed > 0) {
        const { status } = await ended(cluster)
        assert.equal(status?.phase, 'Failed', `after a kill before ${life.effects.at(-1)}`)
        assert.ok(['GuestCrashed', 'LauncherEnded', 'PodFailed'].includes(status?.reason ?? ''), `${status?.reason}`)
        await until(() => launcherProcesses(cluster).length === 0)
      } else {
        assert.notEqual(vmi.status?.phase, 'Failed')
        assertOneGuest(cluster)
      }
      await remove(cluster)
      return life
    }))

  test('while a guest is shut down: the VMI reports how it ended', () =>
    atEveryStep(4, async (at) => {
      const { life, target } = killAt(at)
      const { cluster, stops } = await mortalCluster([], life)
      await using _ = cluster
      await cluster.client.create(virtualMachines, webVm('Once', 20))
      await bootedGuest(cluster)
      target.cluster = cluster
      await makeAgain(cluster, both, life, stops)
      const [pod] = (await cluster.client.list(pods, { namespace: 'default' })).items
      await cluster.client.delete(pods, { namespace: 'default', name: pod?.metadata.name ?? '' })
      const { status } = await ended(cluster)
      await until(() => launcherProcesses(cluster).length === 0)
      life.spare()
      const end = `${status?.phase} ${status?.reason}`
      assert.ok(end === 'Succeeded GuestShutdown' || (target.killed > 0 && end === 'Failed GuestCrashed'), end)
      await remove(cluster)
      return life
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
 * A guest that reacts to the power button, or one without anything to boot from, which does not.
 */
async function runDeaf(cluster: TestCluster, graceSeconds: number, boots: boolean): Promise<void> {
  const vm = webVm('Once', graceSeconds)
  const { template } = vm.spec
  const deaf = { ...template.spec, volumes: [{ name: 'boot', emptyDisk: { capacity: '1Mi' } }] }
  await cluster.client.create(virtualMachines, boots ? vm : { ...vm, spec: { ...vm.spec, template: { spec: deaf } } })
  if (boots) await bootedGuest(cluster)
  else await until(async () => (await webVmi(cluster))?.status?.phase === 'Running')
}

/** `phase reason` of the VMI at every change until it is gone. */
async function watchEndings(cluster: TestCluster, signal = new AbortController().signal): Promise<readonly string[]> {
  const seen: string[] = []
  const list = await cluster.client.list(virtualMachineInstances, { namespace: 'default' })
  const resourceVersion = list.metadata.resourceVersion ?? ''
  for await (const { type, object } of cluster.client.watch(virtualMachineInstances, { namespace: 'default', resourceVersion, signal })) {
    if (type === 'DELETED') return seen
    if (type === 'MODIFIED') seen.push(`${object.status?.phase} ${object.status?.reason}`)
  }
  return seen
}
