import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { configMaps, persistentVolumeClaims, persistentVolumes, pods, secrets, services } from '#api/core/v1/resources.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineSnapshotContents } from '#api/snapshot/v1beta1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Cluster } from '#cli/cluster/connect.ts'
import { dataDirectory } from '#machine/home/data-directory.ts'
import { createSeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { RandomKills } from '../support/crash/random-kills.ts'
import { repeats, seed } from '../support/effort.ts'
import { startMachine, type TestMachine } from '../support/machine.ts'
import { filesWithTwoWriters } from '../support/observers/guest-invariants.ts'
import { machineModeOnly } from '../support/place.ts'
import { addRecordingImage, recordingVirtualMachine, RecordingGuest } from '../support/records/recording-guest.ts'
import { startFileServer, type FileServer } from '#importer/http/file-server.fixture.ts'
import { PatientClient } from './patient-client.ts'
import {
  claimsOf,
  guestOperations,
  imageOf,
  volumeOperations,
  writeImages,
  type StorageOperation,
  type Workplace,
} from './storage-operations.ts'
import { readRecords, recordsOf, ringOf } from '../support/records/records.ts'

const run = promisify(execFile)

const kills = Number(process.env['STEADYVM_KILLS'] ?? repeats({ default: 10, long: 300 }))
/** Time in milliseconds for whatever was begun, when nothing is killed any more. */
const limitMs = 300_000
const longestPauseMs = 8_000

/** How often a process is killed, compared with the others that run. */
const weights: Readonly<Record<string, number>> = {
  compute: 6,
  importer: 8,
  exporter: 4,
  'hotplug-disk': 3,
  'virt-handler': 4,
  'virt-controller': 5,
  'virt-api': 3,
  'virt-operator': 1,
  apiserver: 3,
  kubelet: 4,
  supervisor: 1,
}

suite(
  `kill -9 of any process while volumes are made, copied and used (seed ${seed})`,
  { skip: machineModeOnly('test/kubernetes/crash.long.test.ts kills processes of a cluster'), timeout: 7_200_000 },
  () => {
    const random = createSeededRandom(seed)
    const names = ['one', 'two'] as const
    let machine: TestMachine
    let cluster: Cluster
    let server: FileServer
    let folder = ''
    let place: Workplace
    let guests: readonly RecordingGuest[] = []
    let remains: Readonly<Record<string, readonly string[]>> = {}

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'images-'))
      const disk = await writeImages(folder, (from, to) => run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', from, to]))
      const files = ['disk.raw', 'disk.qcow2', 'disk.raw.gz']
      server = await startFileServer(
        Object.fromEntries(
          await Promise.all(files.map(async (name) => [`/${name}`, { content: await readFile(join(folder, name)), pauseMs: 1 }] as const)),
        ),
      )
      machine = await startMachine({ nodes: 2 })
      cluster = await machine.connect()
      await addRecordingImage(machine)
      const api = new PatientClient(cluster.client, machine.namespace, limitMs)
      remains = await whatIsThere(machine, api)
      place = { machine, api, random, images: { url: server.origin, disk, folder }, golden: 'golden' }
      await api.create(dataVolumes, 'golden', {
        source: { http: { url: `${server.origin}/disk.raw` } },
        storage: { resources: { requests: { storage: '16Mi' } } },
      })
      for (const name of names) {
        for (const [disk, volumeMode] of Object.entries({ a: 'Filesystem', b: 'Block' }))
          await api.create(persistentVolumeClaims, `${name}-${disk}`, {
            accessModes: ['ReadWriteMany'],
            volumeMode,
            resources: { requests: { storage: '16Mi' } },
          })
        const { spec } = recordingVirtualMachine(name, machine.namespace, [`${name}-a`, `${name}-b`]) as { spec: object }
        await api.create(virtualMachines, name, spec)
      }
      await api.settled(dataVolumes, 'golden', ({ status }) => status?.phase === 'Succeeded')
      guests = names.map((name) => new RecordingGuest(machine, name))
      for (const guest of guests) await api.until(`${guest.name} writes`, () => guest.acknowledged > 10)
    })
    after(async () => {
      for (const guest of guests) guest[Symbol.dispose]()
      cluster[Symbol.dispose]()
      if (process.env['STEADYVM_KEEP'] === undefined) await machine[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    })

    test('a record that is lost, damaged or of another disk is noticed, and one that was being written is not', () => {
      for (const last of [0, 3, 255, 256, 700]) {
        const ring = ringOf(last, 1)
        assert.deepEqual({ ...recordsOf(ring, 1), digest: '' }, { last, damage: [], digest: '' })
        if (last < 3) continue
        const at = (number: number): number => (number % 256) * 4096
        // The next one.
        assert.deepEqual(recordsOf(Buffer.from(ring).fill('x', at(last + 1), at(last + 1) + 1000), 1).damage, [])
        const earlier = recordsOf(
          Buffer.from(ring).fill(ringOf(last - 1, 1).subarray(at(last), at(last) + 4096), at(last), at(last) + 4096),
          1,
        )
        assert.deepEqual([earlier.last, earlier.damage], [last - 1, []])
        assert.equal(recordsOf(Buffer.from(ring).fill(0, at(last - 2), at(last - 2) + 512), 1).damage.length, 1)
        assert.notDeepEqual([recordsOf(ring, 0).last, recordsOf(ring, 0).damage], [last, []])
      }
    })

    test('a second process that may write to the image of a guest is noticed', async () => {
      const { volumes } = dataDirectory(machine.home)
      const file = openSync(await imageOf(place, 'one-a'), 'r+')
      const env = { POD_DIR: `${machine.home}/nodes/node-1/pods/none`, STEADYVM_CONTAINER: 'none/importer' }
      const other = spawn('/bin/sleep', ['60'], { env, stdio: ['ignore', 'ignore', 'ignore', file] })
      try {
        await place.api.until('it is noticed', () => filesWithTwoWriters(machine.home, volumes).length === 1)
      } finally {
        closeSync(file)
        other.kill('SIGKILL')
      }
      await place.api.until('it has ended', () => filesWithTwoWriters(machine.home, volumes).length === 0)
    })

    test(`${kills} kills: what guests wrote is kept, and each operation completes or is taken back`, async (t) => {
      const { volumes } = dataDirectory(machine.home)
      const problems: string[] = []
      const outcomes: string[] = []
      const say = (text: string): void => {
        if (process.env['STEADYVM_TALK'] !== undefined) console.log(`${new Date().toISOString()} ${text}`)
      }
      const killer = new RandomKills(machine, {
        random: createSeededRandom(seed + 1),
        weights,
        longestPauseMs,
        count: kills,
        onKill: ({ role, pod, pid }) => say(`kill ${role} of ${pod} (${pid})`),
      })
      place.api.hold = () => killer.hold()
      const isOver = (): boolean => killer.isOver || problems.length > 0
      let isWatched = true
      const watching = (async () => {
        while (isWatched) {
          const seen = [...filesWithTwoWriters(machine.home, volumes), ...guests.flatMap(({ violations }) => violations.splice(0))]
          for (const problem of seen) say(problem)
          problems.push(...seen)
          await sleep(500)
        }
      })()
      const lane = async (operations: Readonly<Record<string, StorageOperation>>, prefix: string): Promise<void> => {
        const all = Object.entries(operations) as [[string, StorageOperation], ...[string, StorageOperation][]]
        for (let number = 1; !isOver(); number++) {
          const [what, operation] = random.pick(all)
          const name = `${prefix}${number}`
          const before = killer.done.length
          const started = Date.now()
          say(`${name}: ${what} begins`)
          try {
            const outcome = await operation(name)
            outcomes.push(
              `${what} ${outcome === 'completed' ? outcome : 'rolled back'}${killer.done.length > before ? ' after kills' : ''}`,
            )
            say(`${name}: ${what} ${outcome} after ${killer.done.length - before} kills in ${Date.now() - started} ms`)
          } catch (error) {
            const since = killer.done.slice(before).map(({ at, role, pod }) => `${at} ${role} ${pod}`)
            problems.push(`${what} ${name}: ${String(error)}\nkilled since it began:\n${since.join('\n')}`)
            say(problems.at(-1) ?? '')
          }
        }
      }
      await Promise.all([
        lane(guestOperations(place, guests[0] ?? assert.fail()), 'a'),
        lane(guestOperations(place, guests[1] ?? assert.fail()), 'b'),
        lane(volumeOperations(place), 'c'),
      ])
      await killer.stop()
      isWatched = false
      await watching
      const counted = [...Map.groupBy(outcomes, (outcome) => outcome)].map(([outcome, all]) => `${outcome}: ${all.length}`)
      t.diagnostic(`killed ${JSON.stringify(killer.counts())}`)
      t.diagnostic(counted.toSorted().join(', '))
      t.diagnostic(`longest wait: ${place.api.longest.ms} ms until ${place.api.longest.what}`)
      assert.deepEqual(problems, [])
      assert.ok(killer.done.length >= kills)
    })

    test('afterwards both guests write on, and their disks have every acknowledged record', async () => {
      for (const guest of guests) {
        const { acknowledged } = guest
        await place.api.until(`${guest.name} writes on`, () => guest.acknowledged > acknowledged + 5)
        const last = guest.acknowledged
        const found = await Promise.all(
          (await claimsOf(place, guest.name)).map(async (claim, disk) => readRecords(await imageOf(place, claim), disk)),
        )
        for (const records of found) {
          assert.ok(records.last >= last)
          assert.deepEqual(records.damage, [])
        }
        assert.deepEqual(guest.violations, [])
      }
    })

    test('nothing is left when all is deleted', async () => {
      const { api } = place
      for (const name of names) {
        const claims = await claimsOf(place, name)
        await api.remove(virtualMachines, name)
        for (const claim of claims) await api.remove(persistentVolumeClaims, claim)
      }
      await api.remove(dataVolumes, 'golden')
      let left: readonly string[] = []
      await api
        .until('nothing is left', async () => {
          const now = await whatIsThere(machine, api)
          left = Object.entries(now).flatMap(([kind, all]) =>
            all.filter((one) => remains[kind]?.includes(one) !== true).map((one) => `${kind} ${one}`),
          )
          return left.length === 0
        })
        .catch(() => {})
      assert.deepEqual(left, [])
    })
  },
)

