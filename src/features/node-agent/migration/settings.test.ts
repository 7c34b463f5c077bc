import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Disk, Domain } from '#qemu/index.ts'
import { channelsOf } from './source-launch.ts'
import { copiedDisks, limitsOf, settingsOf } from './settings.ts'

suite('settingsOf()', () => {
  test('enables TLS unless disabled, and verifies the target only', () => {
    const to = (targetNodeAddress: string) => ({ targetNodeAddress, targetNode: 'b' })
    assert.deepEqual(settingsOf(to('10.0.0.7'), 'source', { directory: '/pki' }).tls, { directory: '/pki', targetName: 'b' })
    assert.deepEqual(settingsOf(to('127.64.0.7'), 'source', { directory: '/pki' }).tls, { directory: '/pki', targetName: 'localhost' })
    const shared = { directory: '/pki', name: 'any.node' }
    assert.deepEqual(settingsOf(to('10.0.0.7'), 'source', shared).tls, { directory: '/pki', targetName: 'any.node' })
    assert.equal(settingsOf({ migrationConfiguration: { disableTLS: true } }, 'source', { directory: '/pki' }).tls, undefined)
  })

  test('reads the frozen configuration', () => {
    const migrationConfiguration = { bandwidthPerMigration: '64Mi', maxDowntimeMs: 300, allowAutoConverge: true, progressTimeout: 7 }
    assert.deepEqual(settingsOf({ migrationConfiguration }, 'source', undefined), {
      bandwidth: 2 ** 26,
      maxDowntimeMs: 300,
      autoConverge: true,
      postCopy: false,
    })
    assert.equal(limitsOf({ migrationConfiguration }).progressTimeoutMs, 7_000)
    assert.equal(limitsOf({}).completionTimeoutMsPerGib, 150_000)
  })

  test('allows post-copy only if the policy and the target allow it', () => {
    const migrationConfiguration = { allowPostCopy: true }
    const targetState = { steadyvm: { withoutPostCopy: true } }
    for (const [state, expected] of [
      [{}, false],
      [{ migrationConfiguration }, true],
      [{ migrationConfiguration, targetState }, false],
    ] as const) {
      assert.equal(settingsOf(state, 'source', undefined).postCopy, expected)
      assert.equal(limitsOf(state).allowPostCopy, expected)
    }
  })

  test('uses the number of channels that both sides support', () => {
    const offered = { sourceState: { steadyvm: { launch: '{"channels":8}' } } }
    const rows: readonly (readonly [VirtualMachineInstanceMigrationState, number | undefined, number | undefined])[] = [
      [{}, undefined, undefined],
      [{ sourceState: { steadyvm: { launch: '{}' } } }, undefined, undefined],
      // The target starts to listen before it can report, and one of an older release never does.
      [offered, 8, undefined],
      [{ ...offered, targetState: { steadyvm: { channels: 8 } } }, 8, 8],
    ]
    for (const [state, target, source] of rows) {
      assert.deepEqual([settingsOf(state, 'target', undefined).channels, settingsOf(state, 'source', undefined).channels], [target, source])
    }
  })
})

test('copiedDisks() returns writable disks that are not shared', () => {
  const disk: Disk = { name: 'own', path: '/own', format: 'qcow2', readOnly: false, device: 'disk', bus: 'virtio' }
  const disks = [disk, { ...disk, name: 'seed', readOnly: true }, { ...disk, name: 'claim', shared: true as const }]
  assert.deepEqual(copiedDisks({ disks } as unknown as Domain), [{ node: 'disk-own', sync: 'full' }])
})

suite('channelsOf()', () => {
  const rows: readonly (readonly [string, Partial<VirtualMachineInstanceSpec['domain']>, number | undefined])[] = [
    ['are many', {}, 8],
    ['also with requests', { resources: { requests: { cpu: '2' } } }, 8],
    ['but one under a limit', { resources: { limits: { cpu: '500m' } } }, undefined],
    ['unless that limits nothing', { resources: { limits: { cpu: '0', memory: '1Gi' } } }, 8],
    ['and one beside processors of its own', { cpu: { dedicatedCpuPlacement: true } }, undefined],
  ]
  for (const [name, domain, expected] of rows) {
    test(name, () => assert.equal(channelsOf({ domain: { devices: {}, ...domain } }), expected))
  }
})
