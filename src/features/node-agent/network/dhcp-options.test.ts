import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DHCPOptions } from '#api/kubevirt/v1/domain/interface.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'
import { dhcpOptionsOf } from './dhcp-options.ts'

const optionsOf = (dhcpOptions?: DHCPOptions): string[] => {
  const interfaces = [{ name: 'default', ...(dhcpOptions === undefined ? {} : { dhcpOptions }) }]
  return dhcpOptionsOf({ spec: { domain: { devices: { interfaces } } } } as unknown as VirtualMachineInstance, 'default')
}

suite('dhcpOptionsOf()', () => {
  test('returns nothing without options', () => assert.deepEqual([optionsOf(), optionsOf({})], [[], []]))

  test('writes numbers, addresses and texts', () => {
    const privateOptions = [{ option: 240, value: 'a,b c' }]
    assert.deepEqual(
      optionsOf({ ntpServers: ['10.0.0.1', '10.0.0.2'], tftpServerName: 'tftp.example', bootFileName: 'x/boot.efi', privateOptions }),
      ['42,10.0.0.1,10.0.0.2', '66,"tftp.example"', '67,"x/boot.efi"', '240,"a,b c"'],
    )
  })

  for (const text of ['a"\ndhcp-script=/bin/sh', 'a\nb', 'a"', 'a\\', 'ü', 'x'.repeat(256)])
    test(`refuses ${JSON.stringify(text.slice(0, 20))}`, () => assert.throws(() => optionsOf({ bootFileName: text }), UnsupportedGuest))
})