/** Names what may leak, by kind. */
async function whatIsThere(machine: TestMachine, api: PatientClient): Promise<Readonly<Record<string, readonly string[]>>> {
  const directory = dataDirectory(machine.home)
  const entries: [string, readonly string[]][] = []
  const kinds = [
    pods,
    persistentVolumeClaims,
    persistentVolumes,
    secrets,
    services,
    configMaps,
    controllerRevisions,
    dataVolumes,
    virtualMachineInstances,
    virtualMachineSnapshotContents,
  ] as readonly ResourceType<KubeObject>[]
  for (const kind of kinds) entries.push([kind.kind, (await api.list(kind)).map(({ metadata }) => metadata?.name ?? '')])
  const roles = ['compute', 'hotplug-disk', 'importer', 'exporter']
  entries.push([
    'process',
    machine
      .processes()
      .filter(({ role }) => roles.includes(role))
      .map(({ role, pod, pid }) => `${role} of ${pod} (${pid})`),
  ])
  const names = async (path: string): Promise<readonly string[]> => readdir(path).catch(() => [])
  // Users and addresses of guests are theirs for ever.
  for (const path of ['volumes', 'run'] as const) entries.push([`file in ${path}`, await names(directory[path])])
  // Folders of static pods are named by the digest of their manifest, which is in the mirror pod.
  const uids = new Set(
    (await api.listAll(pods)).map(({ metadata: { uid = '', annotations } }) =>
      (annotations?.['kubernetes.io/config.hash'] ?? uid).replaceAll('-', ''),
    ),
  )
  for (const node of await names(directory.nodes))
    entries.push([
      `folder of a pod on ${node}`,
      (await names(directory.node(node).pods)).filter((uid) => !uids.has(uid.replaceAll('-', ''))),
    ])
  return Object.fromEntries(entries)
}
