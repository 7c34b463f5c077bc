import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { constants } from 'node:os'
import { suite, test } from 'node:test'
import { buildArguments } from '../domain/arguments.ts'
import type { Disk } from '../domain/domain.ts'
import { bootDisk, startQemu, systemQemu, temporaryFolder, ticking, until, type Ends, type TestQemu } from '../guest.fixture.ts'
import { tickingDisk } from '../ticking-disk.fixture.ts'
import { queryRunState, resume } from './commands.ts'
import { DiskErrorLog, queryDiskErrors } from './disk-errors.ts'

const { ENOSPC, EIO } = constants.errno

/** Starts a guest that writes at each tick, to a disk whose first write fails. */
async function startWriting(t: Ends, onError: NonNullable<Disk['onError']>, errno: number): Promise<TestQemu> {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'boot.img'), tickingDisk({ sector: 8 }))
  const disk = { ...bootDisk(join(folder, 'boot.img')), onError }
  const failing = {
    driver: 'blkdebug',
    'node-name': 'failing',
    image: 'file-boot',
    'inject-error': [{ event: 'pwritev', errno, once: true, iotype: 'write' }],
  }
  const args = buildArguments(ticking(folder, { disks: [disk] })).flatMap((word) =>
    word.includes('"node-name":"disk-boot"')
      ? [JSON.stringify(failing), '-blockdev', word.replace('"file":"file-boot"', '"file":"failing"')]
      : [word],
  )
  return startQemu(t, systemQemu, args, folder)
}

suite('I/O errors of a disk', () => {
  for (const [onError, errno, expected] of [
    ['stop', ENOSPC, { disk: 'boot', isFull: true }],
    ['stop', EIO, { disk: 'boot', isFull: false }],
    ['enospc', ENOSPC, { disk: 'boot', isFull: true }],
    ['enospc', EIO, undefined],
    ['report', ENOSPC, undefined],
    ['ignore', EIO, undefined],
  ] as const) {
    test(`${onError}, errno ${errno}: ${expected === undefined ? 'the guest runs on' : 'the guest is stopped until it is resumed'}`, async (t) => {
      const { qmp, printed } = await startWriting(t, onError, errno)
      const log = new DiskErrorLog()
      qmp.onEvent((event) => log.note(event))
      await resume(qmp)
      if (expected !== undefined) {
        await until('the guest is stopped', async () => (await queryRunState(qmp)) === 'io-error')
        assert.deepEqual(await queryDiskErrors(qmp), [expected])
        assert.deepEqual(log.errors, [expected])
        await resume(qmp)
      }
      const ticks = printed().length
      await until('the guest ticks', () => printed().length > ticks + 2)
      assert.equal(await queryRunState(qmp), 'running')
      assert.deepEqual(log.errors, [])
    })
  }
})

test('a disk has lost more than space if any of its requests has another error', () => {
  const log = new DiskErrorLog()
  const failed = (nospace: boolean): void =>
    log.note({ event: 'BLOCK_IO_ERROR', data: { 'node-name': 'disk-data', action: 'stop', nospace }, timestampMs: 0 })
  for (const nospace of [true, false, true]) failed(nospace)
  assert.deepEqual(log.errors, [{ disk: 'data', isFull: false }])
})
