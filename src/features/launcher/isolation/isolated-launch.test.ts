import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { coveredDirectory } from '#runtime/isolation/covered-directory.ts'
import { cannotChangeUser } from '#runtime/isolation/process-user.ts'
import { isolatedLaunch, namespaceCommand, type LaunchIsolation } from './isolated-launch.ts'

const user = { uid: 1_700_000_001, gid: 1_700_000_001, groups: [1_700_000_001, 1_700_000_009] }

suite('isolatedLaunch()', { skip: cannotChangeUser(namespaceCommand) ?? false }, () => {
  let home = ''
  let covered = ''
  before(async () => {
    home = join(await realpath(await mkdtemp(join(tmpdir(), 'isolated-'))), 'home of all')
    for (const folder of ['pods/a b', 'pods/other', 'images']) await mkdir(join(home, folder), { recursive: true })
    for (const file of ['pods/a b/own', 'pods/other/own', 'images/boot', 'kubeconfig'])
      await writeFile(join(home, file), `content of ${file}`)
    covered = coveredDirectory(home)
  })
  after(() => rm(join(home, '..'), { recursive: true, force: true }))

  function run(script: string, isolation: Partial<LaunchIsolation> = {}, before?: readonly (readonly string[])[]): Promise<string> {
    const own = { path: join(home, 'pods/a b'), source: join(home, 'pods/a b'), isDirectory: true }
    const image = { path: join(home, 'link/boot'), source: join(home, 'images/boot'), isDirectory: false }
    const text = isolatedLaunch(
      { binary: '/bin/sh', arguments: ['-c', `${script} 2>&1`], before },
      { user, covered, files: [own, image], devices: [], ...isolation },
    )
    return new Promise((resolve) => execFile('/bin/sh', ['-c', text], (_, stdout, stderr) => resolve(stdout + stderr)))
  }

  test('has the user of the VM, without capabilities and without a way to regain them', async () => {
    const status = await run('id -u; id -G; grep -E "CapEff|CapPrm|CapBnd|NoNewPrivs" /proc/self/status')
    assert.match(status, /^1700000001\n1700000001 1700000009\nCapPrm:\s0+\nCapEff:\s0+\nCapBnd:\s0+\nNoNewPrivs:\s1\n$/)
  })
  test('keeps the process, which the kubelet and the node agent know', async () => {
    const text = isolatedLaunch({ binary: '/bin/sh', arguments: ['-c', 'echo $$'] }, { user, covered, files: [], devices: [] })
    const printed = await new Promise<string>((resolve) => execFile('/bin/sh', ['-c', `echo $$; ${text}`], (_, stdout) => resolve(stdout)))
    assert.match(printed, /^(\d+)\n\1\n$/)
  })
  test('sees of the home only what belongs to the VM', async () => {
    assert.equal(await run(`cat "${home}/pods/a b/own" "${home}/link/boot"`), 'content of pods/a b/owncontent of images/boot')
    assert.match(await run(`cat "${home}/kubeconfig" "${home}/pods/other/own"`), /^(cat: .*: No such file or directory\n){2}$/)
  })
  test('gets devices of its own', async () => {
    const devices = [
      { path: join(home, 'disks/raw'), type: 'character', major: 1, minor: 5 },
      { path: '/dev/full', type: 'character', major: 1, minor: 3 },
    ] as const
    const view = `head -c 2 "${home}/disks/raw" | od -An -tu1; echo lost >/dev/full && echo kept`
    assert.equal(await run(view, { devices }), '   0   0\nkept\n')
  })
  test('runs commands before QEMU in the same way, and no QEMU when one fails', async () => {
    assert.match(await run('echo QEMU', {}, [['/usr/bin/id', '-u']]), /^1700000001\nQEMU\n$/)
    assert.doesNotMatch(await run('echo QEMU', {}, [['/bin/false']]), /QEMU/)
  })
  test('does not start QEMU without its files', async () => {
    const lost = { path: join(home, 'x'), source: join(home, 'missing'), isDirectory: true }
    assert.doesNotMatch(await run('echo QEMU', { files: [lost] }), /QEMU/)
  })
})
