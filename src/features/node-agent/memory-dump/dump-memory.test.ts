import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VolumeStatus } from '#api/kubevirt/v1/volume-status.ts'
import { QmpClosed, QmpCommandError, type MemoryDump, type QmpConnection } from '#qemu/index.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { dumpMemory, settleDumps, type DumpedGuest } from './dump-memory.ts'

const memory = 'the memory of the guest'
const [file, former] = ['web-dumps-20260101-000000.memory.dump', 'web-dumps-20250101-000000.memory.dump']
const partial = `${file}.partial`

interface World {
  /** Files of the claim, with their content. */
  readonly files?: Readonly<Record<string, string>>
  readonly qemu?: MemoryDump['state']
  /** Phase of the volume. Default: the file has its name in the VMI. */
  readonly phase?: string
  /** False: the volume was removed from the VMI. */
  readonly isWanted?: boolean
  readonly isMigrating?: boolean
  readonly memoryBytes?: number
  /** QEMU cannot write all of it. */
  readonly fails?: boolean
  readonly refuses?: boolean
  /** The answer to the command that begins a dump is lost. */
  readonly losesAnswer?: boolean
  /** The pod that attaches the claim has gone. */
  readonly hasNoPod?: boolean
}

/** A node agent that was just started, QEMU, and a claim. */
class Node {
  readonly folder: string
  readonly #world: World
  state: MemoryDump['state']
  /** Dumps that QEMU has begun. */
  begun = 0
  status: VolumeStatus
  guest: DumpedGuest['guest'] & { query: unknown }

  constructor(folder: string, world: World) {
    this.folder = folder
    this.#world = world
    this.state = world.qemu ?? 'none'
    const phase = world.phase ?? 'MemoryDumpInProgress'
    const named = phase === 'AttachedToNode' ? {} : { targetFileName: file }
    this.status = {
      name: 'dumps',
      target: '',
      phase,
      hotplugVolume: { attachPodUID: 'pod' },
      memoryDumpVolume: { claimName: 'dumps', ...named },
    }
    this.guest = this.start()
  }

