import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { before, suite, test } from 'node:test'
import type { HardwareRecord } from '#api/steadyvm/v1alpha1/hardware-record.ts'
import { newerQemu } from '#qemu/guest.fixture.ts'
import { queryCapabilities } from '#qemu/index.ts'
import { qemuBinary, testHost } from '#features/node-agent/guest.fixture.ts'
import { UnsupportedGuest } from '#features/node-agent/domain/unsupported-guest.ts'
import type { Host } from '#features/node-agent/node/host.ts'
import type { Ports } from '#features/node-agent/guest/ports.ts'
import { checkIncomingHardware } from '#features/node-agent/hardware/check-arrival.ts'
import { apiWith, recordOf, vmWith, vmiOf } from '#features/node-agent/hardware/hardware.fixture.ts'
import { dryRunArguments } from '#features/node-agent/hardware/dry-run-launch.ts'

suite('checkIncomingHardware()', { skip: !existsSync(qemuBinary) }, () => {
  const vm = vmWith({})
  let host: Host
  let stored: HardwareRecord
  before(async () => {
    host = await testHost()
    stored = await recordOf(vm, host)
  })

  interface Arriving {
    readonly on?: Host
    /** Changes each argument of the received command line. */
    readonly change?: (word: string) => string
    readonly more?: readonly string[]
    readonly policy?: string
    readonly handed?: { readonly fingerprint: string; readonly launch: string } | undefined
  }
  async function arrive({ on = host, change = (word) => word, more = [], policy, ...rest }: Arriving): Promise<void> {
    const { client } = apiWith(vm, stored, policy)
    const ports = { client, host: on } as unknown as Ports
    const args = [...dryRunArguments(vmiOf(vm), host).map(change), ...more, '-incoming', 'defer']
    const { fingerprint, launch } = stored
    const handed = 'handed' in rest ? rest.handed : { fingerprint, launch }
    await checkIncomingHardware(ports, vmiOf(vm), { launch: { binary: on.qemuBinary, arguments: args }, handed })
  }
  const otherMac = (word: string): string => word.replace(/mac=02:[0-9a-f]{2}/, 'mac=02:ee')

  test('rehearses nothing for the same launch as on the source', () => arrive({ on: { ...host, qemuBinary: '/nowhere' } }))

  test('accepts a newer release with the same hardware', { skip: newerQemu.skip }, async () => {
    await arrive({ on: { ...host, ...(await queryCapabilities(newerQemu.binary, 'tcg')), qemuBinary: newerQemu.binary } })
  })

  test('refuses differences and names them', async () => {
    await assert.rejects(
      arrive({ change: otherMac }),
      (error) => error instanceof UnsupportedGuest && /mac: 02:.* → 02:ee/.test(error.message),
    )
    await assert.rejects(arrive({ change: (word) => (word === 'qemu64' ? 'Nehalem' : word) }), /cpu: /)
  })

  test('ignores hotplugged vCPUs', () => arrive({ more: ['-device', 'qemu64-x86_64-cpu,id=cpu1,socket-id=1,core-id=0,thread-id=0'] }))

  test('accepts allowed changes, and guests without a recorded fingerprint', async () => {
    await arrive({ change: otherMac, policy: 'Allow' })
    await arrive({ change: otherMac, handed: undefined })
  })

  test('refuses a guest that this QEMU cannot build', () =>
    assert.rejects(arrive({ more: ['-device', 'no-such-device'] }), (error) => error instanceof UnsupportedGuest))
})
