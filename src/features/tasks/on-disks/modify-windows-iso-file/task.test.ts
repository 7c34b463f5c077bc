import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { exitCodes, TaskFailed } from '../../exit-codes.ts'
import type { TaskContext } from '../../task.ts'
import { DiscDamaged } from './disc/disc.ts'
import { makeInstallationDisc, readEfiImage, readFromDisc, type InstallationDisc } from './installation-disc.fixture.ts'
import { planChanges } from './plan-changes.ts'
import { modifyWindowsIsoFile } from './task.ts'

const missing = ['genisoimage', '7z'].filter((program) => spawnSync(program, ['--version']).error !== undefined)
const skip = missing.length > 0 && `no ${missing.join(' and ')}: run "node tools/setup.mjs --test"`
const boot = 'efi/microsoft/boot'

suite('modify-windows-iso-file', { skip }, () => {
  let folder = ''
  let lines: string[] = []
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'windows-iso-'))
  })
  after(() => rm(folder, { recursive: true }))

  let discs = 0
  const newFolder = async (): Promise<string> => {
    const path = join(folder, String(discs++))
    await mkdir(path)
    return path
  }
  const run = async (mounted: string): Promise<void> => {
    lines = []
    const context = {
      environment: { STEADYVM_MOUNTS: `/tmp/target-pvc=${mounted}` },
      log: (line: string) => lines.push(line),
      signal: AbortSignal.timeout(60_000),
    }
    assert.deepEqual(await modifyWindowsIsoFile.run(context as unknown as TaskContext), {})
  }
  const writesOf = async (path: string): Promise<Awaited<ReturnType<typeof planChanges>>['writes']> => {
    const disc = await readFile(path)
    const read = async (offset: number, length: number): Promise<Buffer> => {
      if (offset + length > disc.length) throw new DiscDamaged('it ends')
      return disc.subarray(offset, offset + length)
    }
    return (await planChanges({ read })).writes
  }

  /** Without a prompt by each file system and by the firmware; all else as it was. */
  const assertSilent = async ({ path, content }: InstallationDisc, hasUdf: boolean): Promise<void> => {
    const silent = content[`${boot}/efisys_noprompt.bin`] ?? assert.fail()
    assert.ok((await readEfiImage(path, silent.length)).equals(silent), 'the firmware finds another boot image')
    const expected = {
      ...content,
      [`${boot}/efisys.bin`]: silent,
      [`${boot}/cdboot.efi`]: content[`${boot}/cdboot_noprompt.efi`] ?? assert.fail(),
    }
    for (const [name, bytes] of Object.entries(expected))
      for (const [view, read] of (await readFromDisc(path, name, hasUdf)).entries())
        assert.ok(read.equals(bytes), `${name} differs in view ${view}: ${read.length} bytes`)
  }

  for (const hasUdf of [true, false])
    test(`${hasUdf ? 'UDF, Joliet and ISO 9660' : 'Joliet and ISO 9660'} lead to the files that do not ask`, async () => {
      const disc = await makeInstallationDisc(await newFolder(), { hasUdf })
      const { size } = await stat(disc.path)
      await run(join(disc.path, '..'))
      assert.match(lines.join('\n'), hasUdf ? /ISO 9660, Joliet, UDF\nChanged 7 places/ : /ISO 9660, Joliet\nChanged 5 places/)
      await assertSilent(disc, hasUdf)
      assert.equal((await stat(disc.path)).size, size)
      const changed = await readFile(disc.path)
      await run(join(disc.path, '..'))
      assert.match(lines.at(-1) ?? '', /already/)
      assert.ok(changed.equals(await readFile(disc.path)))
    })

  test('a block device is changed, too', async () => {
    const disc = await makeInstallationDisc(await newFolder())
    await run(disc.path)
    await assertSilent(disc, true)
  })

  test('a boot image that is no file of the disc is replaced, when it is a copy of the one that asks', async () => {
    const disc = await makeInstallationDisc(await newFolder())
    const image = disc.content[`${boot}/efisys.bin`] ?? assert.fail()
    const all = await readFile(disc.path)
    const copyAt = Math.ceil(all.length / 2048) * 2048
    all.writeUInt32LE(copyAt / 2048, all.readUInt32LE(17 * 2048 + 71) * 2048 + 96 + 8)
    await writeFile(disc.path, Buffer.concat([all, Buffer.alloc(copyAt - all.length), image]))
    await run(disc.path)
    await assertSilent(disc, true)
  })

  test('a run that is killed between two writes is completed by the next one', async () => {
    const disc = await makeInstallationDisc(await newFolder())
    const writes = await writesOf(disc.path)
    for (let done = 1; done < writes.length; done++) {
      const path = join(await newFolder(), 'disk.img')
      await copyFile(disc.path, path)
      const file = await open(path, 'r+')
      for (const { offset, bytes } of writes.slice(0, done)) await file.write(bytes, 0, bytes.length, offset)
      await file.close()
      await run(join(path, '..'))
      await assertSilent({ ...disc, path }, true)
    }
  })

  const refused: readonly {
    readonly what: string
    readonly make: (path: string) => Promise<string>
    readonly message: RegExp
  }[] = [
    { what: 'no volume', make: async (path) => join(path, 'none'), message: /no volume is mounted/ },
    { what: 'an empty claim', make: async (path) => path, message: /no "disk\.img"/ },
    {
      what: 'no disc',
      async make(path) {
        await writeFile(join(path, 'disk.img'), Buffer.alloc(1 << 20))
        return path
      },
      message: /no ISO 9660 and no UDF/,
    },
    {
      what: 'a file that is too short',
      async make(path) {
        await writeFile(join(path, 'disk.img'), 'short')
        return path
      },
      message: /damaged/,
    },
    {
      what: 'a disc without the silent boot image',
      async make(path) {
        await makeInstallationDisc(path, { without: [`${boot}/efisys_noprompt.bin`] })
        return path
      },
      message: /efisys_noprompt\.bin/,
    },
    {
      what: 'a disc without the silent loader',
      async make(path) {
        await makeInstallationDisc(path, { without: [`${boot}/cdboot_noprompt.efi`] })
        return path
      },
      message: /cdboot_noprompt\.efi/,
    },
    {
      what: 'a disc that only a BIOS boots',
      async make(path) {
        await makeInstallationDisc(path, { bootsByEfi: false })
        return path
      },
      message: /does not boot by EFI/,
    },
    {
      what: "a boot image that is not Microsoft's",
      async make(path) {
        const disc = await makeInstallationDisc(path)
        const all = await readFile(disc.path)
        all.writeUInt32LE(16, all.readUInt32LE(17 * 2048 + 71) * 2048 + 96 + 8)
        await writeFile(disc.path, all)
        return path
      },
      message: /changed before/,
    },
  ]
  for (const { what, make, message } of refused)
    test(`${what} is refused, and left as it is`, async () => {
      const mounted = await make(await newFolder())
      const before = await readFile(join(mounted, 'disk.img')).catch(() => undefined)
      await assert.rejects(run(mounted), (error: unknown) => {
        assert.ok(error instanceof TaskFailed)
        assert.equal(error.exitCode, exitCodes.preconditionFailed)
        assert.match(error.message, message)
        return true
      })
      assert.deepEqual(await readFile(join(mounted, 'disk.img')).catch(() => undefined), before)
    })
})
