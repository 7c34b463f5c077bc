import assert from 'node:assert/strict'
import { once } from 'node:events'
import { open, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { buildArguments } from '../domain/arguments.ts'
import { startQemu, systemQemu, temporaryFolder, ticking, until, type TestQemu } from '../guest.fixture.ts'
import { queryRunState, resume } from '../qmp/commands.ts'
import { tickingDisk } from '../ticking-disk.fixture.ts'
import { dumpErrorIn, readMemoryDump, startMemoryDump } from './memory-dump.ts'

/** Starts a guest that runs, and collects why dumps fail. */
async function startGuest(t: TestContext): Promise<TestQemu & { readonly errors: string[] }> {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'boot.img'), tickingDisk({}))
  const guest = await startQemu(t, systemQemu, buildArguments(ticking(folder)), folder)
  const errors: string[] = []
  guest.qmp.onEvent((event) => errors.push(...[dumpErrorIn(event) ?? []].flat()))
  await resume(guest.qmp)
  return { ...guest, errors }
}

async function ended({ qmp }: TestQemu): Promise<void> {
  await until('the dump has ended', async () => (await readMemoryDump(qmp)).state !== 'active')
}

suite('dump of the memory of a guest', () => {
  test('writes all of it into an open file, and the guest runs on', async (t) => {
    const guest = await startGuest(t)
    assert.deepEqual(await readMemoryDump(guest.qmp), { state: 'none', totalBytes: 0 })
    const path = join(guest.folder, 'dump')
    await using file = await open(path, 'wx')
    assert.equal(await startMemoryDump(guest.qmp, file.fd), undefined)
    await ended(guest)
    const { state, totalBytes } = await readMemoryDump(guest.qmp)
    assert.equal(state, 'completed')
    assert.ok(totalBytes >= 32 << 20, `${totalBytes} bytes`)
    const core = await readFile(path)
    assert.ok(core.length >= totalBytes)
    // An ELF file of type ET_CORE.
    assert.deepEqual([core.toString('latin1', 0, 4), core.readUInt16LE(16)], ['\x7fELF', 4])
    const ticks = guest.printed().length
    await until('the guest ticks', () => guest.printed().length > ticks)
  })

  test('says why it fails, and the guest runs on', async (t) => {
    const guest = await startGuest(t)
    await using full = await open('/dev/full', 'w')
    assert.equal(await startMemoryDump(guest.qmp, full.fd), undefined)
    await ended(guest)
    assert.equal((await readMemoryDump(guest.qmp)).state, 'failed')
    await until('QEMU says why', () => guest.errors.length > 0)
    assert.match(guest.errors[0] ?? '', /No space left on device/)
    await until('the guest runs', async () => (await queryRunState(guest.qmp)) === 'running')
  })

  test('is refused while the guest is moved', async (t) => {
    const guest = await startGuest(t)
    const path = join(guest.folder, 'stream')
    const server = createServer(() => {}).listen(path)
    t.after(() => server.close())
    await once(server, 'listening')
    await guest.qmp.execute('migrate', { uri: `unix:${path}` })
    await using file = await open(join(guest.folder, 'dump'), 'wx')
    assert.match((await startMemoryDump(guest.qmp, file.fd)) ?? '', /migration/)
  })
})
