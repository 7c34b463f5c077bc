import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { launcherPaths } from '#features/launcher/index.ts'
import { prepareFirmware } from './firmware-state.ts'
import type { Host } from '../node/host.ts'

function vmiWith(secureBoot: boolean): VirtualMachineInstance {
  const firmware = { bootloader: { efi: { secureBoot, persistent: true } } }
  return { metadata: { name: 'web' }, spec: { domain: { devices: {}, machine: { type: 'q35' }, firmware } } }
}

test('keeps UEFI variables across starts and never mixes those with and without enrolled keys', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'state-'))
  try {
    const image = (name: string, features: readonly string[]): Host['firmware'][number] => {
      writeFileSync(join(directory, name), `variables of ${name}`)
      return { codePath: '/code', variablesTemplate: join(directory, name), machines: ['pc-q35-*'], features }
    }
    const firmware = [image('secure', ['secure-boot', 'enrolled-keys', 'requires-smm']), image('plain', [])]
    const host = { firmware, machineAliases: { q35: 'pc-q35-7.2' }, machineTypes: ['pc-q35-7.2'] } as unknown as Host
    const { view } = launcherPaths(join(directory, 'pods'), '/run', 'uid')
    mkdirSync(view.persistentState, { recursive: true })
    const prepare = async (secureBoot: boolean): Promise<string> => {
      const files = await prepareFirmware(vmiWith(secureBoot), { view, host, tpmSocket: '', root: '' })
      return files?.variablesPath ?? ''
    }
    const plain = await prepare(false)
    writeFileSync(plain, 'boot order of mine')
    assert.equal(readFileSync(await prepare(true), 'utf8'), 'variables of secure')
    assert.equal(readFileSync(await prepare(false), 'utf8'), 'boot order of mine')
  } finally {
    rmSync(directory, { recursive: true })
  }
})
