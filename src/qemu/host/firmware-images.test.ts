import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { chooseFirmware, findFirmware, type FirmwareImage } from './firmware-images.ts'

const image = (codePath: string, features: readonly string[], machines: readonly string[] = ['pc-q35-*']): FirmwareImage => ({
  codePath,
  variablesTemplate: '/vars',
  machines,
  features,
})
const enrolled = image('enrolled', ['secure-boot', 'enrolled-keys', 'requires-smm'])
const empty = image('empty', ['secure-boot', 'requires-smm'])
const plain = image('plain', [], ['pc-i440fx-*', 'pc-q35-*'])

suite('chooseFirmware()', () => {
  const rows: readonly (readonly [string, string, boolean, string | undefined])[] = [
    ['requires enrolled keys for enforced signatures', 'pc-q35-7.2', true, 'enrolled'],
    ['enforces nothing when that is not wanted', 'pc-q35-7.2', false, 'plain'],
    ['matches the machine type', 'pc-i440fx-7.2', false, 'plain'],
    ['has none rather than a wrong one', 'pc-i440fx-7.2', true, undefined],
  ]
  for (const [name, machineType, secureBoot, expected] of rows) {
    test(name, () => assert.equal(chooseFirmware([empty, enrolled, plain], { machineType, secureBoot })?.codePath, expected))
  }
})

suite('findFirmware()', () => {
  const root = mkdtempSync(join(tmpdir(), 'firmware-'))
  const folder = (name: string): string => join(root, name)
  const file = (path: string, content: string): void => writeFileSync(join(root, path), content)
  const descriptor = (code: string, change: object = {}): string =>
    JSON.stringify({
      'interface-types': ['uefi'],
      mapping: {
        device: 'flash',
        executable: { filename: join(root, code), format: 'raw' },
        'nvram-template': { filename: join(root, 'vars.fd'), format: 'raw' },
      },
      targets: [{ architecture: 'x86_64', machines: ['pc-q35-*'] }],
      features: [],
      ...change,
    })

  test('reads descriptors by name, the first folder before the second, and skips unusable ones', async () => {
    for (const name of ['etc', 'usr']) mkdirSync(folder(name))
    for (const name of ['a.fd', 'b.fd', 'vars.fd']) file(name, '')
    file('usr/60-b.json', descriptor('b.fd'))
    file('usr/50-hidden.json', descriptor('b.fd'))
    file('etc/50-hidden.json', descriptor('a.fd'))
    file('usr/40-gone.json', descriptor('gone.fd'))
    file('usr/30-bios.json', descriptor('a.fd', { 'interface-types': ['bios'] }))
    file('usr/20-arm.json', descriptor('a.fd', { targets: [{ architecture: 'aarch64', machines: ['virt-*'] }] }))
    file('usr/10-broken.json', '{')
    const found = await findFirmware([folder('etc'), folder('usr'), folder('none')])
    assert.deepEqual(
      found.map(({ codePath }) => codePath),
      [join(root, 'a.fd'), join(root, 'b.fd')],
    )
    rmSync(root, { recursive: true })
  })
})
