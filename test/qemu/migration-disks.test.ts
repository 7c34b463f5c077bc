import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { advanceIncoming, createOverlay, inspectDiskImage, takeOver } from '#qemu/index.ts'
import { newerQemu, startTarget, startTicking, systemQemu, temporaryFolder, until, type TestQemu } from '#qemu/guest.fixture.ts'
import { readDiskCopies } from '#qemu/migration/disk-copies.ts'
import { driveSource, move, plansFor, quickly } from '#qemu/migration/guest-move.fixture.ts'
import { queryRunState } from '#qemu/qmp/commands.ts'
import { brokenTicks, tickingDisk } from '#qemu/ticking-disk.fixture.ts'

const sector = 7
const boot = { node: 'disk-boot', sync: 'full' } as const

/** Returns the number of the last tick that the guest has written to its disk. */
function tickOn(disk: string): number {
  return readFileSync(disk).readUInt32LE(sector * 512)
}

function digestWithoutTicks(disk: string): string {
  const content = readFileSync(disk)
  content.fill(0, sector * 512, (sector + 1) * 512)
  return createHash('sha256').update(content).digest('hex')
}

async function guests(t: TestContext, binary = systemQemu): Promise<{ source: TestQemu; target: TestQemu; from: string; to: string }> {
  const source = await startTicking(t, { sector }, {}, systemQemu)
  const target = await startTarget(t, source, { binary, ownDisks: ['boot.img'] })
  return { source, target, from: join(source.folder, 'boot.img'), to: join(target.folder, 'boot.img') }
}

suite('a disk that the target cannot see', () => {
  for (const [name, binary] of [
    ['the same QEMU', systemQemu],
    ['a newer QEMU', newerQemu.binary],
  ] as const) {
    test(`is copied to ${name} while the guest writes to it`, { skip: binary === systemQemu ? false : newerQemu.skip }, async (t) => {
      const { source, target, from, to } = await guests(t, binary)
      const { step } = await move(source, target, { disks: [boot] })
      assert.deepEqual(step, { kind: 'end', outcome: 'completed', reason: '' })
      await until('the guest ticks on the target', () => target.printed().length > 5)
      assert.equal(brokenTicks(source.printed() + target.printed()), undefined)
      const last = tickOn(from)
      await until('the guest writes to its disk on the target', () => tickOn(to) > last + 2)
      assert.equal(tickOn(from), last, 'the old disk is not written to any more')
      assert.equal(digestWithoutTicks(to), digestWithoutTicks(from))
    })
  }

  test('is abandoned with the target, and the guest keeps using its own', async (t) => {
    const { source, target, from } = await guests(t)
    const settings = { ...quickly, bandwidth: 1 << 20 }
    const { outgoing, incoming } = plansFor(target, { disks: [boot], settings })
    await advanceIncoming(target.qmp, incoming)
    const state = await driveSource(source.qmp, outgoing, async ({ observed }) => {
      if (observed.copies.length > 0) await target.kill()
      return false
    })
    assert.ok(state.step.kind === 'end' && state.step.outcome === 'failed')
    assert.match(state.step.reason, /disk-boot/)
    assert.deepEqual(await readDiskCopies(source.qmp), [])
    assert.equal(await queryRunState(source.qmp), 'running')
    const last = tickOn(from)
    await until('the guest writes to its disk', () => tickOn(from) > last + 2)
    const again = await startTarget(t, source, { ownDisks: ['boot.img'] })
    const second = await move(source, again, { id: 'two', disks: [boot] })
    assert.ok(second.step.kind === 'end' && second.step.outcome === 'completed')
  })

  test('is copied without its backing file if the target has that', async (t) => {
    const folder = await temporaryFolder(t)
    const base = join(folder, 'base.img')
    await writeFile(base, tickingDisk({ sector }, 65_536))
    const backing = { path: base, ...(await inspectDiskImage(base)) }
    await createOverlay(join(folder, 'top.qcow2'), backing)
    const disk = {
      name: 'boot',
      path: join(folder, 'top.qcow2'),
      format: 'qcow2',
      readOnly: false,
      device: 'disk',
      bus: 'virtio',
      bootOrder: 1,
    } as const
    const source = await startTicking(t, {}, { disks: [disk] })
    const there = await temporaryFolder(t)
    await createOverlay(join(there, 'top.qcow2'), backing)
    const target = await startTarget(t, source, {
      change: (args) => args.map((word) => word.replace(join(folder, 'top.qcow2'), join(there, 'top.qcow2'))),
    })
    const { step, observed } = await move(source, target, { disks: [{ node: 'disk-boot', sync: 'top' }] })
    assert.ok(step.kind === 'end' && step.outcome === 'completed', JSON.stringify({ step, observed }))
    await until('the guest ticks on the target', () => target.printed().length > 5)
    await target.kill()
    const { 'actual-size': bytes } = JSON.parse(
      execFileSync('qemu-img', ['info', '--output=json', join(there, 'top.qcow2')], { encoding: 'utf8' }),
    ) as { 'actual-size': number }
    assert.ok(bytes < 4 << 20, `${bytes}`)
  })

  test('is not written to by the source any more after the switch to the target', async (t) => {
    const { source, target } = await guests(t)
    await move(source, target, { disks: [boot] })
    assert.deepEqual(await target.qmp.execute('query-block-exports'), [])
    await takeOver(target.qmp, true)
    assert.equal(await queryRunState(target.qmp), 'running')
  })
})
