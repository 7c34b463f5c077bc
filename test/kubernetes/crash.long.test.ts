// Takes longer than 45 s: each kill is followed by the recovery of a cluster.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { repeats, seed } from '../support/effort.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, repository } from '../support/machine.ts'
import { Host } from './host/host.ts'
import { installationOn } from './installation/installation.ts'
import { KubernetesCluster } from './kubernetes-cluster.ts'
import { guestsOn, guestsThatRunTwice } from './installation/guests-on-nodes.ts'
import { foldersOf } from './settings.ts'

/** Number of kills, and of those in each round. */
const kills = repeats({ default: 8, long: 100 })
const killsPerRound = 4
/** Milliseconds in which the operations of a round take place. */
const roundMs = 9_000

const work = await mkdtemp(join(tmpdir(), 'steadyvm-crash-'))
const folders = foldersOf({ home: join(work, 'cluster') })
const cluster = new KubernetesCluster(folders, () => {})
const { installCheckout, apply, getJson, inGuest } = installationOn(cluster, { work })

const components = ['virt-operator', 'virt-api', 'virt-controller', 'virt-handler'] as const
const nodePrograms = ['kubelet', 'containerd'] as const
/** Guests that run all the time, and one that is started and stopped. */
const [steady, toggled] = [['web', 'mail'], 'batch'] as const

interface VmiList {
  readonly items: readonly { readonly metadata: { readonly name: string }; readonly status?: { readonly phase?: string } }[]
}

