import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { TaskContext } from '#features/tasks/index.ts'
import { makeInstallationDisc } from '#features/tasks/on-disks/modify-windows-iso-file/installation-disc.fixture.ts'
import { modifyWindowsIsoFile } from '#features/tasks/on-disks/modify-windows-iso-file/task.ts'
import { findOnPath, runCommand } from '../support/kubectl.ts'

const firmware = '/usr/share/ovmf/OVMF.fd'
const programs = ['qemu-system-x86_64', 'genisoimage', 'grub-mkimage', 'mformat', 'mmd', 'mcopy']
const missing = [...programs.filter((program) => findOnPath(program) === undefined), ...(existsSync(firmware) ? [] : [firmware])]
const skip = missing.length > 0 && `there is no ${missing.join(', ')}: run "node tools/setup.mjs --test"`
const boot = 'efi/microsoft/boot'
/** Under emulation, on a machine that does other things, too. */
const bootMs = 600_000

suite('a disc that the task has changed', { skip }, () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'windows-disc-'))
  })
  after(() => rm(folder, { recursive: true }))

  async function run(program: string, ...args: readonly string[]): Promise<void> {
    const { code, stdout, stderr } = await runCommand(program, args)
    assert.equal(code, 0, `${program} ${args.join(' ')}: ${stdout}${stderr}`)
  }

  /** Makes a boot image for EFI, a floppy disk with a loader, that prints a text and ends. */
  async function makeBootImage(name: string): Promise<Buffer> {
    const [config, loader, image] = ['cfg', 'efi', 'img'].map((extension) => join(folder, `${name}.${extension}`)) as [
      string,
      string,
      string,
    ]
    await writeFile(config, `serial --unit=0\nterminal_output serial\necho "booted ${name}"\nhalt\n`)
    await run('grub-mkimage', '-O', 'x86_64-efi', '-p', '/', '-c', config, '-o', loader, 'serial', 'terminal', 'echo', 'halt')
    await run('mformat', '-C', '-f', '1440', '-i', image, '::')
    await run('mmd', '-i', image, '::/EFI', '::/EFI/BOOT')
    await run('mcopy', '-i', image, loader, '::/EFI/BOOT/BOOTX64.EFI')
    return readFile(image)
  }

  /** Boots a disc until a boot image tells its name. */
  async function bootDisc(path: string): Promise<string> {
    const drive = ['-drive', `file=${path},format=raw,media=cdrom,readonly=on`]
    const machine = ['-M', 'q35', '-m', '256', '-nographic', '-nodefaults', '-serial', 'stdio', '-net', 'none', '-bios', firmware]
    const qemu = spawn('qemu-system-x86_64', [...machine, ...drive], { stdio: ['ignore', 'pipe', 'inherit'] })
    const limit = setTimeout(() => qemu.kill('SIGKILL'), bootMs)
    let printed = ''
    try {
      for await (const text of qemu.stdout.setEncoding('utf8')) {
        printed += String(text)
        const found = /booted (\w+)\s/.exec(printed)?.[1]
        if (found !== undefined) return found
      }
      return assert.fail(`nothing has booted: ${printed}`)
    } finally {
      clearTimeout(limit)
      qemu.kill('SIGKILL')
      if (qemu.exitCode === null && qemu.signalCode === null) await once(qemu, 'close')
    }
  }

  test('boots by UEFI what does not ask for a key', async () => {
    const contents = {
      [`${boot}/efisys.bin`]: await makeBootImage('asking'),
      [`${boot}/efisys_noprompt.bin`]: await makeBootImage('silent'),
    }
    const { path } = await makeInstallationDisc(folder, { contents })
    assert.equal(await bootDisc(path), 'asking')
    const environment = { STEADYVM_MOUNTS: `/tmp/target-pvc=${dirname(path)}` }
    const context = { environment, log: () => {}, signal: AbortSignal.timeout(60_000) }
    await modifyWindowsIsoFile.run(context as unknown as TaskContext)
    assert.equal(await bootDisc(path), 'silent')
  })
})
