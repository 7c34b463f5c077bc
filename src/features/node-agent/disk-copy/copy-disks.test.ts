import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import type { DiskCopyState, VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { QmpCommandError, type QmpConnection } from '#qemu/index.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { copyDisks, type CopiedGuest, type CopyOutcome } from './copy-disks.ts'

/** What a test changes. */
interface Change {
  readonly runState?: string
  readonly hasAgent?: boolean
  /** The agent refuses to freeze. */
  readonly refuses?: boolean
  readonly isFrozen?: boolean
  /** No volumes: writes are only held back. */
  readonly holds?: boolean
  readonly state?: DiskCopyState
  readonly isWithdrawn?: boolean
  readonly transaction?: () => Promise<unknown>
  /** Folder of the files. */
  readonly folder?: string
}

const bytes = 1 << 20

/** Looks once at a guest with one disk. Returns what was done, in order, and what is reported. */
async function look(
  t: TestContext,
  change: Change,
): Promise<{ readonly steps: string[]; readonly outcome: CopyOutcome; readonly size: number }> {
  const folder = change.folder ?? (await mkdtemp(join(tmpdir(), 'copy-')))
  if (change.folder === undefined) t.after(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'claim'), { recursive: true })
  if (change.isFrozen === true) await writeFile(join(folder, 'frozen'), '{}')
  const steps: string[] = []
  const execute = async (command: string): Promise<unknown> => {
    if (command === 'query-named-block-nodes') return [{ 'node-name': 'disk-a', image: { 'virtual-size': bytes } }]
    if (command.startsWith('query-')) return []
    steps.push(command)
    return command === 'transaction' ? change.transaction?.() : {}
  }
  const qmp: QmpConnection = { execute, executeWith: (_: number, command: string) => execute(command) } as never
  const guest: CopiedGuest['guest'] = {
    podUid: 'pod',
    mayHaveCopies: true,
    paths: { recordDirectory: folder, sharedDirectory: folder },
    isAgentConnected: async () => change.hasAgent ?? true,
    query: <T>(command: (connection: QmpConnection) => Promise<T>) => command(qmp),
  } as never
  const disks = change.holds === true ? [] : [{ volume: 'a', claimName: 'copy', volumeMode: 'Filesystem', podUid: 'attached' }]
  const vmi: VirtualMachineInstance = {
    metadata: { name: 'web' },
    spec: { domain: { devices: {} }, volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'own' } }] },
    status: {
      volumeStatus: [{ name: 'a', target: '', persistentVolumeClaimInfo: {} }],
      steadyvm: {
        ...(change.isWithdrawn === true ? {} : { diskCopy: { id: 'one', snapshotName: 'snap', disks } }),
        ...(change.state === undefined ? {} : { diskCopyState: change.state }),
      },
    },
  }
  const viewOf = (podUid: string): object => ({
    isContained: false,
    run: folder,
    claim: () => join(folder, podUid === 'pod' ? 'own' : 'claim'),
  })
  const ports: Parameters<typeof copyDisks>[0] = {
    clock: systemClock,
    guests: { pathsOf: (podUid: string) => ({ view: viewOf(podUid) }) },
    freezer: {
      freeze: async () => {
        steps.push('freeze')
        if (change.refuses === true) throw new RangeError('the agent refuses')
      },
      thaw: async () => void steps.push('thaw'),
    },
  } as never
  const record: CopiedGuest['record'] = { domain: { disks: [] } } as never
  const outcome = await copyDisks(ports, { guest, record, vmi, runState: change.runState ?? 'running', plugged: new Set() })
  const image = await stat(join(folder, 'claim', 'disk.img')).catch(() => undefined)
  return { steps, outcome, size: image?.size ?? 0 }
}

