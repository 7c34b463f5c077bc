import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import { until } from '#features/cluster.fixture.ts'
import { crashingClient, type CrashPoint } from '#features/crashing-client.fixture.ts'
import { qemuBinary, webVmi } from '#features/node-agent/guest.fixture.ts'
import { startDiskBackups } from '#qemu/index.ts'
import { sample } from '../support/effort.ts'
import {
  freeCopy,
  isSame,
  patienceMs,
  startSnapshottedGuest,
  untouched,
  type Part,
  type SnapshottedGuest,
} from './snapshotted-guest.fixture.ts'

const namespace = 'default'

/** Writes of a component for one snapshot; an agent reports the beginning and the end. */
const deaths: readonly (readonly [part: Part, death: CrashPoint])[] = (
  [['node-agent', 1], ['node-agent', 2], ...Array.from({ length: 12 }, (_, index) => ['virt-controller', index + 1] as const)] as const
).flatMap(([part, write]) => (['before', 'after'] as const).map((moment) => [part, { write, moment }] as const))

/**
 * Begins the copy as an agent that is killed at once, so slowly that it does not end by itself. The
 * agent is stopped.
 */
async function begun(subject: SnapshottedGuest, name: string): Promise<void> {
  await subject.stop('node-agent')
  const { metadata } = await subject.snapshot(name)
  const { uid = '' } = metadata
  await until(async () => (await webVmi(subject.cluster))?.status?.steadyvm?.diskCopy?.id === uid, patienceMs)
  await using disk = await open(join(subject.folderOf('data'), 'disk.img'), 'r+')
  const { size: bytes } = await disk.stat()
  // Zeros take no time, at whatever speed.
  await disk.write(randomBytes(bytes), 0, bytes, 0)
  await using file = await open(join(subject.folderOf('copy'), 'disk.img'), 'w+')
  await file.truncate(bytes)
  const target = { name: 'data', isPlugged: false, bytes, descriptor: file.fd, isDevice: false }
  assert.equal(await subject.ask((qmp) => startDiskBackups(qmp, uid, [target], { bytesPerSecond: 1 })), undefined)
}

suite('copies of the disk of a running guest', { skip: !existsSync(qemuBinary) }, () => {
  for (const [part, death] of sample(deaths, 2))
    test(`are complete when ${part} is killed ${death.moment} its write ${death.write}`, async () => {
      await using subject = await startSnapshottedGuest()
      const died = Promise.withResolvers<void>()
      await subject.restart(part, (client) => crashingClient(client, death, died.resolve))
      await subject.snapshot('snap')
      // It may need fewer writes.
      await Promise.race([died.promise, subject.snapshotWhere('snap', ({ status }) => status?.phase === 'Succeeded')])
      await subject.restart(part)
      await subject.snapshotWhere('snap', ({ status }) => status?.phase === 'Succeeded')
      await untouched(subject)
      const { size, blocks } = await stat(join(subject.folderOf('copy'), 'disk.img'))
      assert.ok(blocks * 512 < size / 2, `the copy of an empty disk takes ${blocks * 512} of ${size} bytes`)
      assert.ok(await isSame(subject))
    })

  test('are found by the next agent, are cancelled with their snapshot, and fail with their guest', async () => {
    await using subject = await startSnapshottedGuest()
    const { client } = subject.cluster
    await begun(subject, 'first')
    await subject.restart('node-agent')
    await until(async () => (await webVmi(subject.cluster))?.status?.steadyvm?.diskCopyState?.phase === 'Copying', patienceMs)
    await client.delete(virtualMachineSnapshots, { namespace, name: 'first' })
    await untouched(subject)
    await freeCopy(subject)
    await begun(subject, 'second')
    await subject.restart('node-agent')
    await until(async () => (await webVmi(subject.cluster))?.status?.steadyvm?.diskCopyState?.phase === 'Copying', patienceMs)
    process.kill(subject.pid, 'SIGKILL')
    const { status } = await subject.snapshotWhere('second', (snapshot) => snapshot.status?.phase === 'Failed')
    assert.match(status?.error?.message ?? '', /The guest ended/)
    await until(async () => (await client.list(persistentVolumeClaims, { namespace })).items.length === 1, patienceMs)
  })
})