  /** Returns a guest as a new process sees it. */
  start(): Node['guest'] {
    const query = <T>(command: (connection: QmpConnection) => Promise<T>): Promise<T> => command(this.#qmp)
    return { memoryDump: { file: undefined, error: undefined }, query } as never
  }

  get vmi(): VirtualMachineInstance {
    const { isWanted = true, isMigrating = false } = this.#world
    return {
      metadata: { name: 'web' },
      spec: { domain: { devices: {} }, volumes: isWanted ? [{ name: 'dumps', memoryDump: { claimName: 'dumps' } }] : [] },
      status: {
        phase: 'Running',
        volumeStatus: [this.status],
        ...(isMigrating ? { migrationState: { migrationUid: 'm', startTimestamp: 't' } } : {}),
      },
    }
  }

  readonly #qmp: QmpConnection = {
    execute: async (command: string) => {
      if (command === 'query-dump') return { status: this.state, total: this.state === 'none' ? 0 : memory.length }
      assert.equal(command, 'dump-guest-memory')
      if (this.#world.refuses === true) throw new QmpCommandError('dump-guest-memory', 'GenericError', 'not now')
      this.begun += 1
      this.state = 'active'
      await writeFile(this.#target, memory.slice(0, 3))
      if (this.#world.losesAnswer === true && this.begun === 1) throw new QmpClosed('lost')
      return {}
    },
    executeWith: async (descriptor: number) => {
      this.#target = await readlink(`/proc/self/fd/${descriptor}`)
      return {}
    },
  } as never
  #target = ''

  /** QEMU ends its dump. */
  async end(): Promise<void> {
    const target = this.#target || join(this.folder, partial)
    this.state = this.#world.fails === true ? 'failed' : 'completed'
    if (this.#world.fails !== true) await writeFile(target, memory)
  }

  readonly ports: Parameters<typeof settleDumps>[0] = {
    clock: systemClock,
    log: { debug: () => {} },
    guests: {
      pathsOf: () => ({
        view: { isContained: false, run: '', claim: () => (this.#world.hasNoPod === true ? join(this.folder, 'none') : this.folder) },
      }),
    },
    client: {
      patch: async (_resource: object, _key: object, { body }: { body: { status: { volumeStatus: VolumeStatus[] } } }) => {
        this.status = body.status.volumeStatus[0] ?? this.status
        return this.vmi
      },
    },
  } as never

  /** Takes one look, and stores the status. Reports whether there is more to do. */
  async look(): Promise<boolean> {
    const memoryBytes = this.#world.memoryBytes ?? memory.length
    const { statuses, againMs } = await dumpMemory(this.ports, { guest: this.guest, vmi: this.vmi, memoryBytes })
    this.status = statuses.get('dumps') ?? this.status
    return againMs !== undefined
  }
}

async function nodeWith(t: TestContext, world: World): Promise<Node> {
  const folder = await mkdtemp(join(tmpdir(), 'dump-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(world.files ?? {})) await writeFile(join(folder, name), content)
  return new Node(folder, world)
}

/** Looks until there is nothing to do; QEMU ends each dump between two looks. */
async function run(node: Node, isKilledEachTime = false): Promise<void> {
  for (let count = 0; count < 20; count++) {
    if (isKilledEachTime) node.guest = node.start()
    if (!(await node.look())) return
    if (node.state === 'active') await node.end()
  }
  assert.fail(`it does not end: ${JSON.stringify(node.status)}`)
}

const complete = 'MemoryDumpCompleted'
const broken = 'MemoryDumpFailed'

suite('dumpMemory()', () => {
  const rows: readonly (readonly [what: string, world: World, phase: string, files: readonly string[], begun: number])[] = [
    ['dumps', {}, complete, [file], 1],
    ['takes over before the file exists', { qemu: 'completed' }, complete, [file], 1],
    ['takes over before QEMU was asked', { files: { [partial]: '' } }, complete, [file], 1],
    ['takes over before QEMU was asked, after another dump', { files: { [partial]: '' }, qemu: 'failed' }, complete, [file], 1],
    ['takes over while QEMU writes', { files: { [partial]: 'th' }, qemu: 'active' }, complete, [file], 0],
    ['takes over when QEMU has written all', { files: { [partial]: memory }, qemu: 'completed' }, complete, [file], 0],
    ['takes over when the file has its name', { files: { [file]: memory, [former]: 'x' }, qemu: 'completed' }, complete, [file], 0],
    ['takes over when QEMU has failed', { files: { [partial]: 'th' }, qemu: 'failed' }, broken, [], 0],
    ['does not take a part for the whole', { files: { [partial]: 'th' }, qemu: 'completed' }, broken, [], 0],
    ['does not take what another QEMU has begun', { files: { [partial]: 'th' }, qemu: 'none' }, broken, [], 0],
    ['goes on when an answer is lost', { losesAnswer: true }, complete, [file], 1],
    ['removes the dump of before once it has another one', { files: { [former]: 'x' } }, complete, [file], 1],
    ['keeps the dump of before when it fails', { files: { [former]: 'x' }, fails: true }, broken, [former], 1],
    ['keeps the dump of before when there is no space', { files: { [former]: 'x' }, memoryBytes: 2 ** 60 }, broken, [former], 0],
    ['keeps the dump of before when QEMU refuses', { files: { [former]: 'x' }, refuses: true }, broken, [former], 0],
    ['removes what was interrupted', { files: { [`${former}.partial`]: 'x', notes: 'x' } }, complete, ['notes', file], 1],
    ['removes what is not wanted any more', { files: { [partial]: 'x' }, isWanted: false }, 'UnMountedFromPod', [], 0],
    ['waits for QEMU before it does', { files: { [partial]: 'x' }, qemu: 'active', isWanted: false }, 'UnMountedFromPod', [], 0],
    ['detaches what has no pod any more', { hasNoPod: true, isWanted: false }, 'UnMountedFromPod', [], 0],
  ]
  for (const isKilledEachTime of [false, true])
    for (const [what, world, phase, files, begun] of rows)
      test(`${what}${isKilledEachTime ? ', killed at each step' : ''}`, async (t) => {
        const node = await nodeWith(t, world)
        await run(node, isKilledEachTime)
        assert.equal(node.status.phase, phase)
        assert.deepEqual((await readdir(node.folder)).toSorted(), [...files].toSorted())
        assert.equal(node.begun, begun)
        if (phase !== complete) return
        assert.equal(await readFile(join(node.folder, file), 'utf8'), memory)
        const { startTimestamp = '', endTimestamp = '' } = node.status.memoryDumpVolume ?? {}
        assert.ok(startTimestamp !== '' && startTimestamp <= endTimestamp)
      })

  test('says why it has failed, in KubeVirt’s words', async (t) => {
    for (const [world, reason] of [
      [{ memoryBytes: 2 ** 60 }, /^No space left on device: \d+ MiB are missing$/],
      [{ refuses: true }, /not now/],
      [{ fails: true }, /^the disk is full$/],
    ] as const) {
      const node = await nodeWith(t, world)
      const end = node.end.bind(node)
      node.end = async () => {
        await end()
        node.guest.memoryDump.error = 'the disk is full'
      }
      await run(node)
      const [, why = ''] = /^Memory dump to pvc dumps failed: Domain memory dump failed: (.*)$/.exec(node.status.message ?? '') ?? []
      assert.match(why, reason)
    }
  })

  test('names the file in the VMI before it exists, and not like one that is there', async (t) => {
    const node = await nodeWith(t, { phase: 'AttachedToNode' })
    assert.ok(await node.look())
    const { targetFileName = '' } = node.status.memoryDumpVolume ?? {}
    assert.match(targetFileName, /^web-dumps-\d{8}-\d{6}\.memory\.dump$/)
    assert.deepEqual(await readdir(node.folder), [])
    assert.equal(node.status.phase, 'MemoryDumpInProgress')
    const now = Date.now()
    for (const ms of [0, 1000]) {
      const time = new Date(now + ms)
        .toISOString()
        .replaceAll(/[-:]|\..*$/g, '')
        .replace('T', '-')
      await writeFile(join(node.folder, `web-dumps-${time}.memory.dump`), '')
    }
    node.status = { ...node.status, phase: 'AttachedToNode' }
    await node.look()
    const { targetFileName: other = '' } = node.status.memoryDumpVolume ?? {}
    assert.ok(!(await readdir(node.folder)).includes(other), other)
  })

  test('waits for the end of a dump to another claim', async (t) => {
    const node = await nodeWith(t, { qemu: 'active' })
    assert.ok(await node.look())
    assert.equal(node.begun, 0)
    node.state = 'completed'
    await run(node)
    assert.deepEqual([node.status.phase, node.begun], [complete, 1])
  })

  test('waits while the guest moves, and for the pod that attaches the claim', async (t) => {
    for (const [world, begun] of [
      [{ isMigrating: true, phase: 'AttachedToNode' }, 0],
      [{ isMigrating: true }, 0],
      [{ hasNoPod: true }, 0],
    ] as const) {
      const node = await nodeWith(t, world)
      const { phase } = node.status
      await node.look()
      assert.deepEqual([node.status.phase, node.begun], [phase, begun])
    }
  })

  test('follows no link that another pod has put into the claim', async (t) => {
    const node = await nodeWith(t, {})
    const elsewhere = join(node.folder, 'elsewhere')
    await mkdir(elsewhere)
    await writeFile(join(elsewhere, 'secret'), 'secret')
    await symlink(join(elsewhere, 'secret'), join(node.folder, partial))
    await symlink(join(elsewhere, 'secret'), join(node.folder, former))
    await run(node)
    assert.equal(node.status.phase, broken)
    assert.equal(await readFile(join(elsewhere, 'secret'), 'utf8'), 'secret')
    assert.equal(node.begun, 0)
  })
})

suite('settleDumps()', () => {
  const rows: readonly (readonly [what: string, world: World, phase: string, files: readonly string[]])[] = [
    ['keeps what is complete', { files: { [partial]: memory }, qemu: 'completed' }, complete, [file]],
    ['removes what was interrupted', { files: { [partial]: 'th', [former]: 'x' }, qemu: 'none' }, 'MemoryDumpInProgress', [former]],
    ['removes what QEMU still writes to', { files: { [partial]: 'th' }, qemu: 'active' }, 'MemoryDumpInProgress', []],
    ['leaves other phases alone', { files: { [partial]: 'th' }, phase: broken }, broken, [partial]],
  ]
  for (const [what, world, phase, files] of rows)
    test(what, async (t) => {
      const node = await nodeWith(t, world)
      await settleDumps(node.ports, { guest: node.guest as never, vmi: node.vmi })
      assert.equal(node.status.phase, phase)
      assert.deepEqual((await readdir(node.folder)).toSorted(), [...files].toSorted())
    })
})
