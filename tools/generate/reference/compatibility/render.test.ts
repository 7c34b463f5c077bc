import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { customKinds } from '../../custom-kinds.ts'
import { renderCompatibility } from './render.ts'

const rowOf = (text: string, name: string): string | undefined => text.split('\n').find((line) => line.startsWith(`| \`${name}\` |`))

test('renderCompatibility() follows the code', () => {
  const [, text] = renderCompatibility({ kinds: customKinds, metrics: ['kubevirt_vmi_non_evictable'] })
  for (const [name, answer] of [
    ['VirtualMachine', 'same'],
    ['VirtualMachinePool', 'same'],
    ['VirtualMachineExport', 'same'],
    ['VirtualMachineBackup', 'not yet'],
    ['virtualmachines/start', 'same'],
    ['virtualmachineinstances/vnc', 'same'],
    ['virtualmachineinstances/usbredir', 'same'],
    ['virtualmachineinstances/addvolume', 'same'],
    ['virtualmachines/memorydump', 'same'],
    ['HostDisk', 'same'],
    ['Plugins', 'not yet'],
    ['kubevirt.io:edit', 'same'],
    ['steadyvm.io:view', 'different'],
    ['kubevirt_vmi_non_evictable', 'same'],
    ['kubevirt_vmi_migration_failed', 'not yet'],
    ['pause', 'same'],
    ['ssh', 'same'],
    ['memory-dump', 'same'],
    ['guestfs', 'not yet'],
  ] as const)
    assert.ok(rowOf(text, name)?.startsWith(`| \`${name}\` | ${answer} |`), `${name}: ${rowOf(text, name)}`)
})

test('the page names every subresource and command with what happens', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'reference', 'kubevirt.md'), 'utf8')
  const open = page.split('\n').filter((line) => line.includes('| not yet | |'))
  assert.deepEqual(open, [])
})