/** Makes a folder of a file system that shares blocks. Undefined where that is not possible. */
async function makeSharingFolder(t: TestContext): Promise<string | undefined> {
  const place = await mkdtemp(join(tmpdir(), 'sharing-'))
  const [image, folder] = [join(place, 'image'), join(place, 'mounted')]
  let isMounted = false
  t.after(async () => {
    if (isMounted) execFileSync('umount', ['--lazy', folder])
    await rm(place, { recursive: true, force: true })
  })
  await mkdir(folder)
  await writeFile(image, '')
  await truncate(image, 128 << 20)
  try {
    execFileSync('mkfs.btrfs', ['--quiet', image], { stdio: 'ignore' })
    execFileSync('mount', ['-o', 'loop', image, folder], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  isMounted = true
  return folder
}

const copying = ['add-fd', 'blockdev-add', 'blockdev-add', 'transaction']

suite('copyDisks()', () => {
  const rows: readonly (readonly [string, Change, readonly string[], string | undefined])[] = [
    ['holds back writes until the copy has begun', {}, ['freeze', ...copying, 'thaw'], 'GuestAgent'],
    ['copies without a guest agent', { hasAgent: false }, copying, 'NoGuestAgent'],
    ['thaws what a guest agent has frozen in part', { refuses: true }, ['freeze', ...copying, 'thaw'], 'QuiesceTimeout'],
    ['leaves the freeze of another client alone', { isFrozen: true }, copying, 'GuestAgent'],
    ['leaves a paused guest alone', { runState: 'paused' }, copying, undefined],
  ]
  for (const [name, change, expected, quiesce] of rows) {
    test(name, async (t) => {
      const { steps, outcome, size } = await look(t, change)
      assert.deepEqual(steps, expected)
      assert.deepEqual([outcome.state?.phase, outcome.state?.quiesce, size], ['Copying', quiesce, bytes])
    })
  }

  test('thaws a guest whose disks QEMU does not copy', async (t) => {
    const transaction = async (): Promise<never> => {
      throw new QmpCommandError('transaction', 'GenericError', 'no such node')
    }
    const { steps, outcome } = await look(t, { transaction })
    assert.deepEqual(steps, ['freeze', ...copying, 'thaw'])
    assert.equal(outcome.state?.phase, 'Failed')
    assert.match(outcome.state?.message ?? '', /The disks cannot be copied: .*no such node/)
  })

  test('lets the copy of a disk share its blocks where the file system can do that', async (t) => {
    const folder = await makeSharingFolder(t)
    if (folder === undefined) return t.skip('needs root, mkfs.btrfs and a loop device')
    const content = randomBytes(bytes)
    await mkdir(join(folder, 'own'))
    const own = join(folder, 'own', 'disk.img')
    await writeFile(own, content)
    // What is not open in QEMU is not the disk of the guest.
    assert.deepEqual((await look(t, { folder })).steps, ['freeze', ...copying, 'thaw'])
    await using _qemu = await open(own)
    const startTicks = (await readFile('/proc/self/stat', 'latin1')).split(') ')[1]?.split(' ')[19]
    await writeFile(join(folder, 'process'), `${process.pid} ${startTicks}`)
    const { steps, outcome } = await look(t, { folder })
    assert.deepEqual([steps, outcome.state?.phase, outcome.state?.quiesce], [['freeze', 'thaw'], 'Complete', 'GuestAgent'])
    assert.ok((await readFile(join(folder, 'claim', 'disk.img'))).equals(content))
    await truncate(own, bytes / 2)
    assert.deepEqual((await look(t, { folder })).steps, ['freeze', ...copying, 'thaw'])
  })

  test('holds back writes while storage takes snapshots, and lets them go', async (t) => {
    const held = await look(t, { holds: true })
    assert.deepEqual([held.steps, held.outcome.state?.phase], [['freeze'], 'Held'])
    const state = { id: 'one', phase: 'Held', quiesce: 'GuestAgent' } as const
    const free = await look(t, { holds: true, state, isWithdrawn: true })
    assert.deepEqual([free.steps, free.outcome.state], [['thaw'], null])
  })
})