suite(`a cluster whose processes are killed (seed ${seed})`, { skip: noKubectl === false ? cluster.obstacle : noKubectl }, () => {
  const roll = createSeededRandom(seed).below
  const killed: string[] = []
  const identities = new Map<string, string>()
  const twice = new Set<string>()
  const end = new AbortController()
  let watching: Promise<void> = Promise.resolve()

  before(async () => {
    // The back-off between restarts of a container reaches 5 minutes otherwise.
    await cluster.up({ nodes: 3, features: 'ImageVolume=true,KubeletCrashLoopBackOffMax=true' })
    await installCheckout()
    for (const name of ['1-instancetype', '2-preference'])
      await cluster.kubectl(['apply', '-f', join(repository, 'examples', `${name}.yaml`)])
    for (const name of steady) await createVm(name)
    for (const name of steady) {
      await cluster.kubectl(['wait', `vm/${name}`, '--for=condition=Ready', '--timeout=180s'])
      await inGuest(name, 'echo kept >/tmp/kept')
      identities.set(name, await identityOf(name))
    }
    await createVm(toggled, 'Halted')
    watching = watchGuests()
  })
  after(async () => {
    end.abort()
    await watching.catch(() => {})
    await cluster.down({ data: true })
    await rm(work, { recursive: true, force: true })
  })

  async function createVm(name: string, runStrategy = 'Always'): Promise<void> {
    const manifest = readFileSync(join(repository, 'examples', '3-virtual-machine.yaml'), 'utf8')
    await apply(manifest.replace('name: demo', `name: ${name}`).replace('runStrategy: Always', `runStrategy: ${runStrategy}`))
  }

  const identityOf = (name: string): Promise<string> => inGuest(name, 'cat /proc/sys/kernel/random/boot_id /tmp/kept')

  async function watchGuests(): Promise<void> {
    while (!end.signal.aborted) {
      for (const guest of await guestsThatRunTwice(cluster.hosts)) twice.add(`${guest} after ${killed.join(', ')}`)
      await sleep(200)
    }
  }

  /** Kills one process with SIGKILL, and returns what it was; undefined when it does not run. */
  async function killOne(): Promise<string | undefined> {
    const choice = roll(components.length + nodePrograms.length + 1)
    const component = components[choice]
    if (component !== undefined) {
      const found = cluster.hosts.flatMap(({ name, processes }) =>
        processes.filter(({ args }) => args.some((word) => word.includes(`/${component}.`))).map(({ pid }) => ({ name, pid })),
      )
      const { name, pid } = found[roll(found.length || 1)] ?? {}
      if (pid === undefined) return undefined
      process.kill(pid, 'SIGKILL')
      return `${component} on ${name}`
    }
    const program = nodePrograms[choice - components.length]
    const host = program === undefined ? new Host('control-plane', folders) : cluster.hosts[roll(cluster.hosts.length)]
    const name = program ?? 'kube-apiserver'
    return (await host?.kill(name)) === true ? `${name} on ${host?.name}` : undefined
  }

  /** Describes what is on the cluster, and keeps the logs of its nodes. */
  const describe = async (): Promise<string> => {
    const logs = join(repository, 'node_modules', '.cache', 'test-logs', `crash-${seed}`)
    const inPlace = [...cluster.hosts, new Host('control-plane', folders)].map(
      ({ name, folder }) => [join(folder, 'var', 'log'), name] as const,
    )
    await Promise.all(inPlace.map(([from, name]) => cp(from, join(logs, name), { recursive: true }).catch(() => {})))
    const objects = ['vm,vmi,vmim,pods -o wide', 'events --sort-by=.lastTimestamp'].map((what) =>
      cluster.kubectl(['get', '-A', ...what.split(' ')]).catch(String),
    )
    const guests = guestsOn(cluster.hosts).map(({ name, process: { node, pid } }) => `${name} on ${node}: ${pid}`)
    return [killed.join(', '), ...(await Promise.all(objects)), ...guests, `logs of the nodes: ${logs}`].join('\n')
  }

  /** Repeats a request while it is refused because no virt-api is there to admit it. */
  async function accepted(args: readonly string[], objects: readonly object[] = []): Promise<void> {
    let refusal = ''
    const isAccepted = (): Promise<boolean> =>
      cluster.kubectl(args, objects).then(
        () => true,
        (error) => {
          refusal = String(error)
          if (!refusal.includes('failed calling webhook')) throw error
          return false
        },
      )
    await eventually(isAccepted, () => refusal, 60_000)
  }

  /** Waits until no migration is under way, and exactly these guests run, once each. */
  async function settled(running: readonly string[]): Promise<void> {
    const isSettled = async (): Promise<boolean> => {
      const { items } = await getJson<VmiList>('vmi')
      const migrations = await getJson<VmiList>('vmim')
      const guests = guestsOn(cluster.hosts).map(({ name }) => name)
      return (
        migrations.items.every(({ status }) => ['Succeeded', 'Failed'].includes(status?.phase ?? '')) &&
        items.every(({ status }) => status?.phase === 'Running') &&
        [items.map(({ metadata }) => metadata.name), guests].every((names) => names.toSorted().join() === running.toSorted().join())
      )
    }
    await eventually(() => isSettled().catch(() => false), describe, 300_000)
  }

  test(
    `${kills} times, while guests start, migrate and stop: no guest is lost or runs twice`,
    { timeout: 300_000 + kills * 60_000 },
    async () => {
      for (let round = 0; killed.length < kills; round += 1) {
        const isOn = round % 2 === 0
        const toMove = steady[round % steady.length] ?? ''
        const migration = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstanceMigration', spec: { vmiName: toMove } }
        await accepted(['create', '-f', '-'], [{ ...migration, metadata: { generateName: 'm-' } }])
        await accepted(['patch', 'vm', toggled, '--type=merge', '-p', `{"spec":{"runStrategy":"${isOn ? 'Always' : 'Halted'}"}}`])
        const times = Array.from({ length: killsPerRound }, () => roll(roundMs)).toSorted((a, b) => a - b)
        for (const [index, time] of times.entries()) {
          await sleep(time - (times[index - 1] ?? 0))
          const name = await killOne()
          if (name !== undefined) killed.push(name)
        }
        await cluster.up()
        await cluster.kubectl(['wait', 'pods', '-n', 'kubevirt', '--all', '--for=condition=Ready', '--timeout=180s'])
        await settled(isOn ? [...steady, toggled] : steady)
        for (const name of steady) assert.equal(await identityOf(name), identities.get(name), `${name} was restarted: ${await describe()}`)
        assert.deepEqual([...twice], [])
      }
    },
  )

  test('nothing is left of deleted VMs', async (context) => {
    context.diagnostic(killed.join(', '))
    await cluster.kubectl(['delete', 'vm', '--all', '--timeout=180s'])
    await settled([])
    const left = (): string[] =>
      cluster.hosts.flatMap(({ name, first }) => {
        const root = `/proc/${first?.pid}/root/run/steadyvm`
        const folders_ = existsSync(root) ? readdirSync(root, { withFileTypes: true }) : []
        const guests = folders_.filter((entry) => entry.isDirectory() && /^[0-9a-f]{12}$/.test(entry.name)).map((entry) => entry.name)
        const mounts = readFileSync(`/proc/${first?.pid}/mounts`, 'utf8').split('\n')
        return [...guests, ...mounts.filter((line) => /kubernetes\.io~csi.*(launcher|handover)/.test(line))].map(
          (what) => `${name}: ${what}`,
        )
      })
    await eventually(
      () => left().length === 0,
      () => left().join('\n'),
      60_000,
    )
    const pods = (await cluster.kubectl(['get', 'pods', '-o', 'name'])).trim()
    assert.equal(pods, '')
  })
})
