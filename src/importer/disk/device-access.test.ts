import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const folder = mkdtempSync(join(tmpdir(), 'device-'))
const device = join(folder, 'disk')
const isThere = process.getuid?.() === 0 && spawnSync('mknod', ['-m', '600', device, 'b', '7', '250']).status === 0
const skip = isThere ? false : 'only root can make a device'

test('requireDevice() says which setting of the container runtime is missing', { skip }, (context) => {
  context.after(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o755)
  const script = `
    const { requireDevice } = await import(${JSON.stringify(join(import.meta.dirname, 'device-access.ts'))})
    await requireDevice(${JSON.stringify(device)}, 'write').then(() => console.log('open'), ({ reason, fatal, message }) => console.log(reason, fatal, message))`
  const tryAs = (user: number): string => {
    const options = { uid: user, gid: user, encoding: 'utf8', cwd: '/' } as const
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], options)
    assert.equal(stderr, '')
    return stdout.trim()
  }
  assert.match(tryAs(107), /^TargetUnusable false .*device_ownership_from_security_context/)
  assert.equal(tryAs(0), 'open')
})
