import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
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
}

const bytes = 1 << 20

/** Looks once at a guest with one disk. Returns what was done, in order, and what is reported. */
async function look(
  t: TestContext,
  change: Change,
): Promise<{ readonly steps: string[]; readonly outcome: CopyOutcome; readonly size: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'copy-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'claim'))
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
    paths: { recordDirectory: folder },
    isAgentConnected: async () => change.hasAgent ?? true,
    query: <T>(command: (connection: QmpConnection) => Promise<T>) => command(qmp),
  } as never
  const disks = change.holds === true ? [] : [{ volume: 'a', claimName: 'copy', volumeMode: 'Filesystem', podUid: 'attached' }]
  const vmi: VirtualMachineInstance = {
    metadata: { name: 'web' },
    spec: { domain: { devices: {} } },
    status: {
      steadyvm: {
        ...(change.isWithdrawn === true ? {} : { diskCopy: { id: 'one', snapshotName: 'snap', disks } }),
        ...(change.state === undefined ? {} : { diskCopyState: change.state }),
      },
    },
  }
  const view = { isContained: false, run: folder, claim: () => join(folder, 'claim') }
  const ports: Parameters<typeof copyDisks>[0] = {
    clock: systemClock,
    guests: { pathsOf: () => ({ view }) },
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

  test('holds back writes while storage takes snapshots, and lets them go', async (t) => {
    const held = await look(t, { holds: true })
    assert.deepEqual([held.steps, held.outcome.state?.phase], [['freeze'], 'Held'])
    const state = { id: 'one', phase: 'Held', quiesce: 'GuestAgent' } as const
    const free = await look(t, { holds: true, state, isWithdrawn: true })
    assert.deepEqual([free.steps, free.outcome.state], [['thaw'], null])
  })
})
